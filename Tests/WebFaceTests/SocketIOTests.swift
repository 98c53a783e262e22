import Hub
import Model
import Phrases
import Rendering
import TestSupport
import Testing
import Wire

@testable import Chat
@testable import ChatNode
@testable import Commands
@testable import Hub
@testable import WebFace

@Suite struct SocketIOTests {
    private let token = WebToken()
    @Test func `packets are read`() {
        #expect(SocketIOPacket("0") == .connect(nil))
        #expect(SocketIOPacket("0\u{301}{\"token\":\"x\"}") == .connect(nil))
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

    private let start = Instant(nanoseconds: 0)

    private func session(_ room: String? = nil) -> SocketIOSession {
        SocketIOSession(token, engineID: "e", isPolling: true, room: room, at: start)
    }

    /// The greeting of a client with the token: further members of `auth` behind a comma.
    private func greeting(_ further: String = "") -> [UInt8] { Array("40{\"token\":\"\(token.text)\"\(further)}".utf8) }

    private func me(_ room: RoomLabel = .lobby) throws -> RoomReport {
        RoomReport(room, .answer(.whoami(try Sample.who(), room: room.name, profile: .init())))
    }

    private func texts(_ effects: [ClientEffect]) -> [String] {
        effects.compactMap {
            if case .send(let bytes, of: _) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil }
        }
    }

    private func commands(_ effects: [ClientEffect]) -> [Command] {
        effects.compactMap { if case .perform(_, let command, in: _) = $0 { command } else { nil } }
    }

    @Test func `without the token nothing is performed and nothing is sent`() throws {
        for first in [
            "0", "0{}", "0{\"token\":\"\"}", "2[\"chatMessage\",\"a\",\"b\"]", "0{\"token\":\"\(token.text)0\"}",
        ] {
            var session = session()
            let effects = session.receive(Array("4\(first)".utf8), at: start)
            #expect(effects.last == .close)
            #expect(effects.contains(.refused) == first.hasPrefix("0"))
            #expect(commands(effects).isEmpty)
            #expect(session.isOver && !session.hasShownToken && session.room == nil && session.place == nil)
            #expect(session.receive(greeting(), at: start).isEmpty)
        }
    }

    /// A session in the lobby, of a client that has shown the token.
    private func connected() throws -> SocketIOSession {
        var session = session()
        _ = session.receive(greeting(), at: start)
        _ = session.complete(1, [try me()], at: start)
        return session
    }

    @Test func `events take effect one after the other, and 1,024 may wait`() throws {
        var session = try connected()
        let event = { (number: Int) in Array("42\(number)[\"chatMessage\",\"a\",\"\(number)\"]".utf8) }
        #expect(commands(session.receive(event(0), at: start)) == [.sayToRoom("0")])
        for number in 1...1_024 { #expect(session.receive(event(number), at: start).isEmpty) }
        let busy = ClientEffect.sendNumbered(
            Array("42[\"refused\",\"1024 events wait\",\"busy\",\"".utf8), Array("\"]".utf8))
        #expect(session.receive(event(1_025), at: start) == [busy])
        for number in 0..<1_024 {
            let effects = session.complete(number + 2, [], at: start)
            #expect(texts(effects) == ["43\(number)[]"])
            #expect(commands(effects) == [.sayToRoom("\(number + 1)")])
        }
    }

    @Test func `a card is put up, and one without its texts is refused`() throws {
        var session = try connected()
        let card = Array(#"421["chatCard","me","lost","a hat","red"]"#.utf8)
        #expect(commands(session.receive(card, at: start)) == [.card(title: "lost", text: "a hat", color: "red")])
        #expect(texts(session.complete(2, [], at: start)) == ["431[]"])
        let plain = Array(#"42["chatCard","me","lost","a hat"]"#.utf8)
        #expect(commands(session.receive(plain, at: start)) == [.card(title: "lost", text: "a hat")])
        let refusal = RoomReport(.lobby, .error(ChatError(.invalidCard, .badCardColor, "card", "red")))
        guard case .sendNumbered(let front, _)? = session.complete(3, [refusal], at: start).first else {
            Issue.record("no refusal")
            return
        }
        #expect(String(decoding: front, as: UTF8.self).contains(#""invalid_card","#))
        let none = Array(#"42["chatCard","me","lost","a hat",null]"#.utf8)
        #expect(commands(session.receive(none, at: start)) == [.card(title: "lost", text: "a hat")])
        _ = session.complete(4, [], at: start)
        for text in [
            #"["chatCard","me","lost"]"#, #"["chatCard","me",7,"a hat"]"#, #"["chatCard","me","lost","a hat",3]"#,
            #"["chatCard","me","lost","a hat",["red"]]"#,
        ] {
            let effects = session.receive(Array("42\(text)".utf8), at: start)
            #expect(commands(effects).isEmpty && effects.count == 1)
        }
    }

    @Test func `the end waits for what came before it`() throws {
        for end in ["41", "427[\"exitUser\",\"a\"]"] {
            var session = try connected()
            _ = session.receive(Array("421[\"chatMessage\",\"a\",\"b\"]".utf8), at: start)
            #expect(session.receive(Array(end.utf8), at: start).isEmpty)
            let effects = session.complete(2, [], at: start)
            #expect(texts(effects).first == "431[]" && effects.last == .close)
            #expect(session.isOver && session.place == nil)
        }
    }

    @Test func `a client that is gone has what it asked for done, and may come back`() throws {
        var session = try connected()
        for text in ["a", "b"] { _ = session.receive(Array("42[\"chatMessage\",\"x\",\"\(text)\"]".utf8), at: start) }
        #expect(session.lose(at: start).isEmpty)
        #expect(!session.isOver && session.place != nil)
        #expect(session.receive(Array("42[\"chatMessage\",\"x\",\"late\"]".utf8), at: start).isEmpty)
        #expect(commands(session.complete(2, [], at: start)) == [.sayToRoom("b")])
        #expect(commands(session.complete(3, [], at: start)).isEmpty)
        #expect(session.isOver)
        var left = try connected()
        for text in ["a", "b"] { _ = left.receive(Array("42[\"chatMessage\",\"x\",\"\(text)\"]".utf8), at: start) }
        // The node leaves.
        #expect(left.complete(2, nil, at: start) == [.close])
        #expect(left.isOver)
    }

    @Test func `a session is in the room that confirmed it`() throws {
        var session = session("kitchen")
        #expect(
            texts(session.begin(at: start)).first?.hasPrefix(
                "0{\"sid\":\"e\",\"upgrades\":[\"websocket\"],\"pingInterval\":25000,") == true)
        #expect(session.receive(greeting(), at: start) == [.perform(number: 1, .whoami, in: .named("kitchen"))])
        #expect(session.room == nil && session.hasShownToken && session.place == nil)
        #expect(session.complete(1, [try me(.kitchen)], at: start) == [.follow(behind: nil)])
        #expect(
            texts(session.follow(behind: 3, isResumed: false, at: start)).first?.hasPrefix(
                "40{\"sid\":\"\(session.id)\",\"pid\":\"") == true)
        #expect(session.room == .kitchen && session.place != nil)
        var refused = self.session("kitchen")
        _ = refused.receive(greeting(), at: start)
        let effects = refused.complete(
            1, [RoomReport(.lobby, .error(ChatError(.unknownRoom, .unknownRoom, "kitchen")))], at: start)
        #expect(texts(effects).first?.hasPrefix("44{\"message\":") == true && effects.last == .close && refused.isOver)
    }

    @Test func `a client comes back by its pid to its room, id and offset`() throws {
        let earlier = try connected()
        let place = try #require(earlier.place)
        let back = greeting(",\"pid\":\"\(place)\",\"offset\":\"7\"")
        var session = session("kitchen")
        #expect(session.receive(back, at: start) == [.takePlace(of: place)])
        #expect(session.takePlace(of: earlier, at: start) == [.perform(number: 1, .whoami, in: .named("lobby"))])
        #expect(session.complete(1, [try me()], at: start) == [.follow(behind: 7)])
        #expect(
            texts(session.follow(behind: 7, isResumed: true, at: start)) == [
                "40{\"sid\":\"\(earlier.id)\",\"pid\":\"\(place)\"}"
            ])
        #expect(session.place == place)
        // A room of the same name that is another one, as after a wipe, has nothing to come back to.
        var other = self.session()
        _ = other.receive(back, at: start)
        _ = other.takePlace(of: earlier, at: start)
        #expect(other.complete(1, [try me(RoomLabel(number: 2, name: "lobby"))], at: start) == [.follow(behind: nil)])
        _ = other.follow(behind: 3, isResumed: false, at: start)
        #expect(other.place != place)
        // Without a session of that secret the client is in the room that it asks for.
        var unknown = self.session("kitchen")
        _ = unknown.receive(back, at: start)
        #expect(unknown.takePlace(of: nil, at: start) == [.perform(number: 1, .whoami, in: .named("kitchen"))])
    }

    @Test func `a client that has had no event comes back to the event behind which it began`() throws {
        var earlier = try connected()
        _ = earlier.follow(behind: 4, isResumed: false, at: start)
        let place = try #require(earlier.place)
        var session = session()
        #expect(session.receive(greeting(",\"pid\":\"\(place)\""), at: start) == [.takePlace(of: place)])
        _ = session.takePlace(of: earlier, at: start)
        #expect(session.complete(1, [try me()], at: start) == [.follow(behind: 4)])
        // An offset that is no number names no place.
        var other = self.session("lobby")
        let wrong = greeting(",\"pid\":\"\(place)\",\"offset\":\"x\"")
        #expect(other.receive(wrong, at: start) == [.perform(number: 1, .whoami, in: .named("lobby"))])
    }

    @Test func `pings go out, silence ends a session, and a stranger puts nothing off`() throws {
        var stranger = session()
        _ = stranger.receive(Array("3".utf8), at: start + .seconds(15))
        #expect(stranger.deadline == start + .seconds(20))
        #expect(stranger.tick(at: start + .seconds(20)) == [.close])
        #expect(stranger.isOver && stranger.deadline == nil)
        var session = try connected()
        // A client need say nothing before the first ping.
        #expect(session.deadline == start + .seconds(25))
        #expect(texts(session.tick(at: start + .seconds(25))) == ["2"])
        #expect(session.deadline == start + .seconds(45))
        _ = session.receive(Array("3".utf8), at: start + .seconds(30))
        #expect(session.deadline == start + .seconds(50))
        #expect(texts(session.tick(at: start + .seconds(50))) == ["2"])
        #expect(session.deadline == start + .seconds(75))
        #expect(session.tick(at: start + .seconds(75)) == [.close])
        #expect(session.place != nil)
        for end in ["1", "x", "", "4", "451-x"] {
            var session = try connected()
            #expect(session.receive(Array(end.utf8), at: start) == [.close])
            #expect(session.isOver && session.place != nil)
        }
    }

    @Test func `a rename and a departure leave no ghost among those that type`() throws {
        var model = ChatModel()
        let (before, after) = (try Sample.who("otter"), try Sample.who("seal"))
        func typing(_ event: NodeEvent) -> String {
            let moment = Moment(instant: Instant(nanoseconds: 0), wallClock: Sample.time)
            _ = model.reduce(.event(event), at: moment)
            let names = model.room(RoomLabel.lobby.number)?.own.typists.map(\.displayName) ?? []
            return String(decoding: SocketIOSession.typing(names), as: UTF8.self)
        }
        #expect(typing(.peer(.here, before, online: 1)) == "42[\"userTypingUpdate\",{}]")
        #expect(typing(.typing(before, .publicRoom, isOn: true)) == "42[\"userTypingUpdate\",{\"otter#4821\":1}]")
        #expect(typing(.peer(.here, after, online: 1)) == "42[\"userTypingUpdate\",{\"seal#4821\":1}]")
        #expect(typing(.typing(after, .publicRoom, isOn: false)) == "42[\"userTypingUpdate\",{}]")
        _ = typing(.typing(after, .publicRoom, isOn: true))
        #expect(typing(.peer(.left, after, online: 0)) == "42[\"userTypingUpdate\",{}]")
    }

    @Test(arguments: [
        ("otter", "otter"), ("quiet-otter#4821", "quiet-otter"), ("seal#4821", "seal"), ("seal#1000", "seal#1000"),
        ("#4821", "#4821"),
    ])
    func `a name is taken as it was sent`(given: String, nickname: String) throws {
        var session = try connected()
        #expect(commands(session.receive(Array("42[\"connectUser\",\"\(given)\"]".utf8), at: start)) == [.whoami])
        let isSame = nickname == "quiet-otter"
        #expect(commands(session.complete(2, [try me()], at: start)) == [isSame ? .who(all: true) : .rename(nickname)])
    }

    @Test func `the list of users has the user by the name of then`() throws {
        var session = try connected()
        _ = session.receive(Array("42[\"connectUser\",\"seal\"]".utf8), at: start)
        _ = session.complete(2, [try me()], at: start)
        let renamed = RoomReport(.lobby, .answer(.done(command: "nick", try Sample.who("seal"))))
        #expect(commands(session.complete(3, [renamed], at: start)) == [.who(all: true)])
        let list = RoomReport(.lobby, .answer(.peers([], isWhole: true)))
        #expect(
            texts(session.complete(4, [list], at: start))
                == ["42[\"userList\",[{\"id\":\"\(session.id)\",\"nickname\":\"seal#4821\",\"isConnected\":true}]]"])
    }
}

/// Sessions as clients of the hub: events of its log, and what a client that comes back gets of them.
@Suite struct SocketIORecoveryTests {
    private let token = WebToken()
    private let now = Instant(nanoseconds: 0)

    private func hub() -> EventHub {
        EventHub(HubInlet(), patience: .seconds(30), log: EventLog(run: "0123abcd", line: WebJSON.line(of:before:_:)))
    }

    private func said(_ text: String, _ byte: UInt8 = 0x0c) throws -> MessageView {
        try Sample.said(text, by: try Sample.who(), id: byte)
    }

    private func tell(_ hub: inout EventHub, _ events: NodeEvent..., in room: RoomLabel = .lobby) {
        let moment = Moment(instant: now, wallClock: Sample.time)
        hub.tell(events.map { RoomReport(room, .event($0)) }, at: moment) { _ in true }
    }

    /// A client in the room of a label, and its greeting.
    private func connect(
        _ hub: inout EventHub, in room: RoomLabel = .lobby, _ further: String = "", at now: Instant? = nil
    ) throws -> (client: Int, greeting: JSONValue) {
        let now = now ?? self.now
        let session = SocketIOSession(token, engineID: "e", isPolling: false, room: nil, at: now)
        let client = hub.arrive(session, isRoaming: true, at: now)
        _ = next(&hub, client)
        hub.receive(Array("40{\"token\":\"\(token.text)\"\(further)}".utf8), from: client, at: now)
        let who = Report.answer(.whoami(try Sample.who(), room: room.name, profile: .init()))
        for request in hub.takeRequests() { hub.complete(request, [RoomReport(room, who)], at: now) }
        let greeting = try #require(next(&hub, client))
        return (client, try JSONValue(parsing: Array(greeting.utf8.dropFirst(2))))
    }

    private func next(_ hub: inout EventHub, _ client: Int) -> String? {
        hub.takeMessage(for: client).map { String(decoding: $0, as: UTF8.self) }
    }

    private func all(_ hub: inout EventHub, _ client: Int) -> [String] {
        var packets: [String] = []
        while let packet = next(&hub, client) { packets.append(packet) }
        return packets
    }

    /// The members of `auth` of a client that comes back.
    private func place(_ greeting: JSONValue, _ offset: Int) throws -> String {
        ",\"pid\":\"\(try #require(greeting["pid"]?.string))\",\"offset\":\"\(offset)\""
    }

    @Test func `each event of the room ends with its offset`() throws {
        var hub = hub()
        let who = try Sample.who()
        tell(&hub, .message(try said("before")))
        let (client, _) = try connect(&hub)
        tell(&hub, .message(try said("hi")), .typing(who, .publicRoom, isOn: true), .peer(.here, who, online: 1))
        tell(&hub, .peer(.here, who, online: 1), in: RoomLabel(number: 2, name: "kitchen"))
        let direct = try Sample.said("for one alone", by: who, in: .direct(with: who))
        tell(&hub, .message(direct), .elsewhere(.left, who), .renamed(try Sample.who("seal"), was: who))
        var packets = all(&hub, client)
        // A mark or a name that the user gave; a row of the server says the same again.
        tell(&hub, .person(try Sample.row()))
        hub.publish(EventTopic(.lobby), at: now) { _ in
            Array("{\"event\":\"person\",\"who\":{\"displayName\":\"x\"}}".utf8)
        }
        #expect(all(&hub, client).map { $0.hasSuffix("\"isConnected\":true},\"9\"]") } == [true])
        // The user has the id of the list.
        let user = try #require((hub.session(of: client) as? SocketIOSession)?.id)
        #expect(
            packets.popLast()
                == "42[\"userConnectUpdate\",{\"id\":\"\(user)\",\"nickname\":\"seal#4821\",\"isConnected\":true},\"8\"]"
        )
        #expect(packets.count == 3)
        #expect(packets[0].hasPrefix("42[\"newChatMessage\",\"quiet-otter#4821\",\"hi\",\"\(Sample.timeText)\","))
        #expect(packets[0].hasSuffix(",\"2\"]") && packets[1].hasSuffix("\"isConnected\":true},\"4\"]"))
        #expect(packets[2] == "42[\"userExitUpdate\",\"quiet-otter#4821\",\"7\"]")
        // A refusal has the offset up to which the client has all events, and comes behind them.
        tell(&hub, .message(try said("more")))
        hub.receive(Array("42[\"dance\"]".utf8), from: client, at: now)
        tell(&hub, .message(try said("and more")))
        let rest = all(&hub, client)
        #expect(rest.count == 3 && rest[1] == "42[\"refused\",\"there is no event dance\",\"bad_event\",\"11\"]")
    }

    @Test func `a client that comes back gets what it missed as it is now, once`() throws {
        var hub = hub()
        let (first, greeting) = try connect(&hub)
        tell(&hub, .message(try said("had", 1)))
        #expect(all(&hub, first).count == 1)
        hub.end(first, .gone, at: now)
        tell(&hub, .message(try said("frist", 2)), .message(try said("SECRET", 3)))
        hub.change(EventTopic(try said("first", 2), in: .lobby), to: try said("first", 2), in: .lobby)
        hub.erase(.message(ConversationID(.lobby, .publicRoom), try Sample.message(3)), in: .lobby, at: now)
        let (second, again) = try connect(&hub, try place(greeting, 1))
        #expect(again == greeting)
        let missed = all(&hub, second)
        #expect(missed[0].contains("\"first\"") && missed[0].hasSuffix(",\"2\"]"))
        // It may have had the message that is gone.
        #expect(missed.dropFirst() == ["42[\"chatMessageRemoved\",\"3\",\"4\"]"])
        // Its connection of before need not be known to be gone.
        let (third, last) = try connect(&hub, try place(greeting, 4))
        #expect(last == greeting && hub.standing(of: second) == nil && all(&hub, third).isEmpty)
        hub.receive(Array("41".utf8), from: third, at: now)
        hub.end(third, .gone, at: now)
        // It has ended the session itself.
        #expect(try connect(&hub, try place(greeting, 4)).greeting != greeting)
    }

    @Test func `messages of a blocked peer and of a wiped room go, and the session hears the next room of its name`()
        throws
    {
        var hub = hub()
        let overview = RoomOverview(
            .lobby, isOpen: true, me: try Sample.who("me", byte: 1), online: 0, conversations: [], requests: [])
        hub.take([RoomSnapshot(overview, ready: nil, status: OwnStatus(), peers: [], histories: [])])
        let (client, _) = try connect(&hub)
        let fox = try Sample.who("fox", byte: 2)
        let (mine, theirs) = (try said("mine", 1), try Sample.said("theirs", by: fox, id: 2))
        tell(&hub, .message(mine), .message(theirs), .blocked(fox, isOn: true))
        #expect(all(&hub, client).last == "42[\"chatMessageRemoved\",\"2\",\"3\"]")
        let row = ConversationSummary(conversation: .publicRoom, isActive: true, unread: 0, last: nil)
        let back = RoomOverview(
            .lobby, isOpen: true, me: try Sample.who("me", byte: 1), online: 0, conversations: [row], requests: [])
        let histories: [(ConversationView, [MessageView])] = [(.publicRoom, [mine, theirs])]
        let snapshot = RoomSnapshot(back, ready: nil, status: OwnStatus(), peers: [], histories: histories)
        hub.tell([RoomReport(.lobby, .snapshot(snapshot))], at: Moment(instant: now, wallClock: Sample.time))
        let again = all(&hub, client)
        #expect(again.count == 1 && again[0].contains("theirs"))
        // A direct message never came to the session, and nothing tells it that one is gone.
        tell(&hub, .message(try Sample.said("direct", by: fox, in: .direct(with: fox), id: 5)))
        tell(&hub, .stopped(.asked))
        let ended = all(&hub, client)
        #expect(ended.count { $0.contains("chatMessageRemoved") } == 2)
        #expect(ended.last?.hasPrefix("42[\"userList\",[],\"") == true)
        let next = RoomLabel(number: 2, name: "lobby")
        tell(&hub, .ready(me: try Sample.who("me too"), port: 1, room: "lobby", discovery: .none), in: next)
        #expect(all(&hub, client).first?.contains("\"nickname\":\"me too#4821\"") == true)
        tell(&hub, .message(try said("behind", 4)), in: next)
        #expect(all(&hub, client).last?.contains("behind") == true)
    }

    @Test func `cards and reactions have events of their own, and go by the number that they came with`() throws {
        var hub = hub()
        let overview = RoomOverview(
            .lobby, isOpen: true, me: try Sample.who("me", byte: 1), online: 0, conversations: [], requests: [])
        hub.take([RoomSnapshot(overview, ready: nil, status: OwnStatus(), peers: [], histories: [])])
        let (client, _) = try connect(&hub)
        let who = try Sample.who()
        let (message, card) = (try said("hi", 1), try Sample.card("a\u{202e}b", "a hat", .red, by: who))
        tell(&hub, .message(message), .reacted(try Sample.reaction(by: who, to: message)), .card(card))
        let direct = try Sample.said("for one alone", by: who, in: .direct(with: who), id: 5)
        tell(&hub, .message(direct), .reacted(try Sample.reaction(by: who, to: direct)))
        // A message that is not known any more has no number.
        tell(&hub, .reacted(try Sample.reaction(by: who, to: try said("old", 6))))
        #expect(
            all(&hub, client).dropFirst() == [
                #"42["chatMessageReactions","1",{"👍":1},"2"]"#,
                "42[\"newChatCard\",\"quiet-otter#4821\",\"a\u{fffd}b\",\"a hat\",\"red\",\"\(Sample.timeText)\",\"3\"]",
            ])
        tell(&hub, .cardRemoved(card, .removed))
        #expect(all(&hub, client) == [#"42["chatCardRemoved","3","7"]"#])
        tell(&hub, .card(try Sample.card(by: who, id: 8)), .stopped(.asked))
        let ended = all(&hub, client)
        #expect(ended.contains { $0.hasPrefix(#"42["chatCardRemoved","9","#) })
        #expect(!ended.contains { $0.contains("a hat") })
    }

    @Test func `an offset that is not known, another room and lost events recover nothing`() throws {
        for offset in [-1, 999] {
            var hub = hub()
            let (client, greeting) = try connect(&hub)
            hub.end(client, .gone, at: now)
            #expect(try connect(&hub, try place(greeting, offset)).greeting != greeting)
        }
        var hub = hub()
        let (client, greeting) = try connect(&hub)
        hub.end(client, .gone, at: now)
        #expect(try connect(&hub, in: RoomLabel(number: 2, name: "lobby"), try place(greeting, 0)).greeting != greeting)
        let (other, second) = try connect(&hub)
        hub.loseEvents(at: now)
        #expect(hub.standing(of: other) == nil)
        #expect(try connect(&hub, try place(second, 0)).greeting != second)
        let (late, third) = try connect(&hub)
        hub.end(late, .gone, at: now)
        for _ in 0...EventLog.capacity { tell(&hub, .message(try said("hi"))) }
        #expect(try connect(&hub, try place(third, 1)).greeting != third)
    }

    @Test func `a client may come back for two minutes, and 64 may`() throws {
        var hub = hub()
        func lose() throws -> JSONValue {
            let (client, greeting) = try connect(&hub)
            hub.end(client, .gone, at: now)
            return greeting
        }
        let (first, second) = (try lose(), try lose())
        let isBack = try connect(&hub, try place(first, 0), at: now + .seconds(119)).greeting == first
        let isLate = try connect(&hub, try place(second, 0), at: now + .seconds(120)).greeting != second
        #expect(isBack && isLate)
        let many = try (0..<65).map { _ in try lose() }
        #expect(try connect(&hub, try place(many[0], 0)).greeting != many[0])
        #expect(try connect(&hub, try place(many[64], 0)).greeting == many[64])
    }

    @Test func `one more than there is room for gets the reason`() throws {
        var hub = EventHub(HubInlet(), patience: .seconds(30), mostHolders: 1)
        _ = try connect(&hub)
        let session = SocketIOSession(token, engineID: "e", isPolling: false, room: nil, at: now)
        let client = hub.arrive(session, isRoaming: true, at: now)
        hub.receive(Array("40{\"token\":\"\(token.text)\"}".utf8), from: client, at: now)
        #expect(all(&hub, client).last == "44{\"message\":\"64 clients are the most\"}")
        #expect(hub.standing(of: client) == .closing(isInputOver: false))
    }
}
