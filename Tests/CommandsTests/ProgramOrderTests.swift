import Chat
import ChatNode
import Simulator
import Synchronization
import Phrases
import TestSupport
import Testing

@testable import Commands

/// A script reads events in the order in which they happened.
@Suite struct ProgramOrderTests {
    private static func error(_ number: Int) -> RoomReport { .error(ChatError(.empty, .notConnected, "\(number)")) }

    private static func numbers(_ reports: [RoomReport]) -> [String] {
        reports.map { if case .error(let error) = $0.report { error.sentence.arguments[0] } else { "?" } }
    }

    @Test func `the effect of a line is reported before the answer of the next line`() {
        let simulation = Simulation(seed: 41)
        let alice = simulation.node("alice")
        simulation.advance(by: .seconds(1))
        let log = Log()
        alice.with { node in
            let room = Program.JoinedRoom(label: RoomLabel(number: 1, name: "lobby"), node: node)
            for number in 1...3 {
                if Command.say("line \(number)").perform(in: room).reply != nil { log.note("an answer to a message") }
                if (try? Command(named: "requests"))?.perform(in: room).reply != nil {
                    log.note("answer behind \(alice.messages.count)")
                }
                if !Command.say("").perform(in: room).isDone { log.note("error behind \(alice.messages.count)") }
            }
        }
        #expect(
            log.lines == [
                "answer behind 1", "error behind 1", "answer behind 2", "error behind 2", "answer behind 3",
                "error behind 3",
            ])
    }

    @Test func `a tail begins after the events already reported, and before the next one`() {
        let simulation = Simulation(seed: 42)
        let alice = simulation.node("alice")
        simulation.advance(by: .seconds(1))
        let log = Log()
        alice.with { node in
            // The effect of a message from elsewhere: it is reported at the end of the turn, or before.
            _ = try? node.perform(.send("one", to: .publicRoom))
            let snapshot = RoomSnapshot(of: node) {
                RoomOverview(
                    RoomLabel(number: 1, name: "lobby"), isOpen: true, me: node.chat.ownName, online: 1,
                    conversations: node.chat.summaries, requests: [])
            }
            let reports = snapshot.tailStart(withHistory: true).map(\.report)
            guard case .snapshot = reports[0], case .event(.ready) = reports[1],
                let kept = reports[2].content(MessageList.self)?.messages
            else { return }
            log.note("\(kept.map(\.text)) behind \(alice.messages.count)")
            _ = try? node.perform(.send("two", to: .publicRoom))
            log.note("then \(alice.messages.count)")
            node.flushEvents()
            let room = Program.JoinedRoom(label: RoomLabel(number: 1, name: "lobby"), node: node)
            let events = Command.sayToRoom("three").perform(in: room).events
            log.note("\(events.count) apart behind \(alice.messages.count)")
        }
        #expect(log.lines == ["[\"one\"] behind 1", "then 1", "1 apart behind 3"])
    }

    @Test func `a call that wakes the reader reaches it behind the reports that wait`() async {
        let queue = ReportQueue()
        queue.append([Self.error(1)])
        queue.wake()
        #expect(Self.numbers(await queue.next()) == ["1"])
        #expect(await queue.next().isEmpty)
        queue.append([Self.error(2)])
        #expect(Self.numbers(await queue.next()) == ["2"])
    }

    @Test func `a snapshot that waits gives way to a later one of its room`() async throws {
        let me = try Sample.who("me")
        func snapshot(_ room: RoomLabel) -> RoomReport {
            let overview = RoomOverview(room, isOpen: false, me: me, online: 0, conversations: [], requests: [])
            let snapshot = RoomSnapshot(overview, ready: nil, status: OwnStatus(), peers: [], histories: [])
            return RoomReport(room, .snapshot(snapshot))
        }
        let queue = ReportQueue()
        queue.append([snapshot(.lobby), Self.error(1)])
        queue.append([snapshot(RoomLabel(number: 2, name: "attic"))])
        queue.append([snapshot(.lobby)])
        let batch = await queue.next()
        let names = batch.map { report -> String in
            if case .snapshot = report.report { report.room.name } else { "error" }
        }
        #expect(names == ["error", "attic", "lobby"])
    }

    @Test func `reports come out as they went in, in batches`() async {
        let queue = ReportQueue()
        for number in 0..<600 { queue.append([Self.error(number)]) }
        var all: [String] = []
        while all.count < 600 {
            let batch = await queue.next()
            #expect((1...256).contains(batch.count))
            all += Self.numbers(batch)
        }
        #expect(all == (0..<600).map(String.init))
        #expect(queue.dropped == 0)
    }

    @Test func `a caller that waits for a report gets it`() async {
        let queue = ReportQueue()
        async let batch = queue.next()
        queue.append([])
        queue.append([Self.error(1)])
        #expect(Self.numbers(await batch) == ["1"])
    }

    @Test func `input waits while 256 reports do, and goes on when they are fewer`() async {
        let queue = ReportQueue()
        queue.append((0..<255).map(Self.error))
        await queue.waitForSpace()
        queue.append([Self.error(255)])
        let log = Log()
        async let goesOn: Void = {
            await queue.waitForSpace()
            log.note("room")
        }()
        async let batch = {
            log.note("taken")
            return await queue.next()
        }()
        _ = await (goesOn, batch)
        #expect(log.lines == ["taken", "room"])
    }

    private final class Log: Sendable {
        private let all = Mutex<[String]>([])

        var lines: [String] { all.withLock { $0 } }

        func note(_ line: String) { all.withLock { $0.append(line) } }
    }

    @Test func `of reports that no reader takes the newest is kept, and the rest is counted`() async {
        let queue = ReportQueue()
        for number in 0..<ReportQueue.capacity + 10 { queue.append([Self.error(number)]) }
        #expect(queue.dropped == 10)
        #expect(Self.numbers(await queue.next()).first == "10")
    }
}

extension Command {
    /// Performs a command of one room.
    fileprivate func perform(in room: Program.JoinedRoom) -> CommandResult {
        var turn = CommandTurn(self, in: room)
        return turn.result { turn throws(ChatError) in
            guard case .inRoom(let run) = entry.action else {
                throw ChatError(.unknownCommand, .unknownCommand, entry.name)
            }
            return try run(&turn)
        }
    }
}
