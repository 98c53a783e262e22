import Chat
import Noise
import Wire

/// Links for direct conversations alone, between peers of a crowd that sent each other their endpoints (Protocol.md section 13).
struct GuestLinks {
    private struct Wish {
        let endpoint: Endpoint
        let dialAt: Instant
    }

    private struct Dial {
        let peer: PeerID
        let endpoint: Endpoint
        /// Until then a failed one counts as under way (`ToldDials`).
        let end: Instant
        var hasFailed = false
    }

    private struct Guest {
        let peer: PeerID
        var usedAt: Instant
    }

    /// The peer with the greater key waits so long for the other to dial.
    private static let yieldingWait = Duration.seconds(3)

    private var wishes: [PeerID: Wish] = [:]
    private var dials: [ConnectionID: Dial] = [:]
    private var guests: [ConnectionID: Guest] = [:]
    private var dialledAt = RecentTable<PeerID, Instant>(capacity: 2 * Limits.directConversations)

    var count: Int { dials.count + guests.count }

    /// A peer of an accepted conversation sent its endpoint.
    ///
    /// - Parameters:
    ///   - isFirst: whether this node dials first: the peer with the lesser key does.
    ///   - pause: a random time before it does.
    mutating func recordEndpoint(
        _ endpoint: Endpoint, of peer: PeerID, isFirst: Bool, after pause: Duration = .zero, now: Instant
    ) {
        guard wishes.count < Limits.guestLinks, wishes[peer] == nil, !has(peer), isRested(peer, now: now) else {
            return
        }
        wishes[peer] = Wish(endpoint: endpoint, dialAt: now + pause + (isFirst ? .zero : GuestLinks.yieldingWait))
    }

    private func has(_ peer: PeerID) -> Bool {
        dials.values.contains { $0.peer == peer } || guests.values.contains { $0.peer == peer }
    }

    private func isRested(_ peer: PeerID, now: Instant) -> Bool {
        dialledAt[peer].map { $0 + Limits.guestDialInterval <= now } ?? true
    }

    var nextDeadline: Instant? {
        let shown = dials.values.filter(\.hasFailed).map(\.end).min()
        return Instant.earlier(
            Instant.earlier(wishes.values.map(\.dialAt).min(), shown),
            guests.values.map { $0.usedAt + Limits.guestIdleTime }.min())
    }

    /// The dials of now, in the order of the keys; the caller answers each with `dialled`. None for a peer that has a link.
    mutating func takeDue(now: Instant, isLinked: (PeerID) -> Bool) -> [(peer: PeerID, endpoint: Endpoint)] {
        for (connection, dial) in dials where dial.hasFailed && dial.end <= now { dials[connection] = nil }
        let due = wishes.filter { $0.value.dialAt <= now }.sorted { $0.key < $1.key }
        for (peer, _) in due { wishes[peer] = nil }
        return due.filter { !isLinked($0.key) }.prefix(max(0, Limits.guestLinks - count)).map {
            ($0.key, $0.value.endpoint)
        }
    }

    /// - Parameter end: until when the dial counts as under way if it fails.
    mutating func dialled(
        _ peer: PeerID, at endpoint: Endpoint, as connection: ConnectionID, now: Instant, until end: Instant
    ) {
        dials[connection] = Dial(peer: peer, endpoint: endpoint, end: end)
        dialledAt.set(now, for: peer)
    }

    /// The endpoint of a guest's dial that is under way; nil for other connections.
    func endpoint(of connection: ConnectionID) -> Endpoint? {
        dials[connection].flatMap { $0.hasFailed ? nil : $0.endpoint }
    }

    /// A handshake on a dialled connection has proven its peer; false if it is another than was dialled.
    mutating func established(_ connection: ConnectionID, with peer: PeerID) -> Bool {
        dials.removeValue(forKey: connection).map { $0.peer == peer } ?? true
    }

    /// A link is a guest's: of ours once its handshake is through, of the peer's once its hello says so. Most places are kept for
    /// peers of accepted conversations, because any number of keys costs nothing.
    ///
    /// - Parameter isAccepted: whether the conversation with a peer is accepted.
    /// - Returns: false if there are as many as may be.
    mutating func opened(
        _ connection: ConnectionID, to peer: PeerID, now: Instant, isAccepted: (PeerID) -> Bool
    ) -> Bool {
        guard guests[connection] != nil || hasSpace(for: peer, isAccepted) else { return false }
        guests[connection] = Guest(peer: peer, usedAt: now)
        wishes[peer] = nil
        return true
    }

    private func hasSpace(for peer: PeerID, _ isAccepted: (PeerID) -> Bool) -> Bool {
        guard guests.count < Limits.guestLinks else { return false }
        return isAccepted(peer) || guests.values.count { !isAccepted($0.peer) } < Limits.strangerGuests
    }

    func isGuest(_ connection: ConnectionID) -> Bool { guests[connection] != nil || dials[connection] != nil }

    /// Something of a direct conversation went over a link.
    mutating func recordUse(of connection: ConnectionID, now: Instant) { guests[connection]?.usedAt = now }

    /// The links that were idle for too long.
    func idle(now: Instant) -> [ConnectionID] {
        guests.filter { $0.value.usedAt + Limits.guestIdleTime <= now }.keys.sorted()
    }

    /// A dial has failed, or a link has ended.
    mutating func closed(_ connection: ConnectionID) {
        dials[connection]?.hasFailed = true
        guests[connection] = nil
    }
}

extension Limits {
    /// Links for direct conversations alone, in a crowd. More cost places; with fewer, direct messages of a busy user
    /// take the way over relays.
    static let guestLinks = 8
    /// Those of them with peers without an accepted conversation. With more, strangers hold the places; with fewer,
    /// first requests take the way over relays.
    static let strangerGuests = 2
    /// After which such a link without a direct message ends. A longer one holds places; a shorter one dials again
    /// within one conversation.
    static let guestIdleTime = Duration.seconds(120)
    /// Between two dials of a peer for such a link. A shorter one tries full or unreachable peers in vain; with a
    /// longer one, a conversation stays on relays for longer.
    static let guestDialInterval = Duration.seconds(60)
}
