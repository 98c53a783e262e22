import Chat
import Wire

/// Waiting until the network takes more: a fast sender is held up instead of losing anything.
extension Node {
    /// The reason why the next message waits.
    enum Obstacle: Equatable {
        case ownRate(Duration)
        case meeting(Duration)
        case fullQueue
    }

    /// Returns when the next message may be sent: neither the own rate nor a peer's full queue is in the way, and near
    /// peers have had 2 s from the start to be met.
    ///
    /// - Returns: false if the node leaves instead.
    @discardableResult
    package func waitUntilMaySend() async -> Bool {
        let isFast = pacer.isFastSender(now: scheduler.now)
        while case .running = phase {
            switch obstacle(isFast: isFast) {
            case .ownRate(let pause), .meeting(let pause):
                wakeSenders(after: pause)
                await withCheckedContinuation { waitingToSend.append($0) }
            case .fullQueue:
                await withCheckedContinuation { waitingToSend.append($0) }
            case nil:
                pacer.sent(now: scheduler.now)
                return true
            }
        }
        return false
    }

    func obstacle(isFast: Bool) -> Obstacle? {
        let now = scheduler.now
        let pause = pacer.wait(now: now)
        if pause > .zero { return .ownRate(pause) }
        if let pause = pacer.meetingPause(now: now) { return .meeting(pause) }
        guard isFast, let queue = links.findFullQueue(within: Pacer.stallTimeout, now: now) else { return nil }
        if queue == .new { wakeSenders(after: Pacer.stallTimeout) }
        return .fullQueue
    }

    private func wakeSenders(after pause: Duration) {
        let time = scheduler.now + pause
        if let sendersWakeAt, sendersWakeAt <= time { return }
        sendersWakeAt = time
        scheduler.schedule(at: time) { [weak self] in
            self?.assumeIsolated { node in
                if node.sendersWakeAt == time { node.sendersWakeAt = nil }
                node.wakeSenders()
            }
        }
    }

    func wakeSenders() {
        let waiting = waitingToSend
        waitingToSend = []
        for continuation in waiting { continuation.resume() }
    }
}
