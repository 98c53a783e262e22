package import Chat
import Wire

/// Sends typing payloads when `TypingTracker` asks for them (Protocol.md section 6, kind 3).
extension Node {
    /// The user pressed a key in a message (true) or discarded the text (false).
    ///
    /// Sending a message or opening another conversation ends typing without this call.
    ///
    /// - Parameter conversation: that of the message; nil for the one that is being looked at.
    package func setTyping(_ isOn: Bool, in conversation: Conversation? = nil) {
        guard case .running = phase else { return }
        if isOn {
            let conversation = conversation ?? router.activeConversation
            for signal in typingTracker.key(in: conversation, now: scheduler.now) { sendTyping(signal) }
            arm(.typing)
        } else {
            sendTyping(typingTracker.stop())
        }
    }

    /// Sends a typing payload; none in a direct conversation that is not accepted or whose peer has no link, and none to a
    /// crowd.
    func sendTyping(_ signal: TypingTracker.Signal?) {
        // In a large room most nodes have no link that typing would come on.
        guard let signal, !(spread.mode == .overlay && signal.conversation == .publicRoom),
            let outgoing = router.composeTyping(
                signal.isOn, in: signal.conversation, at: moment)
        else { return }
        send(outgoing.payload, to: outgoing.destination)
    }

    func tickTyping() {
        guard case .running = phase else { return }
        sendTyping(typingTracker.tick(scheduler.now))
        arm(.typing)
    }
}
