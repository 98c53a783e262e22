import Chat
import ChatNode
import Commands
import Hub
import Model
import Phrases
import Testing
import Wire

@testable import IRCFace

@Suite struct IRCSessionTests {
    private static let room = RoomLabel(number: 1, name: "lobby")
    private static let zero = Instant(nanoseconds: 0)
    private static let moment = Moment(instant: zero, wallClock: Timestamp(milliseconds: 1_700_000_000_000))

    /// A session over a chat with one room, in which the user is `ana`.
    private struct Client {
        let token = WebToken()
        var chat = ChatModel()
        var session: IRCSession
        /// Lines that were sent, without their ends.
        var output: [String] = []
        var asked: [(number: Int, question: ClientQuestion)] = []
        var isClosed = false

        init(isAuthorized: Bool = false) throws {
            let entrance = IRCSession.Entrance(token, now: { moment.wallClock }, clock: { _ in "12:34" })
            session = IRCSession(entrance, isAuthorized: isAuthorized, at: zero)
            let me = try who("ana", 1)
            _ = chat.reduce(
                RoomReport(room, .event(.ready(me: me, port: 1, room: "lobby", discovery: .none))), at: moment)
        }

        mutating func take(_ effects: [ClientEffect]) {
            for effect in effects {
                switch effect {
                case .send(let bytes, of: _): output.append(String(decoding: bytes.dropLast(2), as: UTF8.self))
                case .look: take(session.look(at: chat, zero))
                case .ask(let number, let question, _): asked.append((number, question))
                case .close: isClosed = true
                case .sendNumbered, .lookAll, .takePlace, .follow, .perform, .refused: break
                }
            }
        }

        mutating func send(_ lines: String...) {
            for line in lines { take(session.receive(Array("\(line)\r\n".utf8), at: zero)) }
        }

        /// Registers, and forgets the lines of the welcome.
        mutating func register(_ capabilities: String = "") {
            if !capabilities.isEmpty { send("CAP REQ :\(capabilities)") }
            send("PASS \(token.text)", "NICK ana", "USER a 0 * :a")
            if !capabilities.isEmpty { send("CAP END") }
            output = []
        }

        mutating func hear(_ event: NodeEvent) {
            let report = RoomReport(room, .event(event))
            let changes = chat.reduce(report, at: moment)
            take(session.hear(HubEvent(report, changes, in: chat, number: 1), at: zero))
        }

        /// Completes the command that was asked for last.
        mutating func complete(_ reports: [Report] = []) {
            guard let number = asked.last?.number else { return }
            take(session.complete(number, reports.map { RoomReport(room, $0) }, at: zero))
        }

        mutating func takeOutput() -> [String] {
            defer { output = [] }
            return output
        }
    }

    private static func who(_ nickname: String, _ key: UInt8) throws -> PeerName {
        let id = try #require(PeerID([UInt8](repeating: key, count: 32)))
        return PeerName(number: 4_821, suffix: nil, nickname: nickname, stage: .newcomer, key: id)
    }

    @Test func `a client is called as the node is, and is in its rooms`() throws {
        var client = try Client()
        client.send("PASS \(client.token.text)", "NICK zed", "USER a 0 * :a")
        let lines = client.takeOutput()
        #expect(lines.first == ":zed!u@01010101.earshot NICK :ana")
        #expect(lines.contains(":ana!u@01010101.earshot JOIN #lobby"))
        #expect(lines.last == ":gateway.earshot 366 ana #lobby :End of NAMES")
        #expect(client.session.hasShownToken)
    }

    @Test(arguments: [
        "PASS x", "NICK a\r\nUSER a 0 * :a", "CAP REQ sasl\r\nAUTHENTICATE PLAIN\r\nAUTHENTICATE AGEAYg==",
    ])
    func `a client without the token is let go`(_ lines: String) throws {
        var client = try Client()
        client.send(lines)
        let isRefused = client.output.contains { $0.contains(" 464 * ") || $0.contains(" 904 * ") }
        #expect(isRefused && client.isClosed && !client.session.hasShownToken)
    }

    @Test func `nothing is performed before the welcome`() throws {
        var client = try Client()
        client.send("PRIVMSG #lobby :x", "JOIN #x")
        #expect(client.asked.isEmpty)
        #expect(client.takeOutput().allSatisfy { $0.contains(" 451 * ") })
    }

    @Test func `peers come, rename and go`() throws {
        var client = try Client()
        client.register()
        client.hear(.peer(.here, try Self.who("ben", 2), online: 1))
        let was = PeerSighting(try Self.who("ben", 2), .here)
        client.hear(.peer(.here, try Self.who("bob", 2), was: was, online: 1))
        client.hear(.peer(.left, try Self.who("bob", 2), online: 0))
        #expect(
            client.takeOutput() == [
                ":ben!u@02020202.earshot JOIN #lobby", ":ben!u@02020202.earshot NICK :bob",
                ":bob!u@02020202.earshot QUIT left",
            ])
    }

    @Test func `a text that the node refuses is refused with its rule`() throws {
        var client = try Client()
        client.register("standard-replies labeled-response batch")
        client.send("@label=a PRIVMSG #lobby :x")
        client.complete([.error(ChatError(.empty, .messageEmpty))])
        let lines = client.takeOutput()
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("@label=a :gateway.earshot FAIL PRIVMSG EMPTY #lobby :") == true)
    }

    @Test func `a command with a label that says nothing is acknowledged`() throws {
        var client = try Client()
        client.register("labeled-response batch")
        client.send("@label=a PONG x", "@label=b MONITOR L")
        #expect(
            client.takeOutput() == [
                "@label=a :gateway.earshot ACK", "@label=b :gateway.earshot 733 ana :End of MONITOR list",
            ])
    }

    @Test func `a request is a notice with how to answer it`() throws {
        var client = try Client()
        client.register()
        client.hear(.request(from: try Self.who("ben", 2), text: "hi\r\nQUIT"))
        let lines = client.takeOutput()
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix(":ben!u@02020202.earshot NOTICE ana :hi QUIT (") == true)
        #expect(lines.first?.hasSuffix("DECLINE ben)") == true)
    }

    @Test func `lines wait for the node, one after the other`() throws {
        var client = try Client()
        client.register()
        client.send("PRIVMSG #lobby :a", "PING b")
        #expect(client.asked.count == 1)
        #expect(client.takeOutput().isEmpty)
        client.complete()
        #expect(client.takeOutput() == [":gateway.earshot PONG gateway.earshot b"])
    }

    @Test func `a silent client is asked, and let go`() throws {
        var client = try Client()
        client.register()
        client.take(client.session.tick(at: Self.zero + .seconds(90)))
        #expect(client.takeOutput() == ["PING gateway.earshot"] && !client.isClosed)
        client.take(client.session.tick(at: Self.zero + .seconds(180)))
        #expect(client.isClosed && client.session.isOver)
    }

    @Test(arguments: [
        ("\u{2}a\u{f}", "a"), ("\u{3}4,12a", "a"), ("\u{3}12345", "345"), ("\u{4}ff0000,00ff00a", "a"),
        ("\u{3},a", ",a"),
        ("한\u{1d}글\u{1b}", "한글"),
    ]) func `colours and styles are left out`(_ text: String, _ plain: String) {
        #expect(IRCSession.withoutFormats(text) == plain)
    }

    @Test func `a client gets the difference of reactions`() throws {
        var reactions = IRCReactions()
        let (id, key) = (MessageID(1, 2), try Self.who("ben", 2).key)
        #expect(reactions.take(["a", "b"], on: id, by: key) == (["a", "b"], []))
        #expect(reactions.take(["b", "c"], on: id, by: key) == (["c"], ["a"]))
        #expect(reactions.take([], on: id, by: key) == ([], ["b", "c"]))
    }
}
