import Chat
import ChatNode
import Commands
import Hub
import Model
import Phrases
import Rendering
import Wire

/// Events, as lines for the client.
extension IRCSession {
    mutating func lines(of heard: HubEvent, _ chat: ChatModel) -> [IRCLine] {
        var lines: [IRCLine] = []
        let room = heard.report.room
        forgetRequests(behind: heard)
        if case .event(let event) = heard.report.report {
            if !IRCSession.isAcceptedHere(heard) { lines += self.lines(of: event, in: room, chat) }
            if case .message = event {
                // The author, of a crowd, came some time ago, and the model learns of it by this message.
            } else {
                lines += movements(heard.changes, chat)
            }
        }
        for request in heard.requestsAgain {
            if case .event(let event) = request.report { lines += self.lines(of: event, in: request.room, chat) }
        }
        for message in heard.goneMessages { lines += redaction(of: message, in: room, chat) }
        for message in heard.cameMessages { lines += past(message, in: room, chat) }
        lines += markers(behind: heard, chat)
        for case .ended(let label) in heard.changes where channels.remove(label.number) != nil {
            lines.append(IRCLine(ownMask, "PART", [IRCSession.channel(named: label.name), "the room was left"]))
        }
        return renameLines(chat) + lines
    }

    /// Forgets the requests that are open no more. The text of one that was accepted comes again, as a message behind this.
    private mutating func forgetRequests(behind heard: HubEvent) {
        if case .event(.direct(.accepted, _)) = heard.report.report { return }
        for case .request(let id, isOpen: false) in heard.changes { toldRequests[id] = nil }
    }

    /// Whether the user accepted a request, of which the client needs no word.
    private static func isAcceptedHere(_ heard: HubEvent) -> Bool {
        guard case .event(.direct(.accepted, let who)) = heard.report.report else { return false }
        return heard.changes.contains(.request(ConversationID(heard.report.room, .direct(with: who)), isOpen: false))
    }

    /// The marker of a conversation that any face shows, or has read.
    private mutating func markers(behind heard: HubEvent, _ chat: ChatModel) -> [IRCLine] {
        guard capabilities.contains(.readMarker), !performs("MARKREAD") else { return [] }
        var read: Set<ConversationID> = []
        for case .unread(let id, let unread) in heard.changes where unread.messages == 0 { read.insert(id) }
        if case .viewed(let shown?, by: _) = heard.report.report {
            read.insert(ConversationID(heard.report.room, shown))
        }
        return read.compactMap { newMarker(of: $0, chat) }
    }

    /// The channel of a room, if the client is in it, or the nick of the peer.
    mutating func name(of conversation: ModelConversation, _ chat: ChatModel) -> String? {
        guard let room = chat.room(conversation.id.room) else { return nil }
        switch conversation.view {
        case .publicRoom: return channels.contains(room.label.number) ? channel(of: room, chat) : nil
        case .direct(let who): return nick(of: who, in: room.label, chat)
        }
    }

    /// Arrivals, departures, absences and names of peers.
    private mutating func movements(_ changes: [ModelChange], _ chat: ChatModel) -> [IRCLine] {
        var lines: [IRCLine] = []
        for case .person(let label, let person, let was) in changes {
            let (wasHere, isHere) = (
                was.map { $0.isHere && !$0.isBlocked } ?? false, person.isHere && !person.isBlocked
            )
            let known = directory[ConversationID(room: label.number, peer: person.who.key)]
            guard known != nil || isHere else { continue }
            let user = user(person, in: label, chat)
            if !wasHere { directory.dropRenames(of: ConversationID(room: label.number, peer: person.who.key)) }
            lines += renameLines(chat)
            // A key that is here under the same nick in another room has neither come nor gone.
            let others = rooms(of: user, chat).filter { $0.label.number != label.number }
            lines += watched(user, changed: wasHere != isHere && others.isEmpty)
            let isSeen = isSeen(ConversationID(room: label.number, peer: person.who.key), chat)
            guard let room = chat.room(label.number), isSeen else {
                if isHere, wasHere, was?.state != person.state { lines += absence(of: user, in: label) }
                continue
            }
            let isInChannel = channels.contains(label.number)
            if isHere, !wasHere {
                guard isInChannel else { continue }
                lines.append(IRCLine(user.mask, "JOIN", [channel(of: room, chat)] + extendedJoin(user)))
                if user.isAway { lines += absence(of: user, in: label) }
            } else if wasHere, !isHere, others.contains(where: { channels.contains($0.label.number) }) {
                if isInChannel { lines.append(IRCLine(user.mask, "PART", [channel(of: room, chat)])) }
            } else if wasHere, !isHere {
                lines.append(IRCLine(user.mask, "QUIT", [person.isBlocked ? "blocked" : "left"]))
            } else if isHere, was?.state != person.state || was?.reason != person.reason {
                lines += absence(of: user, in: label)
            }
            if isHere, isInChannel, was.map({ $0.isVerified != person.isVerified }) ?? person.isVerified {
                let mode = person.isVerified ? "+v" : "-v"
                lines.append(IRCLine(ircServer, "MODE", [channel(of: room, chat), mode, user.nick]))
            }
        }
        return lines
    }

    private func watched(_ user: IRCUser, changed: Bool) -> [IRCLine] {
        guard changed, monitored[IRCDirectory.folded(user.nick)] != nil else { return [] }
        return [IRCLine(ircServer, user.isHere ? "730" : "731", [directory.own, user.isHere ? user.mask : user.nick])]
    }

    private func absence(of user: IRCUser, in room: RoomLabel) -> [IRCLine] {
        let isWatched = capabilities.contains(.extendedMonitor) && monitored[IRCDirectory.folded(user.nick)] != nil
        guard capabilities.contains(.awayNotify), let id = user.id, let key = id.peer,
            isWatched || channels.contains(room.number)
        else { return [] }
        return [IRCLine(user.mask, "AWAY", user.reason.map { [$0] } ?? [], of: EventTopic(room, about: [key]))]
    }

    mutating func lines(of event: NodeEvent, in room: RoomLabel, _ chat: ChatModel) -> [IRCLine] {
        switch event {
        case .message(let message): return lines(of: message, in: room, chat)
        case .edited(let message): return edition(of: message, in: room, chat)
        case .deleted(let message):
            let isKnown = capabilities.contains(.messageRedaction)
            return isKnown ? redaction(of: message, in: room, chat) : deletion(of: message, in: room, chat)
        case .reacted(let reaction): return lines(of: reaction, in: room, chat)
        case .card(let card): return card.isHistory ? [] : lines(of: card, "put up a card: ", in: room, chat)
        case .cardRemoved(let card, let end):
            return end == .removed ? lines(of: card, "took down the card: ", in: room, chat) : []
        case .request(let from, let text): return lines(ofRequest: text, of: from, in: room, chat)
        case .direct(let change, let who): return lines(of: change, of: who, in: room, chat)
        case .invitation(let from, let other, isThere: false):
            let mask = mask(of: from, in: room, chat)
            let line = IRCLine(
                mask, "INVITE", [directory.own, IRCSession.channel(named: other.name)],
                of: EventTopic(room, about: [from.key]))
            return [line]
        case .failed(let who, let messages):
            let nick = self.nick(of: who, in: room, chat)
            return notice("\(messages.count) messages to \(nick) did not arrive")
        case .typing(let who, let view, let isOn):
            guard who.key != ownKey else { return [] }
            let target = target(of: view, isOwn: false, in: room, chat)
            let tags = [("+typing", isOn ? "active" : "done")] as [(String, String?)]
            return target.map { [IRCLine(mask(of: who, in: room, chat), "TAGMSG", [$0], tags: tags)] } ?? []
        case .notice(_, let sentence): return notice(DisplayGuard.safe(sentence.text(in: .english)))
        case .status(let status, let was):
            guard status.state != was.state, !performs("AWAY"), room.number == ownPlace(chat)?.room else { return [] }
            let isAway = status.state == .away
            return [
                IRCLine(
                    ircServer, isAway ? "306" : "305", [directory.own, isAway ? "You are away" : "You are here again"])
            ]
        case .ready, .peer, .crowd, .elsewhere, .renamed, .person, .blocked, .invitation, .delivered, .read, .stopped:
            return []
        }
    }

    private func notice(_ text: String) -> [IRCLine] { [IRCLine(ircServer, "NOTICE", [directory.own, text])] }

    /// The target of what is said in a conversation; nil for a channel that the client is not in.
    private mutating func target(
        of view: ConversationView, isOwn: Bool, in room: RoomLabel, _ chat: ChatModel
    ) -> String? {
        switch view {
        case .publicRoom:
            guard channels.contains(room.number), let room = chat.room(room.number) else { return nil }
            return channel(of: room, chat)
        case .direct(let who): return isOwn ? nick(of: who, in: room, chat) : directory.own
        }
    }

    private func tags(of message: MessageView) -> [(String, String?)] {
        [
            ("time", UniversalTime(PlainMessage.time(of: message)).text), ("msgid", message.id.hexadecimal),
            ("+draft/reply", message.replyTo?.hexadecimal),
        ]
    }

    /// A message as it is said.
    private mutating func lines(of message: MessageView, in room: RoomLabel, _ chat: ChatModel) -> [IRCLine] {
        if message.isHistory { return past(message, in: room, chat) }
        if isToldRequest(message, in: room) { return [] }
        let told = lines(ofStored: message, in: room, chat)
        guard message.isRequest, case .direct(let who) = message.conversation, !told.isEmpty else { return told }
        return told
            + notice(
                "\(nick(of: who, in: room, chat)) gets this as a request, and has to accept it first")
    }

    /// A message of the log.
    mutating func lines(ofStored message: MessageView, in room: RoomLabel, _ chat: ChatModel) -> [IRCLine] {
        let target = target(of: message.conversation, isOwn: message.isFromCurrentUser, in: room, chat)
        guard let target else { return [] }
        let source = message.isFromCurrentUser ? ownMask : mask(of: message.from, in: room, chat)
        let text = message.action.map { "\u{1}ACTION \(DisplayGuard.safe($0))\u{1}" } ?? DisplayGuard.safe(message.text)
        return [IRCLine(source, "PRIVMSG", [target, text], tags: tags(of: message), of: EventTopic(message, in: room))]
    }

    /// Whether a message is the text of a request, which came as its notice; once.
    private mutating func isToldRequest(_ message: MessageView, in room: RoomLabel) -> Bool {
        guard !message.isFromCurrentUser, message.conversation != .publicRoom else { return false }
        return toldRequests.removeValue(forKey: ConversationID(room, message.conversation)) == message.text
    }

    /// A message that was said some time ago, with its time: in the text for a client that knows no times.
    mutating func past(_ message: MessageView, in room: RoomLabel, _ chat: ChatModel) -> [IRCLine] {
        if isToldRequest(message, in: room) { return [] }
        guard !capabilities.contains(.serverTime) else { return lines(ofStored: message, in: room, chat) }
        let clock = clock(of: message)
        return lines(ofStored: message, in: room, chat).map { line in
            var line = line
            let nick = line.message.source?.prefix { $0 != "!" } ?? ""
            let text =
                message.action.map { "* \(nick) \(DisplayGuard.safe($0))" }
                ?? "<\(nick)> \(DisplayGuard.safe(message.text))"
            line.message.command = "NOTICE"
            line.message.parameters[1] = "[\(clock)] \(text)"
            if message.conversation == .publicRoom { line.message.source = ircServer }
            return line
        }
    }

    private func clock(of message: MessageView) -> String { entrance.clock(PlainMessage.time(of: message)) }

    private mutating func edition(of message: MessageView, in room: RoomLabel, _ chat: ChatModel) -> [IRCLine] {
        lines(ofStored: message, in: room, chat).map { line in
            var line = line
            if capabilities.contains(.messageEditing) {
                line.message.command = "EDIT"
                line.message.parameters.insert(message.id.hexadecimal, at: 1)
            } else {
                let action = message.action.map {
                    "\u{1}ACTION edited (\(clock(of: message))): \(DisplayGuard.safe($0))\u{1}"
                }
                line.message.parameters[1] =
                    action ?? "* edited (\(clock(of: message))): \(DisplayGuard.safe(message.text))"
                line.message.tags = [IRCMessage.Tag(name: "+draft/reply", value: message.id.hexadecimal)]
            }
            return line
        }
    }

    /// The word about a deletion for a client that can not take the text back.
    private mutating func deletion(of message: MessageView, in room: RoomLabel, _ chat: ChatModel) -> [IRCLine] {
        lines(ofStored: message, in: room, chat).map { line in
            var line = line
            line.message.command = "NOTICE"
            line.message.parameters[1] = "* deleted what was said at \(clock(of: message))"
            return line
        }
    }

    private mutating func redaction(of message: MessageView, in room: RoomLabel, _ chat: ChatModel) -> [IRCLine] {
        guard capabilities.contains(.messageRedaction) else { return [] }
        return lines(ofStored: message, in: room, chat).map { line in
            IRCLine(line.message.source ?? ircServer, "REDACT", [line.message.parameters[0], message.id.hexadecimal])
        }
    }

    private mutating func lines(of reaction: ReactionEvent, in room: RoomLabel, _ chat: ChatModel) -> [IRCLine] {
        let (new, gone) = reactions.take(reaction.emojis, on: reaction.message.id, by: reaction.by.key)
        guard !reaction.isHistory else { return [] }
        let isOwn = reaction.isFromCurrentUser
        guard let target = target(of: reaction.message.conversation, isOwn: isOwn, in: room, chat) else { return [] }
        let source = isOwn ? ownMask : mask(of: reaction.by, in: room, chat)
        return (new.map { ("+draft/react", $0) } + gone.map { ("+draft/unreact", $0) }).map { name, emoji in
            let tags = [(name, DisplayGuard.safe(emoji)), ("+draft/reply", reaction.message.id.hexadecimal)]
            return IRCLine(
                source, "TAGMSG", [target], tags: tags, of: EventTopic(RoomReport(room, .event(.reacted(reaction)))))
        }
    }

    private mutating func lines(
        of card: CardView, _ verb: String, in room: RoomLabel, _ chat: ChatModel
    ) -> [IRCLine] {
        guard let target = target(of: .publicRoom, isOwn: false, in: room, chat) else { return [] }
        let source = card.isFromCurrentUser ? ownMask : mask(of: card.from, in: room, chat)
        let isUp = verb.utf8.starts(with: "put".utf8)
        let text = DisplayGuard.safe(card.content.title) + (isUp ? ": \(DisplayGuard.safe(card.content.text))" : "")
        return [
            IRCLine(source, "NOTICE", [target, verb + text], of: EventTopic(RoomReport(room, .event(.card(card)))))
        ]
    }

    private mutating func lines(
        ofRequest text: String, of who: PeerName, in room: RoomLabel, _ chat: ChatModel
    ) -> [IRCLine] {
        let source = mask(of: who, in: room, chat)
        let nick = self.nick(of: who, in: room, chat)
        toldRequests[ConversationID(room, .direct(with: who))] = text
        let topic = EventTopic(RoomReport(room, .event(.request(from: who, text: text))))
        let help = "(asks for a private conversation: answer to accept it, or send DECLINE \(nick))"
        return [IRCLine(source, "NOTICE", [directory.own, "\(DisplayGuard.safe(text)) \(help)"], of: topic)]
    }

    private mutating func lines(
        of change: DirectChange, of who: PeerName, in room: RoomLabel, _ chat: ChatModel
    ) -> [IRCLine] {
        let source = mask(of: who, in: room, chat)
        switch change {
        case .accepted: return [IRCLine(source, "NOTICE", [directory.own, "(accepted: the conversation is open)"])]
        case .left: return [IRCLine(source, "NOTICE", [directory.own, "(left the conversation)"])]
        case .declined: return []
        }
    }

    /// The open requests and invitations, for a client that was not there when they came.
    mutating func openQuestions(_ chat: ChatModel) -> [IRCLine] {
        var lines: [IRCLine] = []
        for room in chat.rooms {
            for request in room.requests {
                lines += self.lines(ofRequest: request.text, of: request.who, in: room.label, chat)
            }
        }
        for invitation in chat.invitations {
            guard let room = chat.rooms.first(where: { $0.people[invitation.from.key] != nil }) else { continue }
            lines += self.lines(of: .invitation(from: invitation.from, to: invitation.room), in: room.label, chat)
        }
        return lines
    }
}
