import Chat
import Noise
import Wire

/// Direct messages to peers without a link: sealed for the peer, and carried by others. Over relays in a room of few links, along
/// the paths of presences in a crowd, until a guest link joins the two (Protocol.md sections 8 and 13).
struct SealedMail: ~Copyable {
    /// The links that a sealed message of our own may begin its way on.
    enum Way {
        /// Those of the overlay: the one by which the peer's presence came, and another.
        case path([LinkInfo], PresencePaths)
        /// Those of neighbours that told of the peer, all of them.
        case relays([LinkInfo])
    }

    private var randomness: Randomness
    private var keys: RelayKeys
    private var relay: SealedRelay
    private var retries = SealedRetries()
    private var guests = GuestLinks()
    private var sent = 0
    /// For us, and not to be opened with any key of ours.
    private var unopened = 0
    private var repeated = 0
    private var passedOn = 0
    /// For others, while we pass nothing on.
    private var forOthers = 0
    /// Over a link's rate, or for a link that is busy.
    private var refused = 0

    init(me: PeerID, randomness: Randomness, now: Instant) {
        self.randomness = randomness
        keys = RelayKeys(now: now, using: &self.randomness)
        relay = SealedRelay(me: me)
    }

    /// The dm key of our certificate.
    var publicKey: PublicKey { keys.publicKey }

    /// The next time at which `renewKey`, `takeDueRetries` or `tickGuests` has something to do.
    var nextDeadline: Instant? {
        Instant.earlier(Instant.earlier(retries.nextDeadline, guestDeadline), keys.nextDeadline)
    }

    var counters: [Counter] {
        [
            Counter(.sealedSent, sent), Counter(.sealedUnopened, unopened), Counter(.sealedRepeated, repeated),
            Counter(.sealedPassedOn, passedOn), Counter(.sealedForOthers, forOthers), Counter(.sealedRefused, refused),
        ]
    }

    /// The tables, for a census.
    var parts: [(name: String, value: Any)] { [("relay", relay), ("retries", retries), ("guests", guests)] }

    /// Replaces the dm key if that is due.
    ///
    /// - Returns: true if our certificate needs another key.
    mutating func renewKey(now: Instant) -> Bool {
        keys.tick(now: now, using: &randomness)
    }

    /// Zeroes the secret halves of the keys.
    mutating func forgetKeys() { keys.forget() }

    /// The room is a mesh from now on.
    mutating func leaveCrowd() { retries.end() }
}

/// Our own messages.
extension SealedMail {
    /// Seals a payload for a peer and sends it.
    ///
    /// - Parameters:
    ///   - target: the peer's certificate; without one nothing is sent.
    ///   - certificate: our own.
    ///   - bridge: true if the peer is in another network that a bridge of this node leads to.
    ///   - endpoint: where the peer can dial us, on the network of a link: 6 or 18 bytes; empty for nowhere.
    mutating func seal(
        _ payload: VerifiedPayload, for peer: PeerID, to target: Certificate?, with certificate: Certificate,
        over way: Way, andBridge bridge: Bool, _ environment: Environment, endpoint: (LinkInfo) -> [UInt8],
        _ effects: inout Effects
    ) {
        if case .path = way {
            retries.recordSealed(for: peer, now: environment.now)
            effects.append(.arm(.mail))
        }
        guard let target else { return }
        let links = links(to: peer, way)
        guard !links.isEmpty || bridge,
            let frame = SealedMessage.frame(
                sealing: payload, with: certificate, to: target,
                endpoint: toldEndpoint(way, links, environment, endpoint), using: &randomness)
        else { return }
        let body = Array(frame.dropFirst())
        _ = relay.course(of: body)
        if bridge { effects.append(.publishSealed(body, from: environment.me)) }
        effects.append(.deliver(PayloadDelivery(frame: frame, type: payload.type), to: .links(links.map(\.id))))
        sent += 1
    }

    private func toldEndpoint(
        _ way: Way, _ links: [LinkInfo], _ environment: Environment, _ endpoint: (LinkInfo) -> [UInt8]
    ) -> [UInt8] {
        guard case .path = way, environment.mode == .overlay else { return [] }
        return links.first.map(endpoint) ?? []
    }

    private mutating func links(to peer: PeerID, _ way: Way) -> [LinkInfo] {
        switch way {
        case .path(let links, let paths):
            let path = paths[PresencePaths.key(of: peer)]
            let first = links.first { $0.id == path }
            let second = links.filter { $0.id != first?.id }.randomElement(using: &randomness)
            return [first, second].compactMap(\.self)
        case .relays(let links): return links
        }
    }

    /// The peers whose payloads are to be sealed again, over other links than before, in the order of their keys.
    ///
    /// - Parameter isWaiting: whether something for a peer without a link has no receipt.
    mutating func takeDueRetries(now: Instant, isWaiting: (PeerID) -> Bool) -> [PeerID] {
        retries.takeDue(now: now, isWaiting: isWaiting)
    }
}

/// The messages of others.
extension SealedMail {
    /// Whether a received message is for this node; counts one that came before.
    ///
    /// - Parameter frame: the body of a frame 9 of legal length.
    mutating func course(of frame: [UInt8]) -> SealedRelay.Course {
        let course = relay.course(of: frame)
        if course == .repeated { repeated += 1 }
        return course
    }

    /// A message was above its link's rate.
    mutating func countRefused() { refused += 1 }

    /// Opens a message for this node.
    ///
    /// - Returns: the content, whose payload is not verified; nil if it was sealed for a key that is gone, and counted.
    mutating func open(_ frame: [UInt8], for me: PeerID) -> [UInt8]? {
        let opened = keys.open(frame.span, for: me)
        if opened == nil { unopened += 1 }
        return opened
    }

    /// Passes a message for another on. In a crowd it goes one step: to the target itself, along its path, or, where that has
    /// ended, anywhere. Else it goes to the target if that is linked, or to all other peers. A link with a queue that is half full is
    /// left out, so that this never closes a link.
    ///
    /// - Parameters:
    ///   - neighbour: the peer that it came from; nil for one that came over the bridge, which is passed on in any case.
    ///   - isRelay: whether the user lets this node pass messages on outside of a crowd.
    ///   - links: in a crowd those of the overlay, else all.
    mutating func passOn(
        _ frame: [UInt8], from neighbour: PeerID?, isRelay: Bool, _ environment: Environment, links: [LinkInfo],
        paths: PresencePaths, _ effects: inout Effects
    ) {
        guard neighbour == nil || isRelay || environment.isCrowd else {
            forOthers += 1
            return
        }
        for link in next(frame, from: neighbour, environment, links, paths) {
            guard !link.isBusy else {
                refused += 1
                continue
            }
            effects.append(
                .deliver(PayloadDelivery(frame: [FrameType.sealed.rawValue] + frame), to: .link(link.id)))
            passedOn += 1
        }
    }

    private mutating func next(
        _ frame: [UInt8], from neighbour: PeerID?, _ environment: Environment, _ links: [LinkInfo],
        _ paths: PresencePaths
    ) -> [LinkInfo] {
        func isTarget(_ link: LinkInfo) -> Bool { link.sealedAddress.map { frame.starts(with: $0) } ?? false }
        guard environment.isCrowd else {
            return (links.first(where: isTarget).map { [$0] } ?? links).filter { $0.peer != neighbour }
        }
        let others = links.filter { $0.peer != neighbour }
        if let target = others.first(where: isTarget) { return [target] }
        let path = paths[PresencePaths.key(frame)]
        return (others.first { $0.id == path } ?? others.randomElement(using: &randomness)).map { [$0] } ?? []
    }
}

/// Guest links: for a direct conversation alone.
extension SealedMail {
    var guestCount: Int { guests.count }

    /// The next time at which `tickGuests` has something to do; nil for never.
    var guestDeadline: Instant? { guests.nextDeadline }

    func isGuest(_ connection: ConnectionID) -> Bool { guests.isGuest(connection) }

    /// The endpoint of a guest's dial that is under way; nil for other connections.
    func dialledEndpoint(of connection: ConnectionID) -> Endpoint? { guests.endpoint(of: connection) }

    /// The peer of an accepted conversation told its endpoint in a sealed message: it is dialled if a neighbour may make this node
    /// dial it.
    ///
    /// - Parameters:
    ///   - bytes: an address and a port, 6 or 18 bytes.
    ///   - link: the one that the message came on.
    ///   - allowsLoopback: whether the user named a peer at a loopback address.
    ///   - network: that of a connection, if it is known.
    mutating func recordEndpoint(
        _ bytes: [UInt8], of peer: PeerID, from link: LinkInfo, _ environment: Environment, allowsLoopback: Bool,
        network: (ConnectionID) -> LinkNetwork?, _ effects: inout Effects
    ) {
        guard environment.mode == .overlay, bytes.count > 2 else { return }
        let port = UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1])
        let endpoint = Endpoint(address: Array(bytes.dropLast(2)), port: port)
        let network = network(link.id)
        let filter = ToldEndpointFilter(
            network: network, isWithinMachine: link.endpoint.isLoopback, allowsLoopback: allowsLoopback)
        let scope = endpoint.isLinkLocalIPv6 ? network?.scope ?? link.endpoint.scope : 0
        let scoped = Endpoint(address: endpoint.address, port: port, scope: scope)
        guard filter.allows(scoped) else { return }
        let pause = Duration.random(in: .zero...Limits.contactDialWait, using: &randomness)
        guests.recordEndpoint(scoped, of: peer, isFirst: environment.me < peer, after: pause, now: environment.now)
        effects.append(.arm(.mail))
    }

    /// Dials peers that told their endpoints, and ends links that were idle for too long.
    ///
    /// - Parameters:
    ///   - isLinked: whether a peer has a link.
    ///   - link: a connection by its id; nil if it has ended.
    mutating func tickGuests(
        _ environment: Environment, isLinked: (PeerID) -> Bool, link: (ConnectionID) -> LinkInfo?,
        _ effects: inout Effects
    ) {
        for (peer, endpoint) in guests.takeDue(now: environment.now, isLinked: isLinked) {
            effects.append(.dialGuest(peer, at: endpoint))
        }
        for id in guests.idle(now: environment.now) {
            if link(id) == nil { guests.closed(id) } else { effects.append(.close(.link(id), .unneeded)) }
        }
    }

    /// A guest's endpoint is being dialled.
    mutating func dialled(_ peer: PeerID, at endpoint: Endpoint, as connection: ConnectionID, now: Instant) {
        let end = ToldDials.end(from: now, using: &randomness)
        guests.dialled(peer, at: endpoint, as: connection, now: now, until: end)
    }

    /// The dialler of a link said that it is for direct messages alone.
    ///
    /// - Returns: false if there are too many such links.
    mutating func greeted(on link: LinkInfo, now: Instant, isAccepted: (PeerID) -> Bool) -> Bool {
        guard let peer = link.peer, link.role == .responder, !isGuest(link.id) else { return true }
        return guests.opened(link.id, to: peer, now: now, isAccepted: isAccepted)
    }

    /// A handshake is complete: the connection may be one that was dialled for direct messages alone.
    ///
    /// - Returns: false if another peer answered than the one that told the endpoint, or there are too many such links.
    mutating func established(
        _ connection: ConnectionID, with peer: PeerID, now: Instant, isAccepted: (PeerID) -> Bool
    ) -> Bool {
        guard isGuest(connection) else { return true }
        return guests.established(connection, with: peer)
            && guests.opened(connection, to: peer, now: now, isAccepted: isAccepted)
    }

    /// A direct payload was sent on a link.
    mutating func recordUse(of connection: ConnectionID, now: Instant) { guests.recordUse(of: connection, now: now) }

    /// A dial has failed, or a connection has ended.
    mutating func closed(_ connection: ConnectionID) { guests.closed(connection) }
}
