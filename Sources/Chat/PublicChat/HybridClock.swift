package import Wire

/// The hybrid logical clock that signs public messages (Protocol.md section 7).
///
/// It is the wall clock, moved behind the shown messages, so that an answer is later than the message that it answers
/// although the clocks of the authors differ.
struct HybridClock: Sendable {
    /// The latest time of a shown message of another author; when shown, at most 2 s ahead of the wall clock.
    private var shown = Timestamp(milliseconds: 0)
    /// The time of our last message.
    private var signed = Timestamp(milliseconds: 0)

    /// The time for the next message: not before our last one, unless the wall clock was set back by more than 60 s.
    func time(at wallClock: Timestamp) -> Timestamp {
        var time = wallClock
        if shown >= time, HybridClock.isFollowed(shown, at: wallClock) {
            time = Timestamp(milliseconds: shown.milliseconds + 1)
        }
        // Own messages of one millisecond need no step: the sequence number orders them.
        let isSetBack = signed > time && signed.distance(to: wallClock) > HybridClock.setBackMilliseconds
        return isSetBack ? time : max(time, signed)
    }

    /// Notes the time of a shown message of another author.
    mutating func recordShown(_ time: Timestamp, at wallClock: Timestamp) {
        guard HybridClock.isFollowed(time, at: wallClock) else { return }
        // A time from before the wall clock was set back would hide all times shown since.
        shown = HybridClock.isFollowed(shown, at: wallClock) ? max(shown, time) : time
    }

    /// Notes the time of an own message.
    mutating func recordSigned(_ time: Timestamp) { signed = time }

    private static let setBackMilliseconds = UInt64(Limits.clockError.nanoseconds / 1_000_000)

    /// True for a time that moves the clock: a wrong clock, or a lie, moves it by 2 s at most.
    private static func isFollowed(_ time: Timestamp, at wallClock: Timestamp) -> Bool {
        time <= wallClock || time.distance(to: wallClock) <= Limits.clockOffsetMilliseconds
    }
}

extension Limits {
    /// How far ahead of the own clock a shown message may be to move the time that is signed, in milliseconds. With a
    /// larger one, a lie or a wrong clock carries all later messages further into the future; with a smaller one, an
    /// answer can sort before its question.
    static let clockOffsetMilliseconds: UInt64 = 60_000
    /// How far the clock may be off before the user hears of it and the node corrects it. A larger one leaves messages
    /// in a wrong order; a smaller one reports the drift and the delays of healthy machines.
    package static let clockError = Duration.seconds(60)
}
