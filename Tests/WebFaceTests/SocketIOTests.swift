import Commands
import Hub
import Model
import Rendering
import TestSupport
import Testing
import Wire

@testable import Chat
@testable import ChatNode
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
            #expect(session.typing(["otter#4821"]).isEmpty)
        }
    }

    /// A session in the lobby, of a client that has shown the token.
    private func connected(_ earlier: SocketIOSession.Earlier? = nil) throws -> SocketIOSession {
        var session = SocketIOSession(token, id: "x", room: nil)
        _ = session.receive("0{\"token\":\"\(token.text)\"}")
        _ = session.begin(earlier)
        _ = session.complete(
            1, [RoomReport(.lobby, .answer(.whoami(try Sample.who(), room: "lobby", profile: .init())))])
        return session
    }

    private func commands(_ effects: [SocketIOSession.Effect]) -> [Command] {
        effects.compactMap { if case .perform(_, let command, in: _) = $0 { command } else { nil } }
    }

    @Test func `events take effect one after the other, and 1,024 may wait`() throws {
        var session = try connected()
        let event = { (number: Int) in "2\(number)[\"chatMessage\",\"a\",\"\(number)\"]" }
        #expect(commands(session.receive(event(0))) == [.sayToRoom("0")])
        for number in 1...1_024 { #expect(session.receive(event(number)).isEmpty) }
        #expect(session.receive(event(1_025)) == [.refuse("1024 events wait", "busy")])
        for number in 0..<1_024 {
            let effects = session.complete(number + 2, [])
            #expect(effects.first == .send("3\(number)[]"))
            #expect(commands(effects) == [.sayToRoom("\(number + 1)")])
        }
    }

    @Test func `the end waits for what came before it`() throws {
        for end in ["1", "27[\"exitUser\",\"a\"]"] {
            var session = try connected()
            _ = session.receive("21[\"chatMessage\",\"a\",\"b\"]")
            #expect(session.receive(end).isEmpty)
            let effects = session.complete(2, [])
            #expect(effects.first == .send("31[]") && effects.last == .close)
            #expect(session.isOver && session.isIdle)
        }
    }

    @Test func `a session is in the room that confirmed it`() throws {
        var session = SocketIOSession(token, id: "x", room: "kitchen")
        #expect(session.receive("0{\"token\":\"\(token.text)\"}") == [.connect(pid: nil, offset: nil)])
        #expect(session.begin(nil) == [.perform(number: 1, .whoami, in: .named("kitchen"))])
        let who = try Sample.who()
        #expect(session.room == nil)
        let answer = Report.answer(.whoami(who, room: "kitchen", profile: .init()))
        #expect(session.complete(1, [RoomReport(.kitchen, answer)]) == [.greet(since: nil)])
        #expect(session.greeting(isRecovered: false).hasPrefix("0{\"sid\":\"x\",\"pid\":\""))
        #expect(session.room == .kitchen)
    }

    @Test func `a client comes back by its pid to its room, id and offset`() throws {
        let earlier = SocketIOSession.Earlier(id: "before", pid: "secret", room: .lobby, offset: 7)
        var session = SocketIOSession(token, id: "x", room: nil)
        #expect(
            session.receive("0{\"token\":\"\(token.text)\",\"pid\":\"secret\",\"offset\":\"7\"}")
                == [.connect(pid: "secret", offset: 7)])
        #expect(session.begin(earlier) == [.perform(number: 1, .whoami, in: .named("lobby"))])
        let answer = Report.answer(.whoami(try Sample.who(), room: "lobby", profile: .init()))
        #expect(session.complete(1, [RoomReport(.lobby, answer)]) == [.greet(since: 7)])
        #expect(session.greeting(isRecovered: true) == "0{\"sid\":\"before\",\"pid\":\"secret\"}")
        // A room of the same name that is another one, as after a wipe, has nothing to come back to.
        var other = SocketIOSession(token, id: "x", room: nil)
        _ = other.begin(earlier)
        #expect(other.complete(1, [RoomReport(RoomLabel(number: 2, name: "lobby"), answer)]) == [.greet(since: nil)])
    }

    @Test func `a rename and a departure leave no ghost among those that type`() throws {
        let session = try connected()
        var model = ChatModel()
        let (before, after) = (try Sample.who("otter"), try Sample.who("seal"))
        func typing(_ event: NodeEvent) -> String {
            let moment = Moment(instant: Instant(nanoseconds: 0), wallClock: Sample.time)
            _ = model.reduce(.event(event), at: moment)
            let names = model.room(RoomLabel.lobby.number)?.own.typists.map(\.who.displayName) ?? []
            return session.typing(names).map { if case .send(let text, of: _) = $0 { text } else { "" } }.joined()
        }
        #expect(typing(.peer(.here, before, online: 1)) == "2[\"userTypingUpdate\",{}]")
        #expect(typing(.typing(before, .publicRoom, isOn: true)) == "2[\"userTypingUpdate\",{\"otter#4821\":1}]")
        #expect(typing(.peer(.here, after, online: 1)) == "2[\"userTypingUpdate\",{\"seal#4821\":1}]")
        #expect(typing(.typing(after, .publicRoom, isOn: false)) == "2[\"userTypingUpdate\",{}]")
        _ = typing(.typing(after, .publicRoom, isOn: true))
        #expect(typing(.peer(.left, after, online: 0)) == "2[\"userTypingUpdate\",{}]")
    }

    @Test(arguments: [
        ("otter", "otter"), ("quiet-otter#4821", "quiet-otter"), ("seal#4821", "seal"), ("seal#1000", "seal#1000"),
        ("#4821", "#4821"),
    ])
    func `a name is taken as it was sent`(given: String, nickname: String) throws {
        var session = try connected()
        let who = RoomReport(.lobby, .answer(.whoami(try Sample.who(), room: "lobby", profile: .init())))
        #expect(commands(session.receive("2[\"connectUser\",\"\(given)\"]")) == [.whoami])
        let isSame = nickname == "quiet-otter"
        #expect(commands(session.complete(2, [who])) == [isSame ? .who(all: true) : .rename(nickname)])
    }
}

/// The events that a client can come back for.
@Suite struct SocketIOEventsTests {
    private func said(_ text: String, _ byte: UInt8 = 0x0c) throws -> MessageView {
        let said = try Sample.said(text, by: try Sample.who())
        return MessageView(
            conversation: said.conversation, id: try Sample.message(byte), from: said.from, text: text,
            sentAt: said.sentAt,
            receivedAt: said.receivedAt, placeTime: said.placeTime, authorClock: said.authorClock,
            isFromCurrentUser: false, isHistory: false, isEdited: false, unread: 0)
    }

    @Test func `each event ends with its offset, and those behind an offset are missed ones`() throws {
        var events = SocketIOEvents()
        let who = try Sample.who()
        #expect(events.append(.event(.message(try said("hi")))) == 1)
        #expect(events.append(.event(.peer(.here, who, online: 1))) == 2)
        #expect(events.append(RoomReport(RoomLabel(number: 2, name: "b"), .event(.peer(.left, who, online: 0)))) == 3)
        #expect(events.append(.event(.typing(who, .publicRoom, isOn: true))) == nil)
        #expect(events.packet(at: 1, user: "me")?.text.hasSuffix(",\"1\"]") == true)
        #expect(
            events.packet(at: 1, user: "me")?.text.hasPrefix("2[\"newChatMessage\",\"quiet-otter#4821\",\"hi\",")
                == true)
        #expect(events.packet(at: 2, user: "me")?.text.hasSuffix("\"isConnected\":true},\"2\"]") == true)
        #expect(events.packet(at: 3, user: "me")?.text == "2[\"userExitUpdate\",\"quiet-otter#4821\",\"3\"]")
        #expect(events.missed(since: 0, in: .lobby) == [1, 2])
        #expect(events.missed(since: 2, in: .lobby) == [])
        #expect(events.missed(since: 4, in: .lobby) == nil)
        #expect(events.missed(since: -1, in: .lobby) == nil)
        events.removeAll()
        #expect(events.missed(since: 2, in: .lobby) == nil)
        #expect(events.missed(since: 3, in: .lobby) == [])
    }

    @Test func `an edited message is there as it is now, and a deleted, left or wiped one is gone`() throws {
        var events = SocketIOEvents()
        _ = events.append(.event(.message(try said("frist", 1))))
        _ = events.append(.event(.message(try said("SECRET", 2))))
        events.change(try said("first", 1), in: .lobby)
        #expect(events.packet(at: 1, user: "me")?.text.contains("\"first\"") == true)
        events.erase(try #require(Erasure(behind: .event(.deleted(try said("", 2))))))
        #expect(events.packet(at: 2, user: "me") == nil)
        #expect(events.missed(since: 0, in: .lobby) == [1])
        events.erase(try #require(Erasure(behind: .event(.stopped(.asked)))))
        #expect(events.packet(at: 1, user: "me") == nil)
        #expect(!String(describing: events).contains("first"))
        let author = try said("BLOCKED", 3)
        let appended = events.append(.event(.message(author)))
        let offset = try #require(appended)
        events.erase(try #require(Erasure(behind: .event(.blocked(author.from, isOn: true)))))
        #expect(events.packet(at: offset, user: "me") == nil)
        #expect(Erasure(behind: .event(.blocked(author.from, isOn: false))) == nil)
    }

    @Test func `1,024 events are kept, and an offset of before is not recovered`() throws {
        var events = SocketIOEvents()
        for number in 1...3_000 {
            let offset = events.append(.event(.message(try said("hi", 1))))
            #expect(offset == number)
        }
        #expect(events.missed(since: 1_500, in: .lobby) == nil)
        let kept = try #require(events.missed(since: 2_900, in: .lobby))
        #expect(kept == Array(2_901...3_000))
        #expect(events.packet(at: 2_950, user: "me") != nil && events.packet(at: 1, user: "me") == nil)
    }

    @Test func `a client may come back once and for two minutes, and not to a room that was left`() throws {
        var table = EngineTable()
        let (token, start) = (WebToken(), Instant(nanoseconds: 0))
        func lose() throws -> String {
            let session = EngineSession(WebToken().text, token, room: nil, at: start)
            _ = session.session.begin(nil)
            let who = Report.answer(.whoami(try Sample.who(), room: "lobby", profile: .init()))
            _ = session.session.complete(1, [RoomReport(.lobby, who)])
            table.add(session)
            table.end(session, at: start)
            #expect(table[session.id] == nil && table.any(session.id) == nil)
            return session.session.pid
        }
        let first = try lose()
        #expect(table.takeLost("other", offset: 0, at: start) == nil)
        #expect(table.takeLost(first, offset: 5, at: start + .seconds(119))?.offset == 5)
        #expect(table.takeLost(first, offset: 5, at: start) == nil)
        #expect(table.takeLost(try lose(), offset: 0, at: start + .seconds(120)) == nil)
        let third = try lose()
        _ = table.take(.event(.stopped(.asked)), at: start)
        #expect(table.takeLost(third, offset: 0, at: start) == nil)
        let many = try (0..<65).map { _ in try lose() }
        #expect(table.takeLost(many[0], offset: 0, at: start) == nil)
        #expect(table.takeLost(many[64], offset: 0, at: start) != nil)
    }

    @Test func `nothing is kept without a client that could come back for it`() throws {
        var table = EngineTable()
        #expect(table.take(.event(.message(try said("SECRET"))), at: Instant(nanoseconds: 0)) == nil)
        #expect(!String(describing: table.events).contains("SECRET"))
    }
}
