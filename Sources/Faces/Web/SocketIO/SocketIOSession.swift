import Chat
import ChatNode
import Commands
import Hub
import Rendering
import Wire

/// The session of one client of Socket.IO over Engine.IO (protocol version 4), as a value (Docs/Web.md, section 6).
///
/// The events are those of a well-known tutorial's chat. The node is the only user that a client can be. Its events take
/// effect one after the other: an event waits until the node has performed the one before. Those of the chat come from the log
/// of the hub, and a client that comes back resumes there.
struct SocketIOSession: ClientSession {
    static let pingInterval = Duration.seconds(25)
    static let pingTimeout = Duration.seconds(20)
    /// Events that wait for the node, as it sends no faster than its pace.
    static let mostWaiting = 1_024

    private enum Step: Hashable, Sendable {
        /// The room was asked for, to connect.
        case connecting
        /// The user's name was asked for: it changes unless it is this one.
        case naming(String, acknowledgement: Int?)
        /// The people were asked for, behind the name of the user.
        case listing(me: String, acknowledgement: Int?)
        case acknowledging(Int?)
    }

    private let token: WebToken
    /// The id of the session in Engine.IO.
    private let engineID: String
    private let isPolling: Bool
    private(set) var id = WebToken().text
    /// The private id of the session, by which its client comes back.
    private var pid = WebToken().text
    private var wanted: RequestedRoom
    private var earlier: (id: String, pid: String, room: RoomLabel, offset: Int)?
    /// The offset of the last event that the client had, if it comes back and had one.
    private var offset: Int?
    /// The offset of the event behind which the client gets all events; nil before it is connected.
    private var start: Int?
    private(set) var hasShownToken = false
    /// The room of the session; nil before it is connected.
    private(set) var room: RoomLabel?
    private var pending: (number: Int, step: Step)?
    private var waiting: [SocketIOPacket] = []
    private var last = 0
    private var nextPing: Instant
    /// The session is over at this time, unless the client is heard.
    private var silenceEnd: Instant
    /// Whether nothing more comes of the client, or nothing more is taken.
    private var isEnded = false
    /// Whether the client has ended the session, or exits: it does not come back.
    private var hasLeft = false

    /// - Parameters:
    ///   - engineID: the id in Engine.IO.
    ///   - isPolling: whether the client may still change to a WebSocket.
    ///   - room: nil for the one that is open when the client connects.
    init(_ token: WebToken, engineID: String, isPolling: Bool, room: String?, at now: Instant) {
        (self.token, self.engineID, self.isPolling) = (token, engineID, isPolling)
        wanted = room.map { .named($0) } ?? .open
        nextPing = now + SocketIOSession.pingInterval
        // A client connects at once.
        silenceEnd = now + SocketIOSession.pingTimeout
    }

    var isOver: Bool { isEnded && pending == nil && waiting.isEmpty }

    /// Events of the log come by `packet`.
    var hearsEvents: Bool { false }

    var deadline: Instant? { isEnded ? nil : min(nextPing, silenceEnd) }

    var place: String? { room == nil || hasLeft ? nil : pid }

    func begin(at now: Instant) -> [ClientEffect] {
        let open = SocketIOPacket.object("0") {
            $0.member("sid", engineID)
            $0.member("upgrades") { $0.literal(isPolling ? #"["websocket"]"# : "[]") }
            $0.member("pingInterval", Int(SocketIOSession.pingInterval / .milliseconds(1)))
            $0.member("pingTimeout", Int(SocketIOSession.pingTimeout / .milliseconds(1)))
            $0.member("maxPayload", RequestGate.longestBody)
        }
        return [.send(Array(open.utf8), of: nil)]
    }

    /// Takes one packet of Engine.IO.
    mutating func receive(_ input: [UInt8], at now: Instant) -> [ClientEffect] {
        guard !isEnded else { return [] }
        isHeard(at: now)
        switch input.first {
        case UInt8(ascii: "3"), UInt8(ascii: "6"): return []
        case UInt8(ascii: "4"): return receive(String(decoding: input.dropFirst(), as: UTF8.self))
        case _: return close()
        }
    }

    /// Puts the end off, unless the client is not connected.
    private mutating func isHeard(at now: Instant) {
        if room != nil { silenceEnd = now + SocketIOSession.pingInterval + SocketIOSession.pingTimeout }
    }

    mutating func end(at now: Instant) -> [ClientEffect] {
        isEnded = true
        return []
    }

    mutating func tick(at now: Instant) -> [ClientEffect] {
        guard !isEnded else { return [] }
        if now >= silenceEnd { return close() }
        guard now >= nextPing else { return [] }
        nextPing = now + SocketIOSession.pingInterval
        return [.send(Array("2".utf8), of: nil)]
    }

    mutating func turnAway(at now: Instant) -> [ClientEffect] {
        connectError("\(ClientQuota<Int>.mostHolders) clients are the most")
    }

    private mutating func close() -> [ClientEffect] {
        isEnded = true
        return [.close]
    }

    private func message(_ text: String, of topic: EventTopic? = nil) -> ClientEffect {
        .send(Array("4\(text)".utf8), of: topic)
    }

    private mutating func receive(_ text: String) -> [ClientEffect] {
        guard let packet = SocketIOPacket(text) else { return close() }
        switch packet {
        case .connect(let auth):
            guard !hasShownToken, let given = auth?["token"]?.string, token.isEqual(to: given) else {
                return [.refused] + connectError("the token is missing or wrong")
            }
            hasShownToken = true
            let offset = auth?["offset"]
            self.offset = offset?.string.flatMap { Int($0) }
            // A client that has had no event yet has no offset.
            if offset == nil || self.offset != nil, let pid = auth?["pid"]?.string { return [.takePlace(of: pid)] }
            return perform(.whoami, in: wanted, .connecting)
        case .disconnect, .event:
            guard room != nil else { return close() }
            guard waiting.count < SocketIOSession.mostWaiting else {
                return refusal("\(SocketIOSession.mostWaiting) events wait", code: "busy")
            }
            waiting.append(packet)
            return advance()
        }
    }

    mutating func takePlace(of earlier: (any ClientSession)?, at now: Instant) -> [ClientEffect] {
        if let session = earlier as? SocketIOSession, let room = session.room, let offset = offset ?? session.start {
            self.earlier = (session.id, session.pid, room, offset)
            wanted = .named(room.name)
        }
        return perform(.whoami, in: wanted, .connecting)
    }

    mutating func follow(behind last: Int, isResumed: Bool, at now: Instant) -> [ClientEffect] {
        start = last
        if isResumed, let earlier { (id, pid) = (earlier.id, earlier.pid) }
        earlier = nil
        let greeting = SocketIOPacket.object("0") {
            $0.member("sid", id)
            $0.member("pid", pid)
        }
        return [message(greeting)]
    }

    /// Reacts to the events that wait, up to one that the node has to perform.
    private mutating func advance() -> [ClientEffect] {
        var effects: [ClientEffect] = []
        while pending == nil, !hasLeft, !waiting.isEmpty {
            switch waiting.removeFirst() {
            case .connect: break
            case .disconnect: effects += leave()
            case .event(let name, let arguments, let acknowledgement):
                effects += react(to: name, arguments, acknowledgement)
            }
        }
        return effects
    }

    private mutating func leave() -> [ClientEffect] {
        (hasLeft, waiting) = (true, [])
        return close()
    }

    private mutating func react(to name: String, _ arguments: [JSONValue], _ number: Int?) -> [ClientEffect] {
        guard let room else { return close() }
        let texts = arguments.map(\.string)
        let place = RequestedRoom.named(room.name)
        switch name {
        case "connectUser":
            guard let nickname = texts.first ?? nil else { return refusal("connectUser has a nickname") }
            return perform(.whoami, in: place, .naming(nickname, acknowledgement: number))
        case "chatMessage":
            guard texts.count >= 2, let text = texts[1] else { return refusal("chatMessage has a nickname and a text") }
            return perform(.sayToRoom(text), in: place, .acknowledging(number))
        case "chatCard":
            guard texts.count >= 3, let title = texts[1], let text = texts[2] else {
                return refusal("chatCard has a nickname, a title and a text")
            }
            let color = texts.count > 3 ? texts[3] : nil
            guard color != nil || texts.count <= 3 || arguments[3] == .null else {
                return refusal("the colour of a chatCard is a name")
            }
            return perform(.card(title: title, text: text, color: color), in: place, .acknowledging(number))
        case "startType", "stopType":
            return perform(.typing(name == "startType"), in: place, .acknowledging(number))
        case "exitUser": return acknowledgement(number) + [message("1")] + leave()
        case _: return refusal("there is no event \(DisplayGuard.safe(String(name.prefix(32))))")
        }
    }

    /// Tells a client why it is not connected.
    private mutating func connectError(_ text: String) -> [ClientEffect] {
        [message(SocketIOPacket.object("4") { $0.member("message", text) })] + close()
    }

    private mutating func perform(_ command: Command, in room: RequestedRoom, _ step: Step) -> [ClientEffect] {
        last += 1
        pending = (last, step)
        return [.perform(number: last, command, in: room)]
    }

    mutating func complete(_ number: Int, _ reports: [RoomReport]?, at now: Instant) -> [ClientEffect] {
        guard let step = pending?.step, pending?.number == number else { return [] }
        pending = nil
        guard let reports else {
            waiting = []
            return close()
        }
        defer { if case .connecting = step { isHeard(at: now) } }
        return finish(step, reports) + advance()
    }

    private mutating func finish(_ step: Step, _ reports: [RoomReport]) -> [ClientEffect] {
        for report in reports {
            guard case .error(let error) = report.report else { continue }
            guard room != nil else { return connectError(error.message) }
            return refusal(error.message, code: error.code.rawValue)
        }
        let who = reports.last?.report.content(OwnCard.self)?.who
        switch step {
        case .connecting:
            guard who != nil, let label = reports.last?.room else { return close() }
            room = label
            return [.follow(behind: earlier?.room == label ? earlier?.offset : nil)]
        case .naming(let given, let acknowledgement):
            guard let who, let room else { return close() }
            let nickname = SocketIOSession.nickname(given, of: who)
            let next = who.nickname == nickname ? Command.who(all: true) : .rename(nickname)
            let step = Step.listing(me: who.displayName, acknowledgement: acknowledgement)
            return perform(next, in: .named(room.name), step)
        case .listing(let me, let acknowledgement):
            guard let room else { return close() }
            guard let peers = reports.last?.report.content(PeerList.self)?.peers else {
                let me = reports.last?.report.content(Done.self)?.who.displayName ?? me
                let step = Step.listing(me: me, acknowledgement: acknowledgement)
                return perform(.who(all: true), in: .named(room.name), step)
            }
            return [message(userList(me, peers), of: EventTopic(room))] + self.acknowledgement(acknowledgement)
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

    private func acknowledgement(_ number: Int?) -> [ClientEffect] { number.map { [message("3\($0)[]")] } ?? [] }

    private func refusal(_ text: String, code: String = "bad_event") -> [ClientEffect] {
        let packet = SocketIOPacket.event("refused") {
            $0.string(text)
            $0.string(code)
        }
        // A client takes the last text for the offset up to which it has all events.
        return [.sendNumbered(Array("4\(packet.dropLast()),\"".utf8), Array("\"]".utf8))]
    }

    private func userList(_ me: String, _ peers: [PeerView]) -> String {
        SocketIOPacket.event("userList") {
            $0.array { list in
                list.user(id, me, isConnected: true)
                for peer in peers where !peer.row.isBlocked {
                    let name = peer.who.displayName
                    list.user(peer.who.key.hexadecimal, name, isConnected: peer.state != .left)
                }
            }
        }
    }

    /// The public messages, the cards, the people and the user's name of the room, or of the next one of its name, as behind a wipe;
    /// each with its number as the last argument.
    func packet(of entry: EventLog.Entry) -> [UInt8]? {
        let names = [
            "added", "gone", "reacted", "card", "goneCard", "peer", "person", "renamed", "ready", "parted",
        ]
        guard entry.audience != .streams, names.contains(entry.name),
            let event = try? JSONValue(parsing: entry.json), event["room"]?.string == room?.name
        else { return nil }
        return switch entry.name {
        case "gone": removal(of: event, entry, "chatMessageRemoved")
        case "goneCard": removal(of: event, entry, "chatCardRemoved")
        case "reacted": reactions(of: event, entry)
        case "card": card(event, entry)
        case "parted": emptyList(entry)
        case _: packet(of: event, entry)
        }
    }

    private func removal(of event: JSONValue, _ entry: EventLog.Entry, _ name: String) -> [UInt8]? {
        guard event["conversation"]?.string == "public", let number = event["number"]?.string else { return nil }
        let packet = SocketIOPacket.event(name) {
            $0.string(number)
            $0.string("\(entry.number)")
        }
        return Array("4\(packet)".utf8)
    }

    /// All reactions to a message, by the number of its event.
    private func reactions(of event: JSONValue, _ entry: EventLog.Entry) -> [UInt8]? {
        guard event["conversation"]?.string == "public", let number = entry.reactedTo else { return nil }
        let packet = SocketIOPacket.event("chatMessageReactions") {
            $0.string("\(number)")
            $0.object { counts in
                for row in event["reactions"]?.array ?? [] {
                    guard let emoji = row["emoji"]?.string, let count = row["count"]?.integer else { continue }
                    // As it is: an emoji has no scalar that does harm, and two of them never have one name.
                    counts.member(emoji, count)
                }
            }
            $0.string("\(entry.number)")
        }
        return Array("4\(packet)".utf8)
    }

    private func card(_ event: JSONValue, _ entry: EventLog.Entry) -> [UInt8] {
        let packet = SocketIOPacket.event("newChatCard") {
            $0.string(event["from"]?["displayName"]?.string ?? "")
            for name in ["title", "text", "cardColor"] { $0.string(DisplayGuard.safe(event[name]?.string ?? "")) }
            $0.string(event["sentAt"]?.string ?? "")
            $0.string("\(entry.number)")
        }
        return Array("4\(packet)".utf8)
    }

    /// The people are gone with the room.
    private func emptyList(_ entry: EventLog.Entry) -> [UInt8] {
        let packet = SocketIOPacket.event("userList") {
            $0.array { _ in }
            $0.string("\(entry.number)")
        }
        return Array("4\(packet)".utf8)
    }

    private func packet(of event: JSONValue, _ entry: EventLog.Entry) -> [UInt8]? {
        guard event["conversation"]?.string ?? "public" == "public",
            let who = event["who"] ?? event["from"] ?? event["self"], let name = who["displayName"]?.string
        else { return nil }
        let packet: String
        if let text = event["text"]?.string {
            packet = SocketIOPacket.event("newChatMessage") {
                $0.string(name)
                // The name is beside it already.
                $0.string(DisplayGuard.safe(event["action"]?.string.map { "* \($0)" } ?? text))
                $0.string(event["sentAt"]?.string ?? "")
                $0.string("\(entry.number)")
            }
        } else if event["state"]?.string == PresenceState.left.name {
            guard entry.name == "peer" else { return nil }
            packet = SocketIOPacket.event("userExitUpdate") {
                $0.string(name)
                $0.string("\(entry.number)")
            }
        } else {
            let user = event["self"] == nil ? who["key"]?.string ?? "" : id
            packet = SocketIOPacket.event("userConnectUpdate") {
                $0.user(user, name, isConnected: true)
                $0.string("\(entry.number)")
            }
        }
        return Array("4\(packet)".utf8)
    }

    /// The peers that type in the room now.
    static func typing(_ names: [String]) -> [UInt8] {
        let packet = SocketIOPacket.event("userTypingUpdate") {
            $0.object { users in for name in names.sorted() { users.member(name, 1) } }
        }
        return Array("4\(packet)".utf8)
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
