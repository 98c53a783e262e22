import Chat
import Testing
import Wire

@testable import ChatNode
@testable import Simulator

/// The runs behind `earshot simulate`.
@Suite struct ExperimentTests {
    private func report(_ change: (inout ExperimentSettings) -> Void) -> ExperimentReport {
        var settings = ExperimentSettings()
        settings.nodes = 6
        settings.messages = 30
        change(&settings)
        var experiment = Experiment(settings)
        return experiment.run()
    }

    @Test func `where nothing goes wrong everything is shown once, within the latency, sent once for each`() {
        let report = report { $0.latency = .milliseconds(5)...(.milliseconds(30)) }
        #expect(report.messages == 30)
        #expect(report.deliveries.expected == 150)
        #expect(report.deliveries.live == 150)
        #expect(report.deliveries.missed == 0)
        #expect(report.deliveries.duplicates == 0)
        #expect(report.deliveries.others == 0)
        #expect(report.sendsPerDelivery == 1_000)
        #expect(report.linksMet == 15)
        #expect(report.linksMade == 0)
        let latencies = report.deliveries.latencies
        #expect(latencies.allSatisfy { (5_000...30_000).contains($0) })
    }

    @Test func `a cancelled run reports its messages until then`() {
        var settings = ExperimentSettings()
        settings.nodes = 6
        settings.messages = 30
        var said = 0
        var experiment = Experiment(settings, observe: { said = $0.messages }, isCalledOff: { said >= 10 })
        let report = experiment.run()
        // One more where it is looked after a message, and not before the next.
        #expect((10...11).contains(report.messages))
        #expect(report.deliveries.expected == report.messages * 5)
        #expect(report.deliveries.missed == 0)
    }

    @Test func `one seed gives one report, another seed another`() {
        let hard: (inout ExperimentSettings) -> Void = {
            $0.loss = 0.05
            $0.churnPerMinute = 60
            $0.partition = .seconds(2)
        }
        let first = report(hard)
        #expect(report(hard) == first)
        let other = report {
            hard(&$0)
            $0.seed = 2
        }
        #expect(other.deliveries != first.deliveries)
    }

    @Test func `loss loses nothing, it delays`() {
        let report = report { $0.loss = 0.1 }
        #expect(report.deliveries.missed == 0)
        #expect(report.deliveries.duplicates == 0)
        let longest = report.deliveries.latency(percent: 100) ?? .zero
        let median = report.deliveries.latency(percent: 50) ?? .zero
        #expect(longest >= .milliseconds(200))
        #expect(median <= .milliseconds(200))
    }

    @Test func `a short partition delays what crosses it, and nothing else`() {
        let report = report { $0.partition = .seconds(20) }
        #expect(report.deliveries.missed == 0)
        #expect(report.deliveries.duplicates == 0)
        #expect(report.linksMade == 0)
        let latencies = report.deliveries.latencies
        #expect(latencies.contains { $0 > 10_000_000 })
        #expect(latencies.contains { $0 <= 20_000 })
    }

    @Test(arguments: 1...4) func `newcomers are met, leavers are gone, and no message is shown twice`(
        seed: UInt64
    ) {
        let report = report {
            $0.churnPerMinute = 120
            $0.messages = 100
            $0.seed = seed
        }
        #expect(report.left + report.killed == report.joined)
        #expect(report.joined >= 15)
        #expect(report.linksMade > 0)
        #expect(report.linksLeft == 15)
        #expect(report.deliveries.duplicates == 0)
        #expect(report.deliveries.missed == 0)
    }

    @Test func `each sees as many others as was asked for`() {
        let report = report {
            $0.nodes = 12
            $0.links = 4
            $0.messages = 0
        }
        // The last node may find no peer with room left.
        #expect((23...24).contains(report.linksMet))
        #expect(report.sendsPerDelivery == nil)
        #expect(report.deliveries.latency(percent: 50) == nil)
    }

    @Test func `messages that a sparse room can not hear live are repaired, all of them`() {
        let report = report {
            $0.nodes = 16
            $0.links = 3
        }
        #expect(report.deliveries.missed == 0)
        #expect(report.deliveries.duplicates == 0)
        #expect(report.deliveries.repaired > report.deliveries.live)
        #expect((report.sendsPerDelivery ?? 0) >= 1_000)
    }

    @Test func `the tables of those who stay are counted, all of them, and stay within their bounds`() throws {
        let report = report {
            $0.churnPerMinute = 60
            $0.messages = 200
            $0.residents = 2
            $0.sampling = .seconds(5)
        }
        #expect(report.samples.map { $0.at - report.samples[0].at } == (0...4).map { .seconds(5 * $0) })
        let last = try #require(report.samples.last?.sizes)
        #expect(last["connections"] ?? 0 >= 1)
        #expect((10...report.joined + 6).contains(last["router.roster.known"] ?? 0))
        #expect(last["certificates.entries.young"] ?? 0 > 6)
        #expect(last["router.publicChat.log.messages.ids"] ?? 0 <= Limits.messagesPerConversation)
        #expect(last["admission.seen.ids"] == last["admission.seen.order"])
        #expect(report.deliveries.missed == 0)
    }

    @Test(arguments: 1...3) func `processes in an open and a private room hear each message in its room alone`(
        seed: UInt64
    ) {
        let report = report {
            $0.rooms = 2
            $0.messages = 60
            $0.loss = 0.05
            $0.partition = .seconds(5)
            $0.seed = seed
        }
        #expect(report.messages == 60)
        #expect(report.deliveries.expected == 300)
        #expect(report.deliveries.missed == 0)
        #expect(report.deliveries.duplicates == 0)
        #expect(report.strays == 0)
    }

    @Test(arguments: 1...3) func `where processes come and go, no message is shown twice or in another room`(
        seed: UInt64
    ) {
        let report = report {
            $0.rooms = 2
            $0.messages = 60
            $0.churnPerMinute = 60
            $0.seed = seed
        }
        #expect(report.joined >= 3 && report.deliveries.live > 0)
        #expect(report.deliveries.duplicates == 0)
        #expect(report.strays == 0)
    }

    @Test func `one node alone is an experiment too`() {
        let report = report { $0.nodes = 1 }
        #expect(report.messages == 30)
        #expect(report.deliveries.expected == 0)
        #expect(report.deliveries.missed == 0)
    }
}

/// How an experiment counts.
@Suite struct LedgerTests {
    private let author = PeerID([UInt8](repeating: 1, count: 32))

    private func message(_ number: UInt8, isOwn: Bool = false, isHistory: Bool = false) throws -> NodeEvent {
        let author = try #require(author)
        let id = try #require(MessageID([UInt8](repeating: number, count: 16)))
        let who = PeerName(number: 1_000, suffix: nil, nickname: "a", stage: .newcomer, key: author)
        return .message(
            MessageView(
                conversation: .publicRoom, id: id, from: who, text: "hello", sentAt: Timestamp(milliseconds: 0),
                receivedAt: Timestamp(milliseconds: 0), isFromCurrentUser: isOwn, isHistory: isHistory,
                isEdited: false, unread: 0))
    }

    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    @Test func `a message is expected at every node present for 10 s before and 10 s after`() throws {
        var ledger = Ledger()
        let speaker = ledger.arrive(at: at(0))
        let stays = ledger.arrive(at: at(10))
        let late = ledger.arrive(at: at(11))
        let early = ledger.arrive(at: at(0))
        let faithful = ledger.arrive(at: at(0))
        ledger.note(try message(1, isOwn: true), by: speaker, now: at(20))
        ledger.depart(early, at: at(29))
        ledger.depart(faithful, at: at(30))
        ledger.note(try message(1), by: late, now: at(21))
        #expect(ledger.deliveries.expected == 2)
        #expect(ledger.deliveries.missed == 2)
        #expect(ledger.deliveries.gaps.keys.sorted() == [stays, faithful])
        let gap = try #require(ledger.deliveries.gaps[faithful])
        #expect((gap.count, gap.came, gap.left) == (1, at(0), at(30)))
        #expect((gap.first, gap.last) == (at(20), at(20)))
        #expect(ledger.deliveries.others == 1)
        ledger.note(try message(1), by: stays, now: at(22))
        ledger.note(try message(1, isHistory: true), by: faithful, now: at(25))
        #expect(ledger.deliveries.live == 1)
        #expect(ledger.deliveries.repaired == 1)
        #expect(ledger.deliveries.missed == 0)
        #expect(ledger.deliveries.gaps.isEmpty)
        #expect(ledger.deliveries.latencies == [1_000_000, 2_000_000])
        #expect(ledger.deliveries.repairs == [5_000_000])
    }

    @Test func `a message that died with its author is expected of no node, and reported`() throws {
        var ledger = Ledger(memory: .seconds(60))
        let hearer = ledger.arrive(at: at(0))
        let killed = ledger.arrive(at: at(19))
        let heard = ledger.arrive(at: at(19))
        let polite = ledger.arrive(at: at(19))
        let later = ledger.arrive(at: at(19))
        for (number, author) in [killed, heard, polite, later].enumerated() {
            ledger.note(try message(UInt8(number), isOwn: true), by: author, now: at(20))
        }
        ledger.note(try message(1), by: polite, now: at(21))
        ledger.depart(killed, at: at(22), isKilled: true)
        ledger.depart(heard, at: at(22), isKilled: true)
        ledger.depart(polite, at: at(22))
        ledger.depart(later, at: at(31), isKilled: true)
        #expect(ledger.deliveries.lost == 1)
        #expect(ledger.deliveries.expected == 3)
        #expect(ledger.deliveries.gaps[hearer]?.count == 3)
        #expect(ledger.missed == 3)
        let before = ledger.deliveries
        for number in 0..<3 {
            let now = at(100 + Int64(number) * 100)
            ledger.note(try message(UInt8(10 + number), isOwn: true), by: hearer, now: now)
        }
        #expect(ledger.followed == 1)
        #expect(ledger.deliveries == before)
    }

    @Test func `a message that is followed no longer counts as it stood`() throws {
        var kept = Ledger()
        var brief = Ledger(memory: .seconds(60))
        for number in 0..<200 {
            let now = at(Int64(number) * 10)
            for ledger in [0, 1] {
                func tell(_ ledger: inout Ledger) throws {
                    let node = ledger.arrive(at: now)
                    ledger.note(try message(UInt8(number), isOwn: true), by: node, now: now)
                    for other in max(0, node - 2)..<node {
                        let isHistory = number % 3 == 0
                        ledger.note(try message(UInt8(number), isHistory: isHistory), by: other, now: now + .seconds(1))
                    }
                    if node >= 3 { ledger.depart(node - 3, at: now) }
                }
                try ledger == 0 ? tell(&kept) : tell(&brief)
            }
        }
        #expect(kept.deliveries.expected > 200)
        #expect(kept.deliveries.repaired > 0)
        #expect(brief.deliveries == kept.deliveries)
        #expect(brief.missed == kept.missed)
        #expect(brief.messageCount == 200)
        #expect(brief.nodeCount == 200)
        #expect(brief.followed < 20)
        #expect(kept.followed == 200)
    }

    @Test func `a message shown again is a duplicate, and an invented one is not counted`() throws {
        var ledger = Ledger()
        let speaker = ledger.arrive(at: at(0))
        let hearer = ledger.arrive(at: at(0))
        ledger.note(try message(1, isOwn: true), by: speaker, now: at(20))
        ledger.note(try message(1), by: hearer, now: at(21))
        ledger.note(try message(1, isHistory: true), by: hearer, now: at(22))
        ledger.note(try message(2), by: hearer, now: at(23))
        #expect(ledger.duplicates == 1)
        #expect(ledger.showingCount == 1)
        #expect(ledger.messageCount == 1)
    }

    @Test func `a percentile is the latency that so many did not exceed`() {
        var deliveries = Deliveries()
        deliveries.latencies = (1...200).map { UInt32($0 * 1_000) }
        #expect(deliveries.latency(percent: 50) == .milliseconds(100))
        #expect(deliveries.latency(percent: 99) == .milliseconds(198))
        #expect(deliveries.latency(percent: 100) == .milliseconds(200))
        deliveries.latencies = [7]
        #expect(deliveries.latency(percent: 50) == .microseconds(7))
    }
}
