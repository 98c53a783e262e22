/// Code of a notice to the user.
package enum NoticeCode: String, Sendable, CaseIterable {
    case discoveryChanged = "discovery_changed"
    case discoveryLost = "discovery_lost"
    case clockSkew = "clock_skew"
    case signedOut = "signed_out"
    /// A peer of `--peer` has no address, or no route leads to it.
    case peerUnreachable = "peer_unreachable"
    /// No interface leads to other machines.
    case noInterface = "no_interface"
    /// A bridge carries this room to other networks.
    case roomBridged = "room_bridged"
    /// No bridge does so any more.
    case roomUnbridged = "room_unbridged"
    /// This node's bridge has reached a broker.
    case bridgeConnected = "bridge_connected"
    /// This node's bridge has no broker.
    case bridgeLost = "bridge_lost"
    /// That broker is reached, and takes no publication now.
    case bridgeBlocked = "bridge_blocked"
    /// It takes them again.
    case bridgeUnblocked = "bridge_unblocked"
    /// No other node of a room with a key has answered.
    case roomUnanswered = "room_unanswered"

    /// Whether bridges carry the room from now on; nil for a notice about something else.
    package var isRoomBridged: Bool? {
        switch self {
        case .roomBridged, .bridgeConnected: true
        case .roomUnbridged: false
        case .discoveryChanged, .discoveryLost, .clockSkew, .signedOut, .peerUnreachable, .noInterface, .bridgeLost,
            .bridgeBlocked, .bridgeUnblocked, .roomUnanswered:
            nil
        }
    }

    /// Whether it tells why no peer may be found, until discovery or the network changes.
    package var isObstacle: Bool {
        switch self {
        case .discoveryLost, .noInterface: true
        case .discoveryChanged, .clockSkew, .signedOut, .peerUnreachable, .roomBridged, .roomUnbridged,
            .bridgeConnected, .bridgeLost, .bridgeBlocked, .bridgeUnblocked, .roomUnanswered:
            false
        }
    }

    /// Whether it tells that bridges carry the room, or how this node's bridge does.
    package var isAboutBridge: Bool {
        switch self {
        case .roomBridged, .roomUnbridged, .bridgeConnected, .bridgeLost, .bridgeBlocked, .bridgeUnblocked: true
        case .discoveryChanged, .discoveryLost, .clockSkew, .signedOut, .peerUnreachable, .noInterface, .roomUnanswered:
            false
        }
    }

    /// Whether no peer can be reached until the user changes something: faces show it like an error.
    package var isWarning: Bool {
        switch self {
        case .discoveryLost, .peerUnreachable, .noInterface, .bridgeLost, .bridgeBlocked: true
        case .discoveryChanged, .clockSkew, .signedOut, .roomBridged, .roomUnbridged, .bridgeConnected,
            .bridgeUnblocked, .roomUnanswered:
            false
        }
    }
}
