import Chat
import Noise
import Phrases
import Wire

/// Finds the peers of the room and decides which of them to link with (Protocol.md sections 10 and 13).
///
/// It owns the candidates and their dials; whether the room is a mesh or an overlay; in an overlay the choice of links; the peers
/// of a small room without a link; and the contacts that neighbours sent.
struct Finder {
    /// The contacts that this node has sent on a link, and the endpoint that the peer gave there for itself.
    private struct ContactState {
        var hasSentContacts = false
        /// The peer lacks links, and contacts were sent on all links because of that.
        var hasSentLinks = false
        /// Where the peer itself says that it can be dialled: at the address of its end of this connection.
        var ownEndpoint: Endpoint?
    }

    private var randomness: Randomness
    var dials = Dials()
    private var missedPeers = MissedPeers()
    /// The way in which peers are found; nil until it is known.
    private(set) var discoveryMode: DiscoveryMode?
    /// Why no peer may be found; nil once discovery or the network has changed.
    private(set) var obstacle: Obstacle?
    /// Warnings from before `.ready`, which is the first event.
    private var earlyWarnings: [NodeEvent] = []
    /// The user named a peer at a loopback address.
    private(set) var hasNamedLoopback = false
    private var modeSwitch = ModeSwitch()
    private var choice: LinkChoice
    private var contacts = ContactBook()
    private var gaps = Gaps()
    /// Only links on which there is something to keep.
    private var contactStates: [ConnectionID: ContactState] = [:]
    /// The links of the overlay are to be looked at, at the end of the turn.
    private(set) var isChoiceChanged = false
    /// Links that others opened in overlay mode, for which there was no room.
    private var linksRefused = 0
    /// Dials of this node that were answered so.
    private var linksBusy = 0
    /// Links that this node ended because neither end had chosen them.
    private var linksUnneeded = 0
    /// Changes between mesh and overlay.
    private var modeChanges = 0

    /// - Parameter randomness: its own alone. The choice of links has a branch, so that a mesh draws the same numbers as without an
    ///   overlay.
    init(randomness: Randomness) {
        self.randomness = randomness
        choice = LinkChoice(randomness: randomness.branch(1))
    }

    /// The links of this node are chosen: the room is too large for links between all.
    var isOverlay: Bool { choice.isOverlay }

    /// The nodes of the room by mDNS.
    var roomSize: Int { choice.samplers.roomSize }

    /// The next time at which `dial` may dial; nil while no candidate waits, or without room for a link, whose end asks again.
    func nextDial(_ links: borrowing Links) -> Instant? { room(in: links) > 0 ? dials.dialler.nextDeadline : nil }

    /// The next time at which the mode, the choice of links, the gaps or the contacts change by the passing of time; nil for never.
    var nextDeadline: Instant? {
        Instant.earlier(
            Instant.earlier(choice.nextDeadline, modeSwitch.nextDeadline),
            Instant.earlier(gaps.nextDeadline, contacts.nextRound))
    }

    private func wake(_ effects: inout Effects) {
        if let nextDeadline { effects.append(.wake(.choice, at: nextDeadline)) }
    }

    /// The tables' entries now.
    var gauges: [Counter] {
        [
            Counter(.candidates, dials.dialler.count), Counter(.knownNodes, modeSwitch.known),
            Counter(.isOverlay, modeSwitch.isOverlay ? 1 : 0), Counter(.linksChosen, choice.chosenCount),
        ]
    }

    var counters: [Counter] {
        [
            Counter(.linksRefused, linksRefused), Counter(.linksBusy, linksBusy),
            Counter(.linksUnneeded, linksUnneeded), Counter(.modeChanges, modeChanges),
        ]
    }

    /// Links that may still be opened by a dial. While a mesh has too many nodes, those beyond the first wait for the overlay.
    private func room(in links: borrowing Links) -> Int {
        modeSwitch.holdsNewcomers ? min(links.room, Limits.chosenLinks - links.connections.linkCount) : links.room
    }
}

/// Discovery.
extension Finder {
    /// Names of this run alone. Only a peer that knows our key can derive our identity from them (Protocol.md section 10).
    ///
    /// - Parameter key: the own Noise key.
    mutating func makeAnnouncement(_ context: LinkContext, port: UInt16, now: Instant) -> Announcement {
        let name = InstanceName(of: context.certificate.noise, using: &randomness)
        dials.dialler.recordName(name, now: now)
        return Announcement(
            instance: name.text, host: Base32.encode(randomness.bytes(16)), port: port,
            subtype: "_r" + context.room.tag)
    }

    /// Reports a warning; before `.ready`, behind it.
    mutating func warn(_ code: NoticeCode, _ sentence: Sentence, _ effects: inout Effects) {
        let warning = NodeEvent.notice(code, sentence)
        if let found = Obstacle(code, sentence) { obstacle = found }
        if discoveryMode == nil { earlyWarnings.append(warning) } else { effects.append(.report(warning)) }
    }

    /// A wrong key and an empty room look the same. Nodes of one network have met long before.
    static let answerTime = Duration.seconds(5)

    mutating func warnUnanswered(
        in room: Room, _ roster: borrowing Roster, _ environment: Environment, _ effects: inout Effects
    ) {
        guard environment.isRunning, roster.isUnmet else { return }
        warn(.roomUnanswered, Sentence(.roomUnanswered, room.name), &effects)
    }

    /// The way in which peers are found is known, or is another.
    mutating func setDiscoveryMode(_ mode: DiscoveryMode, _ effects: inout Effects) {
        let isFirst = discoveryMode == nil
        discoveryMode = mode
        guard isFirst else { return }
        effects.append(.becomeReady(mode))
        for warning in earlyWarnings { effects.append(.report(warning)) }
        earlyWarnings = []
    }

    mutating func discovered(
        _ event: DiscoveryEvent, _ environment: Environment,
        _ effects: inout Effects
    ) {
        guard environment.isRunning else { return }
        let now = environment.now
        switch event {
        case .found(let instance, let endpoint, let weight):
            if Dials.isNamed(instance) { recordNamed(endpoint) }
            dials.dialler.found(instance, at: endpoint, now: now, using: &randomness)
            choice.found(
                instance, at: endpoint, weight > 0 ? .proven : .announced, weight: max(1, weight), now: now)
        case .moved(let instance, let endpoints):
            dials.dialler.moved(instance, to: endpoints, now: now, using: &randomness)
            choice.moved(instance, to: endpoints, now: now)
        case .lost(let instance):
            lose([instance], now: now)
        case .networkChanged:
            obstacle = nil
            effects.append(.probeAll)
        case .namesOutdated:
            effects.append(.renewAnnouncement)
        case .mode(let mode, let detail):
            if let known = discoveryMode, known != mode {
                obstacle = nil
                effects.append(.report(.notice(.discoveryChanged, Sentence(.discoveryIs, mode.rawValue, detail))))
            } else if mode == .none, discoveryMode == nil {
                warn(.discoveryLost, Sentence(.discoveryWaits, detail), &effects)
            }
            setDiscoveryMode(mode, &effects)
        case .warning(let code, let text):
            warn(code, text, &effects)
        case .failed(let reason):
            effects.append(.leave(.failed(reason)))
        }
        effects.append(.reviewRoom)
        effects.append(.arm(.dialler))
    }

    private mutating func recordNamed(_ endpoint: Endpoint) {
        choice.hasNamedPeers = true
        if endpoint.isLoopback { hasNamedLoopback = true }
    }

    /// Candidates that are named by no source any more are not dialled; links that there are stay.
    private mutating func lose(_ instances: [String], now: Instant) {
        for instance in instances {
            dials.dialler.lost(instance, now: now)
            choice.lost(instance)
        }
    }

    /// A dialled connection leads to this machine, by an address that discovery shows.
    mutating func recordOwnAddress(_ endpoint: Endpoint, now: Instant) { choice.recordOwnAddress(endpoint, now: now) }

    /// The last link to a peer fell silent: discovery asks for it often. In a crowd, members find a peer that returns.
    mutating func fellSilent(
        _ peer: PeerID, _ environment: Environment, _ connections: Connections, _ effects: inout Effects
    ) {
        guard !connections.hasLink(to: peer), !environment.isCrowd else { return }
        missedPeers.fellSilent(peer)
        effects.append(.discovery(.peersMissed(true)))
    }
}

/// Dials.
extension Finder {
    /// Dials the candidates whose time has come.
    mutating func dial(_ links: inout Links, _ environment: Environment, _ effects: inout Effects) {
        let (room, now) = (room(in: links), environment.now)
        guard environment.isRunning, room > 0 else { return }
        for dial in dials.due(now: now, room: room) {
            if links.mayDial(dial.endpoint, now: now), !links.isAvoided(dial.endpoint, now: now) {
                dials.dialled(dial, as: links.dial(dial.endpoint), now: now, using: &randomness)
            } else {
                dials.dialler.postpone(dial, now: now, using: &randomness)
                recordDialFailure(of: dial.instance, now: now, &effects)
            }
        }
        // A due candidate may have turned out to be a peer with a link.
        if choice.isOverlay { effects.append(.reviewRoom) }
        effects.append(.arm(.dialler))
    }

    /// A dial ended without a link. A discovery that looked its address up may do so again; the end of one that a peer wished for
    /// shows later. A peer that the user named is warned of; peers of mDNS come and go without a word.
    mutating func dialEnded(
        _ connection: ConnectionID, _ reason: UnreachedPeers.Reason, _ environment: Environment,
        _ effects: inout Effects
    ) {
        let now = environment.now
        let (failure, warning) = dials.failed(connection, reason, now: now, using: &randomness)
        if let warning { warn(.peerUnreachable, warning, &effects) }
        guard let failure else { return }
        effects.append(.discovery(.dialFailed(instance: failure.instance)))
        guard let end = failure.shownAt, now < end else {
            return recordDialFailure(of: failure.instance, now: now, &effects)
        }
        effects.append(.schedule(.recordDialFailure(of: failure.instance), at: end))
    }

    /// A dial is over without a link; another candidate is dialled once no other address of this one is.
    mutating func recordDialFailure(of instance: String, now: Instant, _ effects: inout Effects) {
        guard choice.isOverlay, !dials.dialler.isDialling(instance) else { return }
        choice.failed(instance, now: now)
        effects.append(.reviewRoom)
    }
}

/// Peers and their links.
extension Finder {
    /// A handshake proved a blocked peer.
    mutating func metBlocked(_ peer: PeerID, _ key: PublicKey, on connection: ConnectionID, now: Instant) {
        dials.metBlocked(peer, key, on: connection, now: now, using: &randomness)
    }

    /// A handshake proved a peer that is welcome.
    ///
    /// - Returns: the candidate that was dialled; nil for a connection that the peer has opened.
    mutating func identified(
        _ connection: ConnectionID, as peer: PeerID, _ key: PublicKey, now: Instant
    ) -> String? {
        dials.identified(connection, as: peer, key, now: now, using: &randomness)
    }

    /// A link with a run of a peer is up, dialled by either side.
    mutating func linkUp(_ up: LinkUp, _ environment: Environment, _ effects: inout Effects) {
        dials.dialler.linkOpened(to: up.peer, up.certificate.noise, now: environment.now)
        effects.append(.discovery(.linkOpened(LinkedRun(up.certificate.noise))))
        if up.isFirst, missedPeers.found(up.peer) { effects.append(.discovery(.peersMissed(false))) }
        if up.isActive {
            choice.opened(
                up.peer, at: up.link.endpoint, dialled: up.instance, isInitiator: up.link.role == .initiator,
                isGuest: up.isGuest, now: environment.now)
        } else if let instance = up.instance {
            append(choice.joined(instance, up.peer, now: environment.now), environment, &effects)
        }
    }

    /// Frames are sent on a new link: its peer is no gap, and hears of contacts once the other dials of a start are over.
    mutating func linkIsActive(
        _ link: LinkInfo, of peer: PeerID, _ environment: Environment, _ neighbours: Neighbours,
        _ effects: inout Effects
    ) {
        if choice.hasNamedPeers || (sharesLinks(neighbours) && !choice.isOverlay) {
            effects.append(.schedule(.sendContacts(to: link.id), at: environment.now + Limits.contactDelay))
        }
        gaps.close(peer)
        guard !choice.isOverlay else { return }
        for contact in contacts.contacts(of: peer) {
            dials.dialler.lost(ContactBook.instance(at: contact.endpoint), now: environment.now)
        }
        linksChanged(environment, neighbours, &effects)
    }

    /// A connection has ended.
    mutating func linkDown(_ down: LinkDown, _ environment: Environment, _ effects: inout Effects) {
        contactStates[down.link.id] = nil
        // A dial led to this node itself: the candidate is not dialled again.
        if case .failed(.connectedToSelf) = down.closing { dials.dialler.ignore(down.link.id) }
        if down.link.peer == nil { dialEnded(down.link.id, .foreign, environment, &effects) }
        if down.isLastOfRun, let certificate = down.link.certificate {
            effects.append(.discovery(.linkClosed(LinkedRun(certificate.noise))))
        }
    }

    /// The last link to a peer has ended: its candidates are dialled again after a pause, and its contacts too.
    mutating func lastLinkEnded(
        of peer: PeerID, _ environment: Environment, _ connections: Connections, _ neighbours: Neighbours,
        _ effects: inout Effects
    ) {
        let now = environment.now
        dials.dialler.linkClosed(to: peer, now: now, using: &randomness)
        choice.closed(peer, now: now)
        lose(contacts.forget(peer), now: now)
        gaps.close(peer)
        guard !choice.isOverlay else { return }
        offer(contacts.contacts(of: peer), connections, now: now, &effects)
        linksChanged(environment, neighbours, &effects)
    }

    /// A peer has said something on a link.
    mutating func recordHeard(on link: LinkInfo, _ links: borrowing Links) {
        if let peer = link.peer, links.recordHeard(link) { dials.dialler.heard(peer) }
    }

    /// A peer is blocked: it is no longer dialled.
    mutating func shutOut(
        _ peer: PeerID, _ intake: borrowing Intake, _ environment: Environment, _ effects: inout Effects
    ) {
        dials.dialler.shutOut(peer, intake.certificate(of: peer, now: environment.now)?.noise)
        effects.append(.arm(.dialler))
    }

    /// A peer is blocked no longer: its candidates are dialled at once.
    mutating func admit(_ peer: PeerID, _ environment: Environment, _ effects: inout Effects) {
        dials.dialler.admit(peer, now: environment.now)
        effects.append(.arm(.dialler))
    }
}

/// The mode of the room.
extension Finder {
    /// Counts the known nodes, and changes the mode where that is due.
    mutating func updateMode(
        _ environment: Environment, _ connections: Connections, _ neighbours: Neighbours, online: Int,
        _ effects: inout Effects
    ) {
        guard environment.isRunning else { return }
        let now = environment.now
        let known = countKnown(environment, connections, neighbours, online: online)
        let isChanged = modeSwitch.update(known: known, now: now)
        let areGapsChanged = gaps.update(
            witnesses: Finder.countWitnesses(neighbours, connections),
            isCrowd: modeSwitch.isOverlay || environment.mode == .overlay, now: now)
        if isChanged {
            modeChanges += 1
            if modeSwitch.isOverlay {
                choice.enterOverlay(now: now)
                offer(contacts.contacts, connections, now: now, &effects)
            } else {
                choice.leaveOverlay()
                dials.dialler.restrict(to: nil, now: now)
            }
            effects.append(.setMode(modeSwitch.isOverlay ? .overlay : gaps.isRelaying ? .relaying : .mesh))
            effects.append(.arm(.dialler))
        } else if areGapsChanged {
            followGaps(environment, connections, &effects)
        }
        // In a crowd discovery looks for peers in another way; it hears nothing of a small room.
        if let crowd = modeSwitch.crowdToReport(isChanged: isChanged) {
            effects.append(.discovery(.crowdChanged(crowd)))
        }
        wake(&effects)
    }

    /// The nodes of the room by the word of several sources, or as many as discovery shows.
    func plausibleSize(_ connections: Connections, _ neighbours: Neighbours) -> Int {
        max(roomSize, connections.active.count, neighbours.knownSize ?? 0)
    }

    /// The nodes of the room that are known. A mesh node also counts what neighbours say, because it may see few nodes of a
    /// crowd; not after an overlay of its own, which neighbours whose overlay is about to end would make begin again.
    private func countKnown(
        _ environment: Environment, _ connections: Connections, _ neighbours: Neighbours, online: Int
    ) -> Int {
        // Presences that neighbours of a small room pass on may be invented: peers count by their links there.
        let isHeard = environment.isCrowd && environment.mode != .relaying
        let here = isHeard ? online : min(online, Finder.countLinked(connections))
        let seen = max(choice.samplers.sourceCount, here)
        guard !modeSwitch.isOverlay else { return seen }
        let strangers = countStrangers(connections, now: environment.now)
        return max(seen + strangers, modeSwitch.hasEnded ? 0 : neighbours.toldSize)
    }

    /// The links, of one source no more than it may open: identities cost nothing.
    private static func countLinked(_ connections: Connections) -> Int {
        var counts: [LinkSource: Int] = [:]
        for link in connections.active { counts[link.source, default: 0] += 1 }
        return counts.values.reduce(0) { $0 + min($1, Limits.linksPerSource) }
    }

    /// The peers that neighbours told of lately and that there is no link with.
    func countStrangers(_ connections: Connections, now: Instant) -> Int {
        contacts.countStrangers(
            at: now, isStranger: { !connections.hasLink(to: $0) }, witness: { connections.sendingLink(of: $0)?.witness }
        )
    }

    /// The sources of neighbours that lack links. Nodes of this machine are exempt from limits per source.
    private static func countWitnesses(_ neighbours: Neighbours, _ connections: Connections) -> Int {
        let lacking = neighbours.lacking.compactMap(connections.sendingLink(of:))
        let (here, elsewhere) = lacking.map(\.endpoint).reduce(into: (0, Set<Endpoint>())) { sum, endpoint in
            if endpoint.isLoopback { sum.0 += 1 } else { sum.1.insert(endpoint.source) }
        }
        return here + elsewhere.count
    }

    /// Informs the neighbours that this node lacks links, or no longer does.
    private mutating func followGaps(
        _ environment: Environment, _ connections: Connections, _ effects: inout Effects
    ) {
        guard environment.mode != .overlay else { return }
        let mode: RoomMode = gaps.isRelaying ? .relaying : .mesh
        guard environment.mode == mode else {
            modeChanges += 1
            return effects.append(.setMode(mode))
        }
        guard mode != .mesh else { return }
        for link in connections.active { greet(link, in: mode, &effects) }
    }

    /// This node takes another mode: its neighbours hear of it.
    func setMode(
        _ mode: RoomMode, _ connections: Connections, _ spread: inout Spread, _ history: inout HistoryExchange,
        _ environment: Environment, _ effects: inout Effects
    ) {
        guard spread.setMode(mode, now: environment.now) else { return }
        for link in connections.active { greet(link, in: mode, &effects) }
        spread.setOffers(of: &history, &effects)
        effects.append(.then(.changeMode(from: environment.mode)))
    }

    /// Tells the peer of a link what this side says about the link.
    func greet(_ link: LinkInfo, in mode: RoomMode, _ effects: inout Effects) {
        if let peer = link.peer { effects.append(.send(greeting(for: peer, in: mode), to: .link(link.id))) }
    }

    /// A neighbour sent its mode: its count of the room and its gaps help to decide the mode, and a node between peers that lack
    /// links names them to each other.
    ///
    /// - Parameter last: the hello before; nil for the first.
    mutating func recordMode(
        in hello: Hello, after last: Hello?, on link: LinkInfo, _ connections: Connections, _ neighbours: Neighbours,
        online: Int, _ environment: Environment, _ effects: inout Effects
    ) {
        if hello != last { updateMode(environment, connections, neighbours, online: online, &effects) }
        recordLack(hello, on: link, environment, neighbours, &effects)
    }

    /// The frame that says what this side's part in a link is.
    ///
    /// - Parameter mode: that of this node.
    func greeting(for peer: PeerID, in mode: RoomMode) -> [UInt8] {
        var hello = choice.hello(for: peer)
        hello.isOverlay = mode != .mesh
        if mode == .relaying {
            // All links of a small room are kept.
            (hello.isChosen, hello.isInsisting) = (!hello.isGuest, true)
            hello.isLacking = gaps.isLacking
        }
        hello.known = UInt16(clamping: modeSwitch.known)
        return TreeFrame.hello(hello).bytes
    }
}

/// Gaps of a small room: peers that this node has no link with, because a firewall, a router or an access point keeps them apart
/// (Protocol.md section 13).
extension Finder {
    private mutating func recordGap(
        _ peer: PeerID, _ environment: Environment, _ connections: Connections, _ roster: borrowing Roster,
        _ effects: inout Effects
    ) {
        guard environment.mode != .overlay, peer != environment.me, !connections.hasLink(to: peer),
            !roster.isBlocked(peer)
        else { return }
        gaps.record(peer, now: environment.now)
        wake(&effects)
    }

    /// A payload came over a relay: the author of a public message is in the room.
    ///
    /// - Parameter isHistory: whether it was asked for. One that was said before this node had its links shows nothing.
    mutating func recordGap(
        _ message: VerifiedPayload, isHistory: Bool, _ session: borrowing OwnSession, _ connections: Connections,
        _ roster: borrowing Roster, _ environment: Environment, _ effects: inout Effects
    ) {
        guard environment.mode != .overlay, message.type == .publicMessage, !message.isBridged,
            !connections.hasLink(to: message.author)
        else { return }
        let (signed, now) = (message.payload.timestamp, environment.roomClock)
        guard signed >= now || signed.distance(to: now) < Limits.gapHistoryMilliseconds else { return }
        // A node that just came gets what was said before, by peers that may be gone.
        guard !isHistory || session.age(now: environment.now) > .milliseconds(Limits.gapHistoryMilliseconds) else {
            return
        }
        recordGap(message.author, environment, connections, roster, &effects)
    }

    /// A presence came over a neighbour: its author is in the room, or has left it.
    ///
    /// - Parameter isBridged: whether a bridge says so.
    mutating func recordPresence(
        of peer: PeerID, isHere: Bool, isBridged: Bool, _ environment: Environment, _ connections: Connections,
        _ roster: borrowing Roster, _ effects: inout Effects
    ) {
        if isHere {
            recordGap(peer, environment, connections, roster, &effects)
        } else if !isBridged, gaps.close(peer) {
            effects.append(.reviewRoom)
        }
    }

    /// A neighbour's hello came. One that lacks links hears of this node's.
    private mutating func recordLack(
        _ hello: Hello, on link: LinkInfo, _ environment: Environment, _ neighbours: Neighbours,
        _ effects: inout Effects
    ) {
        guard hello.isLacking, !choice.isOverlay, contactStates[link.id]?.hasSentLinks != true else { return }
        if !link.isForgotten { contactStates[link.id, default: ContactState()].hasSentLinks = true }
        linksChanged(environment, neighbours, &effects)
    }
}

/// The choice of links in an overlay.
extension Finder {
    /// The count of nodes or the links may have changed: `reviewLinks` and `followChoice` are due at the end of the turn, once for all
    /// changes.
    mutating func reviewRoom(
        _ connections: Connections, _ neighbours: Neighbours, online: Int, _ environment: Environment,
        _ effects: inout Effects
    ) {
        updateMode(environment, connections, neighbours, online: online, &effects)
        if choice.isOverlay { isChoiceChanged = true }
    }

    /// The choice takes the changes and the passing of time.
    ///
    /// - Returns: whether `followChoice` comes next, once the links that end here have ended.
    mutating func reviewLinks(
        _ neighbours: Neighbours, online: Int, _ environment: Environment, _ effects: inout Effects
    ) -> Bool {
        isChoiceChanged = false
        guard choice.isOverlay, environment.isRunning else { return false }
        let isAlone = isAlone(neighbours, online: online, now: environment.now)
        append(choice.tick(environment.now, isAlone: isAlone), environment, &effects)
        return true
    }

    /// Tells a neighbour of contacts, and dials what is chosen.
    mutating func followChoice(
        _ environment: Environment, _ connections: Connections,
        _ effects: inout Effects
    ) {
        if choice.isOverlay, contacts.beginTurn(now: environment.now, using: &randomness),
            let link = connections.active.randomElement(using: &randomness)
        {
            effects.append(.then(.tellContacts(to: link.id)))
        }
        settleWanted(environment, &effects)
        dials.dialler.restrict(to: choice.wanted, now: environment.now)
        effects.append(.arm(.choice))
        effects.append(.arm(.dialler))
    }

    /// Candidates that have a link already need no dial, and those that can not be dialled give way to others.
    private mutating func settleWanted(_ environment: Environment, _ effects: inout Effects) {
        let now = environment.now
        // Each round takes at least one candidate out of the draw.
        for _ in 0..<Limits.samplerSlots {
            var isSettled = false
            for instance in choice.wanted.sorted() {
                switch dials.dialler.prospect(of: instance) {
                case .dialled: continue
                case .linked(let peer): append(choice.joined(instance, peer, now: now), environment, &effects)
                case .never: choice.failed(instance, now: now)
                }
                isSettled = true
            }
            guard isSettled else { return }
            choice.fill(now)
        }
    }

    /// Neighbours give the roster within seconds: where it is far smaller than the room seems by mDNS, none does. One host with many
    /// addresses can make it seem large; those neighbours that give something know better.
    func isAlone(_ neighbours: Neighbours, online: Int, now: Instant) -> Bool {
        online * 4 < min(roomSize, neighbours.givingSize(at: now) ?? roomSize)
    }

    private mutating func append(
        _ decisions: [LinkChoice.Decision], _ environment: Environment, _ effects: inout Effects
    ) {
        for decision in decisions {
            switch decision {
            case .greet(let peer): effects.append(.send(greeting(for: peer, in: environment.mode), to: .peer(peer)))
            case .refuse(let peer): refuse(peer, &effects)
            case .end(let peer):
                linksUnneeded += 1
                effects.append(.close(.all(of: peer), .unneeded))
            case .setLeaving(let peer, let isLeaving): effects.append(.setLeaving(peer, isLeaving))
            }
        }
    }

    /// There is no room for the links of a peer.
    mutating func refuse(_ peer: PeerID, _ effects: inout Effects) {
        linksRefused += 1
        effects.append(.close(.all(of: peer), .full))
    }

    /// A peer said what its part in a link is, or that it has no room for one. In the overlay it hears of contacts, once.
    mutating func receive(
        _ frame: TreeFrame, on link: LinkInfo, _ environment: Environment, _ effects: inout Effects
    ) {
        guard let peer = link.peer else { return }
        switch frame {
        case .hello(let hello):
            append(choice.heard(hello, from: peer, now: environment.now), environment, &effects)
            effects.append(.reviewRoom)
            if hello.isOverlay { sendFirstContacts(on: link.id, &effects) }
        case .busy:
            linksBusy += 1
            append(choice.refused(by: peer, now: environment.now), environment, &effects)
            effects.append(.reviewRoom)
        case .graft, .prune, .wide, .lacking, .loopCheck, .distances: break
        }
    }

    /// A neighbour has failed to give what it announced once too often.
    mutating func strikeOut(
        _ peer: PeerID, _ links: inout Links, _ environment: Environment, _ effects: inout Effects
    ) {
        guard let link = links.connections.sendingLink(of: peer) else { return }
        links.avoid(link.endpoint, now: environment.now)
        append(choice.struckOut(peer, now: environment.now), environment, &effects)
        effects.append(.reviewRoom)
    }

    /// A frame shows that its sender takes part in the overlay.
    ///
    /// - Parameter isNew: whether it brought a public payload that was new.
    mutating func recordSign(on link: LinkInfo, isNew: Bool, now: Instant) {
        // A mesh pays one comparison for each payload.
        guard choice.isOverlay, let peer = link.peer else { return }
        choice.recordSign(of: peer, isNew: isNew, now: now)
    }

    /// A neighbour sent a payload.
    mutating func recordSender(on link: LinkInfo, isNew: Bool, _ links: borrowing Links, now: Instant) {
        recordHeard(on: link, links)
        recordSign(on: link, isNew: isNew, now: now)
    }
}

/// Contacts: nodes that others may dial, where discovery or the network shows a node less of the room than there is (Protocol.md
/// section 13).
extension Finder {
    /// True where this node names the neighbours of a small room to each other: discovery may not show all of them.
    private func sharesLinks(_ neighbours: Neighbours) -> Bool {
        choice.hasNamedPeers || contacts.hasTellers || gaps.isRelaying || neighbours.hasLacking
    }

    /// The links of this node changed: in a small room it sends its contacts to all neighbours soon.
    private mutating func linksChanged(
        _ environment: Environment, _ neighbours: Neighbours, _ effects: inout Effects
    ) {
        guard sharesLinks(neighbours), !choice.isOverlay else { return }
        contacts.changed(now: environment.now)
        wake(&effects)
    }

    /// Sends contacts on a link that has had none, some time after it began.
    mutating func sendFirstContacts(
        on connection: ConnectionID, _ connections: Connections, _ environment: Environment, _ effects: inout Effects
    ) {
        guard environment.isRunning, connections[connection] != nil else { return }
        sendFirstContacts(on: connection, &effects)
    }

    private mutating func sendFirstContacts(on connection: ConnectionID, _ effects: inout Effects) {
        guard contactStates[connection]?.hasSentContacts != true else { return }
        sendContacts(on: connection, &effects)
    }

    private mutating func sendContacts(on connection: ConnectionID, _ effects: inout Effects) {
        contactStates[connection, default: ContactState()].hasSentContacts = true
        effects.append(.then(.tellContacts(to: connection)))
    }

    /// Sends contacts to all neighbours of a small room if that is due.
    ///
    /// - Parameter links: those that are no guests'.
    mutating func sendRound(on links: [LinkInfo], _ environment: Environment, _ effects: inout Effects) {
        guard environment.isRunning, contacts.beginRound(now: environment.now), !choice.isOverlay else { return }
        for link in links { sendContacts(on: link.id, &effects) }
    }

    /// Tells the peer of a link of the nodes that it may dial, if there are any.
    ///
    /// - Parameter overlay: the links of this node that are no guests'.
    mutating func tellContacts(
        on connection: ConnectionID, _ links: borrowing Links, among overlay: [LinkInfo], _ neighbours: Neighbours,
        _ environment: Environment, _ effects: inout Effects
    ) {
        guard let link = links.connections[connection], let peer = link.peer,
            choice.isOverlay || sharesLinks(neighbours), neighbours[peer]?.isGuest != true
        else { return }
        let filter = ToldEndpointFilter(
            network: links.network(of: link.id), isWithinMachine: link.endpoint.isLoopback, allowsLoopback: true)
        let own = Finder.ownEndpoint(on: link, links)
        let frame =
            choice.isOverlay
            ? contactsOfCrowd(for: peer, filter, overlay)
            : contactsOfSmallRoom(
                for: peer, own.map { ContactsFrame.NodeContact(peer: environment.me, endpoint: $0) }, filter, overlay)
        guard !frame.contacts.isEmpty || !frame.named.isEmpty else { return }
        effects.append(.send(frame.bytes, to: .link(link.id)))
    }

    /// Where this node listens, as seen on a link; nil if that is not known.
    private static func ownEndpoint(on link: LinkInfo, _ links: borrowing Links) -> Endpoint? {
        guard links.port > 0, let local = links.localEndpoint(of: link.id) else { return nil }
        let own = Endpoint(address: local.address, port: links.port, scope: local.scope)
        return link.endpoint.isLoopback ? own.onThisMachine : own
    }

    /// Nodes that this one has dialled, at random: none that the peer may not dial, as one on another network.
    private mutating func contactsOfCrowd(
        for peer: PeerID, _ filter: ToldEndpointFilter, _ links: [LinkInfo]
    ) -> ContactsFrame {
        var contacts: [ContactsFrame.NodeContact] = []
        for other in links.shuffled(using: &randomness) where contacts.count < Limits.contactsTold {
            guard other.role == .initiator, let known = other.peer, known != peer, filter.allows(other.endpoint) else {
                continue
            }
            contacts.append(ContactsFrame.NodeContact(peer: known, endpoint: other.endpoint))
        }
        return ContactsFrame(contacts: contacts)
    }

    /// This node itself, and the peers of its links, each with an endpoint that the receiver may dial, if there is one.
    private mutating func contactsOfSmallRoom(
        for peer: PeerID, _ own: ContactsFrame.NodeContact?, _ filter: ToldEndpointFilter, _ links: [LinkInfo]
    ) -> ContactsFrame {
        var contacts = own.map { [$0] } ?? []
        var named: [PeerID] = []
        for other in links.shuffled(using: &randomness) {
            guard let known = other.peer, known != peer, contacts.count + named.count < Limits.contactsTold else {
                continue
            }
            if let endpoint = reachableEndpoint(of: other), filter.allows(endpoint) {
                contacts.append(ContactsFrame.NodeContact(peer: known, endpoint: endpoint))
            } else {
                named.append(known)
            }
        }
        return ContactsFrame(contacts: contacts, named: named)
    }

    /// Where the peer of a link can be dialled; nil if this is not known.
    private func reachableEndpoint(of link: LinkInfo) -> Endpoint? {
        link.role == .initiator ? link.endpoint : contactStates[link.id]?.ownEndpoint
    }

    /// Takes the body of a frame of contacts.
    mutating func receivedContacts(
        _ body: Span<UInt8>, on link: LinkInfo, _ links: borrowing Links, _ neighbours: Neighbours,
        _ roster: borrowing Roster, _ environment: Environment, _ effects: inout Effects
    ) {
        let (connections, wasTelling) = (links.connections, sharesLinks(neighbours))
        guard let teller = link.peer, contacts.admitList(from: teller, now: environment.now) else {
            return effects.append(.countUnexpectedFrame)
        }
        // Not before the rate: the kernel is asked for it.
        let network = links.network(of: link.id)
        guard let frame = ContactsFrame(body, scope: network?.scope ?? link.endpoint.scope) else {
            return effects.append(.countUnexpectedFrame)
        }
        let filter = ToldEndpointFilter(
            network: network, isWithinMachine: link.endpoint.isLoopback, allowsLoopback: hasNamedLoopback)
        recordOwnContact(of: teller, in: frame, on: link, environment, neighbours, &effects)
        let told = frame.contacts.filter { contact in
            contact.peer != environment.me && !connections.hasLink(to: contact.peer) && contact.peer != teller
                && filter.allows(contact.endpoint)
        }.suffix(Limits.contactsPerTeller)
        // In a small room a list with room for more has all of its sender's links.
        let isComplete = !choice.isOverlay && frame.contacts.count + frame.named.count < Limits.contactsTold
        lose(contacts.record(Array(told), of: teller, isComplete: isComplete), now: environment.now)
        offer(told, connections, now: environment.now, &effects)
        if !choice.isOverlay {
            for peer in frame.contacts.map(\.peer) + frame.named where peer != teller {
                recordGap(peer, environment, connections, roster, &effects)
            }
            if !wasTelling { linksChanged(environment, neighbours, &effects) }
        }
        effects.append(.reviewRoom)
    }

    /// A peer says where it can be dialled itself: it is believed for the address of its own end of the link.
    private mutating func recordOwnContact(
        of teller: PeerID, in frame: ContactsFrame, on link: LinkInfo, _ environment: Environment,
        _ neighbours: Neighbours, _ effects: inout Effects
    ) {
        guard let own = frame.contacts.first(where: { $0.peer == teller })?.endpoint,
            own.address == link.endpoint.address, contactStates[link.id]?.ownEndpoint != own
        else { return }
        contactStates[link.id, default: ContactState()].ownEndpoint = own
        linksChanged(environment, neighbours, &effects)
    }

    /// Contacts are candidates: in a crowd for the choice of links, in a small room each of them, after a random pause.
    private mutating func offer(
        _ told: some Sequence<ContactsFrame.NodeContact>, _ connections: Connections, now: Instant,
        _ effects: inout Effects
    ) {
        for contact in told where !connections.hasLink(to: contact.peer) {
            let instance = ContactBook.instance(at: contact.endpoint)
            if choice.isOverlay {
                dials.dialler.found(instance, at: contact.endpoint, now: now, using: &randomness)
                choice.found(instance, at: contact.endpoint, .told, now: now)
            } else {
                let pause = Duration.random(in: .zero...Limits.contactDialWait, using: &randomness)
                dials.dialler.found(instance, at: contact.endpoint, now: now + pause, using: &randomness)
            }
        }
        effects.append(.arm(.dialler))
    }
}

extension Limits {
    /// From a link to the frame with contacts, where the user named peers. A longer one makes a network without
    /// multicast DNS grow slowly; with a shorter one, the frame misses the links that come up beside this one.
    static let contactDelay = Duration.seconds(2)
    /// The longest random pause before a contact is dialled in a small room. A longer one delays links; with a shorter
    /// one, both ends, which hear of each other at once, dial at the same time.
    static let contactDialWait = Duration.seconds(1)
    /// How old a message may be that shows a gap, in milliseconds. With a larger one, authors that left count as peers
    /// without a link; with a smaller one, delays hide gaps.
    static let gapHistoryMilliseconds: UInt64 = 10_000
}
