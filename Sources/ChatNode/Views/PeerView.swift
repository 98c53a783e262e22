package import Chat
package import Wire

/// A row of `/who`.
package struct PeerView: Hashable, Sendable {
    package let who: PeerName
    package let state: PresenceState
    /// Since when it is here, or gone.
    package let since: Timestamp
    /// Nil before the first ping came back, and when offline.
    package let roundTrip: RoundTrip?
    package let isMuted: Bool
    package let isVerified: Bool
    /// Whether its links are refused.
    package let isBlocked: Bool
    /// Nil unless the peer is away and gave one. Not made safe for display: that is done where it is shown.
    package var reason: String?
    /// Not made safe for display either.
    package var profile = Profile()
    /// Whether it is in another network.
    package var isElsewhere = false
}

extension PeerView {
    init(_ row: Roster.Row, _ connections: Connections) {
        self.init(
            who: row.who, state: row.state, since: row.since,
            roundTrip: connections.sendingLink(of: row.who.key)?.roundTrip.map(RoundTrip.init), isMuted: row.isMuted,
            isVerified: row.isVerified, isBlocked: row.isBlocked, reason: row.reason, profile: row.profile,
            isElsewhere: row.isElsewhere)
    }
}
