import Chat
import Wire

/// Waiting until the network takes more: a fast sender is held up instead of losing anything.
extension Node {
    /// A peer that takes nothing for so long no longer holds a fast sender up.
    private static let patience = Duration.seconds(1)

    /// Returns when the next message may be sent: neither the own rate nor a peer's full queue is in the way.
    package func waitUntilMaySend() async {
        while case .running = phase {
            let pause = pace.wait(now: scheduler.now)
            if pause > .zero {
                await withCheckedContinuation { continuation in
                    scheduler.schedule(at: scheduler.now + pause) { continuation.resume() }
                }
            } else if audience.contains(where: { isHoldingUp($0) }) {
                await withCheckedContinuation { waitingToSend.append($0) }
            } else {
                return
            }
        }
    }

    func wakeSenders() {
        let waiting = waitingToSend
        waitingToSend = []
        for continuation in waiting { continuation.resume() }
    }

    /// A link whose queue is half full, for a while: then it is left to fill, and is closed when it is full.
    private func isHoldingUp(_ slot: LinkSlot) -> Bool {
        guard slot.link.outbox.count > Outbox.capacity / 2 else {
            slot.fullSince = nil
            return false
        }
        guard let since = slot.fullSince else {
            slot.fullSince = scheduler.now
            scheduler.schedule(at: scheduler.now + Node.patience) { [weak self] in
                self?.assumeIsolated { $0.wakeSenders() }
            }
            return true
        }
        return scheduler.now < since + Node.patience
    }
}
