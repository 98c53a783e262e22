package import Wire

/// The list of peers, and the search for one by a name.
extension Roster {
    /// The result of a search for a peer.
    package enum SearchResult: Hashable, Sendable {
        case none
        case one(PeerID)
        /// All candidates, in the order of their keys.
        case ambiguous([PeerName])
    }

    /// A row of the list of peers.
    package struct Row: Hashable, Sendable {
        package let who: PeerName
        /// `left` for a peer that is not here.
        package let state: PresenceState
        /// Nil unless it is away, gave one and is not hidden. Not made safe for display: that is done where it is shown.
        package private(set) var reason: String?
        /// That of its last presence; empty if it is hidden. Not made safe for display either.
        package private(set) var profile: Profile
        /// When it came here, or left last.
        package let since: Timestamp
        /// True if it is in another network.
        package let isElsewhere: Bool
        package let isMuted: Bool
        package let isBlocked: Bool
        package let isVerified: Bool

        /// The row without what the peer says of itself.
        package var withoutTexts: Row {
            var row = self
            (row.reason, row.profile) = (nil, Profile())
            return row
        }
    }

    /// The peers that are shown as here by the time of their arrival, oldest first; then those in other networks; then the last 64 that left,
    /// latest first.
    package var rows: [Row] {
        let peers = known.compactMap { peer, entry in
            entry.shownSince.map { (peer, entry.isHere || entry.isAwaited, $0) }
        }
        let here = peers.filter { $0.1 }.sorted { ($0.2, $0.0) < ($1.2, $1.0) }
        return here.map { row($0.0, since: $0.2) } + elsewhereRows + goneRows
    }

    /// As `rows`, but of the peers here only the 64 heard last, the latest first: the rows of a crowd.
    package var latestRows: [Row] {
        let here = known.filter { $0.value.isHere && $0.key != me }.sorted { $0.value.heardAt > $1.value.heardAt }
        return here.prefix(Limits.heardPeersShown).compactMap { peer, entry in
            entry.since.map { row(peer, since: $0) }
        } + elsewhereRows + goneRows
    }

    private var elsewhereRows: [Row] {
        let peers = known.compactMap { peer, entry in entry.isElsewhere ? entry.since.map { (peer, $0) } : nil }
        return peers.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map { row($0.0, since: $0.1) }
    }

    private var goneRows: [Row] {
        let gone = known.compactMap { peer, entry in
            entry.isHere || entry.isElsewhere || entry.isAwaited ? nil : entry.since.map { (peer, $0) }
        }
        return gone.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.prefix(Limits.offlinePeersShown).map {
            row($0.0, since: $0.1)
        }
    }

    /// The row of one peer; nil if it never was here.
    package func row(of peer: PeerID) -> Row? {
        guard peer != me, let entry = known[peer] else { return nil }
        return entry.shownSince.map { row(peer, since: $0) }
    }

    /// The peers that are shown as here: those whose departure is not reported yet are among them.
    package var shownOnline: Int {
        var count = online
        for peer in deadlines.keys { if let entry = known[peer], entry.isAwaited { count += 1 } }
        return count
    }

    /// Finds the peer named by `4821`, `#4821`, `#4821-3377`, a nickname, the user's own name for a contact, a name as it is
    /// shown: `nickname#4821`, `≈nickname#4821`, `★Bob`, `★Bob#4821`, or a key: at least its first 8 hexadecimal digits.
    ///
    /// A text in the form of a number is never a nickname, because any peer can call itself `4821`; one in the form of a key may
    /// be either, and names one peer only if no other has it as the other. Nicknames are
    /// compared by canonical equivalence; without regard to case only if no nickname is equal. Of several peers with a
    /// nickname those that `isMeant` come first, then those that are here.
    ///
    /// - Parameter isMeant: of those that share a number it decides too, as it is about the peer and not about its name.
    package func find(_ text: String, where isMeant: (PeerID) -> Bool = { _ in false }) -> SearchResult {
        let (found, isNumber) = candidates(for: text)
        let peers = found.filter { $0 != me }.sorted()
        let meant = peers.count > 1 ? peers.filter(isMeant) : []
        let here = peers.count > 1 && meant.isEmpty && !isNumber ? peers.filter { isHere($0) } : []
        let choices = meant.isEmpty ? (here.isEmpty ? peers : here) : meant
        if choices.count > 1 { return .ambiguous(choices.map { who($0) }) }
        return choices.first.map { .one($0) } ?? .none
    }

    /// The user's own names come before those that peers chose.
    private func candidates(for text: String) -> (peers: [PeerID], isNumber: Bool) {
        // No nickname is as long as a key.
        if let key = PeerID(hexadecimal: text), known[key] != nil || isBlocked(key) { return ([key], true) }
        if let label = NumberLabel(text) { return (peers { label.names($0, $1.number) }, true) }
        if let label = KeyLabel(text) {
            let keys = peers { key, _ in label.names(key) } + marks.blocked.inOrder.filter { label.names($0) }
            if !keys.isEmpty { return (Array(Set(keys + peers { $1.nickname == text })), true) }
        }
        if text.hasPrefix(PeerName.alikeMark) { return candidates(for: String(text.dropFirst())) }
        let isStarred = text.hasPrefix(PeerName.contactMark)
        let own = contacts(called: isStarred ? text.dropFirst() : text[...])
        if !own.isEmpty || isStarred { return (own, false) }
        let exact = peers { $1.nickname == text }
        if !exact.isEmpty { return (exact, false) }
        if let (name, label) = Roster.shownName(text[...]) {
            let shown = DisplayGuard.safeName(String(name))
            return (
                peers {
                    label.names($0, $1.number) && ($1.nickname == name || DisplayGuard.safeName($1.nickname) == shown)
                }, true
            )
        }
        let folded = text.lowercased()
        return (folded.isEmpty ? [] : peers { $1.nickname.lowercased() == folded }, false)
    }

    /// The contacts of a name, with a number behind it or not.
    private func contacts(called text: Substring) -> [PeerID] {
        guard !contacts.isEmpty else { return [] }
        let exact = contacts.filter { $0.value == text }
        if !exact.isEmpty { return Array(exact.keys) }
        if let (name, label) = Roster.shownName(text) {
            let named = contacts.filter { $0.value == name && label.names($0.key, SenderNumber(of: $0.key)) }
            if !named.isEmpty { return Array(named.keys) }
        }
        let folded = text.lowercased()
        return contacts.filter { $0.value.lowercased() == folded }.map(\.key)
    }

    /// The two parts of a name with its number.
    private static func shownName(_ text: Substring) -> (name: Substring, label: NumberLabel)? {
        guard let hash = text.lastIndex(of: "#"), let label = NumberLabel(text[hash...]) else { return nil }
        return (text[..<hash], label)
    }

    private func peers(where matches: (PeerID, KnownPeer) -> Bool) -> [PeerID] {
        known.compactMap { matches($0.key, $0.value) ? $0.key : nil }
    }

    private func row(_ peer: PeerID, since: Timestamp) -> Row {
        let entry = known[peer]
        return Row(
            who: who(peer), state: entry?.presence ?? .left, reason: entry.flatMap { shownReason(of: peer, $0) },
            profile: isHidden(peer) ? Profile() : entry?.profile ?? Profile(), since: since,
            isElsewhere: elsewhere.contains(peer),
            isMuted: muted.contains(peer), isBlocked: isBlocked(peer),
            isVerified: marks.verified.contains(peer))
    }
}

extension Limits {
    /// Peers that left and are still listed, those that left last. More make a list in which the peers that are here
    /// are hard to find; with fewer, a user does not find who was here an hour ago.
    package static let offlinePeersShown = 64
    /// Peers of a crowd that are listed: those heard last. More make each list slower and longer than a screen; with
    /// fewer, participants of a lively conversation are missing.
    package static let heardPeersShown = 64
}
