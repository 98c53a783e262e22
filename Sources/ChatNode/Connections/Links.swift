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

/// The frames of one link that are limited by their number.
enum LinkRate {
    /// Frames that are about other peers: certificates and sealed messages.
    case relayed
    /// As `relayed`, in a crowd: a certificate comes behind each author's presence.
    case relayedInCrowd
    /// As `relayed`, from a bridge, which brings those of whole networks.
    case bridged
    /// Frames with the peer's clock.
    case clocks
    /// Certificates that are passed on because they are better than the known ones.
    case betterCertificates
}

private struct LinkRates {
    private var relayed: TokenBucket
    private var relayedInCrowd: TokenBucket
    private var bridged: TokenBucket
    private var clocks: TokenBucket
    private var betterCertificates: TokenBucket

    init(now: Instant) {
        relayed = TokenBucket(
            Rate(perSecond: Limits.relayedFramesPerSecond, burst: Limits.relayedFramesBurst), now: now)
        relayedInCrowd = TokenBucket(
            Rate(perSecond: Limits.treeFramesPerSecond, burst: Limits.treeFramesBurst), now: now)
        bridged = relayedInCrowd
        clocks = TokenBucket(Rate(perSecond: Limits.clocksPerSecond, burst: Limits.clocksBurst), now: now)
        betterCertificates = TokenBucket(
            Rate(perSecond: Limits.betterCertificatesPerMinute / 60, burst: Limits.betterCertificatesBurst), now: now)
    }

    mutating func take(_ rate: LinkRate, now: Instant) -> Bool {
        switch rate {
        case .relayed: relayed.take(now: now)
        case .relayedInCrowd: relayedInCrowd.take(now: now)
        case .bridged: bridged.take(now: now)
        case .clocks: clocks.take(now: now)
        case .betterCertificates: betterCertificates.take(now: now)
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
    /// The last measured round trip; nil before the first.
    var roundTrip: Duration? { record.link.roundTrip }
    /// When the last record came.
    var lastReceived: Instant { record.link.lastReceived }
    /// Where the peer is, as a witness of the size of the room.
    var witness: LinkSource { LinkSource(endpoint.witnessNumber) }
    /// The first bytes of a sealed message for its peer; nil as long as `peer` is nil.
    var sealedAddress: [UInt8]? { record.sealedAddress }

    /// Takes one frame out of a rate of the link; false, and nothing is taken, above it.
    func take(_ rate: LinkRate, now: Instant) -> Bool { record.rates.take(rate, now: now) }
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

    func stopListening() { transport.stopListening() }

    mutating func dial(_ endpoint: Endpoint) -> ConnectionID {
        tally.dials += 1
        return transport.dial(endpoint)
    }

    /// Ends an attempt to dial.
    func cancel(_ id: ConnectionID) { transport.close(id) }

    /// Admits a connection that another host opened; false if it was closed for a ban or a limit.
    ///
    /// - Parameter isRunning: false if none is admitted.
    mutating func admit(_ id: ConnectionID, from endpoint: Endpoint, isRunning: Bool, now: Instant) -> Bool {
        guard isRunning, !bans.isBanned(endpoint, now: now), limiter.admit(endpoint, now: now) else {
            tally.connectionsRefused += 1
            transport.close(id)
            return false
        }
        return true
    }

    /// Begins the handshake on a new connection.
    mutating func open(
        _ id: ConnectionID, to endpoint: Endpoint, role: Link.Role, now: Instant
    ) -> LinkInfo {
        let link = Link(role: role, context: context, now: now, using: &randomness)
        let connection = LinkRecord(id: id, endpoint: endpoint, link: link, ours: context.certificate, now: now)
        connection.link.isMute = isSilent
        let info = LinkInfo(connection)
        connections.add(info)
        markDirty(info)
        return info
    }

    /// Counts a link whose handshake is complete; false if a limit of links is reached.
    mutating func admit(_ link: LinkInfo, now: Instant) -> Bool {
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
        connection.link.flushIfLarge { write($0, on: connection) }
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

    /// Marks the certificate of an identity as unsent on a link; false if it was not sent there.
    func markUnsent(_ identity: PeerID, on link: LinkInfo) -> Bool {
        link.record.certificatesSent.remove(identity.words.0) != nil
    }

    /// Whether our certificate has changed since the handshake on a link began.
    func hasOutdatedCertificate(_ link: LinkInfo) -> Bool { link.record.ours != context.certificate }

    /// Seals the frames that wait in a record of one size.
    func sealOpening(_ link: LinkInfo) { link.record.link.sealOpening() }

    /// Asks for a round trip now.
    mutating func ping(_ link: LinkInfo, now: Instant) {
        link.record.link.ping(now: now, using: &randomness)
        markDirty(link)
    }

    /// Asks for a sign of life, without which the link ends after `timeout`.
    mutating func probe(_ link: LinkInfo, within timeout: Duration, now: Instant) {
        link.record.link.probe(now: now, within: timeout, using: &randomness)
        markDirty(link)
    }

    private mutating func markDirty(_ link: LinkInfo) {
        guard !link.record.isDirty else { return }
        link.record.isDirty = true
        dirty.append(link)
    }

    /// Marks a link whose reading has queued an answer.
    mutating func markDirtyIfWaiting(_ link: LinkInfo) {
        if link.record.link.hasSomethingToSend { markDirty(link) }
    }

    /// Whether `takeDirty` has links.
    var hasDirty: Bool { !dirty.isEmpty }

    /// The links with waiting frames. Each stays dirty until `unmark`.
    mutating func takeDirty() -> [LinkInfo] { exchange(&dirty, with: []) }

    func unmark(_ link: LinkInfo) { link.record.isDirty = false }

    /// The buffer of `takeDirty` serves again.
    mutating func reuse(_ flushed: consuming [LinkInfo]) {
        guard dirty.isEmpty else { return }
        flushed.removeAll(keepingCapacity: true)
        dirty = flushed
    }

    /// Writes the frames that wait on a link, as far as the network takes them.
    ///
    /// - Returns: true if the link's deadline is an earlier one now.
    mutating func flush(_ link: LinkInfo, now: Instant) throws(LinkError) -> Bool {
        let connection = link.record
        try connection.link.flush { write($0, on: connection) }
        return connection.link.watchReader(now: now, unacknowledged: transport.unacknowledged(by: connection.id))
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

        fileprivate init(_ link: LinkInfo, _ plaintext: consuming [UInt8]) {
            self.link = link
            self.plaintext = plaintext
            unknownFrames = link.record.link.unknownFrames
            unansweredPings = link.record.link.unansweredPings
        }

        /// The next event in `bytes`; nil when all is used, or the link has ended.
        mutating func next(in bytes: Span<UInt8>, context: LinkContext, now: Instant) -> LinkEvent? {
            guard !link.isForgotten else { return nil }
            return link.record.link.next(
                in: bytes, from: &position, plaintext: &plaintext, context: context, now: now)
        }

        fileprivate func count(into tally: inout LinkTally) {
            tally.unknownFrames += link.record.link.unknownFrames - unknownFrames
            tally.pingsUnanswered += link.record.link.unansweredPings - unansweredPings
        }
    }

    /// Begins to read a link.
    mutating func beginReading(_ link: LinkInfo) -> Reader { Reader(link, exchange(&plaintext, with: [])) }

    /// - Parameter count: the bytes that were read.
    mutating func endReading(_ reader: consuming Reader, count: Int) {
        tally.bytesReceived += count
        reader.count(into: &tally)
        plaintext = reader.plaintext
    }

    /// The deadline of a link if a timer has to be set for it.
    func takeDeadline(_ link: LinkInfo) -> Instant? {
        guard let deadline = link.record.link.deadline, link.record.time.arm(deadline) else { return nil }
        return deadline
    }

    /// The link whose timer was set for `deadline`; nil if it has ended or has another deadline by now.
    func due(_ id: ConnectionID, at deadline: Instant) -> LinkInfo? {
        guard let link = connections[id], link.record.time.isCurrent(deadline) else { return nil }
        return link
    }

    /// Looks whether a deadline has passed; may queue a ping.
    mutating func tick(_ link: LinkInfo, now: Instant) throws(LinkError) {
        let connection = link.record
        try connection.link.tick(
            now: now, unacknowledged: transport.unacknowledged(by: connection.id), using: &randomness)
        markDirtyIfWaiting(link)
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
    /// The first step of an end: counts it, bans where the rule says so, and queues the goodbye frames.
    mutating func begin(_ closing: Closing, on link: LinkInfo, now: Instant) {
        tally.count(closing)
        if closing.isBan { bans.ban(link.peer, at: link.endpoint, now: now) }
        for frame in closing.goodbye { enqueue(frame, on: link) }
    }

    /// From now on no frame is sent on a link; it is still read.
    mutating func retire(_ link: LinkInfo) {
        link.record.isRetiring = true
        connections.chooseActiveLinks()
    }

    /// Records that the peer sends no frame on a link any more.
    func recordPeerRetired(_ link: LinkInfo) { link.record.peerRetired = true }

    /// Takes a connection out of every table.
    ///
    /// - Returns: whether it was the peer's last, and whether it was the last to its run.
    mutating func remove(_ link: LinkInfo, now: Instant) -> (isLast: Bool, isLastOfRun: Bool) {
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
        if connection.link.role == .initiator { silentLinks.note(connection.endpoint, now: now) }
    }

    /// The last step of an end.
    func release(_ link: LinkInfo, _ manner: Closing.Manner) {
        switch manner {
        case .abort: transport.close(link.id)
        case .finish: transport.finish(link.id)
        case .linger, .ended: break
        }
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

/// The counters of `Links`.
struct LinkTally {
    var handshakesDone = 0
    var connectionsRefused = 0
    var dials = 0
    var dialsFailed = 0
    /// Links to peers that had one before.
    var reconnects = 0
    var linksReplaced = 0
    /// Links that ended before the peer said anything.
    var linksSilent = 0
    var payloadsSent = 0
    /// Payloads that were sent, our own and others' as history, by kind: once for each link that they went on.
    var sent = PayloadTally()
    var bytesReceived = 0
    var bytesSent = 0
    var unknownFrames = 0
    /// Frames of a known type that this version does not act on, or that are cut short.
    var unexpectedFrames = 0
    /// Pings over a link's rate.
    var pingsUnanswered = 0
    var bans = 0
    /// Links that were ended because a better certificate is known.
    var superseded = 0
    /// The records without a payload that were sent on links that have ended.
    var control = ControlTally()
    private var errors: [LinkError: Int] = [:]

    var counters: [Counter] {
        [
            Counter(.handshakesDone, handshakesDone), Counter(.connectionsRefused, connectionsRefused),
            Counter(.dials, dials), Counter(.dialsFailed, dialsFailed), Counter(.reconnects, reconnects),
            Counter(.linksReplaced, linksReplaced), Counter(.linksSilent, linksSilent),
            Counter(.payloadsSent, payloadsSent), Counter(.bytesReceived, bytesReceived),
            Counter(.bytesSent, bytesSent), Counter(.unknownFrames, unknownFrames),
            Counter(.unexpectedFrames, unexpectedFrames), Counter(.pingsUnanswered, pingsUnanswered),
            Counter(.bans, bans), Counter(.superseded, superseded),
        ] + PayloadType.allCases.map { Counter(.sent($0), sent[$0]) }
            + LinkError.allCases.map { Counter(.link($0), errors[$0] ?? 0) }
    }

    fileprivate mutating func count(_ closing: Closing) {
        switch closing {
        case .failed(let error): errors[error, default: 0] += 1
        case .ban: bans += 1
        case .superseded: superseded += 1
        case .violation, .blocked, .refused, .leaving, .replaced, .ownSession, .signedOut, .unneeded, .full,
            .farewell, .transportClosed:
            break
        }
    }
}

extension Limits {
    /// Age of a connection from which on a new one to the same peer takes its place; longer than a connection and its
    /// handshake may take. With a shorter one, two nodes that dial each other at once can close both links; with a
    /// longer one, a peer that restarted waits for its new link.
    package static let crossingTime = Duration.seconds(10)
    /// Clock frames that are read on a link, per second in the long run. More let a neighbour move its vote as often as
    /// it likes; with fewer, a corrected clock is noticed later.
    static let clocksPerSecond = 0.1
    /// As many at once. More let a neighbour cost more work; with fewer, a peer whose network changed several times is
    /// not read.
    static let clocksBurst = 4.0
    /// Better certificates that a link may bring in the long run, per minute. Each is passed on to all peers: more let
    /// one neighbour flood the room with re-issued ones; with fewer, real changes of keys wait.
    static let betterCertificatesPerMinute = 5.0
    /// As many at once. More make such a flood larger; with fewer, a neighbour that was away cannot bring what changed
    /// meanwhile.
    static let betterCertificatesBurst = 5.0
    /// Identities whose certificates a link is remembered to have been sent; then all are forgotten. More cost 8 bytes
    /// each on every link; with fewer, certificates in a large room are sent again and again.
    static let certificatesSentPerLink = 1_024
}
