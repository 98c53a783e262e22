import Noise
import Testing
import Wire

@testable import Chat

/// The times that a node signs (Protocol.md section 7).
struct SigningClockTests {
    private let wallClock = Timestamp(milliseconds: 1_800_000_000_123)

    private func session(seed: UInt64) -> UserSession {
        var randomness = Randomness.seeded(seed)
        return UserSession(
            identity: Identity.generate(using: &randomness), room: Author.room, epoch: 1, nickname: "a",
            clock: SigningClock(randomness: randomness))
    }

    @Test func `presence and typing show no milliseconds of the clock`() {
        for seed in 1...50 as ClosedRange<UInt64> {
            var session = session(seed: seed)
            for step in 0..<20 as Range<Int64> {
                let now = wallClock.moved(by: step * 617)
                let times = [
                    session.signPresence(at: now), session.signDeparture(at: now),
                    session.sign(.typing(target: nil, isOn: true), at: now),
                ].map(\.payload.timestamp)
                #expect(times.allSatisfy { $0.milliseconds % 2_000 == 0 && $0.distance(to: now) <= 2_000 })
                #expect(session.clock.uncorrectedTime(at: now) == times[0])
            }
        }
    }

    @Test func `two runs on one machine have offsets of their own, of a second at most, which stay`() {
        var offsets: Set<Int64> = []
        for seed in 1...50 as ClosedRange<UInt64> {
            var session = session(seed: seed)
            let signed = [0, 5_000, 90_001].map { (step: Int64) in
                let time = session.sign(.edit(target: .numbered(1), text: "x"), at: wallClock.moved(by: step))
                return Int64(time.payload.timestamp.milliseconds) - Int64(wallClock.milliseconds) - step
            }
            #expect(Set(signed).count == 1 && (-1_000...0).contains(signed[0]))
            offsets.insert(signed[0])
        }
        #expect(offsets.count > 40)
    }

    @Test func `a correction moves what is signed, and not the clock that neighbours compare`() {
        var session = session(seed: 7)
        let (before, told) = (
            session.sign(.delete(target: .numbered(1)), at: wallClock), session.clock.uncorrectedTime(at: wallClock)
        )
        session.clock.correction = -600_000
        let after = session.sign(.delete(target: .numbered(1)), at: wallClock)
        #expect(after.payload.timestamp == before.payload.timestamp.moved(by: -600_000))
        #expect(session.signPresence(at: wallClock).payload.timestamp == told.moved(by: -600_000))
        #expect(session.clock.uncorrectedTime(at: wallClock) == told)
    }
}
