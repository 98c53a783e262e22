import Chat
import Wire

/// The pace of the own messages: the own rate, and the time in which the first peers are met.
struct Pacer {
    /// The first message waits so long for a first peer; mDNS needs a fraction of that.
    private static let initialMeetingTimeout = Duration.seconds(2)

    /// A peer is soon followed by others, which answered the same query.
    private static let meetingDebounce = Duration.milliseconds(300)

    /// A peer that takes nothing for so long no longer holds a fast sender up.
    static let stallTimeout = Duration.seconds(1)

    /// A sender with longer intervals is no fast sender. One message finds room in any queue that is not overfull, so no
    /// peer delays a typed message by reading nothing.
    private static let fastSenderInterval = Duration.milliseconds(500)

    private var bucket: TokenBucket
    private var lastSentAt: Instant?
    private var startedAt: Instant?
    private var lastMetAt: Instant?

    init(_ rate: Rate, now: Instant) {
        bucket = TokenBucket(rate, now: now)
    }

    /// The node looks for peers from now on.
    mutating func started(now: Instant) { startedAt = now }

    /// A peer has a link now.
    mutating func met(now: Instant) { lastMetAt = now }

    /// A sender was let go.
    mutating func sent(now: Instant) { lastSentAt = now }

    /// Takes one message's worth of the own rate; false, and nothing is taken, above it.
    mutating func takeTokens(now: Instant) -> Bool { bucket.takeTokens(now: now) }

    /// The time until the own rate allows the next message; zero if it does now.
    func wait(now: Instant) -> Duration { bucket.wait(now: now) }

    func isFastSender(now: Instant) -> Bool {
        lastSentAt.map { now - $0 < Pacer.fastSenderInterval } ?? false
    }

    /// The next look at whether the first peers have come; nil once they have: all nodes nearby shall receive the
    /// message of `echo hello | earshot`.
    func meetingPause(now: Instant) -> Duration? {
        guard let startedAt else { return nil }
        let end = startedAt + Pacer.initialMeetingTimeout
        let isMeeting = now < (lastMetAt.map { min(end, $0 + Pacer.meetingDebounce) } ?? end)
        return isMeeting ? Pacer.meetingDebounce : nil
    }
}
