import Chat
import Testing
import Wire

@testable import ChatNode

/// The time of a request, which places messages that are signed ahead (Protocol.md section 7).
@Suite struct RequestTimeTests {
    private let start = Instant(nanoseconds: 0)

    /// A moment some microseconds later, by a wall clock that was between two milliseconds at the start.
    private func moment(_ microseconds: Int64, set: UInt64 = 0) -> Moment {
        Moment(
            instant: start + .microseconds(microseconds),
            wallClock: Timestamp(milliseconds: 1_000_000 + set + UInt64(microseconds + 700) / 1_000))
    }

    @Test func `all answers to a request have its time, whatever the fractions of a millisecond`() {
        var time = RequestTime()
        let request = start + .microseconds(500)
        let times = stride(from: 1_000 as Int64, to: 30_000, by: 110).map { time.wallClock(at: request, moment($0)) }
        #expect(Set(times).count == 1)
        #expect([1_000_000, 1_000_001, 1_000_002].contains(times[0].milliseconds))
    }

    @Test func `the answers of a long turn have the time of those of the next one`() {
        var time = RequestTime()
        let turn = (0..<50).map { time.wallClock(at: start, moment(5_000, set: $0)) }
        #expect(Set(turn + [time.wallClock(at: start, moment(60_000))]).count == 1)
    }

    @Test func `another request has a time of its own, and a clock that was set another reading`() {
        var time = RequestTime()
        let first = time.wallClock(at: start, moment(5_000))
        #expect(time.wallClock(at: start + .milliseconds(40), moment(50_000)).milliseconds >= first.milliseconds + 39)
        let set = time.wallClock(at: start, moment(60_000, set: 5_000))
        #expect(set.milliseconds >= first.milliseconds + 4_999)
    }
}
