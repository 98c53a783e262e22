package import Commands
package import Chat
package import ChatNode
package import Phrases
package import Wire

/// The lines of an answer, each a notice.
package struct PlainAnswers: Sendable {
    package let language: Language
    package let clock: @Sendable (Timestamp) -> String
    private let day: @Sendable (Timestamp) -> String
    /// Nil where no room is known.
    private let room: String?

    package init(
        language: Language, clock: @escaping @Sendable (Timestamp) -> String,
        day: @escaping @Sendable (Timestamp) -> String, room: String? = nil
    ) {
        (self.language, self.clock, self.day, self.room) = (language, clock, day, room)
    }

    package func lines(of answer: Answer, at time: Timestamp) -> [String] {
        switch answer {
        case .peers(let peers, isWhole: _, let here):
            peers.isEmpty
                ? [language(.nobodyHere)]
                : (here.map { [language(.latestHeard, "\($0 + 1)")] } ?? []) + peers.map { line($0, at: time) }
        case .requests(let requests): requests.isEmpty ? [language(.noRequests)] : requests.map(line)
        case .history(let conversation, let messages): [historyHead(conversation, count: messages.count)]
        case .found(let text, let conversation, let messages):
            [language(.found, name(conversation), language(.messages, "\(messages.count)"), DisplayGuard.safe(text))]
        case .unread(let rooms): rooms.flatMap { lines(of: $0, isOnly: rooms.count == 1) }
        case .rooms(let list): lines(of: list)
        case .invited(let who, let room): [language(.invited, who.displayName, DisplayGuard.safe(room))]
        case .joined: [language(.joinedWithKey, name(.publicRoom))]
        case .made(let key): [language(.roomMade, key)]
        case .announced(let rooms):
            [rooms.isEmpty ? language(.announcesNothing) : language(.announces, names(rooms))]
        case .contacts(let contacts): contacts.isEmpty ? [language(.noContacts)] : contacts.map { line($0, at: time) }
        case .blocked(let peers):
            peers.isEmpty
                ? [language(.noneBlocked)]
                : peers.map { language(.blockedPeer, $0.displayName, $0.key.hexadecimal) }
        case .parted(let left, let conversation, recent: _):
            [language(.roomLeft, DisplayGuard.safe(left.name), name(conversation))]
        // People want to know what happened; JSON also tells what did not.
        case .statistics(let counters): counters.filter { $0.value != 0 }.map { "\($0.metric.name) \($0.value)" }
        case .help(let entries): help(entries)
        case .active(_, let conversation, recent: _): [language(.lookingAt, name(conversation))]
        case .done(let command, let who): [done(command, who.displayName)] + lines(ofReplacedIn: who, command)
        case .whoami(let me, let room, let profile):
            [language(.whoami, me.displayName, DisplayGuard.safe(room))] + lines(of: profile)
        case .bridge(let view): lines(of: view)
        case .person(let peer, let code):
            [line(peer, at: time), language(.keyLine, peer.who.key.hexadecimal), language(.codeLine, code)]
                + lines(ofContact: peer.who) + lines(of: peer.profile)
        case .verification(let who, let code, let isVerified, let isKept):
            verification(who, code, isVerified: isVerified, isKept: isKept)
        case .wiped(let lost, let files): wiped(lost, files: files)
        }
    }

    /// The room, or the peer of the direct conversation.
    package func name(_ conversation: ConversationView) -> String {
        switch conversation {
        case .publicRoom: room.map(DisplayGuard.safe) ?? language(.publicRoom)
        case .direct(let who): who.displayName
        }
    }

    package func historyHead(_ conversation: ConversationView, count: Int) -> String {
        language(.historyOf, name(conversation), language(.messages, "\(count)"))
    }

    private func done(_ command: String, _ name: String) -> String {
        switch command {
        case "nick": language(.nowCalled, name)
        case "away": language(.nowAway)
        case "back": language(.nowBack)
        case "mute": language(.muted, name)
        case "unmute": language(.unmuted, name)
        case "contact": language(.namedContact, name)
        case "uncontact": language(.forgottenContact, name)
        case "about": language(.aboutChanged)
        case "block": language(.blocked, name)
        case "unblock": language(.unblocked, name)
        default: "\(command): \(name)"
        }
    }

    /// The user chose a name that is shown differently.
    private func lines(ofReplacedIn who: PeerName, _ command: String) -> [String] {
        let isShown = command == "nick" || command == "contact"
        return isShown && who.displayName.unicodeScalars.contains("\u{fffd}") ? [language(.nameReplaced)] : []
    }

    private func line(_ peer: PeerView, at time: Timestamp) -> String {
        let milliseconds = time.milliseconds - min(time.milliseconds, peer.since.milliseconds)
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
            peer.roundTrip.map { "\(Milliseconds($0).text) ms" },
            peer.isMuted ? language(.isMuted) : nil,
            peer.isVerified ? language(.isVerified) : nil,
            peer.isBlocked ? language(.isBlocked) : nil,
        ]
        // At the end, so that a peer cannot write marks about itself.
        let reason = peer.reason.map { ": \(DisplayGuard.safe($0))" } ?? ""
        return parts.compactMap(\.self).joined(separator: ", ") + reason
    }

    /// Texts of the peer, each on a line of its own.
    private func lines(of profile: Profile) -> [String] {
        [
            profile.about.map { language(.aboutLine, DisplayGuard.safe($0)) },
            profile.rooms.isEmpty ? nil : language(.alsoIn, names(profile.rooms)),
        ].compactMap(\.self)
    }

    private func lines(of bridge: BridgeView) -> [String] {
        [
            language(bridge.isBridged ? .bridgeHere : .bridgeNone), language(bridge.consents ? .bridgeOn : .bridgeOff),
            bridge.state.map { DisplayGuard.safe($0.text(in: language)) },
        ].compactMap(\.self)
    }

    private func lines(ofContact who: PeerName) -> [String] {
        guard who.contact != nil, !who.nickname.isEmpty else { return [] }
        return [language(.callsItself, DisplayGuard.safeName(who.nickname))]
    }

    private func names(_ rooms: [String]) -> String { rooms.map(DisplayGuard.safe).joined(separator: ", ") }

    private func line(_ contact: ContactView, at time: Timestamp) -> String {
        let name = contact.who.displayName
        let mark = contact.isVerified ? ", \(language(.isVerified))" : ""
        guard contact.rooms.isEmpty else {
            return language(.contactHere, name, names(contact.rooms.map(\.name))) + mark
        }
        guard let last = contact.lastHere else { return language(.contactUnseen, name) + mark }
        return language(.contactLast, name, "\(day(last)) \(clock(last))") + mark
    }

    private func lines(of list: RoomList) -> [String] {
        list.rooms.map(line)
            + list.announced.map {
                language(.announcedRoom, "\($0.people)", DisplayGuard.safe($0.name), operand($0.name))
            }
            + list.invitations.map {
                language(.invites, $0.from.displayName, DisplayGuard.safe($0.room.name), operand($0.room.name))
            }
    }

    /// A name as it is typed: in quotation marks if it has a space.
    func operand(_ name: String) -> String {
        QuotedName.text(of: DisplayGuard.safe(name))
    }

    private func line(_ request: (who: PeerName, text: String)) -> String {
        language(.asks, request.who.displayName, DisplayGuard.safe(request.text))
    }

    private func pending(_ request: (who: PeerName, text: String)) -> String {
        language(.pendingRequest, request.who.displayName, DisplayGuard.safe(request.text))
    }

    private func line(_ room: RoomOverview) -> String {
        let mark = room.isOpen ? " \(language(.isOpen))" : ""
        let lock = room.isPrivate ? ", \(language(.isPrivate))" : ""
        let bridge = room.isBridged ? ", \(language(.isBridged))" : ""
        let name = DisplayGuard.safe(room.room.name) + mark
        return language(.roomLine, name + lock + bridge, room.me.displayName, "\(room.online + 1)", "\(room.unread)")
    }

    /// The conversations and the requests of a room. Where it is not the only one, its name is with each.
    private func lines(of room: RoomOverview, isOnly: Bool) -> [String] {
        let rows = room.conversations.map { summary -> String in
            guard !isOnly else { return line(summary, name(summary.conversation)) }
            let label = DisplayGuard.safe(room.room.name)
            if case .publicRoom = summary.conversation { return line(summary, label) }
            return line(summary, language(.inRoom, name(summary.conversation), label))
        }
        return rows + room.requests.map(pending)
    }

    private func line(_ summary: ConversationSummary, _ name: String) -> String {
        let last = summary.last.map {
            language(.lastMessage, clock(PlainMessage.time(of: $0)), PlainMessage($0).text)
        }
        let mark = summary.isActive ? " \(language(.isOpen))" : ""
        return language(.unreadLine, name + mark, "\(summary.unread)", last ?? "")
    }

    private func verification(_ who: PeerName, _ code: String, isVerified: Bool, isKept: Bool) -> [String] {
        let name = who.displayName
        guard isVerified else {
            return [language(.noVerification, name, code), language(.compareCode, who.numberText)]
        }
        return [language(.verification, name, code), language(isKept ? .keptMark : .passingMark)]
    }

    package func wiped(_ lost: MemoryUsage, files: [String]) -> [String] {
        let conversations = language(.conversations, "\(lost.conversations)")
        return [
            language(.forgottenConversations, conversations, language(.messages, "\(lost.messages)")),
            language(.forgottenPeers, language(.people, "\(lost.peers)")),
            language(.forgottenKeys),
        ] + files.map { language(.removedFile, DisplayGuard.safe($0)) }
            + [language(.othersKeep), language(.newIdentity)]
    }

    private func help(_ entries: [CommandEntry]) -> [String] {
        if entries.count == 1, let entry = entries.first {
            let aliases = entry.aliases.map { "/\($0)" }.joined(separator: ", ")
            let also = aliases.isEmpty ? [] : [language(.aliasLine, aliases)]
            return ["\(entry.usage)  \(language(entry.help))"] + also
        }
        let listed = entries.filter { $0.group != nil }
        let width = listed.map(\.usage.count).max() ?? 0
        let table = listed.map { entry in
            entry.usage + String(repeating: " ", count: width - entry.usage.count + 2) + language(entry.help)
        }
        return table + [language(.whoNote)]
    }

    private func elapsed(seconds: UInt64) -> String {
        switch seconds {
        case ..<60: language(.seconds, "\(seconds)")
        case ..<3_600: language(.minutes, "\(seconds / 60)")
        default: language(.hours, "\(seconds / 3_600)")
        }
    }
}
