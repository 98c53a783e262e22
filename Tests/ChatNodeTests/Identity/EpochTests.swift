import Noise
import Simulator
import Testing
import Wire

@testable import ChatNode

/// The disclosures of a certificate about the start of a run (Protocol.md sections 1 and 9).
@Suite struct EpochTests {
    private let start = Timestamp(milliseconds: 1_800_000_000_000)

    @Test func `an epoch is the start less a random time of up to ten minutes`() {
        var randomness = Randomness.seeded(1)
        let offsets = (0..<1_000).map { _ in
            start.milliseconds - OwnSession.epoch(startingAt: start, above: 0, using: &randomness)
        }
        #expect(offsets.allSatisfy { $0 <= 600_000 })
        #expect(Set(offsets).count > 990)
        let mean = offsets.reduce(0, +) / 1_000
        #expect((270_000...330_000).contains(mean))
    }

    @Test func `an epoch is above those of earlier runs, and a clock at its beginning is no fault`() {
        var randomness = Randomness.seeded(2)
        let minimum = start.milliseconds + 1
        #expect(OwnSession.epoch(startingAt: start, above: minimum, using: &randomness) == minimum)
        #expect(OwnSession.epoch(startingAt: Timestamp(milliseconds: 0), above: 0, using: &randomness) == 0)
    }

    @Test func `certificates of one run have growing serial numbers, which begin anywhere`() throws {
        let simulation = Simulation(seed: 3)
        let first = simulation.node("alice")
        let second = simulation.node("bob")
        let before = first.with { $0.context.certificate }
        #expect(before.serial >> 32 == 0)
        #expect(before.serial != second.with { $0.context.certificate.serial })
        simulation.advance(by: .seconds(3_700))
        let after = first.with { $0.context.certificate }
        #expect(after.isRenewal(of: before))
        #expect(after.serial == before.serial + 1)
    }
}
