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

    private let rate: Rate
    private var messages: TokenBucket
    private var reactions: TokenBucket
    private var lastSentAt: Instant?
    private var startedAt: Instant?
    private var lastMetAt: Instant?

    init(_ rate: Rate, reactions: Rate, now: Instant) {
        self.rate = rate
        messages = TokenBucket(rate, now: now)
        self.reactions = TokenBucket(reactions, now: now)
    }

    /// The node looks for peers from now on.
    mutating func started(now: Instant) { startedAt = now }

    /// A peer has a link now.
    mutating func met(now: Instant) { lastMetAt = now }

    /// A sender was let go.
    mutating func sent(now: Instant) { lastSentAt = now }

    /// Takes what a message, a card or a reaction costs; false, and nothing is taken, above the own rate.
    mutating func takeTokens(_ pace: Pace, now: Instant) -> Bool {
        switch pace {
        case .messages(let count): messages.takeTokens(rate.atMostBurst(count), now: now)
        case .reactions: reactions.takeTokens(now: now)
        case .signals: true
        }
    }

    /// The time until the own rate allows the next one; zero if it does now.
    func wait(_ pace: Pace, now: Instant) -> Duration {
        switch pace {
        case .messages(let count): messages.wait(for: rate.atMostBurst(count), now: now)
        case .reactions: reactions.wait(now: now)
        case .signals: .zero
        }
    }

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
