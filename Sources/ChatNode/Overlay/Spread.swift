import Chat
import Noise
import Wire

/// How a public payload goes on from this node: on all links in a mesh, along trees in a large or gappy room (Protocol.md section 13).
struct Spread {
    /// In a mesh a node sends its own payloads on all links, and passes none on.
    private struct MeshSpread {
        static func send(_ payload: VerifiedPayload, hops: UInt8, _ effects: inout Effects) {
            let delivery = PayloadDelivery(frame: payload.frame(hops: hops), type: payload.type)
            effects.append(.deliver(delivery, to: .everyone))
        }
    }

    private var randomness: Randomness
    private var trees = TreeSpread()
    /// Lists of ids whose count is not that of their ids, or too high.
    private(set) var malformedLists = 0

    /// - Parameter randomness: its own alone.
    init(randomness: Randomness) { self.randomness = randomness }

    var counters: [Counter] { [Counter(.idListsMalformed, malformedLists)] }

    var mode: RoomMode { trees.mode }

    /// This node passes payloads on.
    var isOn: Bool { trees.isOn }

    /// The room is small: own payloads go over all links, and others' are passed on.
    var isRelaying: Bool { trees.isRelaying }

    /// Payloads go along trees, because this node or a neighbour is in overlay mode; false in a mesh. This is the only choice between the
    /// two ways.
    var isEngaged: Bool { trees.isEngaged }

    var neighbours: Neighbours { trees.neighbours }

    /// The payloads of the last 30 s.
    var recent: RecentPayloads { trees.recent }

    /// When `tick` has something to do; nil for never.
    var nextDeadline: Instant? { trees.nextDeadline }

    /// The kind of the link with a neighbour, which decides the rates of payloads that the neighbour relays.
    func linkKind(of peer: PeerID) -> RelayLink { trees.linkKind(of: peer) }
}

/// Modes and links.
extension Spread {
    /// - Returns: false if the node is in that mode already.
    mutating func setMode(_ mode: RoomMode, now: Instant) -> Bool {
        guard trees.mode != mode else { return false }
        trees.setMode(mode, now: now, using: &randomness)
        return true
    }

    /// A link is the one on which frames for its peer are sent.
    mutating func linkUp(
        _ up: LinkUp, _ connections: Connections, _ environment: Environment, _ effects: inout Effects
    ) {
        guard environment.isRunning else { return }
        trees.opened(
            up.peer, isOutgoing: up.link.role == .initiator, isGuest: up.isGuest,
            witness: connections.sendingLink(of: up.peer)?.witness, now: environment.now, using: &randomness)
        effects.append(.arm(.overlay))
    }

    /// The last link to a peer closed.
    mutating func linkClosed(to peer: PeerID, now: Instant) { trees.closed(peer, now: now) }

    /// The link with a neighbour ends soon, because neither end has chosen it, or stays after all.
    mutating func setLeaving(
        _ peer: PeerID, _ isLeaving: Bool, _ connections: Connections, _ environment: Environment,
        _ effects: inout Effects
    ) {
        let now = environment.now
        order(trees.setLeaving(peer, isLeaving, now: now), connections, now: now, &effects)
    }

    /// Offers of history are rare where both ends are in overlay mode: the trees bring new payloads.
    func setOffers(of history: inout HistoryExchange, _ effects: inout Effects) {
        defer { effects.append(.arm(.overlay)) }
        for peer in neighbours.table.keys {
            history.setServedByTrees(isOn && neighbours[peer]?.isOverlay ?? false, peer)
        }
    }

    /// The digests of a neighbour say how many nodes it counts.
    mutating func recordSize(_ known: Int, by peer: PeerID) { trees.recordSize(known, by: peer) }

    /// A neighbour gave a payload or a presence that was new here.
    mutating func recordGift(of peer: PeerID, now: Instant) { trees.recordGift(of: peer, now: now) }
}

/// Payloads.
extension Spread {
    /// Sends a payload that is new here on its way: an own one, or one that came from a neighbour or over a bridge.
    ///
    /// - Parameters:
    ///   - neighbour: that sent it; nil for none.
    ///   - received: the links that it passed before this node.
    mutating func spread(
        _ payload: VerifiedPayload, from neighbour: PeerID?, hops received: UInt8, me: PeerID,
        _ connections: Connections, now: Instant, _ effects: inout Effects
    ) {
        let hops = payload.author == me ? 0 : min(received + 1, Limits.relayHops)
        // A payload that is no history, for example a typing notice, goes no further than the neighbours.
        guard isEngaged, payload.payload.isHistory else {
            if neighbour == nil { MeshSpread.send(payload, hops: hops, &effects) }
            return
        }
        let actions =
            if let neighbour {
                trees.receiveNew(payload, hops: hops, from: neighbour, now: now, using: &randomness)
            } else {
                trees.say(payload, hops: hops, now: now, using: &randomness)
            }
        order(actions, connections, now: now, &effects)
    }

    /// True for payloads that travel over the trees, because the room is one with trees: public messages and their changes.
    ///
    /// - Parameter isRelayed: it came over a relay, so that it is public in any case.
    func takes(_ payload: VerifiedPayload, isRelayed: Bool, _ router: borrowing MessageRouter) -> Bool {
        isEngaged && payload.payload.isHistory && (isRelayed || router.isForEveryone(payload.payload))
    }

    /// Hears of an admitted payload that was routed, and passes it on along the trees.
    mutating func follow(
        _ admitted: AdmittedPayload, _ router: borrowing MessageRouter, _ connections: Connections,
        _ environment: Environment, _ effects: inout Effects
    ) {
        let (payload, neighbour) = (admitted.payload, admitted.link?.peer)
        let hops: UInt8
        switch admitted.origin {
        case .live:
            guard takes(payload, isRelayed: admitted.hops > 0, router) else { return }
            hops = admitted.hops
        case .history:
            guard isEngaged, admitHistory(payload, environment), takes(payload, isRelayed: true, router) else {
                return
            }
            hops = max(1, admitted.hops)
        case .broker(_, isHistory: false):
            guard takes(payload, isRelayed: true, router) else { return }
            hops = 1
        case .direct, .roster, .sealed, .broker(_, isHistory: true): return
        }
        spread(
            payload, from: neighbour, hops: hops, me: environment.me, connections, now: environment.now, &effects)
    }

    /// A payload came: its neighbour keeps its promise, whether it is admitted or not.
    mutating func recordArrival(of id: UInt64, from peer: PeerID) {
        if isEngaged { trees.arrived(id, from: peer) }
    }

    /// Checks the signature of a payload that came unasked and goes on along trees.
    ///
    /// - Returns: nil if it is false, and its author banned, or if the payload is too old to go on.
    mutating func check(
        _ payload: VerifiedPayload, hops: UInt8, on link: LinkInfo, _ environment: Environment, _ intake: inout Intake,
        _ effects: inout Effects
    ) -> VerifiedPayload? {
        // A change of a public message from its author's own link; the nodes that it goes on to judge it by its time.
        if mode == .overlay, hops == 0, !intake.isFresh(payload, environment) {
            intake.drop(.stale)
            trees.refused(payload.id.prefix)
            return nil
        }
        switch intake.verifySignature(of: payload) {
        case .admitted(let checked): return checked
        case .repeated, .dropped, .closeLink, .ban:
            effects.append(.close(.link(link.id), .ban))
            return nil
        }
    }

    /// True for a payload of the history that is as new as those that the trees carry, so that neighbours may lack it too; another is
    /// not asked for again.
    mutating func admitHistory(_ payload: VerifiedPayload, _ environment: Environment) -> Bool {
        let (time, now) = (payload.payload.timestamp, environment.roomClock)
        let isNew = time >= now || time.distance(to: now) < Limits.latestMilliseconds
        if !isNew { trees.refused(payload.id.prefix) }
        return isNew
    }

    /// A payload that was refused may be valid by now.
    mutating func reopen(_ id: UInt64) { trees.reopen(id) }

    /// A payload that a neighbour sent was not admitted.
    mutating func recordDrop(
        of frame: borrowing PayloadFrame, _ reason: DropReason, from peer: PeerID, _ connections: Connections,
        now: Instant, _ effects: inout Effects
    ) {
        // A presence reaches a node on several ways: its copies say nothing about the tree.
        guard isEngaged, frame.isHistory else { return }
        let id = frame.id.prefix
        switch reason {
        case .duplicate, .ownPayload:
            let actions = trees.repeated(id, of: frame.author, hops: frame.hops, from: peer, now: now)
            order(actions, connections, now: now, &effects)
        // Another neighbour may be asked.
        case .relayRate, .newAuthorRate, .youngRate, .reactionRate, .unknownBridge: break
        case .malformed, .unknownKind, .notUTF8, .empty, .tooLong, .tooManyBytes, .tooDense, .invalidNickname,
            .invalidReason, .invalidAbout, .invalidEmoji, .invalidCard, .otherRoom, .tooManyHops, .misdirected,
            .notHistory, .badCertificate,
            .falseMAC,
            .badSignature, .foreignAuthor, .equivocation, .sequenceTooOld, .oldEpoch, .wrongEpoch, .stale,
            .fromTheFuture, .authorRate:
            trees.refused(id)
        }
    }
}

/// Frames of neighbours, and deadlines.
extension Spread {
    /// The neighbour that sent a frame 10 to 12; nil above its rate.
    private mutating func sender(of link: LinkInfo, _ environment: Environment) -> PeerID? {
        guard environment.isRunning, let peer = link.peer, trees.admitFrame(from: peer, now: environment.now) else {
            return nil
        }
        return peer
    }

    /// Reads the body of a frame 10.
    ///
    /// - Returns: nil for a frame that is malformed or above its neighbour's rate.
    mutating func readTree(_ body: Span<UInt8>, on link: LinkInfo, _ environment: Environment) -> TreeFrame? {
        sender(of: link, environment) == nil ? nil : TreeFrame(body)
    }

    /// Handles a frame 10. A hello tells the neighbour's mode: two that begin to pass payloads on compare their rosters.
    mutating func receive(
        _ frame: TreeFrame, on link: LinkInfo, _ connections: Connections, _ roster: borrowing Roster,
        _ finder: inout Finder, _ environment: Environment, _ effects: inout Effects
    ) {
        guard let peer = link.peer else { return }
        let last = neighbours[peer]?.hello
        let actions = trees.received(frame, from: peer, now: environment.now, using: &randomness)
        order(actions, connections, now: environment.now, &effects)
        guard case .hello(let hello) = frame else { return }
        finder.recordMode(
            in: hello, after: last, on: link, connections, neighbours, online: roster.online, environment, &effects)
        if isRelaying, hello.isOverlay, last?.isOverlay != true, !hello.isGuest {
            effects.append(.then(.askForRoster(on: link.id)))
        }
    }

    /// Handles the ids of a `latest` or of `news`.
    mutating func receiveIDs(
        _ body: Span<UInt8>, areNews: Bool, on link: LinkInfo, _ connections: Connections, _ finder: inout Finder,
        _ environment: Environment, _ effects: inout Effects
    ) {
        guard let peer = sender(of: link, environment) else { return effects.append(.countUnexpectedFrame) }
        let now = environment.now
        let isTaken =
            areNews
            ? receiveNews(body, from: peer, now: now, &effects)
            : receiveLatest(body, from: peer, connections, now: now, &effects)
        if isTaken { finder.recordSign(on: link, isNew: false, now: now) }
    }

    /// - Returns: false for a frame that is not well formed, or in a mesh.
    mutating func receiveLatest(
        _ body: Span<UInt8>, from peer: PeerID, _ connections: Connections, now: Instant, _ effects: inout Effects
    ) -> Bool {
        guard isEngaged else { return false }
        guard let frame = LatestFrame(body) else {
            malformedLists += 1
            return false
        }
        order(trees.received(frame, from: peer, now: now), connections, now: now, &effects)
        return true
    }

    /// - Returns: false for a frame that is not well formed, or in a mesh.
    mutating func receiveNews(_ body: Span<UInt8>, from peer: PeerID, now: Instant, _ effects: inout Effects)
        -> Bool
    {
        guard isEngaged else { return false }
        guard let frame = NewsFrame(body) else {
            malformedLists += 1
            return false
        }
        trees.announced(frame.ids, by: peer, now: now)
        effects.append(.arm(.overlay))
        return true
    }

    /// News that fit into the padding of the record that is about to go to a neighbour: they change nothing of its size.
    mutating func fill(_ link: LinkInfo, _ links: inout Links, now: Instant) {
        guard isEngaged, let peer = link.peer, !link.isRetiring, link.padding > 0 else { return }
        if let news = trees.news(for: peer, within: link.padding, now: now) { links.enqueue(news.bytes, on: link) }
    }

    /// Does what is due.
    mutating func tick(_ connections: Connections, _ environment: Environment, _ effects: inout Effects) {
        guard environment.isRunning else { return }
        let now = environment.now
        trees.patience = Spread.patience(connections.active.compactMap(\.roundTrip))
        order(trees.tick(now: now, using: &randomness), connections, now: now, &effects)
    }

    /// Four median round trips, within bounds: neighbours may answer pings late on purpose.
    static func patience(_ roundTrips: [Duration]) -> Duration {
        guard !roundTrips.isEmpty else { return Limits.announcementPatience }
        let measured = roundTrips.sorted()[(roundTrips.count - 1) / 2] * 4
        return min(max(Limits.announcementPatience, measured), Limits.announcementPatienceMost)
    }

    private mutating func order(
        _ actions: [TreeSpread.Action], _ connections: Connections, now: Instant, _ effects: inout Effects
    ) {
        for action in actions {
            switch action {
            case .send(let frame, let peer): effects.append(.send(frame, to: .peer(peer)))
            case .push(let entry, let peers, let wide):
                if wide != 0 { effects.append(.send(TreeFrame.wide(entry.id, wide).bytes, to: .peers(peers))) }
                let frame = entry.payload.frame(hops: entry.hops)
                effects.append(.deliver(PayloadDelivery(frame: frame, type: entry.payload.type), to: .peers(peers)))
            case .probe(let peer): effects.append(.probe(.peer(peer), within: Limits.suspicionTime))
            case .demoteUnlessHeard(let peer, let since):
                if let link = connections.sendingLink(of: peer), link.lastReceived < since {
                    trees.demote(peer, now: now)
                }
            case .end(let peer): effects.append(.strikeOut(peer))
            }
        }
        effects.append(.arm(.overlay))
    }
}
