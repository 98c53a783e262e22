package import Chat
import ChatNode
import Phrases
import Wire

/// The result of a command, performed in one turn of the nodes.
struct CommandResult: Sendable {
    /// The room of the events and of the reply.
    let room: RoomLabel
    /// Events of the command and of everything before it, not yet delivered elsewhere; in order.
    let events: [NodeEvent]
    /// The error, or the answer of a command that asks for something; behind the events.
    var reply: Report?
    /// The change to store with the identity; nil if the command made none.
    var change: KeptChange?
    /// Returns when the change is stored, or can not be; nil if none is to be stored.
    var stored: (@Sendable () async -> Void)?

    var report: RoomReport? { reply.map { RoomReport(room, $0) } }

    var isDone: Bool {
        if case .error = reply { false } else { true }
    }

    /// The extent of a command's changes, as far as its events do not tell them.
    enum Scope { case events, room, rooms }

    var scope: Scope {
        // The request of the peer is a message now.
        for case .direct(.accepted, with: _) in events { return .room }
        guard case .answer(let answer) = reply else { return .events }
        return switch answer {
        case .done(command: "about", _), .made, .joined, .active(command: "join", _, recent: _): .room
        // Names and marks count in each room where the user has the same identity.
        case .done(command: "mute", _), .done(command: "unmute", _), .done(command: "unblock", _),
            .done(command: "contact", _), .done(command: "uncontact", _), .verification:
            .rooms
        case .done, .active, .peers, .requests, .history, .found, .unread, .rooms, .invited, .announced, .contacts,
            .blocked, .parted, .statistics, .help, .bridge, .whoami, .person, .wiped:
            .events
        }
    }
}

/// A change of the state that is kept with an identity for later runs.
package enum KeptChange: Hashable, Sendable {
    case marks(PeerMarks)
    case nickname(String)
    /// Nil for none.
    case about(String?)
}

extension Command {
    /// Performs this command. Its events have been delivered when this returns.
    ///
    /// - Parameter conversation: the one that counts as open; nil for the one that the node has open.
    func perform(at conversation: Conversation? = nil, in room: Program.Room) -> CommandResult {
        let node = room.node
        do throws(ChatError) {
            let answer = try answer(by: node, in: conversation ?? Conversation(node.chat.activeView))
            return CommandResult(
                room: room.label, events: node.flushEvents(), reply: answer.map(Report.answer),
                change: keptChange(of: node))
        } catch {
            return CommandResult(room: room.label, events: node.flushEvents(), reply: .error(error))
        }
    }

    /// The change to store after the command was performed; nil if it changes nothing that outlasts a run.
    private func keptChange(of node: Node) -> KeptChange? {
        switch self {
        case .mark(.block, who: _), .mark(.unblock, who: _), .verify(who: _, isVerified: .some):
            .marks(node.chat.roster.marks)
        case .rename(.some): .nickname(node.chat.ownName.nickname)
        case .about: .about(node.chat.session.profile.about)
        case .say, .sayToRoom, .act, .who, .whois, .whoami, .message, .reply, .requests, .accept, .decline, .leave,
            .openPublic, .open, .openRoom, .openDirect, .join, .makeRoom, .part, .rooms, .invite, .announce, .contact,
            .uncontact, .contacts, .blocked, .bridge, .close,
            .unread, .history, .search, .edit, .delete, .rename,
            .typing, .away, .back, .mark, .verify, .wipe, .statistics, .help, .quit:
            nil
        }
    }

    /// The answer of a command; nil if the node's events report its effect.
    private func answer(by node: Node, in conversation: Conversation) throws(ChatError) -> Answer? {
        switch self {
        case .say(let text): try node.perform(.send(text, to: conversation))
        case .sayToRoom(let text): try node.perform(.send(SlashRule.said(text), to: .publicRoom))
        case .act(let text): try node.perform(.send("* \(node.chat.ownName.nickname) \(text)", to: conversation))
        case .message(let who, let text): try say(text, to: node.chat.find(who), by: node)
        case .accept(let who): try node.perform(.accept(node.chat.find(who, among: .requesting)))
        case .decline(let who): try node.perform(.decline(node.chat.find(who, among: .requesting)))
        case .leave(let who): try node.perform(.leave(node.chat.find(who, among: .conversing)))
        case .edit(let target, let text): try change(target, of: conversation, SlashRule.said(text), by: node)
        case .delete(let target): try node.perform(.delete(target, of: conversation))
        case .reply(let text): try say(text, to: node.chat.latestCorrespondent(), by: node)
        case .who(let all): return .peers(node.peers(), isWhole: all, here: node.crowdSize)
        case .whois(let who): return try person(node.chat.find(who), by: node)
        case .whoami, .rename(nil): return whoami(of: node)
        case .requests: return .requests(node.requests())
        case .history(nil): return .history(node.chat.view(conversation), node.chat.messages(in: conversation))
        case .history(let who?): return try answer(historyWith: who, by: node)
        case .search(let text): return found(text, in: conversation, by: node)
        case .openPublic, .close: return lookAtPublic(self == .close ? "close" : "open", by: node)
        case .open(let who), .openDirect(let who):
            node.change(.open(.direct(try node.chat.find(who))))
            return active("open", by: node)
        case .rename(let nickname?): return try rename(nickname, by: node)
        case .about(let line): return try show(line, by: node)
        case .bridge(let consents): return bridge(consents, by: node)
        case .typing(let isOn): node.change(.typing(isOn, in: conversation))
        case .away(let reason): return try tell(isAway: true, reason, "away", by: node)
        case .back: return try tell(isAway: false, nil, "back", by: node)
        case .mark(let mark, let who): return answer(to: mark, try node.chat.find(who, among: mark.meant), by: node)
        case .verify(let who, let isVerified): return try verify(node.chat.find(who), isVerified, by: node)
        case .help(nil): return .help(CommandEntry.all)
        case .help(let name?): return .help([try CommandEntry.named(name)])
        // The executor performs these, which concern all rooms.
        case .openRoom, .join, .makeRoom, .part, .rooms, .invite, .announce, .contact, .uncontact, .contacts, .blocked,
            .unread, .statistics, .quit, .wipe:
            break
        }
        return nil
    }

    private func say(_ text: String, to peer: PeerID, by node: Node) throws(ChatError) {
        try node.perform(.send(SlashRule.said(text), to: .direct(peer)))
    }

    /// A first word that has no digit may be an id and may be a word ("defaced"): it is an id if there is such a message.
    private func change(
        _ target: String?, of conversation: Conversation, _ text: String, by node: Node
    ) throws(ChatError) {
        do throws(ChatError) {
            try node.perform(.edit(target, of: conversation, text))
        } catch {
            guard error.code == .unknownMessage, let target, !target.contains(where: \.isNumber) else { throw error }
            try node.perform(.edit(nil, of: conversation, "\(target) \(text)"))
        }
    }

    private func rename(_ nickname: String, by node: Node) throws(ChatError) -> Answer {
        try node.perform(.rename(nickname))
        return .done(command: "nick", node.chat.ownName)
    }

    private func show(_ line: String?, by node: Node) throws(ChatError) -> Answer {
        node.change(.profile(Profile(about: try line.map(AboutLine.compose), rooms: node.chat.session.profile.rooms)))
        return .done(command: "about", node.chat.ownName)
    }

    private func bridge(_ consents: Bool?, by node: Node) -> Answer {
        if let consents { node.change(.consent(consents)) }
        return .bridge(
            BridgeView(
                consents: node.chat.session.bridging.consents, isBridged: node.isBridged, state: node.bridgeState))
    }

    private func lookAtPublic(_ name: String, by node: Node) -> Answer {
        node.change(.open(.publicRoom))
        return active(name, by: node)
    }

    private func active(_ name: String, by node: Node) -> Answer {
        let open = node.chat.activeView
        return .active(command: name, open, recent: node.chat.messages(in: Conversation(open)))
    }

    private func whoami(of node: Node) -> Answer {
        .whoami(node.chat.ownName, room: node.configuration.room.name, profile: node.chat.session.profile)
    }

    private func person(_ peer: PeerID, by node: Node) throws(ChatError) -> Answer {
        let who = node.chat.name(of: peer)
        guard let view = node.person(peer) else {
            throw ChatError(.unknownPeer, .noSuchPeer, who.displayName)
        }
        return .person(view, code: VerificationCode(node.chat.me, peer).text)
    }

    private func found(_ text: String, in conversation: Conversation, by node: Node) -> Answer {
        let wanted = text.lowercased()
        let messages = node.chat.messages(in: conversation).filter { $0.text.lowercased().hasPart(wanted) }
        return .found(text, node.chat.view(conversation), messages)
    }

    private func tell(
        isAway: Bool, _ reason: String?, _ name: String, by node: Node
    ) throws(ChatError) -> Answer {
        node.change(.away(isAway, reason: try reason.map(AwayReason.compose)))
        return .done(command: name, node.chat.ownName)
    }

    private func answer(historyWith name: String, by node: Node) throws(ChatError) -> Answer {
        let peer = try node.chat.find(name)
        return .history(.direct(with: node.chat.name(of: peer)), node.chat.messages(in: .direct(peer)))
    }

    private func verify(_ peer: PeerID, _ isVerified: Bool?, by node: Node) -> Answer {
        if let isVerified { node.change(.verified(peer, isVerified)) }
        return .verification(
            node.chat.name(of: peer), code: VerificationCode(node.chat.me, peer).text,
            isVerified: node.chat.roster.marks.verified.contains(peer), isKept: false
        )
    }

    private func answer(to mark: Mark, _ peer: PeerID, by node: Node) -> Answer {
        let who = node.chat.name(of: peer)
        switch mark {
        case .mute: node.change(.muted(peer, true))
        case .unmute: node.change(.muted(peer, false))
        case .block: node.change(.blocked(peer, true))
        case .unblock: node.change(.blocked(peer, false))
        }
        return .done(command: mark.rawValue, who)
    }
}

extension Command.Mark {
    /// The peers that it can be removed from, or those of all.
    fileprivate var meant: MeantPeers {
        switch self {
        case .mute, .block: .all
        case .unmute: .muted
        case .unblock: .blocked
        }
    }
}

extension Conversation {
    package init(_ view: ConversationView) {
        switch view {
        case .publicRoom: self = .publicRoom
        case .direct(let who): self = .direct(who.key)
        }
    }
}
