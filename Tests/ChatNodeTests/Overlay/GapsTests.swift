import ChatNode
import Testing
import Wire

@Suite struct GapsTests {
    private var gaps = Gaps()
    private let start = Instant(nanoseconds: 0)
    private let alice = ChoiceTown.peer(1)
    private let bob = ChoiceTown.peer(2)

    private mutating func update(_ witnesses: Int = 0, after seconds: Double, isCrowd: Bool = false) -> Bool {
        gaps.update(witnesses: witnesses, isCrowd: isCrowd, now: start + .milliseconds(Int64(seconds * 1_000)))
    }

    @Test mutating func `a peer that stays without a link for 2 s is a gap, for 75 s after it was shown last`() {
        gaps.record(alice, now: start)
        #expect(!update(after: 1.9) && gaps.nextDeadline == start + .seconds(2))
        #expect(update(after: 2) && gaps.isLacking && gaps.isRelaying)
        gaps.record(alice, now: start + .seconds(30))
        #expect(!update(after: 104.9) && gaps.nextDeadline == start + .seconds(105))
        #expect(update(after: 105) && !gaps.isLacking && !gaps.isRelaying && gaps.count == 0)
        #expect(gaps.nextDeadline == nil)
    }

    @Test mutating func `a link within 2 s leaves no gap, and one that comes later ends it`() {
        gaps.record(alice, now: start)
        gaps.close(alice)
        #expect(!update(after: 3))
        gaps.record(bob, now: start + .seconds(3))
        #expect(update(after: 5) && gaps.isLacking)
        gaps.close(bob)
        #expect(update(after: 6) && !gaps.isLacking)
    }

    @Test mutating func `a node between two sources that lack links passes on, and one source is not enough`() {
        #expect(!update(1, after: 0) && !gaps.isRelaying)
        #expect(update(2, after: 1) && gaps.isRelaying && !gaps.isLacking)
        #expect(update(1, after: 2) && !gaps.isRelaying)
    }

    @Test mutating func `a crowd has no gaps`() {
        gaps.record(alice, now: start)
        #expect(!update(5, after: 3, isCrowd: true) && gaps.count == 0 && !gaps.isRelaying)
    }

    @Test mutating func `64 peers are kept`() {
        for number in 0..<100 { gaps.record(ChoiceTown.peer(number), now: start) }
        #expect(gaps.count == 64)
    }
}
