import Chat
import Wire

/// Waiting until the network takes more: a fast sender is held up instead of losing anything.
extension Node {
    /// The first message waits so long for a first peer; mDNS needs a fraction of that.
    private static let introduction = Duration.seconds(2)

    /// A peer is soon followed by others, which answered the same query.
    private static let meetingDebounce = Duration.milliseconds(300)

    /// A peer that takes nothing for so long no longer holds a fast sender up.
    private static let stallTimeout = Duration.seconds(1)

    /// A sender with longer intervals is no fast sender. One message finds room in any queue that is not overfull, so no
    /// peer delays a typed message by reading nothing.
    private static let fastSenderInterval = Duration.milliseconds(500)

    /// The reason why the next message waits.
    enum Obstacle: Equatable {
        case ownRate(Duration)
        case meeting
        case fullQueue
    }

    /// Returns when the next message may be sent: neither the own rate nor a peer's full queue is in the way, and near
    /// peers have had 2 s from the start to be met.
    ///
    /// - Returns: false if the node leaves instead.
    @discardableResult
    package func waitUntilMaySend() async -> Bool {
        let isFast = isFastSender
        while case .running = phase {
            switch obstacle(isFast: isFast) {
            case .ownRate(let pause):
                await withCheckedContinuation { continuation in
                    scheduler.schedule(at: scheduler.now + pause) { continuation.resume() }
                }
            case .meeting:
                wakeSenders(after: Node.meetingDebounce)
                await withCheckedContinuation { waitingToSend.append($0) }
            case .fullQueue:
                await withCheckedContinuation { waitingToSend.append($0) }
            case nil:
                lastLetGoAt = scheduler.now
                return true
            }
        }
        return false
    }

    var isFastSender: Bool {
        lastLetGoAt.map { scheduler.now - $0 < Node.fastSenderInterval } ?? false
    }

    func obstacle(isFast: Bool) -> Obstacle? {
        let pause = pace.wait(now: scheduler.now)
        if pause > .zero { return .ownRate(pause) }
        if isStillMeeting { return .meeting }
        return isFast && activeLinks.contains { noteStalled($0) } ? .fullQueue : nil
    }

    /// The first peers may still come: `echo hello | earshot` is to be heard by all who are near.
    private var isStillMeeting: Bool {
        guard !discoveries.isEmpty, let startedAt else { return false }
        let end = startedAt + Node.introduction
        return scheduler.now < (lastMetAt.map { min(end, $0 + Node.meetingDebounce) } ?? end)
    }

    private func wakeSenders(after pause: Duration) {
        scheduler.schedule(at: scheduler.now + pause) { [weak self] in
            self?.assumeIsolated { $0.wakeSenders() }
        }
    }

    func wakeSenders() {
        let waiting = waitingToSend
        waitingToSend = []
        for continuation in waiting { continuation.resume() }
    }

    /// A link whose queue is half full, for a while: then it is left to fill, and is closed when it is full.
    private func noteStalled(_ slot: Connection) -> Bool {
        guard slot.link.outbox.count > Outbox.capacity / 2 else {
            slot.fullSince = nil
            return false
        }
        guard let since = slot.fullSince else {
            slot.fullSince = scheduler.now
            wakeSenders(after: Node.stallTimeout)
            return true
        }
        return scheduler.now < since + Node.stallTimeout
    }
}
