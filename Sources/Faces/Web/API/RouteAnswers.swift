import Reactor
import Chat
import ChatNode
import Commands
import Rendering
import Wire

/// The routes that read.
extension WebServer {
    private func rooms() async throws(RouteFault) -> [RoomSnapshot] {
        guard let rooms = await desk?.snapshot({ $0 }) else { throw RouteFault(503, "leaving", "the node leaves") }
        return rooms
    }

    func me() async throws(RouteFault) -> WebAnswer {
        let rooms = try await rooms()
        return .json {
            $0.member("version", Version.current)
            $0.list("rooms", rooms) { $0.members(ofRoom: $1) }
        }
    }

    func conversations() async throws(RouteFault) -> WebAnswer {
        let rooms = try await rooms()
        return .json {
            $0.member("conversations") {
                $0.array { list in
                    for room in rooms {
                        for summary in room.overview.conversations { list.object { $0.members(of: summary, in: room) } }
                    }
                }
            }
        }
    }

    func people() async throws(RouteFault) -> WebAnswer {
        let rooms = try await rooms()
        return .json { $0.member("people") { $0.array { for room in rooms { $0.people(of: room) } } } }
    }

    func requests() async throws(RouteFault) -> WebAnswer {
        let rooms = try await rooms()
        return .json { $0.member("requests") { $0.array { for room in rooms { $0.requests(of: room) } } } }
    }

    func metrics() async throws(RouteFault) -> WebAnswer {
        for report in try await reports(of: .statistics, in: nil) {
            guard case .answer(.statistics(let counters)) = report.report else { continue }
            return WebAnswer(
                status: 200, type: "text/plain; version=0.0.4; charset=utf-8",
                body: Array(PrometheusText.of(counters).utf8))
        }
        throw RouteFault(503, "leaving", "the node leaves")
    }

    func messages(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        let limit = call.head.parameter("limit").map { Int($0) ?? 0 } ?? 50
        guard (1...100).contains(limit) else { throw RouteFault(400, "bad_query", "limit is a number from 1 to 100") }
        let (before, after) = (try call.cursor("before"), try call.cursor("after"))
        let (room, history) = try await conversation(of: call)
        let all = store.messages(of: ConversationID(room.overview.room, history.conversation), with: history.messages)
        guard let page = MessagePage(of: all, before: before, after: after, limit: limit) else {
            throw RouteFault(404, "unknown_message", "the message of the cursor is not kept any more")
        }
        return .json {
            $0.list("messages", page.messages) { $0.members(of: $1, in: room.overview.room) }
            $0.member("next", page.next?.hexadecimal)
            $0.member("previous", page.previous?.hexadecimal)
        }
    }

    func person(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        let (room, key) = try await peer(of: call)
        for report in try await reports(of: .whois(who: key), in: room) {
            guard case .answer(.person(let peer, let code)) = report.report else { continue }
            return .json {
                $0.member("room", room.name)
                $0.members(of: peer)
                $0.member("about", peer.profile.about)
                $0.member("code", code)
            }
        }
        throw RouteFault(404, "unknown_peer", "no such peer")
    }

    /// The room and the messages of the conversation in a path.
    private func conversation(
        of call: RouteCall
    ) async throws(RouteFault) -> (RoomSnapshot, (conversation: ConversationView, messages: [MessageView])) {
        let id = call.parameters["conversation"].flatMap { ConversationID($0) }
        for room in try await rooms() where room.overview.room.number == id?.room {
            for history in room.histories
            where ConversationID(room.overview.room, history.conversation) == id { return (room, history) }
        }
        throw RouteFault(404, "unknown_conversation", "there is no such conversation")
    }

    /// The room in which the peer of a path is known, and its key.
    private func peer(of call: RouteCall) async throws(RouteFault) -> (RoomLabel, String) {
        let text = call.parameters["key"] ?? ""
        guard let key = PeerID(hexadecimal: text) else { throw RouteFault(404, "unknown_peer", "a key has 64 digits") }
        return (try await room(of: key), text)
    }

    private func room(of key: PeerID) async throws(RouteFault) -> RoomLabel {
        for room in try await rooms() where room.peers.contains(where: { $0.who.key == key }) {
            return room.overview.room
        }
        throw RouteFault(404, "unknown_peer", "no such peer")
    }
}

/// The routes that change something.
extension WebServer {
    /// - Throws: the refusal of the command.
    @discardableResult
    private func reports(of command: Command, in room: RoomLabel?) async throws(RouteFault) -> [RoomReport] {
        guard let reports = await desk?.reports(of: command, in: room) else {
            throw RouteFault(503, "leaving", "the node leaves")
        }
        for report in reports { if case .error(let error) = report.report { throw RouteFault(error) } }
        return reports
    }

    private static let done = WebAnswer(status: 204)

    /// Performs a request once for its `Idempotency-Key`; each time if it has none.
    func once(
        _ call: RouteCall, _ perform: @escaping @Sendable (isolated WebServer) async throws(RouteFault) -> WebAnswer
    ) async throws(RouteFault) -> WebAnswer {
        guard let key = call.head.idempotencyKey else { return try await perform(self) }
        guard (1...128).contains(key.utf8.count) else {
            throw RouteFault(400, "bad_key", "an Idempotency-Key has 1 to 128 characters")
        }
        let request = Array(call.head.path.utf8) + [0] + call.bytes
        let answer = answers.answer(key, request, at: .monotonic) {
            Task {
                do throws(RouteFault) { return try await perform(self) } catch { return error.answer }
            }
        }
        guard let answer else { throw RouteFault(409, "other_request", "the Idempotency-Key is of another request") }
        return await answer.value
    }

    func say(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        try call.only("text")
        let text = try call.text("text")
        let (room, history) = try await conversation(of: call)
        let label = room.overview.room
        switch history.conversation {
        case .publicRoom: return try await said(.sayToRoom(text), in: label)
        case .direct(let who): return try await said(.message(who: who.key.hexadecimal, text: text), in: label)
        }
    }

    func sayDirectly(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        try call.only("to", "text")
        let (to, text) = (try call.text("to"), try call.text("text"))
        guard let key = PeerID(hexadecimal: to) else { throw RouteFault(422, "bad_member", "to is a key of 64 digits") }
        return try await said(.message(who: to, text: text), in: try await room(of: key))
    }

    /// The answer with the message that a command said.
    private func said(_ command: Command, in room: RoomLabel) async throws(RouteFault) -> WebAnswer {
        for report in try await reports(of: command, in: room) {
            guard case .event(.message(let message)) = report.report, message.isFromCurrentUser else { continue }
            return .json(201) { $0.members(of: message, in: report.room) }
        }
        throw RouteFault(503, "leaving", "the node leaves")
    }

    func edit(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        try call.only("text")
        let text = try call.text("text")
        let (room, id) = try await ownMessage(of: call)
        try await reports(of: .edit(target: id, text: text), in: room)
        return WebServer.done
    }

    func delete(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        let (room, id) = try await ownMessage(of: call)
        try await reports(of: .delete(target: id), in: room)
        return WebServer.done
    }

    private func ownMessage(of call: RouteCall) async throws(RouteFault) -> (RoomLabel, String) {
        let (room, history) = try await conversation(of: call)
        let id = call.parameters["message"] ?? ""
        guard let message = history.messages.first(where: { $0.id.hexadecimal == id }) else {
            throw RouteFault(404, "unknown_message", "no such message")
        }
        guard message.isFromCurrentUser else {
            throw RouteFault(403, "foreign_message", "the message is another user's")
        }
        return (room.overview.room, id)
    }

    func setActive(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        try call.only("active")
        let isActive = try call.flag("active")
        let (room, history) = try await conversation(of: call)
        let label = room.overview.room
        switch (history.conversation, isActive) {
        case (.direct(let who), true): try await reports(of: .open(who: who.key.hexadecimal), in: label)
        case (.publicRoom, true): try await reports(of: .openPublic, in: label)
        case (.direct(let who), false):
            let isOpen = room.overview.conversations.contains { summary in
                guard case .direct(let other) = summary.conversation else { return false }
                return other.key == who.key && summary.isActive && room.overview.isOpen
            }
            if isOpen { try await reports(of: .close, in: label) }
        // One conversation is open at any time: another one is opened instead.
        case (.publicRoom, false): break
        }
        return WebServer.done
    }

    func setTyping(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        try call.only("on")
        let isOn = try call.flag("on")
        let (room, history) = try await conversation(of: call)
        let isOpen = room.overview.conversations.contains { $0.conversation == history.conversation && $0.isActive }
        guard isOpen, room.overview.isOpen else {
            throw RouteFault(409, "not_open", "the conversation is not the open one")
        }
        try await reports(of: .typing(isOn), in: room.overview.room)
        return WebServer.done
    }

    func mark(_ call: RouteCall, isOn: Bool) async throws(RouteFault) -> WebAnswer {
        let (room, who) = try await peer(of: call)
        switch call.parameters["mark"] {
        case "mute": try await reports(of: .mark(isOn ? .mute : .unmute, who: who), in: room)
        case "block": try await reports(of: .mark(isOn ? .block : .unblock, who: who), in: room)
        case "verified": try await reports(of: .verify(who: who, isVerified: isOn), in: room)
        case _: throw RouteFault(404, "unknown_mark", "the marks are mute, block and verified")
        }
        return WebServer.done
    }

    func answerRequest(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        try call.only("accept")
        let accepts = try call.flag("accept")
        let (room, who) = try await peer(of: call)
        try await reports(of: accepts ? .accept(who: who) : .decline(who: who), in: room)
        return WebServer.done
    }

    func command(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        try call.only("line", "room")
        let line = try call.text("line")
        guard !line.contains(where: \.isNewline) else { throw RouteFault(422, "bad_member", "line is one line") }
        if call.body["room"] != nil, call.body["room"]?.string == nil {
            throw RouteFault(422, "bad_member", "room is a string")
        }
        var room: RoomLabel?
        if let name = call.body["room"]?.string {
            room = desk?.rooms.named(name)?.label
            guard room != nil else { throw RouteFault(404, "unknown_room", "there is no such room") }
        }
        let reports = await perform(line, in: room)
        for report in reports { if case .error(let error) = report.report { throw RouteFault(error) } }
        return .json {
            $0.member("reports") {
                $0.array {
                    for report in reports {
                        let bytes = JSONOutput().rendering(of: report, at: .wall).output
                        if !bytes.isEmpty { $0.literal(String(decoding: bytes.dropLast(), as: UTF8.self)) }
                    }
                }
            }
        }
    }
}

extension RouteFault {
    /// The refusal of a command.
    init(_ error: ChatError) {
        let status =
            switch error.code {
            case .unknownPeer, .unknownMessage, .unknownRoom: 404
            case .notConnected, .notAccepted, .ambiguousPeer, .tooManyRooms, .onlyRoom, .roomFailed, .tooManyContacts,
                .noIdentity:
                409
            case .rateLimited: 429
            case .empty, .tooLong, .tooManyBytes, .tooDense, .invalidUTF8, .unknownCommand, .invalidNickname,
                .invalidReason, .invalidAbout, .invalidRoom, .invalidKey:
                422
            }
        self.init(status, error.code.rawValue, error.message)
    }
}
