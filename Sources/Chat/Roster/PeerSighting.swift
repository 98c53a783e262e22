/// A peer as the event before described it, so that faces distinguish a rename and a return from an arrival.
package struct PeerSighting: Hashable, Sendable {
    package let who: PeerName
    package let state: PresenceState
    /// Not made safe for display; nil unless the peer was away and gave one.
    package let reason: String?

    package init(_ who: PeerName, _ state: PresenceState, reason: String? = nil) {
        (self.who, self.state, self.reason) = (who, state, reason)
    }

    var withoutReason: PeerSighting { PeerSighting(who, state) }
}
