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

/// The result of a payload in a direct conversation.
package struct DirectStep: Hashable, Sendable {
    package var events: [ChatEvent] = []
    /// The answer to send without asking the user, so that both sides reach the same state.
    package var reply: DirectAnswer?

    static let nothing = DirectStep()
}
