import Wire

/// The deletions that are kept for others, and so that what was deleted does not come back (Protocol.md section 7).
///
/// A member can sign any number of deletions of messages that never were. So those of messages that were not here go first, and
/// the giver with the most loses one.
struct Deletions: Sendable {
    private struct Entry {
        /// The first 8 bytes of the deletion's id.
        let id: UInt64
        let target: ChangeTarget
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
    private var targets: Set<ChangeTarget> = []
    private var countsOfGivers: [Giver: Int] = [:]

    var count: Int { entries.count }

    /// At most `Limits.deletionsOffered`, of each giver as many as of the others. Those of known messages go first: a neighbour that
    /// has only these to fear takes them before the others. Of known messages the latest are offered, of others the first.
    var ids: [UInt64] {
        let known = FairShare.shares(
            of: entries.filter(\.isOfKnown).reversed(), by: \.giver, atMost: Limits.deletionsOffered)
        let others = FairShare.shares(
            of: entries.filter { !$0.isOfKnown }, by: \.giver, atMost: Limits.deletionsOffered - known.count)
        return (known.reversed() + others).map(\.id)
    }

    /// True if a message must not be taken in again.
    func has(_ message: MessageID, of author: PeerID) -> Bool {
        !targets.isEmpty && targets.contains(ChangeTarget(message: message, author: author))
    }

    /// Keeps a deletion.
    ///
    /// - Parameter isOfKnown: whether the message is or was here, of the same author.
    mutating func keep(
        _ id: UInt64, of message: MessageID, by author: PeerID, from giver: Giver, isOfKnown: Bool
    ) -> Placement {
        let target = ChangeTarget(message: message, author: author)
        guard targets.insert(target).inserted else { return .there }
        entries.append(Entry(id: id, target: target, giver: giver, isOfKnown: isOfKnown))
        countsOfGivers[giver, default: 0] += 1
        guard let victim = victim(of: giver) else { return .kept(evicted: nil) }
        let evicted = entries.remove(at: victim)
        targets.remove(evicted.target)
        let rest = countsOfGivers[evicted.giver, default: 1] - 1
        countsOfGivers[evicted.giver] = rest > 0 ? rest : nil
        return evicted.target == target ? .refused : .kept(evicted: evicted.id)
    }

    /// The place of the entry to give up where a giver has given more than its share, or all together have; nil if there is room.
    private func victim(of giver: Giver) -> Int? {
        if countsOfGivers[giver, default: 0] > Limits.deletionsOfGiver {
            return victim(among: entries.indices.filter { entries[$0].giver == giver })
        }
        return entries.count > Limits.deletionsKept ? victim(among: Array(entries.indices)) : nil
    }

    /// Of unknown messages the newest of the greediest giver, which has given the others first; else the oldest.
    private func victim(among places: [Int]) -> Int? {
        let unknown = places.filter { !entries[$0].isOfKnown }
        guard unknown.isEmpty else { return FairShare.newest(of: unknown.map(holder)).map { unknown[$0] } }
        return FairShare.oldest(of: places.map(holder)).map { places[$0] }
    }

    private func holder(_ index: Int) -> FairShare.Holder {
        FairShare.Holder(giver: entries[index].giver, author: entries[index].target.author)
    }
}

extension Limits {
    /// Deletions that are kept of one giver, so that a deleted message does not come back. More let one giver push out
    /// those of others; with fewer, a user's older deletions are forgotten while copies of the messages are still
    /// about.
    static let deletionsOfGiver = 100
    /// Deletions of all givers: eight that use their share whole. More cost memory and time to find one to give up;
    /// with fewer, fewer givers have a full share.
    static let deletionsKept = 800
    /// Deletions in a `have`. More leave no room for messages and edits in its record; with fewer, a deletion takes
    /// longer to reach a peer that missed it.
    static let deletionsOffered = 100
}
