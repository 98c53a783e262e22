import ChatNode
import Model
import TestSupport
import Testing
import Wire

@testable import Chat
@testable import Commands
@testable import Hub

/// A client of `EventHubTests`: it shows the token by `token`, asks by any other text, and gets each message as bytes.
private struct PlainSession: ClientSession {
    var hasShownToken = false
    var deadline: Instant?
    var isOver = false
    private(set) var asked = 0
    private(set) var heard = 0
    /// How often the hub said that all is taken.
    private(set) var drained = 0

    init(_ isHolder: Bool = false, deadline: Instant? = nil) { (hasShownToken, self.deadline) = (isHolder, deadline) }

    mutating func receive(_ input: [UInt8], at now: Instant) -> [ClientEffect] {
        switch String(decoding: input, as: UTF8.self) {
        case "token":
            hasShownToken = true
            return [.send([0x74], of: nil)]
        case "close":
            (isOver, hasShownToken) = (true, false)
            return [.send([0x63], of: nil), .close]
        case _:
            asked += 1
            return [.perform(number: asked, .whoami, in: .open)]
        }
    }

    mutating func end(at now: Instant) -> [ClientEffect] {
        isOver = asked == 0
        return []
    }

    mutating func complete(_ number: Int, _ reports: [RoomReport]?, at now: Instant) -> [ClientEffect] {
        isOver = true
        return [.send([UInt8](repeating: 0x61, count: EventHub.mostWaiting + 1), of: nil), .send([0x62], of: nil)]
    }

    mutating func written(at now: Instant) -> [ClientEffect] {
        drained += 1
        return []
    }

    mutating func hear(_ event: HubEvent, at now: Instant) -> [ClientEffect] {
        heard += 1
        guard case .event(.message(let message)) = event.report.report else { return [] }
        return [.send(Array(message.text.utf8), of: EventTopic(event.report))]
    }

    mutating func tick(at now: Instant) -> [ClientEffect] {
        deadline = nil
        return [.send(Array("late".utf8), of: nil), .close]
    }
}

/// A snapshot of the texts of messages, one in each part.
private struct TextSnapshot: HubSnapshot {
    var messages: [MessageView]

    mutating func next() -> [UInt8]? { messages.isEmpty ? nil : Array(messages.removeFirst().text.utf8) }

    mutating func erase(_ erasure: Erasure) {
        messages.removeAll { erasure.takes(EventTopic($0, in: .lobby)) }
    }

    mutating func change(_ topic: EventTopic, to text: String) {
        for index in messages.indices where messages[index].id == topic.message { messages[index].text = text }
    }
}

/// The clients of a server: bounded queues, letting go, resuming, forgetting and the quota, each as a value.
@Suite struct EventHubTests {
    private let inlet = HubInlet()
    private let now = Instant(nanoseconds: 0)
    private var moment: Moment { Moment(instant: now, wallClock: Sample.time) }
    private static let patience = Duration.seconds(10)

    private func hub(mostHolders: Int = 64) -> EventHub {
        let log = EventLog(run: "0123abcd") { report, _, _ in
            guard case .event(.message(let message)) = report.report else { return nil }
            return Array("{\"event\":\"message\"\(message.text)".utf8)
        }
        return EventHub(inlet, patience: Self.patience, mostHolders: mostHolders, log: log)
    }

    private func message(_ number: Int, _ text: String? = nil, by byte: UInt8 = 0xab) throws -> MessageView {
        MessageView(
            conversation: .publicRoom, id: MessageID(1, UInt64(number)), from: try Sample.who(byte: byte),
            text: text ?? "message \(number)", sentAt: Sample.time, receivedAt: Sample.time, placeTime: Sample.time,
            authorClock: AuthorClock(epoch: 1, sequence: UInt64(number)), isFromCurrentUser: false, isHistory: false,
            isEdited: false, unread: 0)
    }

    private func said(_ number: Int, _ text: String? = nil, by byte: UInt8 = 0xab) throws -> RoomReport {
        .event(.message(try message(number, text, by: byte)))
    }

    private func ends(_ hub: inout EventHub) -> [EventHub.Change] {
        hub.takeChanges().filter { if case .ended = $0 { true } else { false } }
    }

    private func text(_ hub: borrowing EventHub, _ client: Int) -> String {
        String(decoding: hub.bytes(for: client, upTo: 65_536), as: UTF8.self)
    }

    @Test func `waiting output is bounded, and a client that does not read is let go while others get all`() throws {
        var hub = hub()
        let (slow, quick) = (hub.arrive(PlainSession(true), at: now), hub.arrive(PlainSession(true), at: now))
        let text = String(repeating: "x", count: 65_536)
        var taken = 0
        for number in 0..<100 {
            hub.tell([try said(number, text)], at: moment)
            let bytes = hub.bytes(for: quick, upTo: 1 << 20)
            taken += bytes.count
            hub.written(bytes.count, to: quick, at: now)
            #expect(hub.bytes(for: slow, upTo: .max).count <= EventHub.mostWaiting)
        }
        #expect(ends(&hub) == [.ended(slow, .tooSlow)])
        #expect(hub.standing(of: slow) == nil)
        #expect(hub.session(of: slow) == nil, "nothing follows from it")
        #expect(hub.bytes(for: slow, upTo: .max).isEmpty)
        #expect(taken == 100 * text.utf8.count)
        #expect(hub.standing(of: quick) == .open(isReading: true, isWriting: false))
        #expect(inlet.counters(clients: .stompClients, drops: .stompDropped).map(\.value) == [1, 1])
    }

    @Test func `every byte is sent in order, however few are taken at a time`() throws {
        var hub = hub()
        let client = hub.arrive(PlainSession(true), at: now)
        var (told, taken): ([UInt8], [UInt8]) = ([], [])
        for round in 0..<400 {
            let piece = String(repeating: "\(round % 10)", count: round % 37)
            told += Array(piece.utf8)
            hub.tell([try said(round, piece)], at: moment)
            let bytes = hub.bytes(for: client, upTo: 64).prefix(round % 23)
            taken += bytes
            hub.written(bytes.count, to: client, at: now)
        }
        taken += hub.bytes(for: client, upTo: .max)
        #expect(taken == told)
    }

    @Test func `an answer is sent whole if nothing waits, and not behind one that waits`() {
        var hub = hub()
        let client = hub.arrive(PlainSession(true), at: now)
        hub.receive(Array("ask".utf8), from: client, at: now)
        let requests = hub.takeRequests()
        #expect(requests.map(\.number) == [1])
        hub.complete(requests[0], [], at: now)
        #expect(hub.bytes(for: client, upTo: .max).count == EventHub.mostWaiting + 2)
        hub.complete(requests[0], [], at: now)
        #expect(ends(&hub) == [.ended(client, .tooSlow)])
    }

    @Test func `a stream gets what it missed, a cursor outside the log is not known, and a late one is let go`() throws
    {
        var hub = hub()
        for number in 1...5_000 { hub.tell([try said(number)], at: moment) { _ in true } }
        let oldest = 5_000 - EventLog.capacity
        #expect(hub.log.number(of: "0123abcd-\(oldest - 1)") == nil)
        #expect(hub.log.number(of: "0123abcd-5001") == nil)
        #expect(hub.log.number(of: "0123abcd-\(oldest)") == oldest)
        let (back, late) = (hub.arrive(at: now), hub.arrive(at: now))
        hub.follow(back, behind: 4_998, as: .json)
        hub.follow(late, behind: oldest, as: .serverSent)
        for number in 4_999...5_000 {
            #expect(
                hub.takeMessage(for: back).map { String(decoding: $0, as: UTF8.self) }?.hasSuffix("\(number)") == true)
        }
        #expect(hub.takeMessage(for: back) == nil)
        hub.send(Array("own".utf8), to: back, behind: 5_001, at: now)
        #expect(hub.takeMessage(for: back) == Array("own".utf8))
        _ = hub.takeChanges()
        hub.tell([try said(5_001)], at: moment) { _ in true }
        #expect(ends(&hub) == [.ended(late, .tooSlow)])
        #expect(hub.takeMessage(for: back)?.suffix(4) == Array("5001".utf8)[...])
    }

    @Test func `an answer comes behind the events before it and in front of those after`() throws {
        var hub = hub()
        let client = hub.arrive(at: now)
        hub.follow(client, behind: 0, as: .json)
        hub.tell([try said(1)], at: moment) { _ in true }
        hub.send(Array("answer".utf8), to: client, behind: hub.log.last, at: now)
        hub.tell([try said(2)], at: moment) { _ in true }
        let order = (0..<3).map { _ in String(decoding: hub.takeMessage(for: client) ?? [], as: UTF8.self).suffix(6) }
        #expect(order == ["sage 1", "answer", "sage 2"])
    }

    @Test func `a text that is over leaves the log, the output that waits and the snapshots under way`() throws {
        var hub = hub()
        let (waiting, stream, begun) = (
            hub.arrive(PlainSession(true), at: now), hub.arrive(at: now), hub.arrive(PlainSession(true), at: now)
        )
        let messages = try (1...4).map { try message($0, by: $0 == 2 ? 0xcd : 0xab) }
        hub.follow(stream, behind: 0, snapshot: TextSnapshot(messages: messages), as: .json)
        hub.tell(messages.map { .event(.message($0)) }, at: moment) { _ in true }
        // A part of the first message is taken, and can not be taken back.
        hub.written(3, to: begun, at: now)
        hub.erase(.message(ConversationID(.lobby, .publicRoom), messages[0].id), in: .lobby, at: now)
        hub.erase(.author(try Sample.peer(0xcd), in: RoomLabel.lobby.number), in: .lobby, at: now)
        #expect(text(hub, waiting) == "message 3message 4")
        #expect(ends(&hub) == [.ended(begun, .textForgotten)])
        var changed = messages[2]
        (changed.text, changed.isEdited) = ("changed", true)
        hub.change(EventTopic(changed, in: .lobby), to: changed, in: .lobby)
        let got = (0..<5).map { _ in hub.takeMessage(for: stream).map { String(decoding: $0, as: UTF8.self) } }
        #expect(got[..<2] == ["changed", "message 4"])
        #expect(got[2]?.hasSuffix("changed") == true && got[3]?.hasSuffix("message 4") == true && got[4] == nil)
        hub.tell([.event(.stopped(.asked))], at: moment)
        #expect(text(hub, waiting).isEmpty)
        // The last line tells sessions the numbers of messages that are gone.
        #expect(hub.log.next(behind: 0)?.name == "gone")
    }

    @Test func `an answer that waits is taken back with any text in it`() throws {
        let (fox, owl) = (try Sample.who(byte: 0xab), try Sample.who(byte: 0xcd))
        let messages = [try message(1, by: 0xab), try message(2, by: 0xcd)]
        let place = ConversationView.direct(with: owl)
        let away = [fox, owl].map { PeerView(who: $0, state: .away, since: Sample.time, reason: "tea") }
        let overview = RoomOverview(
            .lobby, isOpen: true, me: fox, online: 2,
            conversations: [
                ConversationSummary(conversation: .publicRoom, isActive: true, unread: 0, last: messages[0])
            ], requests: [(owl, "may I?")])
        let invited = InvitedRoom(room: Room(openNamed: "attic"), from: owl)
        let block = Erasure.author(owl.key, in: 1)
        let answers: [(Answer, [Erasure])] = [
            (.history(.publicRoom, messages), [block, .message(ConversationID(.lobby, .publicRoom), messages[1].id)]),
            (.peers(away, isWhole: true), [block]), (Answer("whois", PeerCard(peer: away[1], code: "1")), [block]),
            (.requests([(owl, "may I?")]), [block, .request(ConversationID(.lobby, place))]),
            (.unread([overview]), [block, .message(ConversationID(.lobby, .publicRoom), messages[0].id)]),
            (.rooms(RoomList([overview], announced: [:], invitations: [invited])), [block]),
        ]
        for (answer, erasures) in answers {
            for erasure in erasures {
                var hub = hub()
                let client = hub.arrive(PlainSession(true), at: now)
                let topic = EventTopic(textOf: RoomReport(.lobby, .answer(answer)))
                hub.send(Array("texts ".utf8), to: client, of: topic, at: now)
                hub.send(Array("end".utf8), to: client, at: now)
                let others: [Erasure] = [
                    .author(try Sample.who(byte: 0x01).key, in: 1), .author(owl.key, in: 2),
                    .message(ConversationID(.lobby, .publicRoom), try message(9).id),
                ]
                for other in others { hub.erase(other, in: .lobby, at: now) }
                #expect(text(hub, client) == "texts end", "\(answer.command)")
                hub.erase(erasure, in: .lobby, at: now)
                #expect(text(hub, client) == "end", "\(answer.command) behind \(erasure)")
            }
        }
    }

    @Test func `of a blocked peer the log has its state without the reason, and none of its invitations`() throws {
        let log = EventLog(run: "0123abcd") { report, _, _ in
            guard case .event(let event) = report.report else { return nil }
            return Array("{\"event\":\"\(event)".utf8)
        }
        var hub = EventHub(inlet, patience: Self.patience, log: log)
        let (fox, owl) = (try Sample.who("fox", byte: 2), try Sample.who("owl", byte: 3))
        let events: [NodeEvent] = [
            .peer(.away, fox, reason: "SECRET", online: 1),
            .peer(.here, fox, was: PeerSighting(fox, .away, reason: "SECRET"), online: 1),
            .elsewhere(.away, fox, reason: "SECRET"), .invitation(from: fox, to: Room(openNamed: "SECRET")),
            .peer(.away, owl, reason: "open", online: 2),
        ]
        hub.tell(events.map { RoomReport.event($0) }, at: moment) { _ in true }
        hub.tell([.event(.blocked(fox, isOn: true))], at: moment) { _ in true }
        let client = hub.arrive(at: now)
        hub.follow(client, behind: 0, as: .json)
        let told = (0..<5).map { _ in String(decoding: hub.takeMessage(for: client) ?? [], as: UTF8.self) }
        #expect(!told.joined().contains("SECRET") && !"\(hub.log)".contains("SECRET"))
        #expect(told[0].contains("away") && told[1].contains("here") && told[2].contains("elsewhere"))
        #expect(told[3].contains("open") && told[4].contains("blocked"))
        let rest = hub.takeMessage(for: client)
        #expect(rest == nil)
    }

    @Test func `sessions hear which messages went and came without an event of their own`() throws {
        var hub = hub()
        let overview = RoomOverview(
            .lobby, isOpen: true, me: try Sample.who("me", byte: 1), online: 0,
            conversations: [ConversationSummary(conversation: .publicRoom, isActive: true, unread: 0, last: nil)],
            requests: [])
        let messages = try (1...3).map { try message($0, by: $0 == 2 ? 0xcd : 0xab) }
        let full = RoomSnapshot(
            overview, ready: nil, status: OwnStatus(), peers: [], histories: [(.publicRoom, messages)])
        let none = hub.reduce(.event(.message(messages[0])), at: moment)
        #expect(none.isEmpty, "without a chat nothing changes")
        hub.take([full])
        let block = RoomReport.event(.blocked(try Sample.who(byte: 0xcd), isOn: true))
        let blocked = HubEvent(block, hub.reduce(block, at: moment), number: 1)
        #expect(blocked.goneMessages.map(\.id) == [messages[1].id] && blocked.cameMessages.isEmpty)
        let report = RoomReport(.lobby, .snapshot(full))
        let back = HubEvent(report, hub.reduce(report, at: moment), number: 2)
        #expect(back.cameMessages.map(\.id) == [messages[1].id] && back.goneMessages.isEmpty)
        let end = RoomReport.event(.stopped(.asked))
        let ended = hub.reduce(end, at: moment)
        #expect(HubEvent(end, ended, number: 3).goneMessages.count == 3)
        #expect(HubEvent(end, ended, number: 3).endsRoom && !back.endsRoom)
    }

    @Test func `sessions hear which requests ended and are open again without an event of their own`() throws {
        var hub = hub()
        let fox = try Sample.who("fox", byte: 2)
        func snapshot(_ requests: [(PeerName, String)]) throws -> RoomReport {
            let overview = RoomOverview(
                .lobby, isOpen: true, me: try Sample.who("me", byte: 1), online: 0, conversations: [],
                requests: requests)
            return RoomReport(
                .lobby,
                .snapshot(RoomSnapshot(overview, ready: nil, status: OwnStatus(), peers: [], histories: [])))
        }
        hub.take([])
        func tell(_ report: RoomReport) -> HubEvent {
            let changes = hub.reduce(report, at: moment)
            return HubEvent(report, changes, in: hub.model, number: 1)
        }
        let asked = tell(.event(.request(from: fox, text: "may I?")))
        #expect(asked.requestsAgain.isEmpty && asked.endedRequests.isEmpty, "its event tells it")
        let blocked = tell(.event(.blocked(fox, isOn: true)))
        #expect(blocked.requestsAgain.isEmpty && blocked.endedRequests == [fox.key])
        let back = tell(try snapshot([(fox, "may I?")]))
        #expect(back.requestsAgain.map { EventTopic($0).author } == [fox.key] && back.endedRequests.isEmpty)
    }

    @Test func `streams get messages that are there again in front of those that they know, and which went`() throws {
        @Sendable func digit(_ id: MessageID) -> Substring { id.hexadecimal.suffix(1) }
        let log = EventLog(run: "0123abcd") { report, successor, _ in
            switch report.report {
            case .event(.message(let message)):
                Array("{\"event\":\"message\",\(digit(message.id)) \(successor.map { String(digit($0)) } ?? "0")}".utf8)
            case .event(.deleted(let message)): Array("{\"event\":\"deleted\",\(digit(message.id))}".utf8)
            case _: nil
            }
        }
        var hub = EventHub(inlet, patience: Self.patience, log: log)
        let row = ConversationSummary(conversation: .publicRoom, isActive: true, unread: 0, last: nil)
        func snapshot(_ numbers: [Int]) throws -> RoomReport {
            let overview = RoomOverview(
                .lobby, isOpen: true, me: try Sample.who("me", byte: 1), online: 0, conversations: [row], requests: [])
            let messages = try numbers.map { try message($0) }
            return RoomReport(
                .lobby,
                .snapshot(
                    RoomSnapshot(
                        overview, ready: nil, status: OwnStatus(), peers: [], histories: [(.publicRoom, messages)])))
        }
        hub.take([])
        hub.tell([try snapshot([1, 4])], at: moment)
        let stream = hub.arrive(at: now)
        hub.follow(stream, behind: hub.log.last)
        hub.tell([try snapshot([2, 3, 4, 5])], at: moment)
        var told: [String] = []
        while let line = hub.takeMessage(for: stream) { told.append(String(decoding: line, as: UTF8.self)) }
        let came = ["2 4", "3 4", "5 0"].map { "{\"event\":\"message\",\($0),\"snapshot\":true}" }
        #expect(told == ["{\"event\":\"deleted\",1}"] + came)
    }

    @Test func `the oldest stranger gives way, one has its time, and a holder of the token stays`() {
        var hub = hub(mostHolders: 2)
        let holder = hub.arrive(PlainSession(), at: now)
        hub.receive(Array("token".utf8), from: holder, at: now)
        let strangers = (0...ClientQuota<Int>.mostStrangers).map { _ in hub.arrive(PlainSession(), at: now) }
        #expect(ends(&hub) == [.ended(strangers[0], .stranger)])
        let stayed = hub.letStrangerGo(behind: Self.patience, at: now)
        #expect(!stayed)
        let went = hub.letStrangerGo(at: now + .seconds(1))
        #expect(went)
        #expect(ends(&hub) == [.ended(strangers[1], .stranger)])
        for stranger in strangers[2...3] { hub.receive(Array("token".utf8), from: stranger, at: now) }
        // The holders are two.
        #expect(ends(&hub) == [.ended(strangers[3], .stranger)])
        #expect(hub.deadline == now + Self.patience)
        hub.tick(at: now + Self.patience)
        #expect(ends(&hub).count == strangers.count - 4)
        #expect(hub.deadline == nil)
        #expect([holder, strangers[2]].allSatisfy { hub.standing(of: $0) != nil })
        #expect(
            inlet.counters(clients: .stompClients, refusals: .stompRefusals, drops: .stompDropped).map(\.value) == [
                2, 32, 0,
            ])
    }

    @Test func `a client that gets a reason for its end has time to read it, and no longer`() {
        var hub = hub()
        let client = hub.arrive(PlainSession(deadline: now + Self.patience), at: now)
        hub.tick(at: now + Self.patience)
        #expect(text(hub, client) == "late")
        #expect(hub.standing(of: client) == .open(isReading: true, isWriting: true))
        #expect(hub.deadline == now + Self.patience + EventHub.closingTime)
        hub.tick(at: now + Self.patience + EventHub.closingTime)
        #expect(ends(&hub) == [.ended(client, .gone)])
        let other = hub.arrive(PlainSession(), at: now)
        hub.receive(Array("close".utf8), from: other, at: now)
        hub.written(1, to: other, at: now)
        #expect(hub.standing(of: other) == .closing(isInputOver: false))
    }

    @Test func `a request takes effect although its client is gone, and nothing is kept of it then`() throws {
        var hub = hub()
        let client = hub.arrive(PlainSession(true), at: now)
        hub.receive(Array("ask".utf8), from: client, at: now)
        hub.send(Array("waiting".utf8), to: client, at: now)
        hub.end(client, .gone, at: now)
        #expect(hub.bytes(for: client, upTo: .max).isEmpty, "its output is lost")
        hub.tell([try said(1)], at: moment)
        #expect((hub.session(of: client) as? PlainSession)?.heard == 0, "it hears of no events")
        let requests = hub.takeRequests()
        #expect(requests.count == 1)
        hub.complete(requests[0], [], at: now)
        #expect(hub.bytes(for: client, upTo: .max).isEmpty)
        hub.receive(Array("ask".utf8), from: client, at: now)
        #expect(hub.takeRequests().isEmpty)
        #expect(hub.deadline == nil)
    }

    @Test func `events that are too many to hand over are lost, and all that would miss them are let go once`() throws {
        var hub = hub()
        let (hearer, deaf, stream) = (
            hub.arrive(PlainSession(true), at: now), hub.arrive(PlainSession(), at: now), hub.arrive(at: now)
        )
        hub.follow(stream, behind: 0, as: .json)
        guard case .taken = inlet.take(ReportQueue.capacity) else {
            Issue.record("not taken")
            return
        }
        guard case .lost(isFirst: true) = inlet.take(1), case .lost(isFirst: false) = inlet.take(1) else {
            Issue.record("not lost")
            return
        }
        hub.loseEvents(at: now)
        let lost = ends(&hub)
        #expect(
            lost.count == 2 && lost.contains(.ended(hearer, .eventsLost)) && lost.contains(.ended(stream, .eventsLost)))
        #expect(hub.standing(of: deaf) != nil)
        let reports = [RoomReport](repeating: try said(1), count: ReportQueue.capacity)
        hub.tell(reports, at: moment)
        guard case .taken = inlet.take(1) else {
            Issue.record("not taken again")
            return
        }
        guard case .lost(isFirst: true) = inlet.take(ReportQueue.capacity) else {
            Issue.record("a later gap is not reported")
            return
        }
    }

    @Test func `a stream of before events were lost is not resumed`() throws {
        var hub = hub()
        hub.tell([try said(1)], at: moment) { _ in true }
        let id = hub.log.id
        #expect(hub.log.number(of: id) == 1)
        hub.loseEvents(at: now)
        #expect(hub.log.number(of: id) == nil)
        #expect(hub.log.number(of: hub.log.id) == hub.log.last)
        hub.tell([try said(2)], at: moment) { _ in true }
        let stream = hub.arrive(at: now)
        hub.follow(stream, behind: hub.log.last - 1)
        #expect(hub.takeMessage(for: stream)?.last == UInt8(ascii: "2"))
    }

    @Test func `messages that do not reach a client wait again, and are forgotten there`() throws {
        var hub = hub()
        let client = hub.arrive(PlainSession(), at: now)
        hub.send(Array("first".utf8), to: client, at: now)
        hub.follow(client, behind: 0)
        hub.tell([try said(1), try said(2)], at: moment) { _ in true }
        var passed: [[String]] = []
        func pass(_ hub: inout EventHub, upTo most: Int = .max, _ isPassed: Bool) {
            hub.passMessages(to: client, upTo: most) {
                passed.append($0.map { String(String(decoding: $0, as: UTF8.self).suffix(9)) })
                return isPassed
            }
        }
        pass(&hub, false)
        hub.erase(.message(ConversationID(.lobby, .publicRoom), try message(1).id), in: .lobby, at: now)
        pass(&hub, upTo: 1, true)
        pass(&hub, true)
        pass(&hub, true)
        #expect(passed == [["first", "message 1", "message 2"], ["first"], ["message 2"], []])
    }

    @Test func `a session and the connections that carry it are one client`() throws {
        var hub = hub(mostHolders: 1)
        let session = hub.arrive(PlainSession(), isRoaming: true, at: now)
        let (first, second) = (hub.arrive(at: now), hub.arrive(at: now))
        // A stranger's connections count.
        hub.carry(session, over: first)
        hub.receive(Array("token".utf8), from: session, at: now)
        hub.carry(session, over: second)
        _ = hub.takeChanges()
        #expect(inlet.clients == 2)
        hub.tick(at: now + Self.patience)
        #expect(ends(&hub) == [.ended(first, .stranger)])
        #expect(hub.standing(of: second) != nil && hub.standing(of: session) != nil)
        hub.end(second, .gone, at: now)
        _ = hub.takeChanges()
        #expect(inlet.clients == 0)
    }

    @Test func `a client that closes gets what waits and no further event, and its time once`() throws {
        var hub = hub()
        let client = hub.arrive(at: now)
        let isAdmitted = hub.admit(client)
        #expect(isAdmitted, "no time of a stranger ends before")
        hub.follow(client, behind: 0)
        hub.send(Array("last".utf8), to: client, at: now)
        hub.close(client, at: now)
        hub.close(client, at: now + .seconds(5))
        #expect(hub.deadline == now + EventHub.closingTime)
        hub.follow(client, behind: 0)
        hub.tell([try said(1)], at: moment) { _ in true }
        #expect(hub.takeMessage(for: client) == Array("last".utf8))
        #expect(hub.takeMessage(for: client) == nil)
        #expect(hub.standing(of: client) == .closing(isInputOver: false))
    }

    @Test func `the input of a client ends once, and its session learns once that all is taken`() throws {
        var hub = hub()
        let client = hub.arrive(PlainSession(true), at: now)
        hub.endInput(of: client, at: now)
        #expect(hub.standing(of: client) == .open(isReading: false, isWriting: false))
        _ = hub.takeChanges()
        hub.endInput(of: client, at: now)
        #expect(hub.takeChanges().isEmpty)
        hub.send(Array("two".utf8), to: client, at: now)
        hub.written(1, to: client, at: now)
        #expect((hub.session(of: client) as? PlainSession)?.drained == 0)
        hub.written(2, to: client, at: now)
        #expect((hub.session(of: client) as? PlainSession)?.drained == 1)
    }

    @Test func `a timer is set for the earliest deadline alone, and does nothing once another took its place`() {
        var hub = hub()
        let first = now + .seconds(3)
        _ = hub.arrive(PlainSession(deadline: first), at: now)
        #expect(hub.deadline == first)
        #expect(hub.takeTimer() == first)
        #expect(hub.takeTimer() == nil)
        let earlier = now + .seconds(2)
        let client = hub.arrive(PlainSession(deadline: earlier), at: now)
        #expect(hub.takeTimer() == earlier)
        let isVoid = !hub.fire(first, at: first)
        #expect(isVoid)
        #expect(text(hub, client).isEmpty)
        let isDue = hub.fire(earlier, at: earlier)
        #expect(isDue)
        #expect(text(hub, client) == "late")
        #expect(hub.takeTimer() == first)
    }

    @Test func `a stream may leave 4 MiB unread beside those that waited when it came`() throws {
        var hub = hub()
        let text = String(repeating: "x", count: 65_536)
        let count = StreamFeed.mostWaiting / 65_536
        for number in 0...count { hub.tell([try said(number, text)], at: moment) { _ in true } }
        let stream = hub.arrive(at: now)
        hub.follow(stream, behind: 0)
        for number in 1..<count { hub.tell([try said(count + number, text)], at: moment) { _ in true } }
        #expect(ends(&hub).isEmpty)
        hub.tell([try said(2 * count, text)], at: moment) { _ in true }
        #expect(ends(&hub) == [.ended(stream, .tooSlow)])
    }

    @Test func `an edited message keeps the unread count of its time, and its earlier edits are gone`() throws {
        let log = EventLog(run: "0123abcd") { report, _, _ in
            switch report.report {
            case .event(.message(let message)):
                Array("{\"event\":\"message\" \(message.text) \(message.unread)".utf8)
            case .event(.edited(let message)): Array("{\"event\":\"edited\" \(message.text)".utf8)
            case _: nil
            }
        }
        var hub = EventHub(inlet, patience: Self.patience, log: log)
        var (first, edited) = (try message(1), try message(1, "once"))
        first.unread = 7
        let reports: [RoomReport] = [.event(.message(first)), .event(.edited(edited))]
        hub.tell(reports, at: moment) { _ in true }
        (edited.text, edited.unread) = ("twice", 9)
        hub.change(EventTopic(edited, in: .lobby), to: edited, in: .lobby)
        hub.tell([.event(.edited(edited))], at: moment) { _ in true }
        let stream = hub.arrive(at: now)
        hub.follow(stream, behind: 0)
        let lines = (0..<3).map { _ in hub.takeMessage(for: stream).map { String(decoding: $0, as: UTF8.self) } }
        #expect(lines == ["{\"event\":\"message\" twice 7", "{\"event\":\"edited\" twice", nil])
    }
}
