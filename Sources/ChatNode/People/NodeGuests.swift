import Chat
import Noise
import Wire

/// Direct messages in a crowd: along remembered paths, and over guest links (Protocol.md section 13).
extension Node {
    /// The links on which a sealed message of our own begins its way: the one by which the peer's presence came, and another.
    func sealingLinks(to peer: PeerID) -> [Connection] {
        let links = crowdLinks
        let path = people.paths[PresencePaths.key(of: peer)]
        let first = links.first { $0.id == path }
        let second = links.filter { $0 !== first }.randomElement(using: &randomness)
        return [first, second].compactMap(\.self)
    }

    /// The link on which a sealed message for another goes on: to the peer itself, along its path, or, where that has ended,
    /// anywhere. Each node passes a message on once.
    func sealedStep(of frame: [UInt8], except neighbour: PeerID?) -> Connection? {
        let links = crowdLinks.filter { $0.peer != neighbour }
        if let target = links.first(where: { link in link.sealedAddress.map { frame.starts(with: $0) } ?? false }) {
            return target
        }
        let path = people.paths[PresencePaths.key(frame)]
        return links.first { $0.id == path } ?? links.randomElement(using: &randomness)
    }

    /// Seals again what has no receipt, over other links than before.
    func sealAgain() {
        let due = people.retries.takeDue(now: scheduler.now) { peer in
            !router.roster.isOnline(peer) && router.isUnacknowledged(by: peer)
        }
        for peer in due { router.linkReady(peer) }
        if !due.isEmpty { routed() }
    }

    /// Our address and port for the peer of an accepted conversation, as seen on a link; empty if there is none to tell.
    func ownEndpoint(for peer: PeerID, on connection: Connection) -> [UInt8] {
        guard isAccepted(peer), let local = links.localEndpoint(of: connection.id) else { return [] }
        return local.address + [UInt8(links.port >> 8), UInt8(truncatingIfNeeded: links.port)]
    }

    /// The peer of a conversation told its endpoint in a sealed message.
    func noteEndpoint(_ bytes: [UInt8], of peer: PeerID, from connection: Connection) {
        guard isCrowd, !people.isSmall, bytes.count > 2, isAccepted(peer), !router.roster.isOnline(peer) else { return }
        let port = UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1])
        let endpoint = Endpoint(address: Array(bytes.dropLast(2)), port: port)
        let network = links.network(of: connection.id)
        let filter = ToldEndpointFilter(
            network: network, isWithinMachine: connection.endpoint.isLoopback, allowsLoopback: finder.hasNamedLoopback)
        let scope = endpoint.isLinkLocalIPv6 ? network?.scope ?? connection.endpoint.scope : 0
        let scoped = Endpoint(address: endpoint.address, port: port, scope: scope)
        guard filter.allows(scoped) else { return }
        let pause = Duration.random(in: .zero...Limits.contactDialWait, using: &randomness)
        people.guests.told(scoped, of: peer, isFirst: context.me < peer, after: pause, now: scheduler.now)
        arm(.people)
    }

    /// Dials peers that told their endpoints, and ends links that were idle for too long.
    func tickGuests() {
        let now = scheduler.now
        for (peer, endpoint) in people.guests.due(now: now, isLinked: { router.roster.isOnline($0) }) {
            guard links.room > 0, !links.isBanned(peer, now: now), links.mayDial(endpoint, now: now) else { continue }
            let connection = links.dial(endpoint)
            let end = ToldDials.end(from: now, using: &randomness)
            people.guests.dialled(peer, at: endpoint, as: connection, now: now, until: end)
        }
        for id in people.guests.idle(now: now) {
            guard let connection = connections[id] else {
                people.guests.closed(id)
                continue
            }
            close(LinkInfo(connection), .unneeded)
        }
    }

    /// The dialler of a link said that it is for direct messages alone.
    func guestGreeted(on connection: Connection) {
        guard let peer = connection.peer, connection.link.role == .responder,
            !people.guests.isGuest(connection.id)
        else { return }
        if !openedGuest(connection, peer) { withEffects { finder.refuse(peer, &$0) } }
        arm(.people)
    }

    /// A handshake is through: the connection may be one that was dialled for direct messages alone.
    ///
    /// - Returns: false if another peer answered than the one that told the endpoint, or there are too many guests.
    func establishedGuest(_ connection: Connection, _ peer: PeerID) -> Bool {
        guard people.guests.isGuest(connection.id) else { return true }
        defer { arm(.people) }
        return people.guests.established(connection.id, with: peer)
            && openedGuest(connection, peer)
    }

    private func openedGuest(_ connection: Connection, _ peer: PeerID) -> Bool {
        people.guests.opened(connection.id, to: peer, now: scheduler.now) { isAccepted($0) }
    }
}
