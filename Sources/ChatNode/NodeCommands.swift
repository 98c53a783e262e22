package import Chat
import Noise
import Phrases
package import Wire

/// The actions of the user. After an error the node goes on.
extension Node {
    /// Runs `body` in one turn of the node.
    package func inTurn<Result: Sendable>(_ body: @Sendable (isolated Node) -> Result) -> Result { body(self) }

    /// Waits until a message may be sent, and runs `body` in that turn, before any other sender.
    ///
    /// - Returns: nil if the node leaves instead.
    package func whenMaySend<Result: Sendable>(_ body: @Sendable (isolated Node) -> Result) async -> Result? {
        guard await waitUntilMaySend() else { return nil }
        return body(self)
    }

    package var wallClock: Timestamp { scheduler.wallClock }

    /// Performs an action of the user. After an error the node goes on.
    package func perform(_ action: UserAction) throws(ChatError) {
        let environment = environment
        try withEffects { (effects: inout Effects) throws(ChatError) in
            try conversations.perform(action, environment, &effects)
        }
    }

    package func change(_ change: UserChange) {
        let environment = environment
        withEffects { conversations.change(change, environment, &$0) }
        if case .consent = change, let first = router.roster.bridges.first { reportBridge(of: first) }
    }

    func shutOut(_ peer: PeerID) {
        let key = intake.certificate(of: peer, now: scheduler.now)?.noise
        // The peer is gone for us at once, without the grace of a lost link.
        for link in connections.links(of: peer) { close(link, .blocked) }
        finder.shutOut(peer, key)
        arm(.dialler)
    }
}

/// Waiting until the network takes more: a fast sender is held up instead of losing anything.
extension Node {
    /// Returns when the next message may be sent: neither the own rate nor a peer's full queue is in the way, and near
    /// peers have had 2 s from the start to be met.
    ///
    /// - Returns: false if the node leaves instead.
    @discardableResult
    package func waitUntilMaySend() async -> Bool {
        let isFast = conversations.isFastSender(now: scheduler.now)
        while case .running = phase {
            switch obstacle(isFast: isFast) {
            case .ownRate(let pause), .meeting(let pause):
                wakeSenders(after: pause)
                await withCheckedContinuation { waitingToSend.append($0) }
            case .fullQueue:
                await withCheckedContinuation { waitingToSend.append($0) }
            case nil:
                conversations.released(now: scheduler.now)
                return true
            }
        }
        return false
    }

    func obstacle(isFast: Bool) -> Conversations.Obstacle? {
        let now = scheduler.now
        if let obstacle = conversations.obstacle(now: now) { return obstacle }
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
