import Chat
import ChatNode
import Commands
import Hub
import Model
import Wire

@testable import IRCFace

extension FuzzTarget {
    /// Lines are the same in any pieces; a message is the same once it was written and read; nothing is performed before the token
    /// came, and nothing follows the end; all output is whole lines.
    static let irc = FuzzTarget(name: "irc", seeds: { IRCRules.seeds.map { Array($0.utf8) } }) { input in
        let half = input.count / 2
        demand(
            IRCRules.lines([input]) == IRCRules.lines([Array(input[..<half]), Array(input[half...])]),
            "other lines in other pieces")
        for case .line(let line) in IRCRules.lines([input]) { IRCRules.checkWriting(of: line) }
        let hasToken = String(decoding: input, as: UTF8.self).contains(IRCRules.token.text)
        for start in ["", IRCRules.start] {
            var session = IRCSession(IRCRules.entrance, at: Instant(nanoseconds: 0))
            var isOver = false
            for effect in IRCRules.run(&session, Array(start.utf8) + input) {
                demand(!isOver, "an effect behind the end")
                switch effect {
                case .close: isOver = true
                case .ask, .perform: demand(hasToken || !start.isEmpty, "a command without the token")
                case .send(let bytes, of: _): IRCRules.checkLine(bytes)
                case .look, .lookAll, .refused, .sendNumbered, .takePlace, .follow: break
                }
            }
        }
    }
}

/// A session of IRC over a chat with one room and one peer, and the answers that it gets.
enum IRCRules {
    static let token = WebToken()
    static let entrance = IRCSession.Entrance(
        token, now: { Timestamp(milliseconds: 1_700_000_000_000) }, clock: { _ in "12:00" })
    static let room = RoomLabel(number: 1, name: "lobby")

    /// The registration of a client with all capabilities.
    static var start: String {
        let names = IRCCapability.allCases.map(\.rawValue).joined(separator: " ")
        return "CAP REQ :\(names)\r\nPASS \(token.text)\r\nNICK a\r\nUSER a 0 * :a\r\nCAP END\r\n"
    }

    static let seeds = [
        "CAP LS 302\r\nCAP REQ :sasl -sasl\r\nAUTHENTICATE PLAIN\r\nAUTHENTICATE AGEAYg==\r\nNICK x\r\nUSER x 0 * :x\r\nCAP END\r\n",
        "@label=1;+draft/reply=\(String(repeating: "0a", count: 16)) PRIVMSG #lobby,ben :\u{3}4,5hi\u{f}\r\n@label=2 TAGMSG ben\r\n",
        "@+draft/react=\u{1f44d};+draft/reply=\(String(repeating: "0a", count: 16)) TAGMSG #lobby\r\n@+typing=active TAGMSG #lobby\r\n",
        "JOIN #a,#b k,l\r\nPART #lobby\r\nJOIN #lobby\r\nNAMES #lobby\r\nLIST\r\nWHO #lobby %tcnf,1\r\nWHOIS ben\r\nWHOWAS ben\r\n",
        "CHATHISTORY BETWEEN #lobby timestamp=2020-01-01T00:00:00.000Z msgid=0a 10\r\nCHATHISTORY LATEST ben * 5\r\n"
            + "CHATHISTORY TARGETS timestamp=2020-01-01T00:00:00.000Z timestamp=2030-01-01T00:00:00.000Z 9\r\n",
        "MARKREAD #lobby timestamp=2030-01-01T00:00:00.000Z\r\nMETADATA * SET about :x\r\nMETADATA ben GET about\r\nMONITOR + ben,x\r\nMONITOR L\r\n",
        "REDACT #lobby \(String(repeating: "0a", count: 16))\r\nEDIT #lobby \(String(repeating: "0a", count: 16)) :x\r\nDECLINE ben\r\nAWAY :x\r\n"
            + "NICK y\r\nMODE #lobby +o y\r\nTOPIC #lobby :x\r\nINVITE ben #lobby\r\nISON a ben\r\nUSERHOST ben\r\nSETNAME :x\r\n",
        "PRIVMSG ben :\u{1}ACTION waves\u{1}\r\nPRIVMSG ben :\u{1}DCC SEND x\u{1}\r\nNOTICE ben :\u{1}VERSION x\u{1}\r\n"
            + "MOTD\r\nLUSERS\r\nVERSION\r\nTIME\r\nPING x\r\nPONG x\r\nQUIT :x\r\nPING y\r\n",
    ]

    static func lines(_ pieces: [[UInt8]]) -> [IRCLines.Line] {
        var lines = IRCLines()
        var found: [IRCLines.Line] = []
        for piece in pieces {
            lines.feed(piece)
            while let line = lines.next() { found.append(line) }
        }
        return found
    }

    static func checkWriting(of line: [UInt8]) {
        guard var message = IRCMessage(line: line) else { return }
        message.tags = []
        // Only the last parameter may be empty, or have what ends a word.
        let isWritable = message.parameters.dropLast().allSatisfy { !$0.isEmpty }
        guard isWritable, let again = IRCMessage(line: message.bytes) else { return demand(!isWritable, "no message") }
        demand(again == message, "another message once it is written")
    }

    static func checkLine(_ bytes: [UInt8]) {
        demand(bytes.suffix(2) == [0x0d, 0x0a], "a line without its end")
        demand(!bytes.dropLast(2).contains { $0 == 0 || $0 == 0x0a || $0 == 0x0d }, "an end inside of a line")
        demand(IRCMessage(line: Array(bytes.dropLast(2))) != nil, "a line that can not be read")
    }

    static func run(_ session: inout IRCSession, _ input: [UInt8]) -> [ClientEffect] {
        let (now, chat) = (Instant(nanoseconds: 0), chat)
        var waiting = session.receive(input, at: now)
        var effects: [ClientEffect] = []
        while !waiting.isEmpty {
            let effect = waiting.removeFirst()
            effects.append(effect)
            switch effect {
            case .look: waiting = session.look(at: chat, now) + waiting
            case .ask(let number, _, _): waiting += session.complete(number, [], at: now)
            case .send, .sendNumbered, .perform, .lookAll, .takePlace, .follow, .close, .refused: break
            }
        }
        return effects + session.tick(at: now + .seconds(1_000))
    }

    static let chat: ChatModel = {
        var chat = ChatModel()
        let moment = Moment(instant: Instant(nanoseconds: 0), wallClock: Timestamp(milliseconds: 1_700_000_000_000))
        for (number, name) in [(UInt8(1), "ana"), (2, "ben")] {
            guard let key = PeerID([UInt8](repeating: number, count: 32)) else { continue }
            let who = PeerName(number: 4_821, suffix: nil, nickname: name, stage: .newcomer, key: key)
            let event: NodeEvent =
                number == 1
                ? .ready(me: who, port: 1, room: "lobby", discovery: .none) : .peer(.here, who, online: 1)
            _ = chat.reduce(RoomReport(room, .event(event)), at: moment)
        }
        return chat
    }()
}
