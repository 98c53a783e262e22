/// How a peer's link ended, which decides how long the peer may take to come back before its departure is reported.
package enum LinkEnd: Sendable, CaseIterable {
    /// The peer said goodbye.
    case goodbye
    /// The peer's system closed or reset the connection without a goodbye, as it does for a killed process.
    case closed
    /// The network failed, or this node closed the link: the peer may come back.
    case lost
    /// Nothing came for so long that the peer is gone already.
    case silent

    /// The time in which a peer may come back without a report of its departure.
    package var reconnectGrace: Duration {
        switch self {
        case .goodbye, .silent: .zero
        case .closed: .milliseconds(1_500)
        case .lost: .seconds(10)
        }
    }
}
