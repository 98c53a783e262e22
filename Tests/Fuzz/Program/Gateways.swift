import Chat
import ChatNode
import Hub
import Phrases
import Wire

@testable import Commands
@testable import WebFace

extension FuzzTarget {
    /// Frames are the same in any pieces; behind an ERROR nothing follows; every frame that is sent can be read.
    static let stomp = FuzzTarget(name: "stomp", seeds: { GatewayRules.stompSeeds.map { Array($0.utf8) } }) { input in
        let half = input.count / 2
        let (whole, parts) = (
            GatewayRules.frames([input]), GatewayRules.frames([Array(input[..<half]), Array(input[half...])])
        )
        demand(whole == parts, "other frames in other pieces")
        var session = STOMPSession(GatewayRules.token, isAuthorized: true, at: Instant(nanoseconds: 0))
        var isOver = false
        for effect in GatewayRules.run(&session, input) {
            demand(!isOver, "an effect behind the end")
            switch effect {
            case .close: isOver = true
            case .perform(_, let command, _): GatewayRules.check(command)
            case .ask, .look, .lookAll, .refused, .sendNumbered, .takePlace, .follow: break
            case .send(let bytes, of: _): demand(bytes == [0x0a] || bytes.last == 0, "a frame without its end")
            }
        }
    }

    /// Nothing is performed before the token came.
    static let socketio = FuzzTarget(name: "socketio", seeds: { GatewayRules.socketSeeds.map { Array($0.utf8) } }) {
        input in
        let now = Instant(nanoseconds: 0)
        var session = SocketIOSession(GatewayRules.token, engineID: "x", isPolling: false, room: nil, at: now)
        let hasToken = String(decoding: input, as: UTF8.self).contains(GatewayRules.token.text)
        for packet in input.split(separator: 0x1e).prefix(16) {
            var waiting = session.receive(Array(packet), at: now)
            while let effect = waiting.popLast() {
                switch effect {
                case .takePlace:
                    demand(hasToken, "a session without the token")
                    waiting += session.takePlace(of: nil, at: now)
                case .follow:
                    demand(hasToken, "events without the token")
                    waiting += session.follow(behind: 3, isResumed: false, at: now)
                case .perform(let number, let command, _):
                    demand(hasToken, "a command without the token")
                    GatewayRules.check(command)
                    waiting += session.complete(number, GatewayRules.reports(of: command), at: now)
                case .send, .sendNumbered, .ask, .look, .lookAll, .close, .refused: break
                }
            }
        }
    }
}

/// Sessions of gateways, and the answers that they get.
enum GatewayRules {
    static let token = WebToken()

    static let stompSeeds = [
        "CONNECT\naccept-version:1.2\nheart-beat:1000,1000\n\n\0\nSUBSCRIBE\nid:1\ndestination:/channel/lobby\nack:client\n\n\0",
        "STOMP\r\naccept-version:1.1\r\n\r\n\0SEND\ndestination:/app/channel/a%20b\\c\ncontent-length:22\nreceipt:1\n\n"
            + "{\"messageContent\":\"hi\"}\0DISCONNECT\nreceipt:2\n\n\0",
        "CONNECT\naccept-version:1.2\n\n\0SUBSCRIBE\nid:1\ndestination:/topic/people/x\n\n\0UNSUBSCRIBE\nid:1\n\n\0ACK\nid:1\n\n\0BEGIN\n\n\0",
        "CONNECT\naccept-version:1.2\n\n\0BEGIN\ntransaction:t\n\n\0SEND\ndestination:/app/channel/lobby\ntransaction:t\n\n"
            + "{\"messageContent\":\"hi\"}\0COMMIT\ntransaction:t\nreceipt:2\n\n\0ABORT\ntransaction:t\n\n\0",
        "CONNECT\naccept-version:1.2\n\n\0SUBSCRIBE\nid:1\ndestination:/topic/board/lobby\n\n\0SEND\ndestination:/app/channel/lobby\n\n"
            + "{\"messageContent\":\"hi\",\"replyTo\":\"\(String(repeating: "0a", count: 16))\"}\0",
        "CONNECT\naccept-version:1.2\n\n\0BEGIN\ntransaction:t\n\n\0SEND\ndestination:/app/channel/lobby\ntransaction:t\n\n"
            + "{\"content\":{\"type\":\"CARD\",\"title\":\"lost\",\"text\":\"a hat\",\"cardColor\":\"red\"}}\0"
            + "COMMIT\ntransaction:t\n\n\0",
        "CONNECT\naccept-version:1.2\n\n\0SEND\ndestination:/app/channel/lobby\n\n"
            + "{\"messageType\":\"CARD\",\"messageContent\":\"a hat\",\"title\":\"lost\",\"cardColor\":\"red\"}\0",
    ]

    static var socketSeeds: [String] {
        [
            "40{\"token\":\"\(token.text)\"}\u{1e}42[\"connectUser\",\"a\"]\u{1e}421[\"chatMessage\",\"a\",\"hi\"]\u{1e}42[\"startType\",\"a\"]\u{1e}41",
            "40{\"token\":\"\(token.text)\"}\u{1e}421[\"chatCard\",\"a\",\"lost\",\"a hat\",\"red\"]\u{1e}42[\"chatCard\",\"a\",\"t\",\"x\"]",
            "42[]", "40{}", "3",
        ]
    }

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
        return effects + session.tick(at: now + .seconds(100))
    }

    /// A card has its texts, and a text answers one message.
    static func check(_ command: Command) {
        let operands = command.operands
        if command.entry == .cardToRoom {
            demand(operands["title"] != nil && operands["text"] != nil, "a card without a text")
        }
        if let target = operands["replyTo"] { demand(MessageID(hexadecimal: target) != nil, "an answer to no message") }
    }

    static func reports(of command: Command) -> [RoomReport] {
        let room = RoomLabel(number: 1, name: "lobby")
        if command == .whoami, let key = PeerID([UInt8](repeating: 1, count: 32)) {
            let me = PeerName(number: 4_821, suffix: nil, nickname: "a", stage: .newcomer, key: key)
            return [RoomReport(room, .answer(.whoami(me, room: "lobby", profile: Profile())))]
        }
        if command == .board { return [RoomReport(room, .answer(.board([])))] }
        if command.entry.name == "who" { return [RoomReport(room, .answer(.peers([], isWhole: true)))] }
        if command == .sayToRoom("") {
            return [RoomReport(room, .error(ChatError(.empty, .messageEmpty)))]
        }
        return []
    }
}
