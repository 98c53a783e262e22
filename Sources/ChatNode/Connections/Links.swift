import Chat
import Noise
package import Wire

/// One connection: its link, and the facts that `Links` keeps about it.
private final class LinkRecord {
    let id: ConnectionID
    let endpoint: Endpoint
    /// Its host, as admission counts it.
    let source: LinkSource
    var link: Link
    var standing: ConnectionLimiter.Standing
    /// The peer's. Set once the handshake is complete and the link is admitted.
    var certificate: Certificate?
    /// When the handshake was complete; the beginning of the connection until then.
    var establishedAt: Instant
    /// It leads to another session of our own identity.
    var isOurselves = false
    /// Our certificate when the connection began; another may be ours when the handshake is complete.
    let ours: Certificate
    /// The peer has sent a payload on it.
    var isHeard = false
    /// Nothing more is sent on it: a better link to the same peer took over. It is read until the peer says so too.
    var isRetiring = false
    /// The peer sends nothing more on it.
    var peerRetired = false
    /// The transport ends it once all bytes are sent.
    var isFinishing = false
    var isDirty = false
    /// It is in no table any more: nothing of it is read or written.
    var isForgotten = false
    /// Since when its queue holds a fast sender up.
    var fullSince: Instant?
    /// The owners of the certificates that were sent on it, by the first words of their keys: each link may have one for each
    /// peer of a crowd.
    var certificatesSent: Set<UInt64> = []
    var rates: LinkRates
    /// The first bytes of a sealed message for its peer; read once there is a peer.
    lazy var sealedAddress = peer.map(SealedMessage.address(of:))
    /// When the node looks at its deadlines next.
    var time = TimerToken()

    init(id: ConnectionID, endpoint: Endpoint, link: consuming Link, ours: Certificate, now: Instant) {
        self.id = id
        self.endpoint = endpoint
        source = LinkSource(endpoint.sourceNumber)
        self.ours = ours
        rates = LinkRates(now: now)
        standing = link.role == .initiator ? .dialled : .halfOpen
        self.link = link
        establishedAt = now
    }

    var peer: PeerID? { certificate?.identity }

    /// The peer that dialled: it breaks the tie between two links of one pair (Protocol.md section 3).
    func initiator(me: PeerID) -> PeerID? {
        switch link.role {
        case .initiator: me
        case .responder: peer
        }
    }
}

/// A connection as the parts see it: they read it, and change it by effects alone.
struct LinkInfo {
    fileprivate let record: LinkRecord

    fileprivate init(_ record: LinkRecord) { self.record = record }

    var id: ConnectionID { record.id }
    var endpoint: Endpoint { record.endpoint }
    /// The peer's host, as the limits per host count it.
    var source: LinkSource { record.source }
    var role: Link.Role { record.link.role }
    /// The count of `ConnectionLimiter` that it belongs to.
    var standing: ConnectionLimiter.Standing { record.standing }
    /// Nil before the handshake is complete and the link is admitted.
    var peer: PeerID? { record.peer }
    /// The peer's; nil as long as `peer` is nil.
    var certificate: Certificate? { record.certificate }
    var establishedAt: Instant { record.establishedAt }
    var isOpen: Bool { record.link.isOpen }
    /// It leads to another session of our own identity.
    var isOurselves: Bool { record.isOurselves }
    /// No frame of our own is sent on it any more.
    var isRetiring: Bool { record.isRetiring }
    /// The peer sends no frame on it any more.
    var peerRetired: Bool { record.peerRetired }
    /// The transport ends it once all bytes are sent.
    var isFinishing: Bool { record.isFinishing }
    /// It has ended.
    var isForgotten: Bool { record.isForgotten }
    /// The peer has sent a payload on it.
    var isHeard: Bool { record.isHeard }
    /// The sealed bytes that wait for the network.
    var queuedBytes: Int { record.link.outbox.count }
    /// The queue is half full: it has no room for frames that the peer can do without.
    var isBusy: Bool { queuedBytes >= Outbox.capacity / 2 }
    /// The network did not take all bytes of the last write.
    var isHeldUp: Bool { record.link.outbox.isHeldUp }
    /// The longest frame that the record has room for which the waiting frames need; 0 without waiting frames.
    var padding: Int { record.link.padding }
    /// The last measured round trip; nil before the first.
    var roundTrip: Duration? { record.link.roundTrip }
    /// When the last record came.
    var lastReceived: Instant { record.link.lastReceived }
    /// Where the peer is, as a witness of the size of the room.
    var witness: LinkSource { LinkSource(endpoint.witnessNumber) }
    /// The first bytes of a sealed message for its peer; nil as long as `peer` is nil.
    var sealedAddress: [UInt8]? { record.sealedAddress }

    /// Takes one frame out of a rate of the link; false, and nothing is taken, above it.
    func takeToken(_ rate: LinkRate, now: Instant) -> Bool { record.rates.takeToken(rate, now: now) }
}

/// A link that was admitted, with its place among those of its peer.
struct LinkUp {
    let link: LinkInfo
    let peer: PeerID
    let certificate: Certificate
    /// The candidate that was dialled; nil for a link that the peer has opened.
    let instance: String?
    /// The peer had no link before.
    let isFirst: Bool
    /// Frames are sent on it from now on.
    let isActive: Bool
    /// It was dialled for direct messages alone.
    let isGuest: Bool
    /// Its certificate is better than the one that was known of its peer.
    let isBetterRun: Bool
}

/// A link that has ended.
struct LinkDown {
    let link: LinkInfo
    let closing: Closing
    /// Its peer has no other.
    let isLast: Bool
    /// The run of its peer has no other.
    let isLastOfRun: Bool
}

/// The connections of a node, and for each peer the link that frames are sent on (Protocol.md section 3). Only `Links` changes
/// them.
struct Connections {
    private let me: PeerID
    private var byID: [ConnectionID: LinkInfo] = [:]
    /// The links of each peer; frames are sent on the last that is not retiring.
    private var byPeer = PackedTable<PeerID, [LinkInfo]>()
    /// The link of each peer that frames are sent on, in the order in which the connections began.
    private(set) var active: [LinkInfo] = []

    init(me: PeerID) { self.me = me }

    /// The connection with an id; nil if it has ended.
    subscript(id: ConnectionID) -> LinkInfo? { byID[id] }

    /// The link that frames for a peer are sent on; nil without one.
    func sendingLink(of peer: PeerID) -> LinkInfo? { byPeer[peer].flatMap(Connections.sendingLink(among:)) }

    /// All links of a peer, those that are retiring too.
    func links(of peer: PeerID) -> [LinkInfo] { byPeer[peer] ?? [] }

    /// Whether a peer has a link.
    func hasLink(to peer: PeerID) -> Bool { byPeer[peer] != nil }

    /// All connections in the order in which they began: a seed reproduces it.
    var all: [LinkInfo] { byID.values.sorted { $0.id < $1.id } }

    var count: Int { byID.count }

    var isEmpty: Bool { byID.isEmpty }

    /// The links of all peers, those that are retiring too.
    var linkCount: Int { byPeer.values.reduce(0) { $0 + $1.count } }

    /// The bytes that wait on all connections, and on the one with the most.
    var queuedBytes: (all: Int, most: Int) {
        byID.values.reduce(into: (0, 0)) { sum, connection in
            let count = connection.queuedBytes
            sum = (sum.0 + count, max(sum.1, count))
        }
    }

    /// The records without a payload that were sent on the connections.
    var control: ControlTally { byID.values.reduce(into: ControlTally()) { $0 += $1.record.link.control } }

    /// The number of certificates that are marked as sent.
    var certificatesSent: Int { byID.values.reduce(0) { $0 + $1.record.certificatesSent.count } }

    /// Calls `body` with each link that an effect is about, as they are at the time of this call.
    func forEach(_ selector: LinkSelector, _ body: (LinkInfo) -> Void) {
        switch selector {
        case .link(let id): if let link = self[id] { body(link) }
        case .links(let ids): for id in ids { if let link = self[id] { body(link) } }
        case .peer(let peer): if let link = sendingLink(of: peer) { body(link) }
        case .peers(let peers): for peer in peers { if let link = sendingLink(of: peer) { body(link) } }
        case .all(let peer): links(of: peer).forEach(body)
        case .everyone: active.forEach(body)
        case .others(let id, let peer): for link in active where link.id != id && link.peer != peer { body(link) }
        }
    }

    /// The place of a new link among the others of its peer.
    struct Adoption {
        let isFirst: Bool
        /// Frames are sent on the new link from now on.
        let isActive: Bool
        /// The new link took over from one that was active.
        let hasReplaced: Bool
        /// The links to retire: they lead to the run of the active link.
        let losers: [LinkInfo]
    }

    fileprivate mutating func add(_ link: LinkInfo) { byID[link.id] = link }

    /// Adds the new link of a peer to those that the peer has, and decides which are kept.
    fileprivate mutating func adopt(_ link: LinkInfo, of peer: PeerID, now: Instant) -> Adoption {
        let others = links(of: peer)
        let rival = Connections.sendingLink(among: others)
        let winner = rival.map { better(link, $0, now: now) } ?? link
        let isActive = winner.id == link.id
        let links = isActive ? others + [link] : [link] + others
        byPeer[peer] = links
        chooseActiveLinks()
        return Adoption(
            isFirst: others.isEmpty, isActive: isActive, hasReplaced: isActive && rival != nil,
            losers: links.filter { $0.id != winner.id && Connections.areOfSameRun($0, winner) })
    }

    /// - Returns: whether it was its peer's last link, and whether it was the last to its run.
    fileprivate mutating func remove(_ link: LinkInfo) -> (isLast: Bool, isLastOfRun: Bool) {
        byID[link.id] = nil
        guard let peer = link.peer else { return (false, false) }
        let all = links(of: peer)
        let others = all.filter { $0.id != link.id }
        guard others.count < all.count else { return (false, false) }
        byPeer[peer] = others.isEmpty ? nil : others
        chooseActiveLinks()
        return (others.isEmpty, !others.contains { Connections.areOfSameRun($0, link) })
    }

    fileprivate mutating func chooseActiveLinks() {
        active = byPeer.values.compactMap(Connections.sendingLink(among:)).sorted { $0.id < $1.id }
    }

    private static func areOfSameRun(_ one: LinkInfo, _ other: LinkInfo) -> Bool {
        guard let first = one.certificate, let second = other.certificate else { return false }
        return first.isOfSameRun(as: second)
    }

    private static func sendingLink(among links: [LinkInfo]) -> LinkInfo? { links.last { !$0.isRetiring } }

    /// Of two links of one pair of runs, the one whose initiator has the smaller key; both sides decide alike. With one
    /// initiator, of a later run, or after `Limits.crossingTime`, the newer link: the initiator has lost the older one.
    private func better(_ new: LinkInfo, _ old: LinkInfo, now: Instant) -> LinkInfo {
        guard Connections.areOfSameRun(new, old), let first = new.record.initiator(me: me),
            let second = old.record.initiator(me: me), first != second, now - old.establishedAt < Limits.crossingTime
        else { return new }
        return first < second ? new : old
    }
}

/// The life of the connections (Protocol.md sections 3 and 11): which are admitted, the frames that wait on each, and how each ends.
struct Links: ~Copyable {
    /// The keys and our certificate.
    let context: LinkContext
    private let transport: any Transport
    private var randomness: Randomness
    private(set) var connections: Connections
    private var limiter: ConnectionLimiter
    private var bans = BanList()
    private var silentLinks = SilentLinkLimiter()
    /// Sources whose links ended for broken promises; not dialled for a while.
    private var avoided = RecentTable<Endpoint, Instant>(capacity: Limits.struckPeers)
    /// The buffer that records are opened to, for all links in turn.
    private var plaintext: [UInt8] = []
    /// Those with waiting frames, in the order in which the first of these came.
    private var dirty: [LinkInfo] = []
    /// Where the node listens; 0 before.
    private(set) var port: UInt16 = 0
    var tally = LinkTally()
    /// In an experiment: no frame is sent but pongs.
    private var isSilent = false

    /// - Parameter randomness: its own alone; the keys of handshakes are of it.
    init(
        context: LinkContext, transport: any Transport, handshakesPerSecond: Double, randomness: Randomness,
        now: Instant
    ) {
        self.context = context
        self.transport = transport
        self.randomness = randomness
        connections = Connections(me: context.me)
        limiter = ConnectionLimiter(handshakesPerSecond: handshakesPerSecond, now: now)
    }

    /// The links that may still be opened.
    var room: Int { limiter.room }

    /// The handshakes of accepted connections.
    var halfOpen: Int { limiter.halfOpen }

    func isBanned(_ peer: PeerID, now: Instant) -> Bool { bans.isBanned(peer, now: now) }

    /// Whether an endpoint may be dialled: false for a banned one, and for one whose dialled links say nothing.
    func mayDial(_ endpoint: Endpoint, now: Instant) -> Bool {
        !bans.isBanned(endpoint, now: now) && silentLinks.mayDial(endpoint, now: now)
    }

    /// Whether links of an endpoint ended for broken promises lately.
    func isAvoided(_ endpoint: Endpoint, now: Instant) -> Bool { avoided[endpoint.source].map { now < $0 } ?? false }

    /// Whether the other end is on this machine, by whichever of its addresses.
    func isOnThisMachine(_ id: ConnectionID) -> Bool { transport.isOnThisMachine(id) }

    /// The address of this machine that a connection uses; nil if it is not known.
    func localEndpoint(of id: ConnectionID) -> Endpoint? { transport.localEndpoint(of: id) }

    /// The network that a connection goes over; nil if it is not known. Asks the kernel.
    func network(of id: ConnectionID) -> LinkNetwork? { transport.network(of: id) }

    /// The counters of the connections, and of those that the transport turned away.
    var counters: [Counter] {
        let waiting = connections.queuedBytes
        return tally.counters + [
            Counter(.connections, connections.count), Counter(.halfOpenHandshakes, limiter.halfOpen),
            Counter(.queuedBytes, waiting.all), Counter(.queuedBytesLongest, waiting.most),
        ] + transport.refusals
    }

    /// Calls `visit` with each table and its name: for tests that bound the memory of a node.
    func visitTables(_ visit: (Any, String) -> Void) {
        visit(limiter, "limiter")
        visit(bans, "bans")
        visit(avoided, "avoided")
    }

    /// The records without a payload that were sent, on connections that have ended too.
    var control: ControlTally {
        var control = tally.control
        control += connections.control
        return control
    }
}

/// Opening.
extension Links {
    /// Listens, and reports events to `handler` from now on.
    ///
    /// - Parameter port: 0 for one of the system's choice.
    mutating func listen(port: UInt16, handler: any TransportHandler) throws(TransportError) {
        self.port = try transport.listen(port: port, handler: handler)
    }

    /// Accepts and dials no connection any more.
    ///
    /// - Parameter dials: the connections that are being dialled.
    func closeDoors(_ dials: [ConnectionID]) {
        transport.stopListening()
        for dial in dials where connections[dial] == nil { cancel(dial) }
    }

    mutating func dial(_ endpoint: Endpoint) -> ConnectionID {
        tally.dials += 1
        return transport.dial(endpoint)
    }

    /// Ends an attempt to dial.
    func cancel(_ id: ConnectionID) { transport.close(id) }

    /// A host opened a connection; it is closed for a ban or a limit.
    mutating func accepted(
        _ id: ConnectionID, from address: Endpoint, _ finder: inout Finder, _ environment: Environment,
        _ effects: inout Effects
    ) {
        let endpoint = source(of: id, at: address, &finder, environment)
        guard environment.isRunning, !bans.isBanned(endpoint, now: environment.now),
            limiter.admit(endpoint, now: environment.now)
        else {
            tally.connectionsRefused += 1
            return cancel(id)
        }
        open(id, to: endpoint, role: .responder, environment, &effects)
    }

    /// A dialled connection is up.
    mutating func connected(
        _ id: ConnectionID, _ finder: inout Finder, _ mail: borrowing SealedMail, _ environment: Environment,
        _ effects: inout Effects
    ) {
        guard environment.isRunning, let endpoint = finder.dials.endpoint(of: id) ?? mail.dialledEndpoint(of: id) else {
            return cancel(id)
        }
        for slower in finder.dials.connected(id) { cancel(slower) }
        open(id, to: source(of: id, at: endpoint, &finder, environment), role: .initiator, environment, &effects)
    }

    /// The source for the limits: nodes of this machine count as one machine's, though they find each other by its address
    /// on the network.
    private func source(
        of id: ConnectionID, at endpoint: Endpoint, _ finder: inout Finder, _ environment: Environment
    ) -> Endpoint {
        guard isOnThisMachine(id) else { return endpoint }
        finder.recordOwnAddress(endpoint, now: environment.now)
        return endpoint.onThisMachine
    }

    /// Begins the handshake on a new connection.
    @discardableResult
    mutating func open(
        _ id: ConnectionID, to endpoint: Endpoint, role: Link.Role, _ environment: Environment,
        _ effects: inout Effects
    ) -> LinkInfo {
        let link = Link(role: role, context: context, now: environment.now, using: &randomness)
        let connection = LinkRecord(
            id: id, endpoint: endpoint, link: link, ours: context.certificate, now: environment.now)
        connection.link.isMute = isSilent
        let info = LinkInfo(connection)
        connections.add(info)
        markDirty(info)
        arm(info, &effects)
        return info
    }

    /// A handshake is complete: the link is admitted, and its peer known; or it is closed.
    mutating func established(
        _ link: LinkInfo, _ certificate: Certificate, _ intake: inout Intake, _ finder: inout Finder,
        _ mail: inout SealedMail, _ router: borrowing MessageRouter, _ environment: Environment,
        _ effects: inout Effects
    ) {
        let (peer, now) = (certificate.identity, environment.now)
        tally.handshakesDone += 1
        finder.dials.handshakeEnded(on: link.id)
        guard peer != environment.me else { return effects.append(.link(.metOurselves(certificate, link))) }
        let isBlocked = router.roster.isBlocked(peer)
        let isShutOut = isBlocked || bans.isBanned(peer, now: now)
        let news = intake.news(of: certificate, environment)
        if case .worse(let best) = news, !isShutOut {
            return close(link, .superseded(by: best), environment, &effects)
        }
        guard !isShutOut, admit(link, now: now) else {
            tally.connectionsRefused += 1
            if isBlocked { finder.metBlocked(peer, certificate.noise, on: link.id, now: now) }
            return close(link, .refused, environment, &effects)
        }
        let chats = router.directChats
        let isWelcome = mail.established(link.id, with: peer, now: now) { chats.isAccepted($0) }
        effects.append(.arm(.mail))
        guard isWelcome else { return close(link, .refused, environment, &effects) }
        intake.keep(certificate, environment)
        let instance = finder.identified(link.id, as: peer, certificate.noise, now: now)
        let adoption = adopt(link, certificate, now: now)
        if adoption.isFirst, router.roster.hasBeenHere(peer) { tally.reconnects += 1 }
        for loser in adoption.losers { close(loser, .replaced, environment, &effects) }
        let up = LinkUp(
            link: link, peer: peer, certificate: certificate, instance: instance, isFirst: adoption.isFirst,
            isActive: adoption.isActive, isGuest: mail.isGuest(link.id), isBetterRun: news == .better)
        effects.append(.link(.up(up)))
    }

    /// Counts a link whose handshake is complete; false if a limit of links is reached.
    private mutating func admit(_ link: LinkInfo, now: Instant) -> Bool {
        let connection = link.record
        guard limiter.openLink(connection.endpoint, role: connection.link.role, now: now) else {
            return false
        }
        limiter.release(connection.endpoint, from: connection.standing)
        connection.standing = .link(connection.link.role)
        return true
    }

    /// Adds the new link of a peer to those that the peer has, and decides which are kept.
    mutating func adopt(_ link: LinkInfo, _ certificate: Certificate, now: Instant) -> Connections.Adoption {
        link.record.certificate = certificate
        link.record.establishedAt = now
        let adoption = connections.adopt(link, of: certificate.identity, now: now)
        if adoption.hasReplaced { tally.linksReplaced += 1 }
        return adoption
    }

    /// Takes over a newer certificate of the run of a link's peer.
    func renew(_ link: LinkInfo, _ certificate: Certificate) { link.record.certificate = certificate }

    /// Records that a link leads to another session of our own identity.
    func markAsOurs(_ link: LinkInfo) { link.record.isOurselves = true }

    /// Records that the peer has sent a payload on a link; false if it had before.
    func recordHeard(_ link: LinkInfo) -> Bool {
        defer { link.record.isHeard = true }
        return !link.record.isHeard
    }
}

/// Sending.
extension Links {
    /// Queues a frame, type byte first, for the end of the turn.
    mutating func enqueue(_ frame: [UInt8], on link: LinkInfo) {
        link.record.link.enqueue(frame)
        markDirty(link)
    }

    /// Queues a frame that carries a payload, and writes at once where much waits: a burst then needs no large buffers.
    mutating func send(_ frame: [UInt8], on link: LinkInfo) {
        let connection = link.record
        connection.link.enqueue(frame)
        tally.payloadsSent += 1
        markDirty(link)
        connection.link.outbox.drainIfLarge { write($0, on: connection) }
    }

    /// Sends the certificate of another identity on a link, unless it was sent there before.
    mutating func sendOnce(_ certificate: Certificate, on link: LinkInfo) {
        let connection = link.record
        if connection.certificatesSent.count >= Limits.certificatesSentPerLink {
            connection.certificatesSent.removeAll()
        }
        guard connection.certificatesSent.insert(certificate.identity.words.0).inserted else { return }
        send(certificate, as: .certificate, on: link)
    }

    /// Sends a certificate.
    mutating func send(_ certificate: Certificate, as type: FrameType, on link: LinkInfo) {
        enqueue([type.rawValue] + certificate.bytes, on: link)
    }

    /// Marks a renewed certificate as unsent on links that received the previous one. A relay sends it at once, because its
    /// neighbours can seal for an author without receiving its payloads; other nodes send it with the next payload.
    mutating func resend(_ certificate: Certificate, isRelay: Bool) {
        let identity = certificate.identity
        for link in connections.active {
            guard link.record.certificatesSent.remove(identity.words.0) != nil, isRelay, identity != link.peer else {
                continue
            }
            sendOnce(certificate, on: link)
        }
    }

    /// Sends the first frames on a new link, and asks for a round trip.
    ///
    /// - Parameters:
    ///   - greeting: of a node that passes payloads on. It comes first, so that a peer without room says so before it takes in
    ///     anything else.
    ///   - clock: of our clock.
    mutating func introduce(
        _ link: LinkInfo, greeting: [UInt8]?, presence: VerifiedPayload, clock: [UInt8], _ environment: Environment,
        _ effects: inout Effects
    ) {
        let connection = link.record
        if connection.ours != context.certificate {
            send(context.certificate, as: .certificate, on: link)
            // With the longest profile it would not fit in the next record.
            connection.link.sealOpening()
        }
        if let greeting { connection.link.enqueue(greeting) }
        connection.link.enqueue(presence.signed.frame(hops: 0))
        connection.link.ping(now: environment.now, using: &randomness)
        connection.link.enqueue(clock)
        connection.link.sealOpening()
        markDirty(link)
        tally.payloadsSent += 1
        tally.sent.add(.presence)
        arm(link, &effects)
    }

    /// Asks for signs of life; a link without one ends after `timeout`.
    mutating func probe(
        _ selector: LinkSelector, within timeout: Duration, _ environment: Environment, _ effects: inout Effects
    ) {
        let connections = connections
        connections.forEach(selector) { probe($0, within: timeout, environment, &effects) }
    }

    private mutating func probe(
        _ link: LinkInfo, within timeout: Duration, _ environment: Environment, _ effects: inout Effects
    ) {
        link.record.link.probe(now: environment.now, within: timeout, using: &randomness)
        markDirty(link)
        arm(link, &effects)
    }

    /// Our own network has changed: the links may be dead.
    mutating func probeAll(_ environment: Environment, _ effects: inout Effects) {
        for link in connections.all { probe(link, within: Limits.probeTimeout, environment, &effects) }
    }

    private mutating func markDirty(_ link: LinkInfo) {
        guard !link.record.isDirty else { return }
        link.record.isDirty = true
        dirty.append(link)
    }

    /// The end of the turn looks at all links, in the order in which a public message is written to them.
    mutating func markAllDirty() {
        for link in connections.active { markDirty(link) }
    }

    /// The most bytes of plaintext that wait on a link.
    var mostBytesWaiting: Int { connections.active.map { $0.record.link.bytesWaiting }.max() ?? 0 }

    /// Seals waiting frames in a record of at least `size` bytes of plaintext; a frame alone where nothing waits.
    mutating func sealCover(_ frame: [UInt8], on link: LinkInfo, atLeast size: Int) {
        link.record.link.sealCover(frame, atLeast: size)
        markDirty(link)
    }

    /// Seals waiting frames in a record of at least `size` bytes of plaintext.
    mutating func seal(_ link: LinkInfo, atLeast size: Int) {
        link.record.link.seal(atLeast: size)
        markDirty(link)
    }

    private mutating func markDirtyIfWaiting(_ link: LinkInfo) {
        if link.record.link.hasSomethingToSend { markDirty(link) }
    }

    /// Whether `takeDirty` has links.
    var hasDirty: Bool { !dirty.isEmpty }

    /// The links with waiting frames, which the caller flushes.
    mutating func takeDirty() -> [LinkInfo] { exchange(&dirty, with: []) }

    /// The buffer of `takeDirty` serves again.
    mutating func reuse(_ flushed: consuming [LinkInfo]) {
        guard dirty.isEmpty else { return }
        flushed.removeAll(keepingCapacity: true)
        dirty = flushed
    }

    /// Writes the frames that wait on a link, as far as the network takes them.
    mutating func flush(_ link: LinkInfo, _ environment: Environment, _ effects: inout Effects) {
        let connection = link.record
        connection.isDirty = false
        guard !connection.isForgotten else { return }
        do throws(LinkError) {
            try connection.link.flush { write($0, on: connection) }
            let now = environment.now
            if connection.link.reviewDeadlines(now: now, unacknowledged: transport.unacknowledged(by: connection.id)) {
                arm(link, &effects)
            }
        } catch {
            close(link, .failed(error), environment, &effects)
        }
        effects.append(.link(.flushed(link)))
    }

    private mutating func write(_ bytes: Span<UInt8>, on connection: LinkRecord) -> Int {
        let count = transport.write(bytes, to: connection.id)
        tally.bytesSent += count
        return count
    }

    /// A queue that holds a fast sender up.
    enum FullQueue {
        /// From now on.
        case new
        case known
    }

    /// The first active link whose queue is half full, for less than `timeout`: then it is left to fill, and its link ends when
    /// it is full. Nil if there is none.
    mutating func findFullQueue(within timeout: Duration, now: Instant) -> FullQueue? {
        for connection in connections.active.lazy.map(\.record) {
            guard connection.link.outbox.count > Outbox.capacity / 2 else {
                connection.fullSince = nil
                continue
            }
            guard let since = connection.fullSince else {
                connection.fullSince = now
                return .new
            }
            if now < since + timeout { return .known }
        }
        return nil
    }
}

/// Receiving, and deadlines.
extension Links {
    /// The input of one link while it is read.
    struct Reader {
        let link: LinkInfo
        /// Frames lie in it until the next event.
        fileprivate(set) var plaintext: [UInt8]
        private var position = 0
        private let unknownFrames: Int
        private let unansweredPings: Int
        private let renewals: Int

        fileprivate init(_ link: LinkInfo, _ plaintext: consuming [UInt8]) {
            self.link = link
            self.plaintext = plaintext
            unknownFrames = link.record.link.unknownFrames
            unansweredPings = link.record.link.unansweredPings
            renewals = link.record.link.renewals
        }

        fileprivate mutating func next(
            in bytes: Span<UInt8>, _ context: LinkContext, now: Instant, using randomness: inout Randomness
        ) -> LinkEvent? {
            guard !link.isForgotten else { return nil }
            return link.record.link.next(
                in: bytes, from: &position, plaintext: &plaintext, context: context, now: now, using: &randomness)
        }

        fileprivate func count(into tally: inout LinkTally) {
            tally.unknownFrames += link.record.link.unknownFrames - unknownFrames
            tally.pingsUnanswered += link.record.link.unansweredPings - unansweredPings
            tally.keysReplaced += link.record.link.renewals - renewals
        }
    }

    /// Begins to read a link.
    mutating func beginReading(_ link: LinkInfo) -> Reader { Reader(link, exchange(&plaintext, with: [])) }

    /// The next event in `bytes`; nil when all is used, or the link has ended.
    mutating func nextEvent(of reader: inout Reader, in bytes: Span<UInt8>, now: Instant) -> LinkEvent? {
        reader.next(in: bytes, context, now: now, using: &randomness)
    }

    /// - Parameter count: the bytes that were read.
    mutating func endReading(_ reader: consuming Reader, count: Int, _ effects: inout Effects) {
        tally.bytesReceived += count
        reader.count(into: &tally)
        let link = reader.link
        plaintext = reader.plaintext
        // The next record, which overwrites this one, may come in hours, and its author may be blocked by then.
        for index in plaintext.indices { plaintext[index] = 0 }
        guard !link.isForgotten else { return }
        // It may have queued an answer.
        markDirtyIfWaiting(link)
        arm(link, &effects)
    }

    /// Sets the timer of a link.
    private func arm(_ link: LinkInfo, _ effects: inout Effects) {
        guard let deadline = link.record.link.deadline, link.record.time.arm(deadline) else { return }
        effects.append(.link(.wake(link.id, at: deadline)))
    }

    /// The link whose timer was set for `deadline`; nil if it has ended or has another deadline by now.
    func due(_ id: ConnectionID, at deadline: Instant) -> LinkInfo? {
        guard let link = connections[id], link.record.time.isCurrent(deadline) else { return nil }
        return link
    }

    /// Looks whether a deadline has passed; may queue a ping.
    mutating func tick(_ link: LinkInfo, _ environment: Environment, _ effects: inout Effects) {
        let connection = link.record
        do throws(LinkError) {
            try connection.link.tick(
                context, now: environment.now, unacknowledged: transport.unacknowledged(by: connection.id),
                using: &randomness)
            markDirtyIfWaiting(link)
            arm(link, &effects)
        } catch {
            close(link, .failed(error), environment, &effects)
        }
    }
}

extension Links {
    /// Sends no frame but pongs from now on: for experiments.
    mutating func silence() {
        isSilent = true
        for link in connections.all { link.record.link.isMute = true }
    }
}

/// Ending.
extension Links {
    /// How long a replaced link is still read.
    private static let retirement = Duration.seconds(2)

    /// Ends a link, as the tables of `Closing` say. Every end of a link begins here.
    mutating func close(
        _ link: LinkInfo, _ closing: Closing, _ environment: Environment, _ effects: inout Effects
    ) {
        if case .replaced = closing, link.isRetiring { return }
        tally.count(closing)
        if closing.isBan { bans.ban(link.peer, at: link.endpoint, now: environment.now) }
        for frame in closing.goodbye { enqueue(frame, on: link) }
        if case .failed(.unanswered) = closing { probeOthers(than: link, environment, &effects) }
        if case .replaced = closing {
            // From now on no frame is sent on it; it is still read.
            link.record.isRetiring = true
            connections.chooseActiveLinks()
        }
        switch closing.manner {
        case .abort, .ended: end(link, closing, environment, &effects)
        case .finish: Links.finish(link, closing, &effects)
        case .linger:
            guard !link.peerRetired else { return Links.finish(link, closing, &effects) }
            effects.append(.schedule(.finish(link.id, closing), at: environment.now + Links.retirement))
        }
    }

    /// A neighbour was found dead: others may have died with it.
    private mutating func probeOthers(
        than dead: LinkInfo, _ environment: Environment, _ effects: inout Effects
    ) {
        guard environment.mode != .mesh else { return }
        for link in Array(connections.active) where link.id != dead.id {
            probe(link, within: Limits.suspicionTime, environment, &effects)
        }
    }

    /// Ends a link whose time to linger is over.
    func finish(_ id: ConnectionID, _ closing: Closing, _ effects: inout Effects) {
        if let link = connections[id] { Links.finish(link, closing, &effects) }
    }

    /// Sends waiting frames, and ends a link.
    private static func finish(_ link: LinkInfo, _ closing: Closing, _ effects: inout Effects) {
        effects.append(.link(.flush(link)))
        effects.append(.link(.end(link, closing)))
    }

    /// The last step of an end: takes a connection out of every table, and ends it.
    mutating func end(
        _ link: LinkInfo, _ closing: Closing, _ environment: Environment, _ effects: inout Effects
    ) {
        guard !link.isForgotten else { return }
        let (isLast, isLastOfRun) = remove(link, now: environment.now)
        effects.append(.link(.down(LinkDown(link: link, closing: closing, isLast: isLast, isLastOfRun: isLastOfRun))))
        switch closing.manner {
        case .abort: transport.close(link.id)
        case .finish, .linger: transport.finish(link.id)
        case .ended: break
        }
    }

    /// The transport reported the end of a connection.
    mutating func closed(
        _ id: ConnectionID, _ error: TransportError?, _ finder: inout Finder, _ mail: inout SealedMail,
        _ environment: Environment, _ effects: inout Effects
    ) {
        if let link = connections[id] {
            close(link, .transportClosed(error), environment, &effects)
        } else if mail.dialledEndpoint(of: id) != nil {
            tally.dialsFailed += 1
            mail.closed(id)
            effects.append(.arm(.mail))
        } else if finder.dials.endpoint(of: id) != nil {
            tally.dialsFailed += 1
            finder.dialEnded(id, UnreachedPeers.Reason(error), environment, &effects)
            effects.append(.arm(.dialler))
        }
    }

    /// The peer said goodbye: its reason decides how its link ends.
    ///
    /// - Parameter body: of the frame.
    mutating func receivedGoodbye(
        _ body: Span<UInt8>, on link: LinkInfo, _ environment: Environment, _ effects: inout Effects
    ) {
        let reason = body.isEmpty ? nil : body[0]
        guard reason == GoodbyeReason.replaced.rawValue else {
            close(link, .farewell(reason: reason), environment, &effects)
            if reason == GoodbyeReason.leaving.rawValue, let peer = link.peer, let certificate = link.certificate {
                effects.append(.link(.departed(peer, certificate.noise)))
            }
            return
        }
        link.record.peerRetired = true
        if link.isRetiring { return close(link, .farewell(reason: reason), environment, &effects) }
        // Until the link that replaces this one is up here too, it is the only way to reach the peer.
        let others = link.peer.map { connections.links(of: $0) } ?? []
        if others.contains(where: { $0.id != link.id && !$0.isRetiring }) {
            close(link, .replaced, environment, &effects)
        }
    }

    /// Takes a connection out of every table.
    ///
    /// - Returns: whether it was the peer's last, and whether it was the last to its run.
    private mutating func remove(_ link: LinkInfo, now: Instant) -> (isLast: Bool, isLastOfRun: Bool) {
        let connection = link.record
        connection.isForgotten = true
        tally.control += connection.link.control
        connection.link.die()
        limiter.release(connection.endpoint, from: connection.standing)
        let last = connections.remove(link)
        if last.isLast, !connection.isHeard { countSilent(connection, now: now) }
        return last
    }

    /// A link ended before its peer said anything, as those of a stranger do that only reads certificates. The links that others
    /// open are counted as handshakes when they are admitted.
    private mutating func countSilent(_ connection: LinkRecord, now: Instant) {
        tally.linksSilent += 1
        if connection.link.role == .initiator { silentLinks.record(connection.endpoint, now: now) }
    }

    /// Ends a connection once all bytes are sent; it stays in the tables until then.
    func finishWhenSent(_ link: LinkInfo) {
        link.record.isFinishing = true
        transport.finish(link.id)
    }

    /// Refuses a key without a link for a while.
    mutating func ban(_ peer: PeerID, now: Instant) { bans.ban(peer, now: now) }

    /// Stops dialling the source of a link for a while.
    mutating func avoid(_ endpoint: Endpoint, now: Instant) {
        guard !endpoint.isLoopback else { return }
        avoided.set(now + Limits.strikeMemory, for: endpoint.source)
    }
}

extension Limits {
    /// Age of a connection from which on a new one to the same peer takes its place; longer than a connection and its
    /// handshake may take. With a shorter one, two nodes that dial each other at once can close both links; with a
    /// longer one, a peer that restarted waits for its new link.
    package static let crossingTime = Duration.seconds(10)
    /// Identities whose certificates a link is remembered to have been sent; then all are forgotten. More cost 8 bytes
    /// each on every link; with fewer, certificates in a large room are sent again and again.
    static let certificatesSentPerLink = 1_024
}
