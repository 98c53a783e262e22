package import Noise
package import Wire

/// The times that a node signs: its wall clock, moved by a random offset of the node and run, and by a correction where the clock
/// is wrong (Protocol.md section 7).
package struct SigningClock: Sendable {
    /// In milliseconds. Without it the milliseconds of the machine's clock would link the rooms and runs of one machine.
    private let shift: Int64
    /// In milliseconds; 0 while the clock is right, or nothing is known about it.
    package var correction: Int64 = 0

    /// A clock without an offset.
    package init() { shift = 0 }

    package init(randomness: Randomness) {
        var randomness = randomness
        // Never forwards: a message that is signed ahead of its arrival has another place on each node.
        shift = .random(in: -Limits.clockShiftMilliseconds...0, using: &randomness)
    }

    /// The time for a payload that is said.
    func time(at wallClock: Timestamp) -> Timestamp { wallClock.moved(by: correction).moved(by: shift) }

    /// The time for a presence or typing, which comes without a user's doing: rounded, so that it shows no milliseconds.
    func roundedTime(at wallClock: Timestamp) -> Timestamp { SigningClock.rounded(time(at: wallClock)) }

    /// The time that neighbours compare their clocks with: rounded, and without the correction, so that no correction is the reason
    /// for another.
    package func uncorrectedTime(at wallClock: Timestamp) -> Timestamp {
        SigningClock.rounded(wallClock.moved(by: shift))
    }

    private static func rounded(_ time: Timestamp) -> Timestamp {
        let grain = Limits.clockGrainMilliseconds
        let later = time.moved(by: Int64(grain / 2)).milliseconds
        return Timestamp(milliseconds: later - later % grain)
    }
}

extension Limits {
    /// The most by which a node and run sets all times back that it signs, at random, in milliseconds. A larger one
    /// puts messages out of order; a smaller one lets an observer recognise a machine by its clock's milliseconds.
    static let clockShiftMilliseconds: Int64 = 1_000
    /// The step to which the times of presences, typing and clocks are rounded, in milliseconds. A larger one makes
    /// them useless for clocks; a smaller one shows more of the machine's clock.
    static let clockGrainMilliseconds: UInt64 = 2_000
}
