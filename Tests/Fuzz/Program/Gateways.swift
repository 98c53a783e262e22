import Chat
import ChatNode
import Hub
import Phrases
import Rendering
import Wire

@testable import Commands
@testable import WebFace

extension FuzzTarget {
    /// Frames are the same in any pieces; behind an ERROR nothing follows; every frame that is sent can be read; nothing is performed
    /// without the token.
    static let stomp = FuzzTarget(name: "stomp", seeds: { GatewayRules.stompSeeds.map { Array($0.utf8) } }) { input in
        let half = input.count / 2
        let (whole, parts) = (
            GatewayRules.frames([input]), GatewayRules.frames([Array(input[..<half]), Array(input[half...])])
        )
        demand(whole == parts, "other frames in other pieces")
        let hasToken = input.contains(Array(GatewayRules.token.text.utf8))
        for isAuthorized in [true, false] {
            var session = STOMPSession(GatewayRules.token, isAuthorized: isAuthorized, at: Instant(nanoseconds: 0))
            var isOver = false
            for effect in GatewayRules.run(&session, input) {
                demand(!isOver, "an effect behind the end")
                switch effect {
                case .close: isOver = true
                case .perform(_, let command, _):
                    demand(isAuthorized || hasToken, "a command without the token")
                    GatewayRules.check(command)
                case .ask, .look, .lookAll, .refused, .sendNumbered, .takePlace, .follow: break
                case .send(let bytes, of: _): demand(bytes == [0x0a] || bytes.last == 0, "a frame without its end")
                }
            }
            demand(isOver, "a session goes on behind the end of its input")
        }
    }

    /// Nothing is performed before the token came, and what the client gets of the log is an event of Socket.IO.
    static let socketio = FuzzTarget(name: "socketio", seeds: { GatewayRules.socketSeeds.map { Array($0.utf8) } }) {
        input in
        let now = Instant(nanoseconds: 0)
        var session = SocketIOSession(GatewayRules.token, engineID: "x", isPolling: false, room: nil, at: now)
        let hasToken = input.split(separator: 0x1e).contains { packet in
            // A packet is a text, repaired where it is no UTF-8, and its kind is the first byte.
            let text = String(decoding: packet.dropFirst(), as: UTF8.self)
            let auth = try? JSONValue(parsing: Array(text.utf8.dropFirst()))
            return auth?["token"]?.string == GatewayRules.token.text
        }
        GatewayRules.run(&session, session.begin(at: now), hasToken)
        for packet in input.split(separator: 0x1e).prefix(16) {
            GatewayRules.run(&session, session.receive(Array(packet), at: now), hasToken)
        }
        demand(session.room == nil || hasToken, "a room without the token")
        for entry in GatewayStory.entries {
            guard let packet = session.packet(of: entry) else { continue }
            let event = SocketIOPacket(String(decoding: packet.dropFirst(), as: UTF8.self))
            guard case .event = event else { fatalError("what is told is no event") }
        }
        for seconds in [26, 60, 90] { GatewayRules.run(&session, session.tick(at: now + .seconds(seconds)), hasToken) }
        demand(session.deadline.map { $0 > now + .seconds(90) } ?? true, "a session stays due")
        GatewayRules.run(&session, session.end(at: now), hasToken)
    }
}

/// Sessions of gateways, and the answers that they get.
enum GatewayRules {
    static let token = fixedToken

    /// Equal in every process, as seeds and kept inputs outlive the one that made them.
    static let fixedToken: WebToken = {
        guard let token = WebToken("0123456789abcdef0123456789abcdef") else { fatalError("no token") }
        return token
    }()

    /// The frames of pieces, up to a fault.
    static func frames(_ pieces: [[UInt8]]) -> [STOMPFrame] {
        var decoder = STOMPDecoder()
        var frames: [STOMPFrame] = []
        for piece in pieces {
            decoder.feed(piece)
            do throws(STOMPFault) {
                while let frame = try decoder.next() { frames.append(frame) }
            } catch {
                return frames
            }
        }
        return frames
    }

    static func run(_ session: inout STOMPSession, _ input: [UInt8]) -> [ClientEffect] {
        let now = Instant(nanoseconds: 0)
        var effects = session.receive(input, at: now)
        var index = 0
        while index < effects.count {
            if case .perform(let number, let command, _) = effects[index] {
                effects += session.complete(number, reports(of: command), at: now)
            }
            index += 1
        }
        for event in GatewayStory.events { effects += session.hear(event, at: now) }
        for seconds in [5, 100] { effects += session.tick(at: now + .seconds(seconds)) }
        return effects + session.end(at: now)
    }

    /// Performs the effects of a session, and those that come of them.
    static func run(_ session: inout SocketIOSession, _ effects: [ClientEffect], _ hasToken: Bool) {
        let now = Instant(nanoseconds: 0)
        var waiting = effects
        while let effect = waiting.popLast() {
            switch effect {
            case .takePlace(let secret):
                demand(hasToken, "a session without the token")
                waiting += secret == "full" ? session.turnAway(at: now) : session.takePlace(of: earlier, at: now)
            case .follow(let last):
                demand(hasToken, "events without the token")
                waiting += session.follow(behind: last ?? 3, isResumed: last != nil, at: now)
            case .perform(let number, let command, _):
                demand(hasToken, "a command without the token")
                check(command)
                waiting += session.complete(number, reports(of: command), at: now)
            case .send, .sendNumbered, .ask, .look, .lookAll, .close, .refused: break
            }
        }
    }

    /// A session of a client that is gone.
    private static let earlier: SocketIOSession = {
        let now = Instant(nanoseconds: 0)
        var session = SocketIOSession(token, engineID: "w", isPolling: true, room: "lobby", at: now)
        run(&session, session.receive(Array("40{\"token\":\"\(token.text)\"}".utf8), at: now), true)
        return session
    }()

    /// A card has its texts, and a text answers one message.
    static func check(_ command: Command) {
        let operands = command.operands
        if command.entry == .cardToRoom {
            demand(operands["title"] != nil && operands["text"] != nil, "a card without a text")
        }
        if let target = operands["replyTo"] { demand(MessageID(hexadecimal: target) != nil, "an answer to no message") }
    }

    /// The reports of a command; nil if the node leaves, which the text `leave` stands for.
    static func reports(of command: Command) -> [RoomReport]? {
        let room = GatewayStory.room
        if command.operands["text"] == "leave" { return nil }
        if ["", "refuse"].contains(command.operands["text"] ?? command.operands["name"]) {
            return [RoomReport(room, .error(ChatError(.empty, .messageEmpty)))]
        }
        switch command.entry.name {
        case "whoami": return [RoomReport(room, .answer(.whoami(GatewayStory.ana, room: "lobby", profile: Profile())))]
        case "board": return [RoomReport(room, .answer(.board(GatewayStory.cards)))]
        case "who": return [RoomReport(room, .answer(.peers(GatewayStory.people, isWhole: true)))]
        case "nick": return [RoomReport(room, .answer(.done(command: "nick", GatewayStory.ana)))]
        case "say", "msg":
            let text = command.operands["text"] ?? ""
            let own = GatewayStory.said(20, text, by: GatewayStory.ana, in: .publicRoom)
            return [RoomReport(room, .event(.message(own)))]
        case _: return []
        }
    }
}
