/// How a peer's link ended, which says whether it is worth waiting for the peer before telling that it has gone.
package enum LinkEnd: Sendable, CaseIterable {
    /// The peer said goodbye.
    case goodbye
    /// The other side closed without a word, as the system does for a process that was killed.
    case closed
    /// The network failed, or we let it go: the peer may well be back.
    case lost
    /// Nothing has come for so long that whoever was there has gone already.
    case silent

    /// How long a peer may take to come back without having been away for anybody.
    package var reconnectGrace: Duration {
        switch self {
        case .goodbye, .silent: .zero
        case .closed: .milliseconds(1_500)
        case .lost: .seconds(10)
        }
    }
}
