import Chat
import Wire

/// Letting others know that we type, and no more often than they need it (Protocol.md section 6, kind 3).
extension Node {
    /// To be called at each key that a person presses in a message, and with false when what was typed is discarded.
    ///
    /// Sending a message, or looking at another conversation, ends it without this.
    package func setTyping(_ isOn: Bool) {
        guard case .running = phase else { return }
        if isOn {
            for signal in typingNotice.key(in: router.activeConversation, now: scheduler.now) { tell(signal) }
            armTyping()
        } else {
            tell(typingNotice.stop())
        }
    }

    /// Nobody is told where nobody may know: a direct conversation that is not accepted, or a peer that is not there.
    func tell(_ signal: TypingNotice.Signal?) {
        guard let signal,
            let outgoing = router.composeTyping(
                signal.isOn, in: signal.conversation, session: &session, wallClock: scheduler.wallClock)
        else { return }
        send(outgoing.payload, to: outgoing.destination)
    }

    private func armTyping() {
        guard let deadline = typingNotice.nextDeadline, typingTime.arm(deadline) else { return }
        scheduler.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { node in
                guard node.typingTime.isCurrent(deadline), case .running = node.phase else { return }
                node.tell(node.typingNotice.tick(node.scheduler.now))
                node.armTyping()
            }
        }
    }
}
