import Testing
import Wire

struct TimeTests {
    @Test func `instants differ by durations`() {
        let start = Instant(nanoseconds: 5)
        let later = start + .milliseconds(1_500)
        #expect(later.nanoseconds == 1_500_000_005)
        #expect(later - start == .milliseconds(1_500))
        #expect(start - later == .milliseconds(-1_500))
        #expect(start < later)
    }

    @Test func `the earlier of two deadlines is the one there is, or the smaller`() {
        let (soon, late) = (Instant(nanoseconds: 1), Instant(nanoseconds: 2))
        #expect(Instant.earlier(nil, nil) == nil)
        #expect(Instant.earlier(late, nil) == late)
        #expect(Instant.earlier(nil, late) == late)
        #expect(Instant.earlier(late, soon) == soon)
    }

    @Test func `a random duration is any of its range and no other`() {
        var generator = SystemRandomNumberGenerator()
        let range = Duration.nanoseconds(7)...Duration.nanoseconds(9)
        let drawn = Set((0..<1_000).map { _ in Duration.random(in: range, using: &generator) })
        #expect(drawn == [.nanoseconds(7), .nanoseconds(8), .nanoseconds(9)])
    }

    @Test func `an instant stays within its range`() {
        let late = Instant(nanoseconds: .max - 1)
        #expect(late + .seconds(1) == Instant(nanoseconds: .max))
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Duration.seconds(Int64.min).nanoseconds == .min)
        #expect((Duration.seconds(9_223_372_036) + .milliseconds(900)).nanoseconds == .max)
        #expect((Duration.seconds(-9_223_372_036) - .milliseconds(900)).nanoseconds == .min)
    }

    @Test func `times on the wall are apart whichever is later`() {
        let early = Timestamp(milliseconds: 0)
        let late = Timestamp(milliseconds: .max)
        #expect(early.distance(to: late) == .max)
        #expect(late.distance(to: early) == .max)
        #expect(late.distance(to: late) == 0)
        #expect(early < late)
    }
}
