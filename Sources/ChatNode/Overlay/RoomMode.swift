/// How payloads travel in the room, as this node sees it (Protocol.md section 13).
package enum RoomMode: Hashable, Sendable {
    /// Each node has a link with each other.
    case mesh
    /// The room is small, and some of its nodes can not reach each other: the others pass payloads on.
    case relaying
    /// The room is too large for links between all.
    case overlay

    /// Peers are here by their presences, not by their links alone.
    package var isCrowd: Bool { self != .mesh }

    /// So many peers are here that arrivals and departures are reported as counts.
    package var isFolded: Bool { self == .overlay }
}
