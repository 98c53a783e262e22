import Chat
import ChatNode
import Commands
import Hub
import Model
import Reactor
import Rendering
import Wire

/// The routes that change something.
extension WebServer {
    private static let done = WebAnswer(status: 204)

    /// Says a text, or puts a card up, once for the `Idempotency-Key` of its request; each time if it has none.
    func once(
        _ call: RouteCall, _ say: @escaping @Sendable (isolated WebServer) async throws(RouteFault) -> Said
    ) async throws(RouteFault) -> WebAnswer {
        guard let key = call.head.idempotencyKey else { return try await say(self).answer }
        guard (1...128).contains(key.count) else {
            throw RouteFault(400, "bad_key", "an Idempotency-Key has 1 to 128 bytes")
        }
        let request = Array(call.head.path.utf8) + [0] + call.bytes
        let known = answers.answer(key, request, at: .monotonic) {
            Task {
                do throws(RouteFault) {
                    let said = try await say(self)
                    answers.record(said, for: key)
                    return .success(said)
                } catch {
                    answers.forget(key)
                    return .failure(error)
                }
            }
        }
        switch known {
        case .other: throw RouteFault(409, "other_request", "the Idempotency-Key is of another request")
        case .said(let place):
            if let said = model.said(at: place) { return said.answer }
            switch place {
            case .message: throw RouteFault(404, "unknown_message", "the message of this request is gone")
            case .card: throw RouteFault(404, "unknown_card", "the card of this request is gone")
            }
        case .asked(let task): return try await task.value.get().answer
        }
    }

    func admitPage(_ call: RouteCall) throws(RouteFault) -> WebAnswer {
        try call.only("code")
        guard let page = admitPage(withCode: try call.text("code")) else {
            countRefusal()
            throw RouteFault(403, "used_code", "the code was used, or is of another run")
        }
        return .json {
            $0.member("token", token.text)
            $0.member("reload", page.reload)
            $0.member("shown", page.shown.map { "\($0)" })
        }
    }

    func say(_ call: RouteCall) async throws(RouteFault) -> Said {
        try call.only("text", "replyTo")
        let (text, target) = (try call.text("text"), try call.replyTo())
        let (room, conversation) = try await conversation(of: call)
        switch conversation.view {
        case .publicRoom: return try await said(.sayToRoom(text, replyTo: target), in: room.label)
        case .direct(let who):
            let command = Command.message(who: who.key.hexadecimal, text: text, replyTo: target)
            return try await said(command, in: room.label)
        }
    }

    func sayDirectly(_ call: RouteCall) async throws(RouteFault) -> Said {
        try call.only("to", "text", "replyTo")
        let (to, text, target) = (try call.text("to"), try call.text("text"), try call.replyTo())
        guard let key = PeerID(hexadecimal: to) else { throw RouteFault(422, "bad_member", "to is a key of 64 digits") }
        let command = Command.message(who: key.hexadecimal, text: text, replyTo: target)
        return try await said(command, in: try await room(of: call))
    }

    func postCard(_ call: RouteCall) async throws(RouteFault) -> Said {
        try call.only("title", "text", "cardColor")
        let (title, text) = (try call.text("title"), try call.text("text"))
        let color = call.body["cardColor"] == nil ? nil : try call.text("cardColor")
        return try await said(.card(title: title, text: text, color: color), in: try await room(of: call))
    }

    /// The message or the card of a command.
    private func said(_ command: Command, in room: RoomLabel) async throws(RouteFault) -> Said {
        for report in try await reports(of: command, in: room) {
            switch report.report {
            case .event(.message(let message)) where message.isFromCurrentUser: return .message(message, report.room)
            case .event(.card(let card)) where card.isFromCurrentUser: return .card(card, report.room)
            case .event, .error, .answer, .entered, .opened, .viewed, .leaving, .snapshot, .listening, .entering: break
            }
        }
        throw RouteFault(503, "leaving", "the node leaves")
    }

    func setReaction(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        try call.only("emoji", "on")
        let (emoji, isOn, id) = (try call.text("emoji"), try call.flag("on"), try call.message())
        let (room, conversation) = try await conversation(of: call)
        try await reports(
            of: isOn ? "react" : "unreact", ["id": .text(id.hexadecimal), "emoji": .text(emoji)], in: room.label,
            at: Conversation(conversation.view))
        return WebServer.done
    }

    func removeCard(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        let room = try await modelRoom(of: call)
        let id = MessageID(hexadecimal: call.parameters["card"] ?? "")
        guard let card = room.board.first(where: { $0.id == id }) else {
            throw RouteFault(404, "unknown_card", "there is no such card on the board")
        }
        guard card.isFromCurrentUser else { throw RouteFault(403, "foreign_card", "the card is another user's") }
        try await reports(of: "card", ["remove": .text(card.id.hexadecimal)], in: room.label)
        return WebServer.done
    }

    func edit(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        try call.only("text")
        let text = try call.text("text")
        let (room, id) = try await ownMessage(of: call)
        try await reports(of: "edit", ["id": .text(id), "text": .text(text)], in: room)
        return WebServer.done
    }

    func delete(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        let (room, id) = try await ownMessage(of: call)
        try await reports(of: "delete", ["id": .text(id)], in: room)
        return WebServer.done
    }

    private func ownMessage(of call: RouteCall) async throws(RouteFault) -> (RoomLabel, String) {
        let (room, conversation) = try await conversation(of: call)
        guard let message = conversation.log[try call.message()] else {
            throw RouteFault(404, "unknown_message", "no such message")
        }
        guard message.isFromCurrentUser else {
            throw RouteFault(403, "foreign_message", "the message is another user's")
        }
        return (room.label, message.id.hexadecimal)
    }

    func setActive(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        try call.only("active", "view")
        let isActive = try call.flag("active")
        let (room, conversation) = try await conversation(of: call)
        let label = room.label
        if call.body["view"] != nil {
            guard let view = view(named: try call.text("view")) else {
                throw RouteFault(409, "unknown_view", "no WebSocket has this view")
            }
            guard isActive || model.conversation(of: view) == conversation.id else { return WebServer.done }
            await commands?.show(isActive ? (label, conversation.view) : nil, in: view)
            return WebServer.done
        }
        switch (conversation.view, isActive) {
        case (.direct(let who), true): try await reports(of: "open", ["who": .text(who.key.hexadecimal)], in: label)
        case (.publicRoom, true): try await reports(of: "open", ["room": .text(label.name)], in: label)
        case (let view, false):
            guard model.conversation(of: .shared) == conversation.id else { break }
            // Behind a direct conversation is its room; behind that, none.
            guard case .direct = view else {
                await commands?.lookAway(from: label)
                break
            }
            try await reports(of: "close", in: label)
        }
        return WebServer.done
    }

    /// The view of a page; nil unless its WebSocket is connected.
    private func view(named name: String) -> ViewID? {
        let socket = connections.values.first { $0.closing == nil && $0.view?.utf8.elementsEqual(name.utf8) ?? false }
        return socket.map { hub.view(of: $0.number) }
    }

    func setTyping(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        try call.only("on")
        let isOn = try call.flag("on")
        let (room, conversation) = try await conversation(of: call)
        guard conversation.isActive else {
            throw RouteFault(409, "not_open", "no view shows the conversation")
        }
        let shown = Conversation(conversation.view)
        try await reports(of: "typing", ["on": .flag(isOn)], in: room.label, at: shown)
        return WebServer.done
    }

    func mark(_ call: RouteCall, isOn: Bool) async throws(RouteFault) -> WebAnswer {
        let (room, who) = try await peer(of: call)
        let mark = call.parameters["mark"] ?? ""
        switch mark {
        case "mute", "block": try await reports(of: (isOn ? "" : "un") + mark, ["who": .text(who)], in: room)
        case "verified": try await reports(of: "verify", ["who": .text(who), "verified": .flag(isOn)], in: room)
        case _: throw RouteFault(404, "unknown_mark", "the marks are mute, block and verified")
        }
        return WebServer.done
    }

    func answerRequest(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        try call.only("accept")
        let accepts = try call.flag("accept")
        let (room, who) = try await peer(of: call)
        try await reports(of: accepts ? "accept" : "decline", ["who": .text(who)], in: room)
        return WebServer.done
    }

    func command(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        try call.only("line", "command", "operands", "room", "conversation", "view")
        let (room, conversation) = try await place(of: call)
        let hasView = call.body["view"] != nil
        let view = hasView ? view(named: try call.text("view")) : .shared
        let reports: [RoomReport]
        let line = try self.line(of: call)
        let shownLine = line.map { Command.shown($0) }
        if let line {
            reports = await perform(line, in: room, at: conversation, view: view)
        } else {
            reports = try await self.reports(
                of: try call.text("command"), try operands(of: call), in: room, at: conversation, view: view)
        }
        for report in reports {
            guard case .error(let error) = report.report else { continue }
            var fault = RouteFault(error)
            fault.line = shownLine
            throw fault
        }
        var plain = PlainRooms(clock: LocalTime.text, day: LocalTime.date, language: call.head.language)
        let text = reports.flatMap { plain.answerLines(of: $0, at: .wall) }
        let opened = reports.compactMap { report in
            report.report.content(Opening.self).map { ConversationID(report.room, $0.view) }
        }
        return .json {
            $0.member("reports") {
                $0.array {
                    for report in reports {
                        let line = JSONOutput(.forPrograms).line(of: report)
                        if !line.isEmpty { $0.literal(String(decoding: line, as: UTF8.self)) }
                    }
                }
            }
            $0.member("text") { $0.array { for line in text { $0.string(line) } } }
            if let shownLine { $0.member("line", shownLine) }
            if hasView { $0.member("shown", opened.last.map { "\($0)" }) }
        }
    }

    /// The line of input of a body; nil for one with a command and its operands.
    private func line(of call: RouteCall) throws(RouteFault) -> String? {
        guard call.body["line"] != nil else { return nil }
        guard call.body["command"] == nil, call.body["operands"] == nil else {
            throw RouteFault(422, "bad_member", "a body has a line, or a command with its operands")
        }
        let line = try call.text("line")
        guard !line.utf8.contains(where: { $0 == 0x0a || $0 == 0x0d }) else {
            throw RouteFault(422, "bad_member", "line is one line")
        }
        return line
    }

    /// The room of a command, and the conversation that counts as the open one: those that the client shows, although another
    /// face may have opened others since. Nil for those that are open.
    private func place(of call: RouteCall) async throws(RouteFault) -> (RoomLabel?, Conversation?) {
        var room: RoomLabel?
        if call.body["room"] != nil {
            room = await commands?.rooms.label(named: try call.text("room"))
            guard room != nil else { throw RouteFault(404, "unknown_room", "there is no such room") }
        }
        guard call.body["conversation"] != nil else { return (room, nil) }
        let (place, conversation) = try await conversation(named: try call.text("conversation"))
        let label = place.label
        guard room == nil || room == label else {
            throw RouteFault(422, "bad_member", "the conversation is of another room")
        }
        return (label, Conversation(conversation.view))
    }

    /// The operands of a body, each a string, true or false, or a list of strings.
    private func operands(of call: RouteCall) throws(RouteFault) -> [String: Operands.Value] {
        var given: [String: Operands.Value] = [:]
        for (operand, value) in try call.members("operands") {
            switch value {
            case .string(let text): given[operand.text] = .text(text)
            case .bool(let flag): given[operand.text] = .flag(flag)
            case .array(let elements) where elements.allSatisfy({ $0.string != nil }):
                given[operand.text] = .list(elements.compactMap(\.string))
            case .null, .number, .array, .object:
                throw RouteFault(422, "bad_member", "an operand is a string, true or false, or a list of strings")
            }
        }
        return given
    }
}
