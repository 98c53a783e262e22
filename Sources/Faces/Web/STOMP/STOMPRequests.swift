import Chat
import ChatNode
import Commands
import Hub
import Model
import Rendering
import Wire

/// Subscriptions of the client.
extension STOMPSession {
    mutating func subscribe(_ frame: STOMPFrame) -> [ClientEffect] {
        guard let id = frame["id"], let destination = frame["destination"] else {
            return fail("a subscription has an id and a destination", to: frame)
        }
        if let earlier = subscriptions.first(where: { $0.id.isSame(as: id) }) {
            // A client that names its subscriptions by their destinations means the same one.
            guard id.isSame(as: destination), earlier.destination.isSame(as: destination) else {
                return fail("the id is in use", to: frame)
            }
        } else if subscriptions.count >= STOMPSession.mostSubscriptions {
            return fail("\(STOMPSession.mostSubscriptions) subscriptions are the most", to: frame)
        }
        let acks = ["auto": false, "client": true, "client-individual": true]
        guard let wantsAck = acks[frame["ack"] ?? "auto"] else { return fail("ack is auto or client", to: frame) }
        guard let place = STOMPDestination(destination) else { return fail("there is no such destination", to: frame) }
        let subscription = Subscription(id: id, destination: destination, place: place, wantsAck: wantsAck)
        switch place {
        case .direct:
            add(subscription)
            return receipt(frame["receipt"])
        case .channel(let room), .typing(let room):
            // The answer says whether the node is in the room.
            return perform(.whoami, in: .named(room), .subscription(subscription, receipt: frame["receipt"]))
        case .people(let room):
            return perform(.who(all: true), in: .named(room), .subscription(subscription, receipt: frame["receipt"]))
        case .board(let room):
            return perform(.board, in: .named(room), .subscription(subscription, receipt: frame["receipt"]))
        case .toChannel, .toPeer: return fail("the destination takes messages and has none", to: frame)
        }
    }

    private mutating func add(_ subscription: Subscription) {
        subscriptions.removeAll { $0.id.isSame(as: subscription.id) }
        subscriptions.append(subscription)
    }

    mutating func unsubscribe(_ frame: STOMPFrame) -> [ClientEffect] {
        guard let id = frame["id"], subscriptions.contains(where: { $0.id.isSame(as: id) }) else {
            return fail("there is no subscription of this id", to: frame)
        }
        subscriptions.removeAll { $0.id.isSame(as: id) }
        return receipt(frame["receipt"])
    }

    /// ACK and NACK (STOMP 1.2, section "ACK"; 1.1 names the message and the subscription). Nothing is sent again.
    mutating func acknowledge(_ frame: STOMPFrame) -> [ClientEffect] {
        let names = version == "1.1" ? ["message-id", "subscription"] : ["id"]
        for name in names where frame[name] == nil { return fail("\(frame.command) has the header \(name)", to: frame) }
        let number = names.first.flatMap { frame[$0] }.flatMap { id -> Int? in
            id.utf8.starts(with: "m-".utf8) ? Int(String(decoding: id.utf8.dropFirst(2), as: UTF8.self)) : nil
        }
        guard let number, (1...max(1, lastMessage)).contains(number), lastMessage > 0 else {
            return fail("there is no message of this id", to: frame)
        }
        if let name = frame["transaction"], !transactions.contains(name) {
            return fail(STOMPTransactions.unknown.message, to: frame)
        }
        return receipt(frame["receipt"])
    }
}

/// Messages from the client.
extension STOMPSession {
    mutating func send(_ frame: STOMPFrame) -> [ClientEffect] {
        guard let place = frame["destination"].flatMap({ STOMPDestination($0) }) else {
            return fail("there is no such destination", to: frame)
        }
        guard place.takesMessages else { return fail("the destination takes no messages", to: frame) }
        guard let body = try? JSONValue(parsing: frame.body) else {
            return fail("a body is JSON", to: frame, code: "bad_json")
        }
        let message: STOMPTransactions.Message
        do throws(STOMPFault) {
            message = STOMPTransactions.Message(place: place, content: try STOMPSession.content(of: body))
        } catch {
            return fail(error.message, to: frame, code: "bad_member")
        }
        if case .card = message.content, case .toPeer = place {
            return fail("a card is for a room", to: frame, code: ChatError.Code.invalidCard.rawValue)
        }
        guard let name = frame["transaction"] else { return perform(message, .receipt(frame["receipt"])) }
        return keep(message, in: name, frame)
    }

    /// The content of a body: as `messageType` and `messageContent`, or in a member `content`, as messages have it that are read.
    private static func content(of body: JSONValue) throws(STOMPFault) -> STOMPTransactions.Message.Content {
        let isRead = body["content"].isGiven
        let names = isRead ? (type: "type", text: "text") : (type: "messageType", text: "messageContent")
        guard let source = isRead ? body["content"] : body, let text = source[names.text]?.string else {
            throw STOMPFault("a body is an object with messageContent, or with content and its text")
        }
        guard !isRead || !body["messageContent"].isGiven && !body["messageType"].isGiven else {
            throw STOMPFault("a body has messageContent or content")
        }
        let type = source[names.type]
        switch type.isGiven ? type?.string : "TEXT" {
        case "TEXT":
            guard !source["title"].isGiven, !source["cardColor"].isGiven else {
                throw STOMPFault("a text has neither title nor cardColor")
            }
            guard !isRead || !body["replyTo"].isGiven || !source["replyTo"].isGiven else {
                throw STOMPFault("a body has replyTo once")
            }
            let given = source["replyTo"].isGiven ? source["replyTo"] : body["replyTo"]
            guard let target = given, target != .null else { return .text(text, replyTo: nil) }
            guard let id = target.string.flatMap({ MessageID(hexadecimal: $0) }) else {
                throw STOMPFault("replyTo is the id of a message")
            }
            return .text(text, replyTo: id)
        case "CARD":
            guard !body["replyTo"].isGiven, !source["replyTo"].isGiven else {
                throw STOMPFault("a card answers no message")
            }
            guard let title = source["title"]?.string else { throw STOMPFault("a card has a title") }
            let color = source["cardColor"]
            guard !color.isGiven || color?.string != nil else { throw STOMPFault("the cardColor is a name") }
            return .card(title: title, text: text, color: color?.string)
        case _: throw STOMPFault("the type of a message is TEXT or CARD")
        }
    }

    /// A message of a transaction keeps the rules already when it comes, so that a transaction is said as a whole.
    private mutating func keep(
        _ message: STOMPTransactions.Message, in name: String, _ frame: STOMPFrame
    ) -> [ClientEffect] {
        do throws(ChatError) {
            switch message.content {
            case .text(let text, replyTo: _): _ = try Text.compose(try SlashRule.said(text))
            case .card(let title, let text, let color): _ = try CardContent(given: title, text: text, color: color)
            }
        } catch {
            return fail(error.message, to: frame, code: error.code.rawValue)
        }
        do throws(STOMPFault) {
            try transactions.add(message, to: name)
        } catch {
            return fail(error.message, to: frame)
        }
        return receipt(frame["receipt"])
    }

    /// BEGIN, COMMIT and ABORT.
    mutating func change(by frame: STOMPFrame) -> [ClientEffect] {
        guard let name = frame["transaction"] else {
            return fail("\(frame.command) has the header transaction", to: frame)
        }
        do throws(STOMPFault) {
            switch frame.command {
            case "BEGIN": try transactions.begin(name)
            case "ABORT": try transactions.abort(name)
            case _:
                try transactions.commit(name, receipt: frame["receipt"])
                return []
            }
        } catch {
            return fail(error.message, to: frame)
        }
        return receipt(frame["receipt"])
    }

    mutating func perform(_ step: STOMPTransactions.Step) -> [ClientEffect] {
        switch step {
        case .say(let message, let receipt): perform(message, .part(receipt: receipt))
        case .confirm(let id): receipt(id)
        }
    }

    private mutating func perform(_ message: STOMPTransactions.Message, _ request: Request) -> [ClientEffect] {
        switch (message.place, message.content) {
        case (.toChannel(let room), .text(let text, let target)):
            perform(.sayToRoom(text, replyTo: target), in: .named(room), request)
        case (.toChannel(let room), .card(let title, let text, let color)):
            perform(.card(title: title, text: text, color: color), in: .named(room), request)
        case (.toPeer(let peer, let room), .text(let text, let target)):
            perform(.message(who: peer.hexadecimal, text: text, replyTo: target), in: .named(room), request)
        case (.toPeer, .card), (.channel, _), (.direct, _), (.people, _), (.typing, _), (.board, _): []
        }
    }

    private mutating func perform(_ command: Command, in room: RequestedRoom, _ request: Request) -> [ClientEffect] {
        lastRequest += 1
        pending = (lastRequest, request)
        return [.perform(number: lastRequest, command, in: room)]
    }

    /// The reaction to the reports of a command; nil if the node leaves instead.
    mutating func finish(_ request: Request, _ reports: [RoomReport]?) -> [ClientEffect] {
        let receiptID =
            switch request {
            case .receipt(let id), .subscription(_, receipt: let id), .part(receipt: let id): id
            }
        guard let reports else { return fail("the node leaves", receipt: receiptID, code: "leaving") }
        for report in reports {
            guard case .error(let error) = report.report else { continue }
            return fail(error.message, receipt: receiptID, code: error.code.rawValue)
        }
        switch request {
        case .receipt: return receipt(receiptID)
        case .part: return []
        case .subscription(var subscription, _):
            if let room = reports.first?.room.name { subscription.place = subscription.place.called(room) }
            add(subscription)
            var effects = receipt(receiptID)
            for report in reports {
                let isPeople = report.report.content(PeerList.self) != nil
                guard isPeople || report.report.content(BoardAnswer.self) != nil else { continue }
                let topic = isPeople ? nil : EventTopic(report)
                effects.append(message(JSONOutput(.forPrograms).line(of: report), of: topic, to: subscription))
            }
            return effects
        }
    }
}

/// Messages to the client.
extension STOMPSession {
    mutating func hear(_ heard: HubEvent, at now: Instant) -> [ClientEffect] {
        let report = heard.report
        guard phase == .connected else { return [] }
        var effects: [ClientEffect] = []
        if case .event(let event) = report.report, let place = STOMPSession.place(of: event, in: report.room) {
            for subscription in subscriptions where subscription.place == place {
                let body = heard.bytes(for: STOMPSession.self) { STOMPSession.body(of: event, report) }
                effects.append(message(body, of: EventTopic(report), to: subscription))
            }
        }
        if heard.endsRoom { effects += tellEnd(of: report.room) }
        if case .event(let event) = report.report, event.isOfBoard {
            let line = JSONOutput(.forPrograms).line(of: report)
            for subscription in subscriptions where subscription.place == .board(report.room.name) {
                effects.append(message(line, of: EventTopic(report), to: subscription))
            }
        }
        for card in heard.goneCards {
            let body = STOMPSession.body(of: card, "removed", in: report.room)
            effects += tell(body, at: .channel(report.room.name), of: report.room)
        }
        for request in heard.requestsAgain {
            for subscription in subscriptions where subscription.place == .direct {
                let body = JSONOutput(.forPrograms).line(of: request)
                effects.append(message(body, of: EventTopic(request), to: subscription))
            }
        }
        for peer in heard.endedRequests {
            let id = ConversationID(room: report.room.number, peer: peer)
            effects += tell(WebJSON.requestEnded(id, in: report.room), at: .direct, of: report.room)
        }
        for var gone in heard.goneMessages {
            gone.text = ""
            effects += tell(gone, "removed", of: EventTopic(report.room), in: report.room)
        }
        for came in heard.cameMessages {
            effects += tell(came, "added", of: EventTopic(came, in: report.room), in: report.room)
        }
        return effects
    }

    /// The people and the cards are gone with their room.
    private mutating func tellEnd(of room: RoomLabel) -> [ClientEffect] {
        [(Answer.peers([], isWhole: true), STOMPDestination.people(room.name)), (.board([]), .board(room.name))].flatMap
        {
            tell(JSONOutput(.forPrograms).line(of: RoomReport(room, .answer($0))), at: $1, of: room)
        }
    }

    /// Tells what has no text.
    private mutating func tell(
        _ body: [UInt8], at place: STOMPDestination, of room: RoomLabel
    ) -> [ClientEffect] {
        subscriptions.filter { $0.place == place }.map { message(body, of: EventTopic(room), to: $0) }
    }

    /// Tells of a message that came or went without an event of its own.
    private mutating func tell(
        _ view: MessageView, _ change: String, of topic: EventTopic, in room: RoomLabel
    ) -> [ClientEffect] {
        let place = STOMPSession.place(of: view, in: room)
        return subscriptions.filter { $0.place == place }.map { subscription in
            message(STOMPSession.body(of: view, change, in: room), of: topic, to: subscription)
        }
    }

    private static func place(of message: MessageView, in room: RoomLabel) -> STOMPDestination {
        if case .publicRoom = message.conversation { .channel(room.name) } else { .direct }
    }

    /// The destination of an event; nil for an event without one.
    private static func place(of event: NodeEvent, in room: RoomLabel) -> STOMPDestination? {
        switch event {
        case .message(let message), .edited(let message), .deleted(let message): place(of: message, in: room)
        case .reacted(let reaction): place(of: reaction.message, in: room)
        case .card, .cardRemoved: .channel(room.name)
        case .request, .direct, .delivered, .read, .failed: .direct
        case .typing: .typing(room.name)
        case .ready, .peer, .crowd, .elsewhere, .person, .blocked, .renamed, .status: .people(room.name)
        case .invitation, .notice, .stopped: nil
        }
    }

    private static func body(of event: NodeEvent, _ report: RoomReport) -> [UInt8] {
        switch event {
        case .message(let message): body(of: message, "added", in: report.room)
        case .edited(let message): body(of: message, "modified", in: report.room)
        case .deleted(let message): body(of: message, "removed", in: report.room)
        case .reacted(let reaction): body(of: reaction.message, "modified", in: report.room)
        case .card(let card): body(of: card, "added", in: report.room)
        case .cardRemoved(let card, _): body(of: card, "removed", in: report.room)
        case .request, .direct, .delivered, .read, .failed, .typing, .peer, .crowd, .elsewhere, .ready, .renamed,
            .status, .person, .blocked, .invitation, .notice, .stopped:
            JSONOutput(.forPrograms).line(of: report)
        }
    }

    private mutating func message(
        _ body: [UInt8], of source: EventTopic?, to subscription: Subscription
    ) -> ClientEffect {
        lastMessage += 1
        let headers: [(String, String?)] = [
            ("subscription", subscription.id), ("message-id", "m-\(lastMessage)"),
            ("destination", subscription.destination), ("content-type", "application/json"),
            ("content-length", "\(body.count)"), ("ack", subscription.wantsAck ? "m-\(lastMessage)" : nil),
        ]
        return .send(STOMPFrame("MESSAGE", headers, body: body).bytes, of: source)
    }

    /// That of a card, with the members of a message; the texts of one that is off the board are empty.
    private static func body(of card: CardView, _ change: String, in room: RoomLabel) -> [UInt8] {
        let isGone = change == "removed"
        return WebJSON.object {
            $0.member("change", change)
            $0.member("id", card.id.hexadecimal)
            $0.member("room", room.name)
            $0.member("channelId", room.name)
            $0.member("conversationId", "\(ConversationID(room, .publicRoom))")
            $0.member("senderUserId", card.from.key.hexadecimal)
            $0.member("content") {
                $0.object {
                    $0.member("type", "CARD")
                    $0.member("text", isGone ? "" : DisplayGuard.safe(card.content.text))
                    $0.member("title", isGone ? "" : DisplayGuard.safe(card.content.title))
                    $0.member("cardColor", card.content.color.name)
                }
            }
            $0.member("action", nil as String?)
            $0.member("createdAt", card.sentAt)
            $0.member("expiresAt", card.expiresAt)
            $0.member("from", card.from)
            $0.member("isFromCurrentUser", card.isFromCurrentUser)
            $0.member("history", card.isHistory)
            $0.member("edited", false)
            $0.member("replyTo", nil as String?)
            $0.member("reactions") { $0.literal("[]") }
        }
    }

    /// Each change has all members, as typed decoders want them; the text of a deleted message is empty.
    private static func body(of message: MessageView, _ change: String, in room: RoomLabel) -> [UInt8] {
        WebJSON.object {
            $0.member("change", change)
            $0.member("id", message.id.hexadecimal)
            $0.member("room", room.name)
            switch message.conversation {
            case .publicRoom: $0.member("channelId", room.name)
            case .direct(let who):
                $0.member("channelId", who.key.hexadecimal)
                $0.member("with", who)
            }
            $0.member("conversationId", "\(ConversationID(room, message.conversation))")
            $0.member("senderUserId", message.from.key.hexadecimal)
            $0.member("content") {
                $0.object {
                    $0.member("type", "TEXT")
                    $0.member("text", DisplayGuard.safe(message.text))
                    $0.member("title", nil as String?)
                    $0.member("cardColor", nil as String?)
                }
            }
            $0.member("action", message.action.map(DisplayGuard.safe))
            $0.member("createdAt", message.sentAt)
            $0.member("from", message.from)
            $0.member("isFromCurrentUser", message.isFromCurrentUser)
            $0.member("history", message.isHistory)
            $0.member("edited", message.isEdited)
            $0.member("replyTo", message.replyTo?.hexadecimal)
            $0.list("reactions", message.reactions) { $0.members(of: $1) }
        }
    }
}

extension NodeEvent {
    /// Whether it is one of a notice board.
    fileprivate var isOfBoard: Bool {
        switch self {
        case .card, .cardRemoved: true
        case .message, .edited, .deleted, .reacted, .request, .direct, .delivered, .read, .failed, .typing, .ready,
            .peer, .crowd, .elsewhere, .person, .blocked, .renamed, .status, .invitation, .notice, .stopped:
            false
        }
    }
}

extension JSONValue? {
    /// Whether it is there, and not null.
    fileprivate var isGiven: Bool { self != nil && self != .null }
}

extension String {
    /// Whether the bytes are the same: other texts, too, compare as equal in Swift.
    fileprivate func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
