import Chat
import Testing
import Wire

@testable import ChatNode

/// How many unknown people the answers to digests bring (Protocol.md section 13).
@Suite struct RosterIntakeTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    private func taken(_ count: Int, _ intake: inout RosterIntake, from source: UInt64, size: Int, at now: Instant)
        -> Int
    {
        (0..<count).count { _ in intake.admit(from: LinkSource(source), size: size, now: now) }
    }

    @Test func `a source brings as many as a plausible room has, at least 64, and a fresh share in 15 minutes`() {
        var intake = RosterIntake()
        #expect(taken(1_000, &intake, from: 1, size: 2, at: start) == 64)
        #expect(taken(10, &intake, from: 1, size: 2, at: start + .seconds(1)) == 0)
        #expect(taken(1_000, &intake, from: 2, size: 400, at: start) == 500)
        #expect(taken(1_000, &intake, from: 1, size: 2, at: start + .seconds(901)) == 64)
    }

    @Test func `all sources together bring four times as many`() {
        var intake = RosterIntake()
        let sum = (0..<20 as Range<UInt64>).reduce(0) { $0 + taken(1_000, &intake, from: $1, size: 10, at: start) }
        #expect(sum == 256)
    }
}
