import ChatNode
import Testing
import Wire

@Suite struct SenderBudgetTests {
    private var budget = MulticastRateLimiter()
    private let start = Instant(nanoseconds: 0)
    private let flooder: [UInt8] = [10, 0, 0, 66]

    @Test mutating func `of each sender 240 records are looked at at once and 40 a second`() {
        let announcements = (0..<100).count { _ in budget.takeTokens(5, of: flooder, now: start) }
        #expect(announcements == 48)
        let later = (0..<100).count { _ in budget.takeTokens(5, of: flooder, now: start + .seconds(1)) }
        #expect(later == 8)
    }

    @Test mutating func `a flood of one sender keeps no other sender from being heard`() {
        while budget.takeTokens(5, of: flooder, now: start) {}
        let isHeard = budget.takeTokens(5, of: [10, 0, 0, 1], now: start)
        #expect(isHeard)
    }

    @Test mutating func `the largest message is no larger than what may be said at once`() {
        let once = budget.takeTokens(1_000_000, of: flooder, now: start)
        let again = budget.takeTokens(1_000_000, of: flooder, now: start + .seconds(5))
        let later = budget.takeTokens(1_000_000, of: flooder, now: start + .seconds(6))
        #expect([once, again, later] == [true, false, true])
    }

    @Test mutating func `ever new senders fill no memory`() {
        for number in 0..<20_000 {
            let sender: [UInt8] = [10, 1, UInt8(number >> 8 & 255), UInt8(number & 255)]
            _ = budget.takeTokens(5, of: sender + [UInt8(number >> 16)], now: start)
        }
        let isHeard = budget.takeTokens(5, of: flooder, now: start)
        #expect(isHeard)
    }
}
