import Chat
import Wire

/// The timers of a node, one for each part with a deadline.
enum NodeTimer: Int, CaseIterable {
    case bridge, choice, crowd, dialler, history, mail, overlay, router, typing
}

/// Deadlines: each part has its own; the node wakes at the deadline of a timer and asks the part again.
extension Node {
    /// Sets a timer whose deadline may be an earlier one now.
    func arm(_ timer: NodeTimer) {
        if let deadline = deadline(of: timer) { wake(timer, at: deadline) }
    }

    func wake(_ timer: NodeTimer, at deadline: Instant) {
        guard timers[timer.rawValue].arm(deadline) else { return }
        scheduler.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { node in
                if node.timers[timer.rawValue].isCurrent(deadline) { node.tick(timer) }
            }
        }
    }

    private func deadline(of timer: NodeTimer) -> Instant? {
        switch timer {
        case .bridge: bridgeGate.nextDeadline(now: scheduler.now)
        case .choice: finder.nextDeadline
        case .crowd: crowd.nextDeadline
        // Without room for a link no deadline matters: the end of a link arms it again.
        case .dialler: dialRoom > 0 ? finder.nextDial : nil
        case .history: historyExchange.nextDeadline
        case .mail: mail.nextDeadline
        case .overlay: spread.nextDeadline
        case .router: router.nextDeadline
        case .typing: conversations.typingDeadline
        }
    }

    private func tick(_ timer: NodeTimer) {
        switch timer {
        case .bridge:
            let environment = environment
            withEffects { bridgeGate.tick(environment, &$0) }
        case .choice: tickFinder()
        case .crowd: tickCrowd()
        case .dialler: dialDue()
        case .history: tickHistory()
        case .mail: tickMail()
        case .overlay: tickOverlay()
        case .router: tickRouter()
        case .typing:
            let environment = environment
            withEffects { conversations.tickTyping(environment, &$0) }
        }
    }
}
