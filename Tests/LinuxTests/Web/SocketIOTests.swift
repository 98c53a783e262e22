import Chat
import ChatNode
import Commands
import Rendering
import Testing

@testable import WebFace

@Suite struct SocketIOTests {
    private let token = WebToken()

    @Test func `packets are read`() {
        #expect(SocketIOPacket("0") == .connect(nil))
        #expect(SocketIOPacket("0{\"token\":\"x\"}") == .connect(.object(["token": .string("x")])))
        #expect(SocketIOPacket("1") == .disconnect)
        #expect(SocketIOPacket("2[\"a\",\"b\"]") == .event("a", [.string("b")], acknowledgement: nil))
        #expect(SocketIOPacket("213[\"a\"]") == .event("a", [], acknowledgement: 13))
    }

    @Test(arguments: [
        "", "0/other,", "2", "2[]", "2[1]", "2{}", "29999999999[\"a\"]", "3[]",
        "51-[\"a\",{\"_placeholder\":true,\"num\":0}]", "x", "2/a,[\"a\"]",
    ])
    func `other packets are refused`(text: String) {
        #expect(SocketIOPacket(text) == nil)
    }

    @Test func `without the token nothing is performed and nothing is sent`() throws {
        for first in [
            "0", "0{}", "0{\"token\":\"\"}", "2[\"chatMessage\",\"a\",\"b\"]", "0{\"token\":\"\(token.text)0\"}",
        ] {
            var session = SocketIOSession(token, id: "x", room: nil)
            let effects = session.receive(first)
            #expect(effects.last == .close)
            #expect(effects.contains(.refused) == first.hasPrefix("0"))
            #expect(!effects.contains { if case .perform = $0 { true } else { false } })
            #expect(session.tell(.event(.message(try Sample.said("hi", by: try Sample.who())))).isEmpty)
        }
    }

    @Test func `1,024 events may wait`() throws {
        var session = SocketIOSession(token, id: "x", room: nil)
        _ = session.receive("0{\"token\":\"\(token.text)\"}")
        let answer = Report.answer(.whoami(try Sample.who(), room: "lobby", profile: .init()))
        _ = session.complete(1, [RoomReport(.lobby, answer)])
        let event = "2[\"chatMessage\",\"a\",\"b\"]"
        let isSent = { (effects: [SocketIOSession.Effect]) in
            effects.contains { if case .perform = $0 { true } else { false } }
        }
        for _ in 0..<1_024 { #expect(isSent(session.receive(event))) }
        #expect(!isSent(session.receive(event)))
    }

    @Test func `a session is in the room that confirmed it`() throws {
        var session = SocketIOSession(token, id: "x", room: "kitchen")
        #expect(
            session.receive("0{\"token\":\"\(token.text)\"}") == [.perform(number: 1, .whoami, in: .named("kitchen"))])
        let who = try Sample.who()
        let message = Report.event(.message(try Sample.said("hi", by: who)))
        #expect(session.tell(RoomReport(.kitchen, message)).isEmpty)
        let answer = Report.answer(.whoami(who, room: "kitchen", profile: .init()))
        #expect(session.complete(1, [RoomReport(.kitchen, answer)]) == [.send("0{\"sid\":\"x\"}")])
        #expect(session.tell(RoomReport(.kitchen, message)).count == 1)
        #expect(session.tell(RoomReport(.lobby, message)).isEmpty)
    }
}
