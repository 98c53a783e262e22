package import Wire

extension Roster {
    /// What a text that names a peer has led to.
    package enum Finding: Hashable, Sendable {
        case none
        case one(PeerID)
        /// All that it could mean, in the order of their keys.
        case ambiguous([Who])
    }

    /// A row of the list of peers.
    package struct Row: Hashable, Sendable {
        package let who: Who
        /// `left` for whoever has no link.
        package let state: PresenceState
        /// Since when it has a link, or has none.
        package let since: Timestamp
        package let isMuted: Bool
        package let isBlocked: Bool
        package let isVerified: Bool
    }

    /// Everybody with a link, then the last 64 that had one, each group by the time, the newest last and first.
    package var rows: [Row] {
        let peers = known.compactMap { peer, entry in entry.since.map { (peer, entry.isLinked, $0) } }
        let linked = peers.filter { $0.1 }.sorted { ($0.2, $0.0) < ($1.2, $1.0) }
        let gone = peers.filter { !$0.1 }.sorted { ($1.2, $0.0) < ($0.2, $1.0) }
        return (linked + gone.prefix(Limits.offlinePeersShown)).map { row($0.0, since: $0.2) }
    }

    /// Whom a person means by `4821`, `#4821`, `#4821-3377`, a nickname, or `nickname#4821` as it is shown.
    ///
    /// What has the form of a number is never taken for a nickname: anybody can call itself `4821`. A nickname is
    /// compared by canonical equivalence, and only if nobody has exactly it without regard to case.
    package func find(_ text: String) -> Finding {
        let peers = candidates(for: text).filter { $0 != me }.sorted()
        if peers.count > 1 { return .ambiguous(peers.map { who($0) }) }
        return peers.first.map { .one($0) } ?? .none
    }

    private func candidates(for text: String) -> [PeerID] {
        if let label = NumberLabel(text) { return peers { label.names($0.number) } }
        let exact = peers { $0.nickname == text }
        if !exact.isEmpty { return exact }
        if let hash = text.lastIndex(of: "#"), let label = NumberLabel(text[hash...]) {
            return peers { label.names($0.number) && $0.nickname == text[..<hash] }
        }
        let folded = text.lowercased()
        return folded.isEmpty ? [] : peers { $0.nickname.lowercased() == folded }
    }

    private func peers(where isMeant: (KnownPeer) -> Bool) -> [PeerID] {
        known.compactMap { isMeant($0.value) ? $0.key : nil }
    }

    private func row(_ peer: PeerID, since: Timestamp) -> Row {
        Row(
            who: who(peer), state: known[peer]?.presence ?? .left, since: since, isMuted: muted.contains(peer),
            isBlocked: isBlocked(peer), isVerified: marks.verified.contains(peer))
    }
}

/// A number as people write it: four digits, with or without `#`, with or without a suffix.
struct NumberLabel {
    let number: Int
    let suffix: Int?

    init?(_ text: some StringProtocol) {
        let digits = text.hasPrefix("#") ? Substring(text.dropFirst()) : Substring(text)
        let parts = digits.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let number = NumberLabel.fourDigits(first) else { return nil }
        self.number = number
        guard parts.count == 2 else {
            suffix = nil
            return
        }
        guard let suffix = NumberLabel.fourDigits(parts[1]) else { return nil }
        self.suffix = suffix
    }

    func names(_ other: SenderNumber) -> Bool {
        number == other.number && (suffix.map { $0 == other.suffix } ?? true)
    }

    private static func fourDigits(_ text: Substring) -> Int? {
        let isNumber = text.utf8.count == 4 && text.utf8.allSatisfy { (48...57).contains($0) }
        return isNumber ? Int(text) : nil
    }
}
