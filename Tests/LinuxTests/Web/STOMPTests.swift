import ChatNode
import Commands
import Testing
import Wire

@testable import WebFace

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

    @Test func `a client without the token is refused and counted, and 1,024 requests may wait`() {
        var stranger = STOMPSession(token, at: start)
        let effects = stranger.receive(Array("CONNECT\naccept-version:1.2\npasscode:x\n\n\0".utf8), at: start)
        #expect(effects.first == .refused && effects.last == .close)
        var session = connected()
        let send = Array("SEND\ndestination:/app/channel/lobby\n\n{\"messageContent\":\"x\"}\0".utf8)
        for _ in 0..<STOMPSession.mostRequests { #expect(!session.receive(send, at: start).contains(.close)) }
        #expect(session.receive(send, at: start).contains(.close))
    }

    @Test func `heart-beats are sent in the negotiated time, and a silent client is let go after twice the time`() {
        var session = connected("heart-beat:20000,500\n")
        #expect(session.deadline == start + .seconds(1))
        #expect(session.tick(at: start + .seconds(1)) == [.send([0x0a])])
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
        let event = RoomReport(room, .event(.deleted(.publicRoom, MessageID(1, 2), unread: 0)))
        #expect(session.tell(event, at: start).count == 1)
        #expect(session.tell(RoomReport(RoomLabel(number: 2, name: "b"), event.report), at: start).isEmpty)
    }

    @Test func `64 subscriptions are the most`() {
        var session = connected()
        for id in 0..<64 {
            #expect(
                session.receive(Array("SUBSCRIBE\nid:\(id)\ndestination:/user/queue/direct\n\n\0".utf8), at: start)
                    .isEmpty)
        }
        #expect(
            session.receive(Array("SUBSCRIBE\nid:x\ndestination:/user/queue/direct\n\n\0".utf8), at: start).contains(
                .close))
    }
}
