import Chat
import Wire

/// Leaving: all queues are written, each peer gets a goodbye, and the node stops when its last link has closed.
extension Node {
    /// How long leaving waits for peers to take what was sent.
    private static let leavingTime = Duration.seconds(10)

    /// How long leaving waits for a peer to acknowledge the last direct messages, which it does with its own goodbye.
    private static let receiptTime = Duration.seconds(1)

    /// Leaves; returns when `.stopped` has been emitted, at once if the node never started.
    package func leave() async {
        beginLeaving()
        if case .stopped = phase { return }
        await withCheckedContinuation { waitingToLeave.append($0) }
    }

    /// Begins to leave for a reason that `.stopped` gives.
    func beginLeaving(because reason: StopReason) {
        stopReason = reason
        beginLeaving()
    }

    /// Begins to leave; `.stopped` is emitted at the end, within 10 s and the time that discovery needs.
    package func beginLeaving() {
        if case .idle = phase {
            phase = .stopped
            forgetKeys()
        }
        guard case .running = phase else { return }
        send(router.signDeparture(at: moment), to: .everyone)
        phase = .leaving
        receiptsAwaitedUntil = scheduler.now + Node.receiptTime
        closeDoors()
        for link in connections.all {
            links.enqueue(GoodbyeReason.leaving.frame, on: link)
            flush(link)
        }
        scheduler.schedule(at: receiptsAwaitedUntil) { [weak self] in self?.assumeIsolated { $0.goOnLeaving() } }
        scheduler.schedule(at: scheduler.now + Node.leavingTime) { [weak self] in
            self?.assumeIsolated { node in
                for link in node.connections.all { node.close(link, .leaving) }
            }
        }
        wakeSenders()
        goOnLeaving()
    }

    /// Ends each connection that has nothing left to say; when the last has closed, the node stops.
    func goOnLeaving() {
        guard case .leaving = phase else { return }
        for link in connections.all where link.queuedBytes == 0 && !link.isFinishing && !awaitsReceipts(on: link) {
            links.finishWhenSent(link)
        }
        guard connections.isEmpty else { return }
        phase = .stopping
        // Not before all links are closed: until then receipts may come.
        apply(router.giveUp())
        Task {
            for discovery in discoveries { await discovery.stop() }
            stopBridge()
            phase = .stopped
            forgetKeys()
            emit(.stopped(stopReason))
            let waiting = waitingToLeave
            waitingToLeave = []
            for continuation in waiting { continuation.resume() }
        }
    }

    private func awaitsReceipts(on link: LinkInfo) -> Bool {
        guard scheduler.now < receiptsAwaitedUntil, let peer = link.peer else { return false }
        return connections.sendingLink(of: peer)?.id == link.id && router.awaitsReceipts(from: peer)
    }

    /// Accepts and dials no connection any more.
    func closeDoors() {
        links.stopListening()
        for dial in finder.dialsUnderWay where connections[dial] == nil { links.cancel(dial) }
    }
}
