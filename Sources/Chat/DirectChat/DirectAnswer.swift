internal import Wire

/// An automatic answer in a direct conversation: its acceptance or its end.
package enum DirectAnswer: Hashable, Sendable {
    case acceptance
    case departure

    func body(to target: PeerID) -> PayloadBody {
        switch self {
        case .acceptance: .dmAccept(target: target)
        case .departure: .dmLeave(target: target)
        }
    }
}

/// The effects of a payload or an operation in a direct conversation. The router reports them in the order of these properties.
struct DirectStep: Sendable {
    enum Shown: Sendable {
        case request(String)
        case message(Message, unread: Int)
        case invitation(Invitation)
    }

    var change: DirectChange?
    /// Own messages that are given up.
    var failed: [Undelivered] = []
    /// A request that was hidden until the conversation was accepted.
    var late: Shown?
    var shown: Shown?
    /// Own messages that were delivered or read.
    var acknowledged: (ids: [MessageID], delivery: DeliveryState)?
    /// The answer to send without asking the user, so that both sides reach the same state.
    var reply: DirectAnswer?

    static let nothing = DirectStep()
}
