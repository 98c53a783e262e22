package import Chat
package import ChatNode
package import Phrases
package import Wire

/// The user in `/who`.
package struct OwnRow: Hashable, Sendable {
    package let who: PeerName
    let status: OwnStatus
    /// When the node came to the room; nil where that is not known.
    let since: Timestamp?

    /// Whether a peer was met as soon as the user came: how long it has been here is not known.
    func isFromBefore(_ peer: PeerView) -> Bool {
        since.map { peer.since.milliseconds <= $0.milliseconds + OwnRow.meetingMilliseconds } ?? false
    }

    /// The time in which a node meets those that are here.
    private static let meetingMilliseconds: UInt64 = 2_000
}

/// `/who`.
package struct PeerList: AnswerContent {
    /// Nil for a list of others alone.
    package let me: OwnRow?
    package let peers: [PeerView]
    /// Whether those that are not here were asked for too; a face may leave them out otherwise.
    package let isWhole: Bool
    /// The number of peers that are here, if the rows are only those of a crowd that were heard last; nil otherwise.
    let here: Int?

    /// Those that are here.
    package var present: PeerList {
        PeerList(me: me, peers: peers.filter { $0.state != .left }, isWhole: isWhole, here: here)
    }

    package func lines(_ wording: Wording, at now: Timestamp) -> [String] {
        let own = me.map { [wording.line($0, at: now)] } ?? []
        return notes(wording.language) + own + peers.map { wording.line($0, me, at: now) }
    }

    /// The lines in front of the rows.
    package func notes(_ language: Language) -> [String] {
        if peers.isEmpty { return [language(.nobodyHere)] }
        return here.map { [language(.latestHeard, "\($0 + 1)")] } ?? []
    }

    /// The rows of a table with its head, the user's first; each with as many cells, which are safe to show.
    package func table(_ wording: Wording, at now: Timestamp) -> [(who: PeerName?, cells: [String])] {
        let language = wording.language
        let head = [Phrase.columnName, .columnState, .columnTime, .columnRoundTrip, .columnNotes].map { language($0) }
        return [(nil, head)] + (me.map { [($0.who, wording.cells($0, at: now))] } ?? [])
            + peers.map { ($0.who, wording.cells($0, me, at: now)) }
    }

    package func write(to json: inout JSONWriter) {
        json.member("self") { writer in
            guard let me else { return writer.literal("null") }
            writer.object {
                $0.member("who", me.who)
                $0.member("state", me.status.state.name)
                $0.member("reason", me.status.reason)
                $0.member("since", me.since.map { UniversalTime($0).text })
            }
        }
        json.list("peers", peers) { $0.members(of: $1) }
        json.member("here", here ?? peers.count { $0.state != .left })
    }

    package func texts(in room: RoomLabel) -> [AnswerText] {
        peers.filter { $0.reason != nil }.map { AnswerText(of: $0.who.key, room) }
    }
}

/// `/whois`: a peer, and the code to compare with it.
package struct PeerCard: AnswerContent {
    package let peer: PeerView
    package let code: String

    package func lines(_ wording: Wording, at now: Timestamp) -> [String] {
        let (language, who) = (wording.language, peer.who)
        let hasOwnName = who.contact != nil && !who.nickname.isEmpty
        return [
            wording.line(peer, nil, at: now), language(.keyLine, who.key.hexadecimal), language(.codeLine, code),
        ] + (hasOwnName ? [language(.callsItself, DisplayGuard.safeName(who.nickname))] : [])
            + wording.lines(of: peer.profile)
    }

    package func write(to json: inout JSONWriter) {
        json.members(of: peer)
        json.members(of: peer.profile)
        json.member("code", code)
    }

    package func texts(in room: RoomLabel) -> [AnswerText] {
        peer.withoutTexts == peer ? [] : [AnswerText(of: peer.who.key, room)]
    }
}

/// `/whoami`, and `/nick` without a name.
package struct OwnCard: AnswerContent {
    package let who: PeerName
    let room: String
    package let profile: Profile
    package let status: OwnStatus

    package func lines(_ wording: Wording, at _: Timestamp) -> [String] {
        [wording.language(.whoami, who.displayName, DisplayGuard.safe(room))]
            + (status.state == .away ? [wording.line(of: status)] : []) + wording.lines(of: profile)
    }

    package func write(to json: inout JSONWriter) {
        json.member("who", who)
        json.members(of: status)
        json.member("announced", profile.rooms)
    }
}

/// `/mute` and its like, `/nick`, `/away`, `/back`: done, for a peer or the user.
package struct Done: AnswerContent {
    package let who: PeerName
    /// With the name as its argument; nil for a command without one.
    let phrase: Phrase?
    /// Whether the user gave the name, and may wonder how it is shown.
    let hasNamed: Bool
    /// Whether an event tells every face what the command did: its line is that of the answer.
    fileprivate(set) var isTold = false

    package func lines(_ wording: Wording, at _: Timestamp) -> [String] {
        let isReplaced = hasNamed && who.displayName.unicodeScalars.contains("\u{fffd}")
        return [
            isTold ? nil : phrase.map { wording.language($0, who.displayName) },
            isReplaced ? wording.language(.nameReplaced) : nil,
        ]
        .compactMap(\.self)
    }

    package func write(to json: inout JSONWriter) { json.member("who", who) }
}

extension Answer {
    package static func peers(
        _ peers: [PeerView], isWhole: Bool, here: Int? = nil, me: OwnRow? = nil
    ) -> Answer {
        Answer("who", PeerList(me: me, peers: peers, isWhole: isWhole, here: here))
    }

    package static func whoami(
        _ who: PeerName, room: String, profile: Profile, status: OwnStatus = OwnStatus()
    ) -> Answer {
        Answer("whoami", OwnCard(who: who, room: room, profile: profile, status: status))
    }

    /// The answer behind an event that tells every face what the command did.
    var told: Answer {
        guard var done = content as? Done else { return self }
        done.isTold = true
        return Answer(command, done)
    }

    /// - Parameter isKept: whether the mark outlasts the program.
    package static func verification(_ who: PeerName, code: String, isVerified: Bool, isKept: Bool) -> Answer {
        let sentences = [
            Sentence(isVerified ? .verification : .noVerification, who.displayName, code),
            isVerified ? Sentence(isKept ? .keptMark : .passingMark) : Sentence(.compareCode, who.numberText),
        ]
        return Answer(
            "verify",
            Sentences(sentences) {
                $0.member("with", who)
                $0.member("code", code)
                $0.member("verified", isVerified)
                $0.member("kept", isKept)
            })
    }

    package static func done(command: String, _ who: PeerName) -> Answer {
        let entry = CommandEntry.find(command)
        let hasNamed = entry?.operands.contains { $0.name == "name" } ?? false
        return Answer(command, Done(who: who, phrase: entry?.done, hasNamed: hasNamed))
    }
}

extension NodeEvent {
    /// Whether it tells of a change of the user's own.
    package var isOfUser: Bool {
        switch self {
        case .renamed, .status: true
        case .ready, .peer, .person, .blocked, .crowd, .elsewhere, .message, .request, .direct, .invitation, .edited,
            .deleted, .reacted, .card, .cardRemoved, .delivered, .read, .failed, .typing, .notice, .stopped:
            false
        }
    }
}

extension Wording {
    /// The user's state.
    package func line(of status: OwnStatus) -> String {
        guard status.state == .away else { return language(.nowBack) }
        return status.reason.map { language(.nowAwayFor, DisplayGuard.safe($0)) } ?? language(.nowAway)
    }

    /// - Parameter me: the user's own row; nil for a peer alone.
    fileprivate func line(_ peer: PeerView, _ me: OwnRow?, at now: Timestamp) -> String {
        // The time is that since the peer came: when it went away is not known of all.
        let since = elapsed(since: peer.since, at: now)
        let isFromBefore = peer.state != .left && me?.isFromBefore(peer) ?? false
        let name = peer.who.displayName
        let head =
            switch (peer.state, isFromBefore) {
            case (.away, true): language(.awaySince, name)
            case (.away, false): language(.awayAndHere, name, since)
            case (_, true): language(.stateSince, name, word(peer.state))
            case (_, false): language(.stateFor, name, word(peer.state), since)
            }
        let parts = [head, peer.isElsewhere ? language(.stateElsewhere) : nil, roundTrip(of: peer)] + marks(of: peer)
        return parts.compactMap(\.self).joined(separator: ", ") + reason(peer.reason)
    }

    /// The user's own row.
    fileprivate func line(_ me: OwnRow, at now: Timestamp) -> String {
        let name = language(.nameOfYou, me.who.displayName)
        guard let since = me.since.map({ elapsed(since: $0, at: now) }) else { return name }
        let isAway = me.status.state == .away
        let head =
            isAway ? language(.awayAndHere, name, since) : language(.stateFor, name, word(me.status.state), since)
        return head + reason(me.status.reason)
    }

    fileprivate func cells(_ me: OwnRow, at now: Timestamp) -> [String] {
        [
            language(.nameOfYou, me.who.displayName), word(me.status.state),
            me.since.map { elapsed(since: $0, at: now) } ?? "", "", reason(me.status.reason),
        ]
    }

    fileprivate func cells(_ peer: PeerView, _ me: OwnRow?, at now: Timestamp) -> [String] {
        let isFromBefore = peer.state != .left && me?.isFromBefore(peer) ?? false
        let time = isFromBefore ? language(.sinceUser) : elapsed(since: peer.since, at: now)
        let notes = [peer.isElsewhere ? language(.stateElsewhere) : nil] + marks(of: peer)
        return [
            peer.who.displayName, word(peer.state), time, roundTrip(of: peer) ?? "",
            notes.compactMap(\.self).joined(separator: ", ") + reason(peer.reason),
        ]
    }

    private func word(_ state: PresenceState) -> String {
        switch state {
        case .here: language(.stateOnline)
        case .away: language(.stateAway)
        case .left: language(.stateOffline)
        }
    }

    private func elapsed(since: Timestamp, at now: Timestamp) -> String {
        elapsed(seconds: (now.milliseconds - min(now.milliseconds, since.milliseconds)) / 1_000)
    }

    private func roundTrip(of peer: PeerView) -> String? { peer.roundTrip.map { "\($0.milliseconds) ms" } }

    private func marks(of peer: PeerView) -> [String?] {
        [
            peer.isMuted ? language(.isMuted) : nil, peer.isVerified ? language(.isVerified) : nil,
            peer.isBlocked ? language(.isBlocked) : nil,
        ]
    }

    /// At the end, so that a peer can not write marks about itself.
    private func reason(_ text: String?) -> String { text.map { ": \(DisplayGuard.safe($0))" } ?? "" }

    /// Texts of the peer, each on a line of its own.
    fileprivate func lines(of profile: Profile) -> [String] {
        [
            profile.about.map { language(.aboutLine, DisplayGuard.safe($0)) },
            profile.rooms.isEmpty ? nil : language(.alsoIn, names(profile.rooms)),
        ].compactMap(\.self)
    }
}
