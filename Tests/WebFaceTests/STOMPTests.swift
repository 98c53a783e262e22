import Chat
import ChatNode
import Commands
import Hub
import Model
import Phrases
import Rendering
import TestSupport
import Testing
import Wire

@testable import WebFace

extension STOMPSession {
    mutating func tell(_ report: RoomReport, at now: Instant) -> [ClientEffect] {
        hear(HubEvent(report, number: 1), at: now)
    }
}

@Suite struct STOMPTests {
    private let token = WebToken()
    private let start = Instant(nanoseconds: 0)

    private func connected(_ headers: String = "") -> STOMPSession {
        var session = STOMPSession(token, at: start)
        _ = session.receive(
            Array("CONNECT\naccept-version:1.2\npasscode:\(token.text)\n\(headers)\n\0".utf8), at: start)
        return session
    }

    private func frames(_ bytes: [UInt8], pieces: Int = 1) throws -> [STOMPFrame] {
        var decoder = STOMPDecoder()
        var frames: [STOMPFrame] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            decoder.feed(Array(bytes[start..<min(start + pieces, bytes.count)]))
            while let frame = try decoder.next() { frames.append(frame) }
        }
        return frames
    }

    @Test(arguments: 1...9) func `frames are the same in pieces of every length`(length: Int) throws {
        let frame = STOMPFrame("SEND", [("destination", "a:b\\c\nd\r"), ("content-length", "3")], body: [0, 1, 0])
        let text = STOMPFrame("MESSAGE", [("x", nil), ("y", "가")], body: Array("안녕".utf8))
        let bytes = [0x0a] + frame.bytes + [0x0d, 0x0a, 0x0a] + text.bytes
        #expect(try frames(bytes, pieces: length) == [frame, text])
        #expect(text["x"] == nil)
    }

    @Test func `the first of repeated headers counts, and the first frame is not escaped`() throws {
        let frame = try #require(try frames(Array("CONNECT\r\na:b\\c\r\na:other\r\n\r\n\0".utf8)).first)
        #expect(frame["a"] == "b\\c")
    }

    @Test(arguments: [
        "SEND\nno colon\n\n\0", "SEND\na:\\x\n\n\0", "SEND\na:\\\n\n\0", "SEND\ncontent-length:x\n\n\0",
        "SEND\ncontent-length:-1\n\n\0",
        "SEND\ncontent-length:1\n\nab", "SEND\ncontent-length:16385\n\n",
    ])
    func `a malformed frame is refused`(text: String) {
        #expect(throws: STOMPFault.self) { try frames(Array(text.utf8)) }
    }

    @Test func `heads, headers and bodies are bounded before their end comes`() {
        #expect(throws: STOMPFault.self) { try frames([UInt8](repeating: 0x61, count: 8_193)) }
        let headers = String(repeating: "a:b\n", count: 65)
        #expect(throws: STOMPFault.self) { try frames(Array("SEND\n\(headers)\n\0".utf8)) }
        #expect(throws: STOMPFault.self) {
            try frames(Array("SEND\n\n".utf8) + [UInt8](repeating: 0x61, count: 16_385))
        }
    }

    @Test func `a frame that comes byte by byte is read`() throws {
        let body = [UInt8](repeating: 0x61, count: 16_384)
        let heads = ["SEND\na:b\n\n", "SEND\ncontent-length:16384\n\n"]
        for head in heads {
            #expect(try frames(Array(head.utf8) + body + [0]).map(\.body) == [body])
        }
        var decoder = STOMPDecoder()
        decoder.feed(STOMPFrame("SEND").bytes + Array("SEND\ncontent-length:3\n\na".utf8))
        #expect(try decoder.next()?.body.isEmpty == true)
        #expect(try decoder.next() == nil)
        decoder.feed([0x62])
        #expect(try decoder.next() == nil)
        decoder.feed([0x63, 0])
        #expect(try decoder.next()?.body == Array("abc".utf8))
    }

    @Test func `a client without the token is refused and counted`() {
        var stranger = STOMPSession(token, at: start)
        let effects = stranger.receive(Array("CONNECT\naccept-version:1.2\npasscode:x\n\n\0".utf8), at: start)
        #expect(effects.first == .refused && effects.last == .close)
    }

    @Test func `heart-beats are sent in the negotiated time, and a silent client is let go after twice the time`() {
        var session = connected("heart-beat:20000,500\n")
        #expect(session.deadline == start + .seconds(1))
        #expect(session.tick(at: start + .seconds(1)) == [.send([0x0a], of: nil)])
        #expect(session.tick(at: start + .milliseconds(1_500)).isEmpty)
        #expect(session.receive([0x0a], at: start + .seconds(30)).isEmpty)
        #expect(!session.tick(at: start + .seconds(69)).contains(.close))
        #expect(session.tick(at: start + .seconds(70)).contains(.close))
        #expect(session.deadline == nil)
        var silent = STOMPSession(token, at: start)
        #expect(silent.deadline == start + .seconds(10))
        #expect(silent.tick(at: start + .seconds(10)).contains(.close))
        #expect(connected().deadline == nil)
    }

    @Test func `a subscription begins when the node has confirmed its room`() throws {
        var session = connected()
        let room = RoomLabel(number: 1, name: "a b")
        let asked = session.receive(Array("SUBSCRIBE\nid:7\ndestination:/channel/a%20b\n\n\0".utf8), at: start)
        #expect(asked == [.perform(number: 1, .whoami, in: .named("a b"))])
        let typing = RoomReport(room, .event(.typing(try Sample.who(), .publicRoom, isOn: true)))
        #expect(session.tell(typing, at: start).isEmpty)
        _ = session.complete(1, [], at: start)
        let event = RoomReport(room, .event(.deleted(try Sample.said("", by: try Sample.who()))))
        #expect(session.tell(event, at: start).count == 1)
        #expect(session.tell(RoomReport(RoomLabel(number: 2, name: "b"), event.report), at: start).isEmpty)
    }
}

/// Frames take effect in their order, in any pieces.
@Suite struct STOMPOrderTests {
    private let token = WebToken()
    private let start = Instant(nanoseconds: 0)

    /// Lets a session act on bytes, performs its commands one after the other, and returns the frames that it sends.
    ///
    /// - Parameters:
    ///   - performed: gets the commands.
    ///   - answer: the reports of a command.
    private func answers(
        to text: String, of session: inout STOMPSession, performed: inout [Command],
        _ answer: (Command) -> [RoomReport]? = { _ in [] }
    ) throws -> [STOMPFrame] {
        var effects = session.receive(Array(text.utf8), at: start)[...]
        var (sent, isClosed): ([UInt8], Bool) = ([], false)
        while let effect = effects.popFirst() {
            switch effect {
            case .send(let bytes, of: _):
                #expect(!isClosed, "sent behind the end")
                sent += bytes
            case .perform(let number, let command, in: _):
                performed.append(command)
                effects += session.complete(number, answer(command), at: start)
            case .close: isClosed = true
            case .ask, .look, .lookAll, .refused, .sendNumbered, .takePlace, .follow: break
            }
        }
        var decoder = STOMPDecoder()
        decoder.feed(sent)
        var frames: [STOMPFrame] = []
        while let frame = try decoder.next() { frames.append(frame) }
        return frames + (isClosed ? [STOMPFrame("closed")] : [])
    }

    private func session(_ version: String = "1.2", _ headers: String = "") -> STOMPSession {
        var session = STOMPSession(token, at: start)
        _ = session.receive(
            Array("CONNECT\naccept-version:\(version)\npasscode:\(token.text)\n\(headers)\n\0".utf8), at: start)
        return session
    }

    /// The frames that answer some text, in short.
    private func talk(
        _ text: String, to session: inout STOMPSession, _ answer: (Command) -> [RoomReport]? = { _ in [] }
    ) throws -> [String] {
        var performed: [Command] = []
        return try answers(to: text, of: &session, performed: &performed, answer).map {
            "\($0.command) \($0["receipt-id"] ?? $0["message"] ?? "")"
        }
    }

    private func talk(_ text: String, _ answer: (Command) -> [RoomReport]? = { _ in [] }) throws -> [String] {
        var session = session()
        return try talk(text, to: &session, answer)
    }

    private static func say(_ text: String, _ headers: String = "") -> String {
        "SEND\ndestination:/app/channel/lobby\n\(headers)\n{\"messageContent\":\"\(text)\"}\0"
    }

    @Test func `a subscription and its end may come at once`() throws {
        #expect(
            try talk(
                "SUBSCRIBE\nid:1\ndestination:/channel/lobby\nreceipt:a\n\n\0UNSUBSCRIBE\nid:1\nreceipt:b\n\n\0")
                == ["RECEIPT a", "RECEIPT b"])
    }

    @Test func `one id is of one subscription, and one that is the destination may be taken again`() throws {
        #expect(
            try talk(String(repeating: "SUBSCRIBE\nid:1\ndestination:/channel/lobby\n\n\0", count: 2))
                == ["ERROR the id is in use", "closed "])
        var session = session()
        let again = "SUBSCRIBE\nid:/channel/lobby\ndestination:/channel/lobby\nreceipt:r\n\n\0"
        #expect(try talk(again + again, to: &session) == ["RECEIPT r", "RECEIPT r"])
        let said = RoomReport(.lobby, .event(.message(try Sample.said("hi", by: try Sample.who()))))
        #expect(session.tell(said, at: start).count == 1)
        #expect(
            try talk("SUBSCRIBE\nid:/channel/lobby\ndestination:/topic/typing/lobby\n\n\0", to: &session)
                == ["ERROR the id is in use", "closed "])
    }

    @Test(arguments: ["/user/queue/direct", "/channel/lobby"])
    func `64 subscriptions are the most, at once too`(place: String) throws {
        let all = (0...64).map { "SUBSCRIBE\nid:\($0)\ndestination:\(place)\nreceipt:\($0)\n\n\0" }.joined()
        let answers = try talk(all)
        #expect(answers.prefix(64) == (0..<64).map { "RECEIPT \($0)" }[...])
        #expect(answers.dropFirst(64) == ["ERROR 64", "closed "])
    }

    @Test func `all receipts come in front of that of the end`() throws {
        let sends = (0..<20).map { Self.say("\($0)", "receipt:\($0)\n") }.joined()
        #expect(
            try talk(sends + "DISCONNECT\nreceipt:end\n\n\0")
                == (0..<20).map { "RECEIPT \($0)" } + ["RECEIPT end", "closed "])
    }

    @Test func `an error comes in front of the end, and nothing behind it takes effect`() throws {
        var performed: [Command] = []
        var session = session()
        let refusal = RoomReport(.lobby, .error(ChatError(.tooLong, .messageLong, "241", "240")))
        let frames = try answers(
            to: Self.say("long", "receipt:1\n") + Self.say("next") + "DISCONNECT\nreceipt:end\n\n\0", of: &session,
            performed: &performed
        ) { $0 == .sayToRoom("long") ? [refusal] : [] }
        #expect(frames.map(\.command) == ["ERROR", "closed"])
        #expect(frames.first?["receipt-id"] == "1" && frames.first?["code"] == "too_long")
        #expect(performed == [.sayToRoom("long")])
    }

    @Test func `frames in front of a fault, or of the end of the input, take effect`() throws {
        #expect(
            try talk(Self.say("x", "receipt:1\n") + "HELLO\n\n\0")
                == ["RECEIPT 1", "ERROR there is no command of this name", "closed "])
        var session = session()
        let first = session.receive(
            Array((Self.say("a", "receipt:1\n") + Self.say("b", "receipt:2\n")).utf8), at: start)
        #expect(first == [.perform(number: 1, .sayToRoom("a"), in: .named("lobby"))])
        #expect(session.end(at: start).isEmpty)
        #expect(session.complete(1, [], at: start).count == 2)
        #expect(session.complete(2, [], at: start).last == .close)
        #expect(session.isOver)
        // A client that is silent for want of input is not let go.
        #expect(session.deadline == nil)
    }

    @Test func `a second answer changes nothing, and a node that leaves is an error`() throws {
        var session = session()
        _ = session.receive(Array(Self.say("a", "receipt:1\n").utf8), at: start)
        #expect(session.complete(1, [], at: start).count == 1)
        #expect(session.complete(1, [], at: start).isEmpty)
        #expect(try talk(Self.say("a", "receipt:1\n")) { _ in nil } == ["ERROR 1", "closed "])
    }

    @Test func `1 MiB of frames may wait, and more is refused in its order`() throws {
        var session = session()
        _ = session.receive(Array(Self.say("first", "receipt:1\n").utf8), at: start)
        let heartBeats = [UInt8](repeating: 0x0a, count: 65_536)
        for _ in 0..<17 { #expect(session.receive(heartBeats, at: start).isEmpty) }
        let effects = session.complete(1, [], at: start)
        #expect(effects.count == 3 && effects.last == .close)
    }

    @Test func `a transaction is said as a whole when it is committed, or not at all`() throws {
        var performed: [Command] = []
        var session = session()
        let frames = try answers(
            to: "BEGIN\ntransaction:t\nreceipt:1\n\n\0" + Self.say("a", "transaction:t\nreceipt:2\n") + Self.say("now")
                + Self.say("b", "transaction:t\n") + "COMMIT\ntransaction:t\nreceipt:3\n\n\0", of: &session,
            performed: &performed)
        #expect(frames.map { $0["receipt-id"] } == ["1", "2", "3"])
        #expect(performed == [.sayToRoom("now"), .sayToRoom("a"), .sayToRoom("b")])
        performed = []
        _ = try answers(
            to: "BEGIN\ntransaction:t\n\n\0" + Self.say("a", "transaction:t\n") + "ABORT\ntransaction:t\n\n\0",
            of: &session, performed: &performed)
        #expect(performed.isEmpty)
        let long = String(repeating: "x", count: 241)
        _ = try answers(
            to: "BEGIN\ntransaction:t\n\n\0" + Self.say("a", "transaction:t\n") + Self.say(long, "transaction:t\n")
                + "COMMIT\ntransaction:t\n\n\0", of: &session, performed: &performed)
        #expect(performed.isEmpty)
        #expect(session.isOver)
    }

    @Test(arguments: [
        "BEGIN\n\n\0", "COMMIT\n\n\0", "ABORT\n\n\0", "COMMIT\ntransaction:t\n\n\0", "ABORT\ntransaction:t\n\n\0",
        "BEGIN\ntransaction:t\n\n\0BEGIN\ntransaction:t\n\n\0",
        "SEND\ndestination:/app/channel/lobby\ntransaction:t\n\n{\"messageContent\":\"x\"}\0",
        "ACK\n\n\0", "NACK\n\n\0", "ACK\nid:m-1\n\n\0", "ACK\nid:\n\n\0", "ACK\nmessage-id:m-1\nsubscription:1\n\n\0",
    ])
    func `the standard's wrong transactions and acknowledgements are errors`(text: String) throws {
        #expect(try talk(text).last == "closed ")
    }

    @Test(arguments: [
        ("1.2", "ACK\nid:m-1\nreceipt:r\n\n\0", true), ("1.2", "NACK\nid:m-2\n\n\0", false),
        ("1.2", "ACK\nid:m-1\ntransaction:t\n\n\0", false),
        ("1.1", "ACK\nmessage-id:m-1\nsubscription:1\nreceipt:r\n\n\0", true),
        ("1.1", "ACK\nmessage-id:m-1\n\n\0", false), ("1.1", "ACK\nid:m-1\n\n\0", false),
    ])
    func `a message is acknowledged as each version says`(version: String, text: String, isRight: Bool) throws {
        var session = session(version)
        _ = try talk("SUBSCRIBE\nid:1\ndestination:/channel/lobby\nack:client\n\n\0", to: &session)
        let said = RoomReport(.lobby, .event(.message(try Sample.said("hi", by: try Sample.who()))))
        #expect(session.tell(said, at: start).count == 1)
        let answer = try talk(text, to: &session)
        #expect(answer.first?.hasPrefix(isRight ? "RECEIPT r" : "ERROR ") == true)
        #expect(session.isOver != isRight)
    }

    @Test func `a heart-beat with spaces is taken`() {
        let session = session("1.1, 1.2", "heart-beat:10000, 10000\n")
        #expect(session.phase == .connected)
        #expect(session.deadline == start + .seconds(10))
    }

    @Test func `bytes are read as bytes, whatever characters they make`() throws {
        var decoder = STOMPDecoder()
        decoder.feed(Array("SEND\r\na:\u{301}x\r\nid\u{301}:2\r\n\r\n\0".utf8))
        let frame = try #require(try decoder.next())
        #expect(frame["a"]?.utf8.elementsEqual("\u{301}x".utf8) == true)
        #expect(frame["id"] == nil)
        #expect(STOMPDestination("/channel/\u{301}x") == .channel("\u{301}x"))
        // A colon with a mark is a colon, which some clients stop at.
        var session = session()
        let refusal = RoomReport(.lobby, .error(ChatError(.unknownRoom, .unknownRoom, "a:\u{301}b")))
        var performed: [Command] = []
        let error = try answers(to: Self.say("x"), of: &session, performed: &performed) { _ in [refusal] }.first
        #expect(error?["message"]?.utf8.contains(UInt8(ascii: ":")) == false)
    }

    @Test func `a person is named by room and key`() throws {
        let key = try Sample.peer(0xab)
        #expect(STOMPDestination("/app/direct/lobby/\(key.hexadecimal)") == .toPeer(key, in: "lobby"))
        #expect(STOMPDestination("/app/direct/lobby/2/\(key.hexadecimal)") == .toPeer(key, in: "lobby/2"))
        #expect(STOMPDestination("/app/direct/lobby%2F2/\(key.hexadecimal)") == .toPeer(key, in: "lobby/2"))
        for wrong in ["/app/direct/\(key.hexadecimal)", "/app/direct//\(key.hexadecimal)", "/app/direct/lobby/x"] {
            #expect(STOMPDestination(wrong) == nil, "\(wrong)")
        }
    }

    @Test func `each change of a message has the same members, and no text once it is deleted`() throws {
        var session = session()
        _ = try talk("SUBSCRIBE\nid:1\ndestination:/channel/lobby\n\n\0", to: &session)
        let message = try Sample.said("hi", by: try Sample.who("a\u{202e}b"))
        var members: Set<[String]> = []
        for event in [NodeEvent.message(message), .edited(message), .deleted(try Sample.said("", by: message.from))] {
            guard case .send(let bytes, of: _)? = session.tell(RoomReport(.lobby, .event(event)), at: start).first
            else {
                Issue.record("nothing is sent")
                continue
            }
            var decoder = STOMPDecoder()
            decoder.feed(bytes)
            guard case .object(let body)? = try decoder.next().map({ try JSONValue(parsing: $0.body) }) else {
                continue
            }
            members.insert(body.keys.map(\.text).sorted())
            let isDeleted = body["change"]?.string == "removed"
            #expect(body["content"]?["text"]?.string == (isDeleted ? "" : "hi"))
            #expect(body["room"]?.string == "lobby")
        }
        #expect(members.count == 1)
    }

    private static func sends(
        _ body: String, _ headers: String = "", to place: String = "/app/channel/lobby"
    ) -> String {
        "SEND\ndestination:\(place)\n\(headers)\n\(body)\0"
    }

    @Test func `texts and cards are sent in both spellings, and a text may answer a message`() throws {
        let id = try Sample.message(0x0c)
        let card = Command.card(title: "lost", text: "a hat", color: "red")
        let plain = Command.card(title: "lost", text: "a hat")
        for (body, command) in [
            (
                #"{"messageType":"TEXT","messageContent":"hi","replyTo":"\#(id.hexadecimal)"}"#,
                .sayToRoom("hi", replyTo: id)
            ),
            (#"{"messageContent":"hi","replyTo":null}"#, .sayToRoom("hi")),
            (
                #"{"content":{"type":"TEXT","text":"hi","replyTo":"\#(id.hexadecimal)"},"replyTo":null}"#,
                .sayToRoom("hi", replyTo: id)
            ),
            (#"{"content":{"text":"hi"},"replyTo":"\#(id.hexadecimal)"}"#, .sayToRoom("hi", replyTo: id)),
            (#"{"content":{"type":"TEXT","text":"hi","title":null,"cardColor":null}}"#, .sayToRoom("hi")),
            (#"{"messageType":"CARD","messageContent":"a hat","title":"lost","cardColor":"red"}"#, card),
            (#"{"content":{"type":"CARD","title":"lost","text":"a hat","cardColor":"red"}}"#, card),
            (#"{"messageType":"CARD","messageContent":"a hat","title":"lost"}"#, plain),
            (#"{"content":{"type":"CARD","title":"lost","text":"a hat","cardColor":null}}"#, plain),
        ] {
            var performed: [Command] = []
            var session = session()
            let frames = try answers(to: Self.sends(body, "receipt:1\n"), of: &session, performed: &performed)
            #expect(frames.map(\.command) == ["RECEIPT"] && performed == [command], "\(body)")
        }
        let key = try Sample.peer(0xab)
        var performed: [Command] = []
        var session = session()
        let body = #"{"messageContent":"hi","replyTo":"\#(id.hexadecimal)"}"#
        _ = try answers(
            to: Self.sends(body, to: "/app/direct/lobby/\(key.hexadecimal)"), of: &session, performed: &performed)
        #expect(performed == [.message(who: key.hexadecimal, text: "hi", replyTo: id)])
    }

    @Test(arguments: [
        #"{}"#, #"[]"#, #"{"messageType":"CARD","messageContent":"x"}"#,
        #"{"messageType":"IMAGE","messageContent":"x"}"#,
        #"{"messageType":"CARD","title":"t"}"#, #"{"messageType":"CARD","messageContent":"x","title":7}"#,
        #"{"messageType":"CARD","messageContent":"x","title":"t","cardColor":3}"#, #"{"content":"x"}"#,
        #"{"content":{"type":"CARD","text":"x","cardColor":"red"}}"#, #"{"content":{"type":"CARD","title":"t"}}"#,
        #"{"content":{"type":"TEXT","text":"x"},"messageContent":"x"}"#, #"{"messageContent":"x","title":"t"}"#,
        #"{"messageContent":"x","replyTo":"12"}"#, #"{"messageContent":"x","replyTo":7}"#,
        #"{"content":{"text":"x","replyTo":"12"}}"#,
        #"{"content":{"text":"x","replyTo":"0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c"},"replyTo":"0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d"}"#,
        #"{"content":{"type":"CARD","text":"x","title":"t","replyTo":"0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c"}}"#,
        #"{"messageType":"CARD","messageContent":"x","title":"t","replyTo":"0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c"}"#,
    ])
    func `a body without what it needs is an error`(body: String) throws {
        var performed: [Command] = []
        var session = session()
        let frames = try answers(to: Self.sends(body), of: &session, performed: &performed)
        #expect(performed.isEmpty && frames.first?["code"] == "bad_member" && frames.last?.command == "closed")
    }

    @Test func `a card is for a room, and one that breaks a rule takes no transaction with it`() throws {
        let card = #"{"messageType":"CARD","messageContent":"a hat","title":"lost"}"#
        let key = try Sample.peer(0xab).hexadecimal
        var performed: [Command] = []
        var session = session()
        var frames = try answers(
            to: Self.sends(card, to: "/app/direct/lobby/\(key)"), of: &session, performed: &performed)
        #expect(frames.first?["code"] == "invalid_card" && performed.isEmpty)
        let long = String(repeating: "x", count: 241)
        for (title, text, color, code) in [
            (String(repeating: "t", count: 41), "x", "red", "invalid_card"), ("", "x", "red", "empty"),
            ("a\\nb", "x", "red", "invalid_card"), ("t", "x", "pink", "invalid_card"), ("t", long, "red", "too_long"),
            ("t", "", "red", "empty"), ("t", "/who", "red", "is_command"),
        ] {
            session = self.session()
            let body = #"{"content":{"type":"CARD","title":"\#(title)","text":"\#(text)","cardColor":"\#(color)"}}"#
            frames = try answers(
                to: "BEGIN\ntransaction:t\n\n\0" + Self.sends(card, "transaction:t\n")
                    + Self.sends(body, "transaction:t\n") + "COMMIT\ntransaction:t\n\n\0", of: &session,
                performed: &performed)
            #expect(frames.first?["code"] == code && performed.isEmpty, "\(title) \(color)")
        }
    }

    /// The bodies of the frames of effects.
    private func bodies(_ effects: [ClientEffect]) throws -> [JSONValue] {
        var decoder = STOMPDecoder()
        for case .send(let bytes, of: _) in effects { decoder.feed(bytes) }
        var bodies: [JSONValue] = []
        while let frame = try decoder.next() { bodies.append(try JSONValue(parsing: frame.body)) }
        return bodies
    }

    @Test func `a reaction changes its message, and a card is a message of its own kind`() throws {
        var session = session()
        _ = try talk("SUBSCRIBE\nid:1\ndestination:/channel/lobby\n\n\0", to: &session)
        let (who, target) = (try Sample.who(), try Sample.message(7))
        let answer = try Sample.said("hi", by: who, replyTo: target)
        let card = try Sample.card("a\u{202e}b", "a hat", .red, by: who)
        let events: [NodeEvent] = [
            .message(answer), .reacted(try Sample.reaction(by: who, to: answer)), .card(card),
            .cardRemoved(card, .expired),
        ]
        let all = try bodies(events.flatMap { session.tell(RoomReport(.lobby, .event($0)), at: start) })
        #expect(all.map { $0["change"]?.string } == ["added", "modified", "added", "removed"])
        #expect(all[0]["replyTo"]?.string == target.hexadecimal && all[0]["reactions"]?.array == [])
        let given = try #require(all[1]["reactions"]?.array?.first)
        #expect(given["emoji"]?.string == "👍" && given["count"]?.integer == 1 && given["own"]?.bool == false)
        #expect(all[1]["content"]?["text"]?.string == "hi")
        for body in all[2...] {
            #expect(body["id"]?.string == card.id.hexadecimal && body["content"]?["type"]?.string == "CARD")
            #expect(body["content"]?["cardColor"]?.string == "red" && body["createdAt"]?.string == Sample.timeText)
        }
        #expect(all[2]["content"]?["title"]?.string == "a\u{fffd}b" && all[2]["content"]?["text"]?.string == "a hat")
        #expect(all[3]["content"]?["title"]?.string == "" && all[3]["content"]?["text"]?.string == "")
    }

    @Test func `a subscription to a board begins with its cards, and hears of the next ones`() throws {
        var session = session()
        let (who, next) = (try Sample.who(), try Sample.card("next", by: try Sample.who(), id: 9))
        let list = RoomReport(.lobby, .answer(.board([try Sample.card("first", by: who)])))
        var performed: [Command] = []
        let frames = try answers(
            to: "SUBSCRIBE\nid:1\ndestination:/topic/board/LOBBY\nreceipt:r\n\n\0", of: &session,
            performed: &performed
        ) { _ in [list] }
        #expect(performed == [.board] && frames.map(\.command) == ["RECEIPT", "MESSAGE"])
        let cards = try JSONValue(parsing: try #require(frames.last).body)["cards"]?.array
        #expect(cards?.map { $0["title"]?.string } == ["first"])
        let said = NodeEvent.message(try Sample.said("hi", by: who))
        let events: [NodeEvent] = [said, .card(next), .cardRemoved(next, .removed)]
        let heard = try bodies(events.flatMap { session.tell(RoomReport(.lobby, .event($0)), at: start) })
        #expect(heard.map { $0["event"]?.string } == ["card", "cardRemoved"])
        #expect(heard.first?["title"]?.string == "next" && heard.last?["reason"]?.string == "removed")
        // A card on the board of another room is none of it.
        #expect(session.tell(RoomReport(.kitchen, .event(.card(next))), at: start).isEmpty)
        #expect(try talk(Self.sends("{}", to: "/topic/board/lobby"), to: &session).first?.hasPrefix("ERROR") == true)
    }

    @Test func `the cards of a room that ends are removed, and its board is empty`() throws {
        var model = ChatModel()
        let moment = Moment(instant: start, wallClock: Sample.time)
        let card = try Sample.card(by: try Sample.who())
        _ = model.reduce(.event(.card(card)), at: moment)
        var session = session()
        let places = ["/channel/lobby", "/topic/board/lobby"]
        for place in places { _ = try talk("SUBSCRIBE\nid:\(place)\ndestination:\(place)\n\n\0", to: &session) }
        let end = RoomReport.event(.stopped(.asked))
        let heard = HubEvent(end, model.reduce(end, at: moment), in: model, number: 1)
        let all = try bodies(session.hear(heard, at: start))
        let removed = all.filter { $0["change"]?.string == "removed" }
        #expect(removed.map { $0["id"]?.string } == [card.id.hexadecimal])
        #expect(removed.first?["content"]?["title"]?.string == "")
        #expect(all.contains { $0["command"]?.string == "board" && $0["cards"]?.array == [] })
    }

    @Test(arguments: ["/who", "/nosuch", "/join kitchen secret", "/"])
    func `a transaction takes no command`(text: String) throws {
        var performed: [Command] = []
        var session = session()
        let frames = try answers(
            to: "BEGIN\ntransaction:t\n\n\0" + Self.say(text, "transaction:t\n"), of: &session, performed: &performed)
        #expect(performed.isEmpty)
        #expect(frames.first?["code"] == "is_command")
    }
}
