import Chat
import Noise
import Testing
import Wire

@testable import ChatNode

/// Offers, requests and untimely payloads of a node without a link.
@Suite struct HistoryExchangeTests {
    private let me = ChoiceTown.peer(0)
    private let bob = ChoiceTown.peer(1)
    private var exchange = HistoryExchange(me: ChoiceTown.peer(0), isShared: true)

    private func environment(after time: Duration = .zero) -> Environment {
        let moment = Moment(
            instant: Instant(nanoseconds: 0) + time, wallClock: Timestamp(milliseconds: 1_000_000))
        return Environment(moment: moment, me: me, mode: .mesh, isRunning: true)
    }

    private func list(_ ids: [UInt64]) -> [UInt8] { Array(IDList.frame(.have, ids).dropFirst()) }

    private mutating func offer(_ body: [UInt8]) {
        exchange.receiveHave(body.span, from: bob, environment(), archive: PublicChat())
    }

    private mutating func reopen(isAll: Bool, after time: Duration) -> [Effect] {
        var (spread, effects) = (Spread(randomness: .seeded(35)), Effects())
        exchange.reopenRefused(isAll: isAll, environment(after: time), &spread, &effects)
        return effects.list
    }

    private func value(_ metric: Metric) -> Int? { exchange.counters.first { $0.metric == metric }?.value }

    @Test mutating func `a payload from the future is asked for again when its time has come`() {
        let now = environment()
        let early = Int64(Limits.freshnessMilliseconds) + 10_000
        exchange.refuseForTime(7, signedAt: now.roomClock.moved(by: early), from: bob, now)
        #expect(exchange.nextDeadline == now.now + .seconds(10))
        _ = reopen(isAll: false, after: .milliseconds(9_999))
        #expect(exchange.nextDeadline == now.now + .seconds(10))
        let effects = reopen(isAll: false, after: .seconds(10))
        guard effects.count == 1, case .arm(.history) = effects[0] else {
            Issue.record("\(effects)")
            return
        }
        var (spread, tick) = (Spread(randomness: .seeded(35)), Effects())
        exchange.tick(
            Connections(me: me), archive: PublicChat(), &spread, environment(after: .seconds(10)), &tick)
        #expect(exchange.nextDeadline == now.now + .seconds(10) + Limits.historyTimeout)
    }

    @Test mutating func `an old payload is asked for again only once the clock has moved`() {
        let now = environment()
        exchange.refuseForTime(7, signedAt: Timestamp(milliseconds: 1), from: bob, now)
        #expect(exchange.nextDeadline == nil)
        _ = reopen(isAll: false, after: .seconds(3_600))
        #expect(exchange.nextDeadline == nil)
        _ = reopen(isAll: true, after: .seconds(3_601))
        #expect(exchange.nextDeadline != nil)
    }

    @Test mutating func `offers above the rate, and lists that are cut short, are counted and change nothing`() {
        offer([0, 2, 1])
        #expect(exchange.malformedLists == 1 && exchange.nextDeadline == nil)
        for id in 0..<UInt64(Limits.havesBurst) { offer(list([id])) }
        #expect(value(.offersRefused) == 1)
    }

    @Test mutating func `a node that shares no history takes no offer and answers no request`() {
        exchange = HistoryExchange(me: me, isShared: false)
        offer(list([1]))
        let isTaken = exchange.receiveWant(list([1]).span, from: bob, environment(), archive: PublicChat())
        #expect(!isTaken && exchange.nextDeadline == nil && value(.requestedInVain) == 0)
    }
}
