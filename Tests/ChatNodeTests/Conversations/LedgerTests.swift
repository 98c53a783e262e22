import Testing
import Wire

@testable import Chat
@testable import ChatNode
@testable import Simulator

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
                receivedAt: Timestamp(milliseconds: 0), placeTime: Timestamp(milliseconds: 0),
                authorClock: AuthorClock(epoch: 1, sequence: 1), isFromCurrentUser: isOwn, isHistory: isHistory,
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
        ledger.record(try message(1, isOwn: true), by: speaker, now: at(20))
        ledger.depart(early, at: at(29))
        ledger.depart(faithful, at: at(30))
        ledger.record(try message(1), by: late, now: at(21))
        #expect(ledger.deliveries.expected == 2)
        #expect(ledger.deliveries.missed == 2)
        #expect(ledger.deliveries.gaps.keys.sorted() == [stays, faithful])
        let gap = try #require(ledger.deliveries.gaps[faithful])
        #expect((gap.count, gap.came, gap.left) == (1, at(0), at(30)))
        #expect((gap.first, gap.last) == (at(20), at(20)))
        #expect(ledger.deliveries.others == 1)
        ledger.record(try message(1), by: stays, now: at(22))
        ledger.record(try message(1, isHistory: true), by: faithful, now: at(25))
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
            ledger.record(try message(UInt8(number), isOwn: true), by: author, now: at(20))
        }
        ledger.record(try message(1), by: polite, now: at(21))
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
            ledger.record(try message(UInt8(10 + number), isOwn: true), by: hearer, now: now)
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
                    ledger.record(try message(UInt8(number), isOwn: true), by: node, now: now)
                    for other in max(0, node - 2)..<node {
                        let isHistory = number % 3 == 0
                        ledger.record(
                            try message(UInt8(number), isHistory: isHistory), by: other, now: now + .seconds(1))
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
        ledger.record(try message(1, isOwn: true), by: speaker, now: at(20))
        ledger.record(try message(1), by: hearer, now: at(21))
        ledger.record(try message(1, isHistory: true), by: hearer, now: at(22))
        ledger.record(try message(2), by: hearer, now: at(23))
        #expect(ledger.duplicates == 1)
        #expect(ledger.showingCount == 1)
        #expect(ledger.messageCount == 1)
    }

    @Test func `a message is late if one of its receivers lacks it, got it as history or after the bound`() throws {
        var ledger = Ledger()
        let speaker = ledger.arrive(at: at(0))
        let hearers = [ledger.arrive(at: at(0)), ledger.arrive(at: at(0))]
        let bound = Duration.milliseconds(400)
        for number in 1...3 {
            ledger.record(try message(UInt8(number), isOwn: true), by: speaker, now: at(20 * Int64(number)))
            for hearer in hearers { ledger.record(try message(UInt8(number)), by: hearer, now: at(20 * Int64(number))) }
        }
        #expect(ledger.lastLate(since: at(20), bound: bound) == nil)
        ledger.record(try message(4, isOwn: true), by: speaker, now: at(80))
        ledger.record(try message(4), by: hearers[0], now: at(80))
        #expect(ledger.lastLate(since: at(20), bound: bound) == at(80))
        ledger.record(try message(4, isHistory: true), by: hearers[1], now: at(80))
        ledger.record(try message(5, isOwn: true), by: speaker, now: at(100))
        ledger.record(try message(5), by: hearers[0], now: at(101))
        ledger.record(try message(5), by: hearers[1], now: at(100))
        #expect(ledger.lastLate(since: at(20), bound: bound) == at(100))
        #expect(ledger.lastLate(since: at(101), bound: bound) == nil)
        #expect(ledger.deliveries(since: at(80)).expected == 4)
        #expect(ledger.deliveries(since: at(80)).live == 3)
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
