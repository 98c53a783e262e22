import Chat
import ChatNode
import Commands
import Hub
import Rendering
import Wire

/// The session of one Socket.IO client, as a value: packets in, packets and commands out (Docs/Web.md, section 6).
///
/// The events are those of a well-known tutorial's chat. The node is the only user that a client can be. Its events take
/// effect one after the other: an event waits until the node has performed the one before.
struct SocketIOSession: Sendable {
    enum Effect: Hashable, Sendable {
        case send(String, of: EventTopic? = nil)
        case perform(number: Int, Command, in: RequestedRoom)
        /// The client has shown the token, and may name a session that it had.
        case connect(pid: String?, offset: Int?)
        /// The client is in its room: it is greeted, and gets what it missed since an offset.
        case greet(since: Int?)
        /// An event was refused: `message`, `code`.
        case refuse(String, String)
        case close
        /// The client has not shown the token; to be counted.
        case refused
    }

    /// A session that ended without the wish of its client, which may come back to it.
    struct Earlier: Hashable, Sendable {
        let id: String
        let pid: String
        let room: RoomLabel
        let offset: Int?
    }

    /// Events that wait for the node, as it sends no faster than its pace.
    static let mostWaiting = 1_024

    private enum Step: Hashable, Sendable {
        /// The room and the name were asked for, to connect.
        case connecting
        /// The user's name was asked for: it changes unless it is this one.
        case naming(String, acknowledgement: Int?)
        case listing(acknowledgement: Int?)
        case acknowledging(Int?)
    }

    private let token: WebToken
    private(set) var id: String
    /// The private id of the session, by which its client comes back.
    private(set) var pid: String
    private var wanted: RequestedRoom
    private var earlier: Earlier?
    /// The room of the session; nil before it is connected.
    private(set) var room: RoomLabel?
    private var me = ""
    private var pending: (number: Int, step: Step)?
    private var waiting: [SocketIOPacket] = []
    private var last = 0
    /// The client has ended the session, or exits.
    private(set) var isOver = false

    /// - Parameters:
    ///   - id: the public id of the session.
    ///   - room: nil for the one that is open when the client connects.
    init(_ token: WebToken, id: String, room: String?) {
        (self.token, self.id, pid) = (token, id, WebToken().text)
        wanted = room.map { .named($0) } ?? .open
    }

    var isConnected: Bool { room != nil }

    /// Whether all that came has taken effect.
    var isIdle: Bool { pending == nil && waiting.isEmpty }

    mutating func receive(_ text: String) -> [Effect] {
        guard !isOver else { return [] }
        guard let packet = SocketIOPacket(text) else { return [.close] }
        switch packet {
        case .connect(let auth):
            guard !isConnected, pending == nil, let given = auth?["token"]?.string, token.isEqual(to: given) else {
                return [.refused] + connectError("the token is missing or wrong")
            }
            return [.connect(pid: auth?["pid"]?.string, offset: auth?["offset"]?.string.flatMap { Int($0) })]
        case .disconnect, .event:
            guard isConnected else { return [.close] }
            guard waiting.count < SocketIOSession.mostWaiting else {
                return [.refuse("\(SocketIOSession.mostWaiting) events wait", "busy")]
            }
            waiting.append(packet)
            return advance()
        }
    }

    /// Connects a client that has shown the token.
    ///
    /// - Parameter earlier: the session that it comes back to.
    mutating func begin(_ earlier: Earlier?) -> [Effect] {
        if let earlier { wanted = .named(earlier.room.name) }
        self.earlier = earlier
        return perform(.whoami, in: wanted, .connecting)
    }

    /// The first packet to a client that is connected.
    ///
    /// - Parameter isRecovered: whether it gets all that it missed.
    mutating func greeting(isRecovered: Bool) -> String {
        if isRecovered, let earlier { (id, pid) = (earlier.id, earlier.pid) }
        earlier = nil
        return SocketIOPacket.object("0") {
            $0.member("sid", id)
            $0.member("pid", pid)
        }
    }

    /// Reacts to the events that wait, up to one that the node has to perform.
    private mutating func advance() -> [Effect] {
        var effects: [Effect] = []
        while pending == nil, !isOver, !waiting.isEmpty {
            switch waiting.removeFirst() {
            case .connect: break
            case .disconnect:
                isOver = true
                effects.append(.close)
            case .event(let name, let arguments, let acknowledgement):
                effects += react(to: name, arguments.map(\.string), acknowledgement)
            }
        }
        return effects
    }

    private mutating func react(to name: String, _ texts: [String?], _ number: Int?) -> [Effect] {
        guard let room else { return [.close] }
        let place = RequestedRoom.named(room.name)
        switch name {
        case "connectUser":
            guard let nickname = texts.first ?? nil else { return refusal("connectUser has a nickname") }
            return perform(.whoami, in: place, .naming(nickname, acknowledgement: number))
        case "chatMessage":
            guard texts.count >= 2, let text = texts[1] else { return refusal("chatMessage has a nickname and a text") }
            return perform(.sayToRoom(text), in: place, .acknowledging(number))
        case "startType", "stopType":
            return perform(.typing(name == "startType"), in: place, .acknowledging(number))
        case "exitUser":
            isOver = true
            return acknowledgement(number) + [.send("1"), .close]
        case _: return refusal("there is no event \(DisplayGuard.safe(String(name.prefix(32))))")
        }
    }

    /// Tells a client why it is not connected.
    func connectError(_ message: String) -> [Effect] {
        [.send(SocketIOPacket.object("4") { $0.member("message", message) }), .close]
    }

    private mutating func perform(_ command: Command, in room: RequestedRoom, _ step: Step) -> [Effect] {
        last += 1
        pending = (last, step)
        return [.perform(number: last, command, in: room)]
    }

    /// Takes the answer or error of a command: nothing for one without an answer, nil if the node leaves instead. A second
    /// call for one number changes nothing.
    mutating func complete(_ number: Int, _ reports: [RoomReport]?) -> [Effect] {
        guard let step = pending?.step, pending?.number == number else { return [] }
        pending = nil
        guard let reports else { return [.close] }
        return finish(step, reports) + advance()
    }

    private mutating func finish(_ step: Step, _ reports: [RoomReport]) -> [Effect] {
        for report in reports {
            guard case .error(let error) = report.report else { continue }
            guard isConnected else { return connectError(error.message) }
            return refusal(error.message, code: error.code.rawValue)
        }
        switch step {
        case .connecting:
            guard let who = reports.last?.report.content(OwnCard.self)?.who, let label = reports.last?.room else {
                return [.close]
            }
            (room, me) = (label, who.displayName)
            return [.greet(since: earlier?.room == label ? earlier?.offset : nil)]
        case .naming(let given, let acknowledgement):
            guard let who = reports.last?.report.content(OwnCard.self)?.who, let room else { return [.close] }
            let nickname = SocketIOSession.nickname(given, of: who)
            let next = who.nickname == nickname ? Command.who(all: true) : .rename(nickname)
            me = who.displayName
            return perform(next, in: .named(room.name), .listing(acknowledgement: acknowledgement))
        case .listing(let acknowledgement):
            guard let room else { return [.close] }
            guard let peers = reports.last?.report.content(PeerList.self)?.peers else {
                return perform(.who(all: true), in: .named(room.name), .listing(acknowledgement: acknowledgement))
            }
            return [.send(userList(peers), of: EventTopic(room))] + self.acknowledgement(acknowledgement)
        case .acknowledging(let number): return acknowledgement(number)
        }
    }

    /// The nickname that a client asks for: it may be a name as it was sent, with the user's own number.
    private static func nickname(_ given: String, of me: PeerName) -> String {
        if given.utf8.elementsEqual(me.displayName.utf8) { return me.nickname }
        let number = Array(me.numberText.utf8)
        guard given.utf8.count > number.count, given.utf8.suffix(number.count).elementsEqual(number) else {
            return given
        }
        return String(decoding: given.utf8.dropLast(number.count), as: UTF8.self)
    }

    private func acknowledgement(_ number: Int?) -> [Effect] { number.map { [.send("3\($0)[]")] } ?? [] }

    private func refusal(_ message: String, code: String = "bad_event") -> [Effect] { [.refuse(message, code)] }

    private func userList(_ peers: [PeerView]) -> String {
        SocketIOPacket.event("userList") {
            $0.array { list in
                list.user(id, me, isConnected: true)
                for peer in peers {
                    let name = peer.who.displayName
                    list.user(peer.who.key.hexadecimal, name, isConnected: peer.state != .left)
                }
            }
        }
    }

    /// The user has another name, whichever face asked for it.
    mutating func renameUser(_ me: PeerName) { self.me = me.displayName }

    /// Tells which peers type in the room now.
    func typing(_ names: [String]) -> [Effect] {
        guard let room else { return [] }
        let packet = SocketIOPacket.event("userTypingUpdate") {
            $0.object { users in for name in names.sorted() { users.member(name, 1) } }
        }
        return [.send(packet, of: EventTopic(room))]
    }
}

extension JSONWriter {
    mutating func user(_ id: String, _ name: String, isConnected: Bool) {
        object {
            $0.member("id", id)
            $0.member("nickname", name)
            $0.member("isConnected", isConnected)
        }
    }
}
