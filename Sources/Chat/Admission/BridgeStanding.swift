/// How far a neighbour is believed that a payload came over a bridge (Protocol.md section 7).
package enum BridgeStanding: Sendable {
    /// The neighbour is no bridge, and in a crowd no bridge is known.
    case unknown
    /// It comes from a bridge of which the user was informed.
    case known
    /// The user consents to bridges, too: it may bring the people of other networks.
    case trusted
}
