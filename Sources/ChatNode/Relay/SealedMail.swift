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
        /// The links of all neighbours that announced the peer.
        case relays([LinkInfo])
    }

    /// This node passes sealed messages on outside of a crowd, too.
    private let isRelay: Bool
    /// Peers without a link are written to over relays outside of a crowd, too.
    private let usesRelays: Bool
    private var randomness: Randomness
    private var keys: DirectKeys
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

    init(_ configuration: NodeConfiguration, me: PeerID, randomness: Randomness, now: Instant) {
        (isRelay, usesRelays) = (configuration.relaysSealed, configuration.sealsForRelays)
        self.randomness = randomness
        keys = DirectKeys(now: now, using: &self.randomness)
        relay = SealedRelay(me: me)
    }

    /// The dm key of our certificate.
    var publicKey: PublicKey { keys.publicKey }

    /// The next time at which `tick` has something to do.
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

    /// Records a certificate that was issued for the dm key.
    mutating func record(_ certificate: Certificate) { keys.record(certificate) }

    /// The key of a direct payload that came from a peer; nil if it is of another certificate than this one of the peer, or of none
    /// of ours.
    mutating func key(of frame: borrowing PayloadFrame, from theirs: Certificate) -> DirectKey? {
        keys.key(of: frame, from: theirs)
    }

    /// Zeroes the secret halves of the keys.
    mutating func forgetKeys() { keys.forget() }

    /// The room is a mesh from now on.
    mutating func leaveCrowd() { retries.end() }
}

/// Our own messages.
extension SealedMail {
    /// Sends a payload to a peer: on its link, or sealed to the neighbours that know a path to the peer; in a crowd to the one by
    /// which the peer's presence came, and another. Here alone it gets its MAC, for the peer's present certificate.
    ///
    /// - Parameters:
    ///   - certificate: our own.
    ///   - bridge: the neighbour of this node's own bridge; nil without one.
    /// - Returns: the frames that hide the receiver are to be as long; nil if nothing was sent.
    mutating func send(
        _ payload: VerifiedPayload, to peer: PeerID, with certificate: Certificate, paths: PresencePaths,
        bridge: PeerID?, _ links: inout Links, _ router: borrowing MessageRouter, _ intake: inout Intake,
        _ environment: Environment, _ effects: inout Effects
    ) -> CoverTraffic.Written? {
        if let link = links.connections.sendingLink(of: peer) {
            guard let theirs = link.certificate, let key = keys.key(of: certificate, with: theirs) else { return nil }
            links.tally.sent.add(payload.payload.type)
            let frame = payload.signed.directFrame(under: key, from: certificate, to: theirs)
            links.send(frame, on: link)
            recordUse(of: link.id, now: environment.now)
            return CoverTraffic.Written(links: [link.id], byteCount: frame.count, isAnswered: true)
        }
        let isElsewhere = router.roster.isElsewhere(peer)
        guard usesRelays || environment.isCrowd || isElsewhere, payload.type.maySeal else { return nil }
        let (connections, relays) = (links.connections, router.paths[peer])
        let way: Way =
            environment.isCrowd && !isElsewhere
            ? .path(overlayLinks(among: connections), paths)
            : .relays(relays.compactMap { connections.sendingLink(of: $0) })
        return seal(
            payload, for: peer, to: intake.certificate(of: peer, now: environment.now), with: certificate, over: way,
            andBridge: bridge.map { relays.contains($0) } ?? false, environment,
            endpoint: { SealedMail.ownEndpoint(for: peer, on: $0, links, router) }, &effects)
    }

    /// Our address and port for the peer of an accepted conversation, as seen on a link; empty if there is none to tell.
    private static func ownEndpoint(
        for peer: PeerID, on link: LinkInfo, _ links: borrowing Links, _ router: borrowing MessageRouter
    ) -> [UInt8] {
        guard router.isAccepted(peer), let local = links.localEndpoint(of: link.id) else { return [] }
        return local.address + [UInt8(links.port >> 8), UInt8(truncatingIfNeeded: links.port)]
    }

    /// Seals a payload for a peer and sends it.
    ///
    /// - Parameters:
    ///   - target: the peer's certificate; without one nothing is sent.
    ///   - certificate: our own.
    ///   - bridge: true if the peer is in another network that a bridge of this node leads to.
    ///   - endpoint: where the peer can dial us, on the network of a link: 6 or 18 bytes; empty for nowhere.
    /// - Returns: nil if nothing was sent.
    @discardableResult
    mutating func seal(
        _ payload: VerifiedPayload, for peer: PeerID, to target: Certificate?, with certificate: Certificate,
        over way: Way, andBridge bridge: Bool, _ environment: Environment, endpoint: (LinkInfo) -> [UInt8],
        _ effects: inout Effects
    ) -> CoverTraffic.Written? {
        if case .path = way {
            retries.recordSealed(for: peer, now: environment.now)
            effects.append(.arm(.mail))
        }
        guard let target, let key = keys.key(of: certificate, with: target) else { return nil }
        let links = links(to: peer, way)
        guard !links.isEmpty || bridge,
            let frame = SealedMessage.frame(
                sealing: payload, under: key, with: certificate, to: target,
                endpoint: toldEndpoint(way, links, environment, endpoint), using: &randomness)
        else { return nil }
        let body = Array(frame.dropFirst())
        _ = relay.course(of: body)
        if bridge { effects.append(.bridge(.publishSealed(body, from: environment.me))) }
        effects.append(.deliver(PayloadDelivery(frame: frame, type: payload.type), to: .links(links.map(\.id))))
        sent += 1
        return CoverTraffic.Written(links: links.map(\.id), byteCount: frame.count, isAnswered: false)
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

    /// Records a neighbour as a path to a peer; sealed messages for the peer are sent to the neighbour, which may be the bridge. A path
    /// to a peer in another network serves users that let bridges publish them.
    func recordPath(
        to peer: PeerID, via neighbour: PeerID, _ router: inout MessageRouter, _ effects: inout Effects
    ) {
        let isElsewhere = router.session.bridging.consents && router.roster.isElsewhere(peer)
        guard usesRelays || isElsewhere, neighbour != peer else { return }
        router.pathNoted(to: peer, via: neighbour)
        effects.append(.routed)
    }

    /// Renews the dm key, seals again what has no receipt, dials guests and ends idle guest links, each if it is due.
    mutating func tick(
        _ links: inout Links, _ router: inout MessageRouter, _ environment: Environment, _ effects: inout Effects
    ) {
        guard environment.isRunning else { return }
        let now = environment.now
        if keys.tick(now: now, using: &randomness) { effects.append(.then(.renewCertificate)) }
        let due = takeDueRetries(now: now) { !router.roster.isOnline($0) && router.isUnacknowledged(by: $0) }
        for peer in due { router.linkReady(peer) }
        if !due.isEmpty { effects.append(.routed) }
        tickGuests(&links, router.roster, environment, &effects)
        effects.append(.arm(.mail))
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
    /// Handles a sealed message: opens one for this node, and passes on one for another.
    ///
    /// - Parameters:
    ///   - neighbour: the peer that it came from; that of the bridge for one that came over the bridge.
    ///   - isBridged: it came over the bridge.
    /// - Returns: the content of one for this node, whose payload is not verified; else nil.
    mutating func receive(
        _ frame: [UInt8], from neighbour: PeerID, isBridged: Bool, paths: PresencePaths, _ bridge: inout BridgeGate,
        _ roster: borrowing Roster, _ connections: Connections, _ environment: Environment, _ effects: inout Effects
    ) -> [UInt8]? {
        switch course(of: frame) {
        case .repeated: return nil
        case .forUs: return open(frame, for: environment.me)
        case .forOthers:
            if !isBridged, bridge.publish(sealed: frame, from: neighbour, roster, environment, &effects) { return nil }
            passOn(
                frame, from: isBridged ? nil : neighbour, isRelay: isRelay, environment,
                links: environment.isCrowd ? overlayLinks(among: connections) : connections.active, paths: paths,
                &effects)
            return nil
        }
    }

    /// Whether a received message is for this node; counts one that came before.
    ///
    /// - Parameter frame: the body of a frame 9 of legal length.
    mutating func course(of frame: [UInt8]) -> SealedRelay.Course {
        let course = relay.course(of: frame)
        if course == .repeated { repeated += 1 }
        return course
    }

    /// Counts a message above its link's rate.
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

    /// The next time at which a guest is dialled or a guest link ends; nil for never.
    var guestDeadline: Instant? { guests.nextDeadline }

    func isGuest(_ connection: ConnectionID) -> Bool { guests.isGuest(connection) }

    /// The links that are part of the overlay: all but those of guests.
    func overlayLinks(among connections: Connections) -> [LinkInfo] {
        connections.active.filter { !guests.isGuest($0.id) }
    }

    /// The endpoint of a guest's dial that is under way; nil for other connections.
    func dialledEndpoint(of connection: ConnectionID) -> Endpoint? { guests.endpoint(of: connection) }

    /// Reads the endpoint that the author of a sealed payload sent with it.
    mutating func follow(
        _ admitted: AdmittedPayload, _ links: borrowing Links, _ router: borrowing MessageRouter,
        allowsLoopback: @autoclosure () -> Bool, _ environment: Environment, _ effects: inout Effects
    ) {
        guard case .sealed = admitted.origin, let link = admitted.link else { return }
        recordEndpoint(
            admitted.endpoint, of: admitted.payload.author, from: link, allowsLoopback: allowsLoopback(), links, router,
            environment, &effects)
    }

    /// The peer of an accepted conversation sent its endpoint in a sealed message: it is dialled if a neighbour may make this node
    /// dial it.
    ///
    /// - Parameters:
    ///   - bytes: an address and a port, 6 or 18 bytes.
    ///   - link: the one that the message came on.
    ///   - allowsLoopback: whether the user named a peer at a loopback address.
    mutating func recordEndpoint(
        _ bytes: [UInt8], of peer: PeerID, from link: LinkInfo, allowsLoopback: Bool, _ links: borrowing Links,
        _ router: borrowing MessageRouter, _ environment: Environment, _ effects: inout Effects
    ) {
        guard router.isAccepted(peer), !router.roster.isOnline(peer), environment.mode == .overlay, bytes.count > 2
        else { return }
        let port = UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1])
        let endpoint = Endpoint(address: Array(bytes.dropLast(2)), port: port)
        let network = links.network(of: link.id)
        let filter = ToldEndpointFilter(
            network: network, isWithinMachine: link.endpoint.isLoopback, allowsLoopback: allowsLoopback)
        let scope = endpoint.isLinkLocalIPv6 ? network?.scope ?? link.endpoint.scope : 0
        let scoped = Endpoint(address: endpoint.address, port: port, scope: scope)
        guard filter.allows(scoped) else { return }
        let pause = Duration.random(in: .zero...Limits.contactDialWait, using: &randomness)
        guests.recordEndpoint(scoped, of: peer, isFirst: environment.me < peer, after: pause, now: environment.now)
        effects.append(.arm(.mail))
    }

    /// Dials peers that sent their endpoints, and ends links that were idle for too long.
    private mutating func tickGuests(
        _ links: inout Links, _ roster: borrowing Roster, _ environment: Environment, _ effects: inout Effects
    ) {
        let now = environment.now
        let due = guests.takeDue(now: now) { roster.isOnline($0) }
        for id in guests.idle(now: now) {
            if links.connections[id] == nil { guests.closed(id) } else { effects.append(.close(.link(id), .unneeded)) }
        }
        for (peer, endpoint) in due {
            guard links.room > 0, !links.isBanned(peer, now: now), links.mayDial(endpoint, now: now) else { continue }
            let connection = links.dial(endpoint)
            let end = ToldDials.end(from: now, using: &randomness)
            guests.dialled(peer, at: endpoint, as: connection, now: now, until: end)
        }
    }

    /// The dialler of a link said that it is for direct messages alone. It ends if there are too many such links.
    mutating func greeted(
        on link: LinkInfo, _ router: borrowing MessageRouter, _ finder: inout Finder, _ environment: Environment,
        _ effects: inout Effects
    ) {
        guard let peer = link.peer else { return }
        let isNew = link.role == .responder && !isGuest(link.id)
        if isNew, !guests.opened(link.id, to: peer, now: environment.now, isAccepted: { router.isAccepted($0) }) {
            finder.refuse(peer, &effects)
        }
        effects.append(.arm(.mail))
    }

    /// A handshake is complete: the connection may be one that was dialled for direct messages alone.
    ///
    /// - Returns: false if another peer answered than the one that sent the endpoint, or there are too many such links.
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
