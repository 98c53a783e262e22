internal import Wire

/// The clock that public messages are signed by: a hybrid logical clock (Protocol.md section 7).
///
/// It is the wall clock, moved behind the messages that were shown, so that an answer is later than what it answers
/// although the clocks of the authors differ.
struct HybridClock: Sendable {
    /// The latest time of a message of another author that was shown, at most 2 s ahead of the wall clock of then.
    private var shown = Timestamp(milliseconds: 0)
    /// The latest time that we signed.
    private var signed = Timestamp(milliseconds: 0)

    /// The time to sign a message with: never before our last one, unless the wall clock was set back by over 60 s.
    func time(at wallClock: Timestamp) -> Timestamp {
        var time = wallClock
        if shown >= time, HybridClock.isFollowed(shown, at: wallClock) {
            time = Timestamp(milliseconds: shown.milliseconds + 1)
        }
        // Our own of one millisecond need no millisecond more: the sequence number orders them.
        let isSetBack = signed > time && signed.distance(to: wallClock) > HybridClock.setBackMilliseconds
        return isSetBack ? time : max(time, signed)
    }

    /// A message of another author is shown.
    mutating func noteShown(_ time: Timestamp, at wallClock: Timestamp) {
        guard HybridClock.isFollowed(time, at: wallClock) else { return }
        // Noted before the wall clock was set back, it would hide all that is shown from now on.
        shown = HybridClock.isFollowed(shown, at: wallClock) ? max(shown, time) : time
    }

    /// A message of ours was signed.
    mutating func noteSigned(_ time: Timestamp) { signed = time }

    private static let setBackMilliseconds = UInt64(Limits.clockError.nanoseconds / 1_000_000)

    /// True for a time that moves the clock: a wrong clock, or a lie, moves it by 2 s at most.
    private static func isFollowed(_ time: Timestamp, at wallClock: Timestamp) -> Bool {
        time <= wallClock || time.distance(to: wallClock) <= Limits.clockOffsetMilliseconds
    }
}
