import Chat
import ChatNode
import Commands
import Rendering
import Wire

/// The session of one Socket.IO client, as a value: packets in, packets and commands out (Docs/Web.md, section 6).
///
/// The events are those of a well-known tutorial's chat. The node is the only user that a client can be.
struct SocketIOSession: Sendable {
    enum Effect: Hashable, Sendable {
        case send(String)
        case perform(number: Int, Command, in: GatewayRoom)
        case close
        /// The client has not shown the token; to be counted.
        case refused
    }

    /// Commands that wait for the node, as it sends no faster than its pace.
    private static let mostSteps = 1_024

    private enum Step: Hashable, Sendable {
        /// The room and the name were asked for, to connect.
        case connecting
        /// The user's name was asked for: it changes unless it is this one.
        case naming(String, acknowledgement: Int?)
        case listing(acknowledgement: Int?)
        case acknowledging(Int?)
    }

    private let token: WebToken
    private let id: String
    private let wanted: GatewayRoom
    private(set) var isConnected = false
    /// The room of the session, once it is connected.
    private var room = ""
    private var me = ""
    private var steps: [Int: Step] = [:]
    private var last = 0
    private var typing: Set<String> = []

    init(_ token: WebToken, id: String, room: String?) {
        (self.token, self.id) = (token, id)
        wanted = room.map { .named($0) } ?? .open
    }

    mutating func receive(_ text: String) -> [Effect] {
        guard let packet = SocketIOPacket(text) else { return [.close] }
        switch packet {
        case .connect(let auth):
            guard !isConnected, let given = auth?["token"]?.string, token.isEqual(to: given) else {
                return [.refused] + connectError("the token is missing or wrong")
            }
            return perform(.whoami, in: wanted, .connecting)
        case .disconnect: return [.close]
        case .event(let name, let arguments, let acknowledgement):
            guard isConnected else { return [.close] }
            return react(to: name, arguments.map(\.string), acknowledgement)
        }
    }

    private mutating func react(to name: String, _ texts: [String?], _ number: Int?) -> [Effect] {
        switch name {
        case "connectUser":
            guard let nickname = texts.first ?? nil else { return refusal("connectUser has a nickname") }
            return perform(.whoami, in: .named(room), .naming(nickname, acknowledgement: number))
        case "chatMessage":
            guard texts.count >= 2, let text = texts[1] else { return refusal("chatMessage has a nickname and a text") }
            return perform(.sayToRoom(text), in: .named(room), .acknowledging(number))
        case "startType", "stopType":
            return perform(.typing(name == "startType"), in: .named(room), .acknowledging(number))
        case "exitUser": return acknowledgement(number) + [.send("1"), .close]
        case _: return refusal("there is no event \(DisplayGuard.safe(String(name.prefix(32))))")
        }
    }

    private func connectError(_ message: String) -> [Effect] {
        [.send(SocketIOPacket.object("4") { $0.member("message", message) }), .close]
    }

    private mutating func perform(_ command: Command, in room: GatewayRoom, _ step: Step) -> [Effect] {
        guard steps.count < SocketIOSession.mostSteps else {
            return refusal("\(SocketIOSession.mostSteps) events wait", code: "busy")
        }
        last += 1
        steps[last] = step
        return [.perform(number: last, command, in: room)]
    }

    mutating func complete(_ number: Int, _ reports: [RoomReport]) -> [Effect] {
        guard let step = steps.removeValue(forKey: number) else { return [] }
        for report in reports {
            guard case .error(let error) = report.report else { continue }
            guard isConnected else { return connectError(error.message) }
            return refusal(error.message, code: error.code.rawValue)
        }
        switch step {
        case .connecting:
            guard case .answer(.whoami(let who, _, _)) = reports.last?.report, let label = reports.last?.room else {
                return [.close]
            }
            (isConnected, room, me) = (true, label.name, who.nickname)
            return [.send(SocketIOPacket.object("0") { $0.member("sid", id) })]
        case .naming(let nickname, let acknowledgement):
            guard case .answer(.whoami(let who, _, _)) = reports.last?.report else { return [.close] }
            me = nickname
            let next = who.nickname == nickname ? Command.who(all: true) : .rename(nickname)
            return perform(next, in: .named(room), .listing(acknowledgement: acknowledgement))
        case .listing(let acknowledgement):
            guard case .answer(.peers(let peers, _, _)) = reports.last?.report else {
                return perform(.who(all: true), in: .named(room), .listing(acknowledgement: acknowledgement))
            }
            return [.send(userList(peers))] + self.acknowledgement(acknowledgement)
        case .acknowledging(let number): return acknowledgement(number)
        }
    }

    private func acknowledgement(_ number: Int?) -> [Effect] { number.map { [.send("3\($0)[]")] } ?? [] }

    private func refusal(_ message: String, code: String = "bad_event") -> [Effect] {
        [
            .send(
                SocketIOPacket.event("refused") {
                    $0.string(message)
                    $0.string(code)
                })
        ]
    }

    private func userList(_ peers: [PeerView]) -> String {
        SocketIOPacket.event("userList") {
            $0.array { list in
                list.user(id, me, isConnected: true)
                for peer in peers {
                    list.user(peer.who.key.hexadecimal, peer.who.nickname, isConnected: peer.state != .left)
                }
            }
        }
    }

    mutating func tell(_ report: RoomReport) -> [Effect] {
        guard isConnected, report.room.name == room, case .event(let event) = report.report else { return [] }
        switch event {
        case .message(let message):
            guard case .publicRoom = message.conversation else { return [] }
            return [
                .send(
                    SocketIOPacket.event("newChatMessage") {
                        $0.string(message.from.nickname)
                        $0.string(message.text)
                        $0.string(UniversalTime(message.sentAt).text)
                    })
            ]
        case .typing(let who, .publicRoom, let isOn):
            if isOn { typing.insert(who.nickname) } else { typing.remove(who.nickname) }
            return [
                .send(
                    SocketIOPacket.event("userTypingUpdate") {
                        $0.object { users in for name in typing.sorted() { users.member(name, 1) } }
                    })
            ]
        case .peer(.left, let who, reason: _, online: _), .elsewhere(.left, let who, reason: _):
            typing.remove(who.nickname)
            return [.send(SocketIOPacket.event("userExitUpdate") { $0.string(who.nickname) })]
        case .peer(_, let who, reason: _, online: _), .elsewhere(_, let who, reason: _):
            return [
                .send(
                    SocketIOPacket.event("userConnectUpdate") {
                        $0.user(who.key.hexadecimal, who.nickname, isConnected: true)
                    })
            ]
        case .ready, .crowd, .request, .direct, .invitation, .edited, .deleted, .delivered, .read, .failed, .typing,
            .notice,
            .stopped:
            return []
        }
    }
}

extension JSONWriter {
    fileprivate mutating func user(_ id: String, _ nickname: String, isConnected: Bool) {
        object {
            $0.member("id", id)
            $0.member("nickname", nickname)
            $0.member("isConnected", isConnected)
        }
    }
}
