import Wire

/// The deletions that are kept for others, and so that what was deleted does not come back (Protocol.md section 7).
///
/// A member can sign any number of deletions of messages that never were. So those of messages that were not here go first, and
/// the giver with the most loses one.
struct Deletions: Sendable {
    /// With the author, because only the author can delete a message.
    private struct Target: Hashable {
        let message: MessageID
        let author: PeerID
    }

    private struct Entry {
        /// The first 8 bytes of the deletion's id.
        let id: UInt64
        let target: Target
        let giver: Giver
        /// The message is or was here.
        let isOfKnown: Bool
    }

    enum Placement: Equatable {
        /// Another deletion of the same message is kept.
        case there
        /// Kept; the evicted one made room.
        case kept(evicted: UInt64?)
        /// Its giver has the most.
        case refused
    }

    /// In the order of arrival, so that a false time keeps no place.
    private var entries: [Entry] = []
    private var targets: Set<Target> = []

    var count: Int { entries.count }

    /// Those of known messages first: a neighbour that has only these to fear takes them before the others.
    var ids: [UInt64] { entries.filter(\.isOfKnown).map(\.id) + entries.filter { !$0.isOfKnown }.map(\.id) }

    /// True if a message must not be taken in again.
    func has(_ message: MessageID, of author: PeerID) -> Bool {
        !targets.isEmpty && targets.contains(Target(message: message, author: author))
    }

    /// Keeps a deletion.
    ///
    /// - Parameter isOfKnown: whether the message is or was here, of the same author.
    mutating func keep(
        _ id: UInt64, of message: MessageID, by author: PeerID, from giver: Giver, isOfKnown: Bool
    ) -> Placement {
        let target = Target(message: message, author: author)
        guard targets.insert(target).inserted else { return .there }
        entries.append(Entry(id: id, target: target, giver: giver, isOfKnown: isOfKnown))
        guard entries.count > Limits.deletionsKept, let victim else { return .kept(evicted: nil) }
        let evicted = entries.remove(at: victim)
        targets.remove(evicted.target)
        return evicted.target == target ? .refused : .kept(evicted: evicted.id)
    }

    /// Of unknown messages the newest of the greediest giver, which has given the others first; else the oldest.
    private var victim: Int? {
        let unknown = entries.indices.filter { !entries[$0].isOfKnown }
        guard unknown.isEmpty else { return FairShare.newest(of: unknown.map(holder)).map { unknown[$0] } }
        return FairShare.oldest(of: entries.indices.map(holder))
    }

    private func holder(_ index: Int) -> FairShare.Holder {
        FairShare.Holder(giver: entries[index].giver, author: entries[index].target.author)
    }
}
