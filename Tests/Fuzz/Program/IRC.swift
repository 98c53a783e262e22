import Chat
import ChatNode
import Commands
import Hub
import Model
import Noise
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
        let hasToken = IRCRules.hasToken(input)
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
    static let token = GatewayRules.fixedToken
    static let entrance = IRCSession.Entrance(
        token, now: { Timestamp(milliseconds: 1_700_000_000_000) }, clock: { _ in "12:00" })

    /// The registration of a client with all capabilities.
    static var start: String {
        let names = IRCCapability.allCases.map(\.rawValue).joined(separator: " ")
        return "CAP REQ :\(names)\r\nPASS \(token.text)\r\nNICK a\r\nUSER a 0 * :a\r\nCAP END\r\n"
    }

    /// Whether an input has the token, as it is or in what SASL takes.
    static func hasToken(_ input: [UInt8]) -> Bool {
        let secret = Array(token.text.utf8)
        let pieces = lines([input]).compactMap { line -> String? in
            guard case .line(let bytes) = line, let message = IRCMessage(line: bytes) else { return nil }
            return message.command == "AUTHENTICATE" ? message.parameters.first : nil
        }
        // A response in several pieces may have it anywhere.
        return input.contains(secret)
            || pieces.contains { $0.utf8.count == 400 || Base64.decode($0)?.contains(secret) ?? false }
    }

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
        let now = Instant(nanoseconds: 0)
        var effects = perform(session.receive(input, at: now), GatewayStory.chat, &session)
        for event in GatewayStory.events {
            effects += perform(session.hear(event, at: now), event.chat ?? GatewayStory.chat, &session)
        }
        let chat = GatewayStory.events.last?.chat ?? GatewayStory.chat
        // Most sessions end by silence, the others by the client, the node, or for want of room.
        let last: [ClientEffect] =
            switch input.count % 8 {
            case 1: session.isOver ? [] : session.end(at: now)
            case 2: session.leave(at: now)
            case 3: session.turnAway(at: now)
            case _: []
            }
        effects += perform(last, chat, &session)
        for seconds in [61, 120, 1_000] {
            let time = now + .seconds(seconds)
            effects += perform(session.tick(at: time), chat, &session, at: time)
        }
        demand(session.deadline == nil, "a session that has heard nothing for long stays due")
        return effects
    }

    /// Performs the effects of a session, and those that come of them.
    private static func perform(
        _ waiting: [ClientEffect], _ chat: ChatModel, _ session: inout IRCSession,
        at now: Instant = Instant(nanoseconds: 0)
    ) -> [ClientEffect] {
        var (waiting, effects) = (waiting, [ClientEffect]())
        while !waiting.isEmpty {
            let effect = waiting.removeFirst()
            effects.append(effect)
            switch effect {
            case .look: waiting = session.look(at: chat, now) + waiting
            case .ask(let number, let question, _):
                // An event of the user that comes while the node works may be the command's own.
                let reports = reports(of: question)
                if let own = reports?.first, case .event = own.report {
                    waiting += session.hear(HubEvent(own, in: chat, number: 99), at: now)
                }
                waiting += session.complete(number, reports, at: now)
            case .send, .sendNumbered, .perform, .lookAll, .takePlace, .follow, .close, .refused: break
            }
        }
        return effects
    }

    private static func reports(of question: ClientQuestion) -> [RoomReport]? {
        switch question {
        case .command(let command): GatewayRules.reports(of: command)
        case .text(let text): GatewayRules.reports(of: .say(text))
        case .fault(let error): [RoomReport(GatewayStory.room, .error(error))]
        case .tail, .show: []
        }
    }
}
