import Chat
import Wire

/// The newest presence of each peer of a crowd, as it was signed, until it lapses (Protocol.md section 13).
///
/// One that says that its author left is kept too, so that an older one does not bring the author back.
struct Presences {
    /// Kept small: there is one for each peer of the room.
    struct Entry {
        let clock: AuthorClock
        /// False for one that says that its author left, and for one that came over a bridge.
        var isHere: Bool
        var lapsesAt: Instant
        /// The frame, with its type byte and 1 hop.
        var frame: [UInt8]

        var isBridged: Bool { frame[1] & SignedPayload.bridgedBit != 0 }
    }

    private(set) var digests = RosterDigests()
    private var entries = PackedTable<PeerID, Entry>()
    private let capacity: Int
    /// Presences that found no room.
    private(set) var refused = 0
    private var sweepsAt: Instant?
    /// The room is small, and presences of peers in this network hold for a shorter time.
    var isSmall = false

    /// How late a lapsed presence may be noticed.
    private static let sweep = Duration.seconds(15)

    init(capacity: Int = Limits.knownPeers) {
        self.capacity = capacity
    }

    var count: Int { entries.count }

    subscript(peer: PeerID) -> Entry? { entries[peer] }

    /// True if a peer's newest presence says that it is here or away.
    func isHere(_ peer: PeerID) -> Bool { entries[peer]?.isHere ?? false }

    /// True for a presence that `keep` would keep.
    func isNews(_ clock: AuthorClock, of peer: PeerID) -> Bool {
        entries[peer].map { $0.clock < clock } ?? true
    }

    /// Keeps a presence whose signature was checked.
    ///
    /// - Parameter age: how old it is; zero for one that comes live.
    /// - Returns: false if a newer one, or this one, is here, it has lapsed, or there is no room.
    mutating func keep(_ payload: VerifiedPayload, age: Duration, now: Instant) -> Bool {
        let lifetime = isSmall && !payload.isBridged ? Limits.gapPresenceLifetime : Limits.presenceLifetime
        guard case .presence(let presence) = payload.payload.body, age < lifetime else { return false }
        let (peer, clock) = (payload.author, payload.payload.authorClock)
        if let known = entries[peer] {
            guard known.clock < clock else { return false }
            digests.remove(peer, known.clock, isBridged: known.isBridged)
        } else if entries.count >= capacity {
            // The peers that are known stay known, however many new identities come.
            refused += 1
            return false
        }
        entries[peer] = Entry(
            clock: clock, isHere: presence.state != .left && !payload.isBridged,
            lapsesAt: now + (lifetime - age), frame: payload.frame(hops: 1))
        digests.insert(peer, clock, isBridged: payload.isBridged)
        if sweepsAt == nil { sweepsAt = now + Presences.sweep }
        return true
    }

    /// Handles a presence that came before.
    ///
    /// - Returns: true if it is the newest of its author, had come over a bridge alone, and comes over a link of this network now.
    mutating func recordHere(_ presence: borrowing PayloadFrame) -> Bool {
        let peer = presence.author
        guard var entry = entries[peer], entry.isBridged, !presence.isBridged else { return false }
        let signed = presence.body.extracting(1...)
        guard signed.count == entry.frame.count - 2,
            signed.indices.allSatisfy({ signed[$0] == entry.frame[$0 + 2] })
        else { return false }
        digests.remove(peer, entry.clock, isBridged: true)
        digests.insert(peer, entry.clock)
        entry.frame[1] &= ~SignedPayload.bridgedBit
        entry.isHere = true
        entries[peer] = entry
        return true
    }

    /// A peer of a small room is gone, and its presence says so no more: it is kept, so that neighbours do not bring it back.
    mutating func end(_ peer: PeerID) {
        guard let index = entries.index(forKey: peer) else { return }
        entries.values[index].isHere = false
    }

    mutating func remove(_ peer: PeerID) {
        guard let entry = entries[peer] else { return }
        digests.remove(peer, entry.clock, isBridged: entry.isBridged)
        entries[peer] = nil
    }

    /// When `lapse` may have something; nil while the table is empty.
    var nextDeadline: Instant? { sweepsAt }

    /// Removes the presences that no longer hold.
    ///
    /// - Returns: the peers that were here by them, in the order of their keys.
    mutating func lapse(now: Instant) -> [PeerID] {
        guard let sweepsAt, sweepsAt <= now else { return [] }
        let lapsed = entries.filter { $0.value.lapsesAt <= now }
        for (peer, _) in lapsed { remove(peer) }
        self.sweepsAt = entries.isEmpty ? nil : now + Presences.sweep
        return lapsed.filter { $0.value.isHere }.map(\.key).sorted()
    }

    /// A part of the presences in some buckets.
    ///
    /// - Parameters:
    ///   - buckets: a bit for each, as `RosterDigests.differences` gives them.
    ///   - start: 0 for the first part, then what the last call returned.
    /// - Returns: at most `most` presences and where to go on; nil at the end. An entry that moves meanwhile may be missed: the next digests show it.
    func part(
        of buckets: UInt16, from start: Int, most: Int
    ) -> (peers: [PeerID], next: Int?) {
        var (index, peers) = (start, [PeerID]())
        while index < entries.keys.count, peers.count < most {
            let peer = entries.keys[index]
            if buckets & 1 << UInt16(RosterDigests.bucket(of: peer)) != 0 { peers.append(peer) }
            index += 1
        }
        return (peers, index < entries.keys.count ? index : nil)
    }
}

extension Limits {
    /// After which a peer without a newer presence is gone, in a small room with gaps: about three intervals. A longer
    /// one lists peers for longer that are gone; a shorter one makes peers come and go where a presence is lost.
    static let gapPresenceLifetime = Duration.seconds(90)
}
