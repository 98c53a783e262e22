import Chat
import Noise
import Wire

/// Presence in a crowd (Protocol.md section 13).
extension Node {
    /// True if peers are here by their presence, not by their links.
    var isCrowd: Bool { people.isCrowd }

    /// The node is in overlay mode from now on, or no more.
    func crowdChanged(_ mode: RoomMode) {
        let isCrowd = mode != .mesh
        let wasSmall = people.isSmall
        router.setCrowd(isCrowd)
        bridge?.forgetPassed()
        _ = router.takeMovements()
        if isCrowd {
            people.enter(isSmall: mode == .relaying, now: scheduler.now)
            sendPresence(router.signPresence(at: moment))
            if mode == .relaying { askForRosters() }
        } else {
            // The departure that ended a gap is still to be passed on.
            if wasSmall { pass(people.relay.takeAll()) }
            people.leave()
            // From here on their links say how long they are here.
            for connection in connections.activeLinks { connection.peer.map { people.presences.remove($0) } }
            if !wasSmall { apply(router.roster.arrivals) }
        }
        arm(.people)
    }

    /// Our presence for a new link: in a crowd the one that was signed last, which is news to few.
    func presenceForLink() -> VerifiedPayload {
        guard isCrowd else { return router.signPresence(at: moment) }
        if let own = people.relay.own, own.payload.epoch == router.session.epoch { return own }
        let presence = router.signPresence(at: moment)
        noteOwn(presence)
        return presence
    }

    private func noteOwn(_ presence: VerifiedPayload) {
        people.relay.signed(presence, now: scheduler.now, using: &randomness)
        _ = people.presences.take(presence, age: .zero, now: scheduler.now)
    }

    /// Sends our own presence to all neighbours, each of which passes it on along its author's tree.
    func sendPresence(_ presence: VerifiedPayload) {
        noteOwn(presence)
        let frame = presence.signed.frame(hops: 0)
        for connection in crowdLinks {
            links.tally.sent.add(.presence)
            send(frame, on: connection)
        }
        arm(.people)
        if bridge != nil { publishOverBridge(presence) }
    }

    /// Our certificate has changed: others learn it behind our presence.
    func certificateChanged() {
        if isCrowd { sendPresence(router.signPresence(at: moment)) }
    }

    /// The links that are part of the overlay: all but those of guests.
    var crowdLinks: [Connection] { connections.activeLinks.filter { !people.guests.isGuest($0.id) } }

    /// The links on which an author's presence is passed on: those of the author's tree, and two others at random, because a
    /// tree that has carried no message may be in parts.
    private func presenceLinks(of author: PeerID) -> [Connection] {
        let tree = Trees.bit(Trees.index(of: author))
        let links = crowdLinks.shuffled(using: &randomness)
        let pushed = links.filter { connection in
            let neighbour = connection.peer.flatMap { overlay.neighbours[$0] }
            return (neighbour?.pushes ?? 0) & tree != 0
        }
        let others = links.filter { link in !pushed.contains { $0 === link } }
        return pushed + others.prefix(Limits.presenceLinks)
    }

    /// Takes an admitted presence of another in; it says who is here, and is passed on.
    ///
    /// - Parameter isLive: false for one of an answer to our digests: it may be old, and others have it.
    func takePresence(_ payload: VerifiedPayload, isLive: Bool, on connection: Connection) {
        guard case .presence(let presence) = payload.payload.body, payload.author != context.me else { return }
        let (author, now) = (payload.author, scheduler.now)
        // A peer in another network is not here.
        if payload.isBridged, router.roster.isHere(author) { return }
        guard people.presences.isNews(payload.payload.authorClock, of: author) else { return }
        guard case .admitted(let checked) = admission.verifySignature(of: payload) else { return ban(connection) }
        guard people.presences.take(checked, age: isLive ? .zero : age(of: payload), now: now) else { return }
        people.paths.note(author, by: connection.id)
        if let peer = connection.peer { overlay.recordGift(of: peer, now: now) }
        // In a small room what an answer brings is passed on too: few others have it.
        if isLive || people.isSmall {
            people.relay.pass(author, from: connection.id, now: now, using: &randomness)
        }
        let isHere = presence.state != .left && !payload.isBridged
        if isHere { recordGap(author) } else if !payload.isBridged { closeGap(author) }
        apply(router.notePresence(of: author, isHere: isHere, at: moment))
        // A new path leads to the peer.
        sendWaiting(to: author)
        routed()
        arm(.people)
    }

    /// A peer without a link is here: what it has not acknowledged is sent to it again.
    func sendWaiting(to peer: PeerID) {
        if !router.roster.isOnline(peer), router.isUnacknowledged(by: peer) { router.linkReady(peer) }
    }

    /// Handles a presence that was dropped because it came before: if that was over a bridge, its author is in this network
    /// nevertheless, and a bridge was faster than the links.
    func noteHereToo(_ body: Span<UInt8>) {
        guard isCrowd, SignedPayload.kind(inFrame: body) == PayloadType.presence.rawValue,
            let author = SignedPayload.author(inFrame: body), people.presences.noteHere(author, body)
        else { return }
        apply(router.notePresence(of: author, isHere: true, at: moment))
        routed()
    }

    /// Brings a presence from another network to the crowd.
    func spreadElsewhere(_ presence: VerifiedPayload) {
        let now = scheduler.now
        guard people.presences.take(presence, age: age(of: presence), now: now) else { return }
        people.relay.pass(presence.author, from: nil, now: now, using: &randomness)
        arm(.people)
    }

    private func age(of payload: VerifiedPayload) -> Duration {
        let (signed, now) = (payload.payload.timestamp, roomClock)
        return signed >= now ? .zero : .milliseconds(signed.distance(to: now))
    }

    /// Tells an event unless it is one of the many arrivals, changes and departures of a crowd.
    func isTold(_ event: ChatEvent) -> Bool {
        guard isCrowd, !people.isSmall, case .presence(let peer, _, reason: _, was: _, online: _) = event else {
            return true
        }
        return router.isNoted(peer)
    }

    /// At the end of a turn: arrivals and departures are counted.
    func noteMovements() {
        guard isCrowd, !people.isSmall else { return }
        let movements = router.takeMovements()
        guard !movements.isEmpty else { return }
        people.folding.note(movements, now: scheduler.now)
        arm(.people)
    }

    func tickPeople() {
        guard case .running = phase else { return }
        let now = scheduler.now
        if people.relay.isSigningDue(now: now) { sendPresence(router.signPresence(at: moment)) }
        passPresencesOn()
        exchangeRosters()
        for peer in people.presences.lapse(now: now) {
            people.paths.forget(peer)
            apply(router.notePresence(of: peer, isHere: false, at: moment))
        }
        sealAgain()
        tickGuests()
        if let movements = people.folding.take(now: now) {
            emit(.crowd(came: movements.came, left: movements.left, online: online()))
        }
        arm(.people)
    }

    /// Passes the gathered presences on, each with its author's certificate behind it.
    private func passPresencesOn() { pass(people.relay.takeDue(now: scheduler.now)) }

    private func pass(_ waiting: [(author: PeerID, from: ConnectionID?)]) {
        for (author, from) in waiting {
            guard let entry = people.presences[author] else { continue }
            for connection in presenceLinks(of: author) where connection.id != from && connection.peer != author {
                pass(entry.frame, of: author, on: connection)
            }
        }
    }

    private func pass(_ frame: [UInt8], of author: PeerID, on connection: Connection) {
        guard connection.link.outbox.count < Outbox.capacity / 2 else { return }
        links.tally.sent.add(.presence)
        send(frame, on: connection)
        sendCertificate(for: author, on: connection)
    }
}

/// Rosters: what one neighbour lacks, another has (Protocol.md section 13).
extension Node {
    private func exchangeRosters() {
        let now = scheduler.now
        if people.roster.isQuestionDue(now: now) {
            let last = people.roster.continuation
            let links = crowdLinks
            if let connection = links.first(where: { $0.id == last }) ?? links.randomElement(using: &randomness) {
                askForRoster(on: connection)
            } else {
                people.roster.postpone(now: now)
            }
        }
        for part in people.roster.parts(now: now) { answerRoster(part.buckets, from: part.start, on: part.link) }
    }

    /// Sends our digests to a neighbour, which answers with what we lack.
    func askForRoster(on connection: Connection) {
        connection.link.enqueue(people.presences.digests.frame)
        markDirty(connection)
        people.roster.asked(connection.id, now: scheduler.now)
    }

    /// Asks all neighbours that pass payloads on, which are few.
    private func askForRosters() {
        for connection in crowdLinks {
            guard let peer = connection.peer, overlay.neighbours[peer]?.isInTrees ?? false else { continue }
            askForRoster(on: connection)
        }
    }

    private func answerRoster(_ buckets: UInt16, from start: Int, on link: ConnectionID) {
        guard let connection = connections[link], connection.peer != nil, !connection.isRetiring else {
            return people.roster.linkClosed(link)
        }
        // A slow reader gets the next part later.
        guard connection.link.outbox.count < Outbox.capacity / 4 else { return }
        let most = min(Limits.rosterPortion, people.roster.room(for: link) / RosterExchange.largest)
        let (peers, next) = people.presences.part(of: buckets, from: start, most: most)
        var bytes = 0
        for peer in peers where peer != connection.peer {
            guard let entry = people.presences[peer] else { continue }
            links.tally.sent.add(.presence)
            send([FrameType.roster.rawValue] + entry.frame.dropFirst(), on: connection)
            if peer != context.me { sendCertificate(for: peer, on: connection) }
            bytes += entry.frame.count + Certificate.byteCount
        }
        people.roster.answered(link, next: next, bytes: bytes)
    }

    /// Whether an answer may bring an author: one that this node never heard of counts against the size that the room plausibly
    /// has.
    private func takesFromRoster(_ author: PeerID?, on connection: Connection) -> Bool {
        guard let author, people.presences[author] == nil, configuration.messagesPerSecond > 0 else { return true }
        return people.intake.take(from: connection.source, size: plausibleSize, now: scheduler.now)
    }

    /// The nodes of the room by the word of several sources, or as many as discovery shows.
    private var plausibleSize: Int {
        max(finder.roomSize, connections.activeLinks.count, overlay.neighbours.knownSize ?? 0)
    }

    /// Handles a frame 14: a neighbour's digests, or a presence of its answer to ours.
    func receivedRoster(_ body: Span<UInt8>, on connection: Connection) {
        guard isCrowd, let peer = connection.peer else { return }
        let now = scheduler.now
        if let digests = RosterDigests(body) {
            overlay.recordSize(digests.count, by: peer)
            let isAnswered = people.roster.answer(
                people.presences.digests.differences(from: digests), on: connection.id, now: now)
            if !isAnswered { counts.rostersRefused += 1 }
            return arm(.people)
        }
        let claim = SignedPayload.authorClock(inFrame: body)
        let isKept = claim.map { !people.presences.isNews($0.clock, of: $0.author) } ?? false
        guard people.roster.take(body.count, on: connection.id, now: now),
            isKept || takesFromRoster(claim?.author, on: connection)
        else {
            counts.rostersRefused += 1
            return
        }
        switch admission.admitRoster(
            frame: body, from: peer, isKept: isKept, bridge: bridgeStanding(of: body, on: connection), now: now,
            wallClock: roomClock)
        {
        case .admitted(let payload):
            var events: [ChatEvent] = []
            router.route(payload, at: moment, into: &events)
            apply(events)
            if people.presences[payload.author] == nil { people.roster.tookPresence(on: connection.id, now: now) }
            takePresence(payload, isLive: false, on: connection)
            noteBridges(of: payload.author)
            if bridge != nil { publishOverBridge(payload) }
        case .dropped(.duplicate): noteHereToo(body)
        case .repeated, .dropped: break
        case .closeLink: drop(connection)
        case .ban: ban(connection)
        }
    }
}
