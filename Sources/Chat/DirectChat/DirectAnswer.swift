internal import Wire

/// Yes to a direct conversation, or its end.
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

/// What came of a payload in a direct conversation.
package struct DirectStep: Hashable, Sendable {
    package var events: [ChatEvent] = []
    /// What to answer without asking the person, so that both sides end in the same state.
    package var reply: DirectAnswer?

    static let nothing = DirectStep()
}
