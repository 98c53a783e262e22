package import Chat
package import Wire

/// The rooms that peers invited the user to, at most 32, the newest at the end. Of more, the peer with the most loses its oldest.
package struct Invitations: Sendable {
    package struct Entry: Sendable {
        package let room: Room
        package let from: PeerName
    }

    package private(set) var all: [Entry] = []

    package init() {}

    /// An invitation to the same room takes the place of an earlier one.
    package mutating func add(_ room: Room, from: PeerName) {
        remove(room)
        all.append(Entry(room: room, from: from))
        if all.count > Limits.invitations { dropOne() }
    }

    private mutating func dropOne() {
        let ofPeer = Dictionary(grouping: all.indices) { all[$0].from.key }.values
        let most = ofPeer.max { $0.count == $1.count ? $0[0] > $1[0] : $0.count < $1.count }
        if let oldest = most?.first { all.remove(at: oldest) }
    }

    mutating func remove(_ room: Room) { all.removeAll { $0.room.isSame(as: room) } }

    /// Removes those of a peer.
    ///
    /// - Returns: whether there were any.
    package mutating func remove(of peer: PeerID) -> Bool {
        let count = all.count
        all.removeAll { $0.from.key == peer }
        return all.count < count
    }

    /// The room of a name that the user was last invited to.
    func room(named name: String) -> Room? { all.last { $0.room.name == name }?.room }
}

extension Limits {
    /// Invitations that a process keeps; the oldest of the peer with the most goes. More let strangers fill the list;
    /// with fewer, an invitation is gone before the user looks.
    package static let invitations = 32
}
