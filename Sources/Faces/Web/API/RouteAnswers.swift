import Chat
import ChatNode
import Commands
import Model
import Reactor
import Rendering
import Wire

/// The routes that read.
extension WebServer {
    /// The rooms that the user is in; waits for the end of a wipe.
    func rooms() async throws(RouteFault) -> [ModelRoom] {
        if model.presentRooms.isEmpty, await commands?.rooms.awaitOpen() == nil {
            throw RouteFault(503, "leaving", "the node leaves")
        }
        return model.presentRooms
    }

    func me() async throws(RouteFault) -> WebAnswer {
        let rooms = try await rooms()
        return .json {
            $0.member("version", Version.current)
            $0.list("rooms", rooms) { $0.members(ofRoom: $1) }
        }
    }

    func nextLink() -> WebAnswer { .json { $0.member("url", link) } }

    func conversations() async throws(RouteFault) -> WebAnswer {
        let rooms = try await rooms()
        return .json {
            $0.member("conversations") {
                $0.array { list in
                    for room in rooms {
                        for conversation in room.conversations {
                            list.object { $0.members(of: conversation, in: room) }
                        }
                    }
                }
            }
        }
    }

    /// Asks the nodes: the time to a peer and back is in no event, and of a crowd there are the peers that were heard last.
    func people() async throws(RouteFault) -> WebAnswer {
        guard let people = await commands?.rooms.people() else { throw RouteFault(503, "leaving", "the node leaves") }
        return .json {
            $0.member("people") {
                $0.array {
                    for (room, peers) in people { for peer in peers { $0.raw(WebJSON.person(peer, in: room)) } }
                }
            }
        }
    }

    func requests() async throws(RouteFault) -> WebAnswer {
        let rooms = try await rooms()
        return .json {
            $0.member("requests") {
                $0.array {
                    for room in rooms {
                        for request in room.requests { $0.raw(WebJSON.request(request, in: room.label)) }
                    }
                }
            }
        }
    }

    /// The authors of each emoji on a message.
    func reactions(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        let id = try call.message()
        let (room, conversation) = try await conversation(of: call)
        let reports = try await reports(
            of: "react", ["id": .text(id.hexadecimal)], in: room.label, at: Conversation(conversation.view))
        guard let list = reports.last?.report.content(ReactorList.self) else {
            throw RouteFault(503, "leaving", "the node leaves")
        }
        return .json { list.write(to: &$0) }
    }

    func board(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        let room = try await modelRoom(of: call)
        return .json { $0.list("cards", room.board) { $0.members(of: $1, in: room.label) } }
    }

    func metrics() async throws(RouteFault) -> WebAnswer {
        for report in try await reports(of: .statistics, in: nil) {
            guard let counters = report.report.content(Counters.self)?.counters else { continue }
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
        guard before == nil || after == nil else {
            throw RouteFault(400, "bad_query", "before and after exclude each other")
        }
        let (room, conversation) = try await conversation(of: call)
        let page = MessagePage(
            of: conversation.log.messages, in: conversation.id, deleted, before: before, after: after, limit: limit)
        guard let page else {
            throw RouteFault(404, "unknown_message", "the message of the cursor is not kept any more")
        }
        return .json {
            $0.list("messages", page.messages) { $0.members(of: $1, in: room.label) }
            $0.member("next", page.next?.hexadecimal)
            $0.member("previous", page.previous?.hexadecimal)
        }
    }

    func person(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        let (room, key) = try await peer(of: call)
        for report in try await reports(of: "whois", ["who": .text(key)], in: room) {
            guard let card = report.report.content(PeerCard.self) else { continue }
            return .json {
                $0.member("room", room.name)
                $0.member("roomId", room.id)
                $0.members(of: card.peer)
                $0.member("about", card.peer.profile.about)
                $0.member("code", card.code)
            }
        }
        throw RouteFault(404, "unknown_peer", "no such peer")
    }

    func code(_ call: RouteCall) async throws(RouteFault) -> WebAnswer {
        let (room, key) = try await peer(of: call)
        for report in try await reports(of: "whois", ["who": .text(key)], in: room) {
            guard let code = report.report.content(PeerCard.self)?.code else { continue }
            guard let picture = QRCode(code) else {
                throw RouteFault(503, "no_qr_code", "QR codes need the package libqrencode4")
            }
            return WebAnswer(status: 200, type: "image/svg+xml", body: Array(picture.svg.utf8))
        }
        throw RouteFault(404, "unknown_peer", "no such peer")
    }

    /// The conversation in a path, with its room.
    func conversation(of call: RouteCall) async throws(RouteFault) -> (ModelRoom, ModelConversation) {
        try await conversation(named: call.parameters["conversation"] ?? "")
    }

    /// A conversation by its name in paths, with its room.
    func conversation(named name: String) async throws(RouteFault) -> (ModelRoom, ModelConversation) {
        let rooms = try await rooms()
        guard let id = ConversationID(name), let room = rooms.first(where: { $0.label.number == id.room }),
            let conversation = room.conversation(id)
        else { throw RouteFault(404, "unknown_conversation", "there is no such conversation") }
        return (room, conversation)
    }

    /// The room of a path, and the key of the peer in it.
    func peer(of call: RouteCall) async throws(RouteFault) -> (RoomLabel, String) {
        let text = call.parameters["key"] ?? ""
        guard let key = PeerID(hexadecimal: text) else { throw RouteFault(404, "unknown_peer", "a key has 64 digits") }
        return (try await room(of: call), key.hexadecimal)
    }

    /// The room of a path.
    func room(of call: RouteCall) async throws(RouteFault) -> RoomLabel { try await modelRoom(of: call).label }

    func modelRoom(of call: RouteCall) async throws(RouteFault) -> ModelRoom {
        let id = call.parameters["room"]
        guard let room = try await rooms().first(where: { $0.label.id == id }) else {
            throw RouteFault(404, "unknown_room", "there is no such room")
        }
        return room
    }

    /// Performs a command of the table.
    ///
    /// - Throws: the refusal of the command.
    @discardableResult
    func reports(
        of name: String, _ operands: [String: Operands.Value] = [:], in room: RoomLabel?,
        at conversation: Conversation? = nil, view: ViewID? = .shared
    ) async throws(RouteFault) -> [RoomReport] {
        let command: Command
        do throws(ChatError) { command = try Command(named: name, operands) } catch { throw RouteFault(error) }
        return try await reports(of: command, in: room, at: conversation, view: view)
    }

    /// - Throws: the refusal of the command.
    func reports(
        of command: Command, in room: RoomLabel?, at conversation: Conversation? = nil, view: ViewID? = .shared
    ) async throws(RouteFault) -> [RoomReport] {
        guard let reports = await commands?.reports(of: command, in: room, at: conversation, view: view) else {
            throw RouteFault(503, "leaving", "the node leaves")
        }
        for report in reports { if case .error(let error) = report.report { throw RouteFault(error) } }
        return reports
    }
}

extension RouteFault {
    /// The refusal of a command.
    init(_ error: ChatError) {
        let status =
            switch error.code {
            case .unknownPeer, .unknownMessage, .unknownRoom, .unknownCard: 404
            case .notConnected, .notAccepted, .ambiguousPeer, .tooManyRooms, .onlyRoom, .roomFailed, .tooManyContacts,
                .noIdentity, .tooManyReactions, .directOpen, .isAway:
                409
            case .rateLimited: 429
            case .empty, .isCommand, .tooLong, .tooManyBytes, .tooDense, .invalidUTF8, .unknownCommand,
                .invalidNickname,
                .invalidReason, .invalidAbout, .invalidEmoji, .invalidCard, .invalidRoom, .invalidKey:
                422
            }
        self.init(status, error.code.rawValue, error.message, error.sentence)
    }
}
