package import Chat
package import ChatNode
import Phrases
package import Wire

/// `/who`.
package struct PeerList: AnswerContent {
    package let peers: [PeerView]
    /// Whether those that are not here were asked for too; a face may leave them out otherwise.
    package let isWhole: Bool
    /// The number of peers that are here, if the rows are only those of a crowd that were heard last; nil otherwise.
    let here: Int?

    /// Those that are here.
    package var present: PeerList { PeerList(peers: peers.filter { $0.state != .left }, isWhole: isWhole, here: here) }

    package func lines(_ wording: Wording, at now: Timestamp) -> [String] {
        guard !peers.isEmpty else { return [wording.language(.nobodyHere)] }
        return (here.map { [wording.language(.latestHeard, "\($0 + 1)")] } ?? [])
            + peers.map { wording.line($0, at: now) }
    }

    package func write(to json: inout JSONWriter) {
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
            wording.line(peer, at: now), language(.keyLine, who.key.hexadecimal), language(.codeLine, code),
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
    package static func peers(_ peers: [PeerView], isWhole: Bool, here: Int? = nil) -> Answer {
        Answer("who", PeerList(peers: peers, isWhole: isWhole, here: here))
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
            .deleted, .delivered, .read, .failed, .typing, .notice, .stopped:
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

    fileprivate func line(_ peer: PeerView, at now: Timestamp) -> String {
        let milliseconds = now.milliseconds - min(now.milliseconds, peer.since.milliseconds)
        let state =
            switch peer.state {
            case .here: language(.stateOnline)
            case .away: language(.stateAway)
            case .left: language(.stateOffline)
            }
        // The time is that since the peer came: when it went away is not known of all.
        let since = elapsed(seconds: milliseconds / 1_000)
        let parts = [
            peer.state == .away
                ? language(.awayAndHere, peer.who.displayName, since)
                : language(.stateFor, peer.who.displayName, state, since),
            peer.isElsewhere ? language(.stateElsewhere) : nil,
            peer.roundTrip.map { "\($0.milliseconds) ms" },
            peer.isMuted ? language(.isMuted) : nil,
            peer.isVerified ? language(.isVerified) : nil,
            peer.isBlocked ? language(.isBlocked) : nil,
        ]
        // At the end, so that a peer cannot write marks about itself.
        let reason = peer.reason.map { ": \(DisplayGuard.safe($0))" } ?? ""
        return parts.compactMap(\.self).joined(separator: ", ") + reason
    }

    /// Texts of the peer, each on a line of its own.
    fileprivate func lines(of profile: Profile) -> [String] {
        [
            profile.about.map { language(.aboutLine, DisplayGuard.safe($0)) },
            profile.rooms.isEmpty ? nil : language(.alsoIn, names(profile.rooms)),
        ].compactMap(\.self)
    }
}
