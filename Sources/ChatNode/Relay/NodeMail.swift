import Chat
import Noise
import Wire

/// Connects `SealedMail` with the other parts (Protocol.md sections 8 and 13).
extension Node {
    /// Handles a sealed message: opens it if it is addressed to this node, else forwards it.
    func receivedSealed(_ body: Span<UInt8>, on link: LinkInfo) {
        guard let neighbour = link.peer, SealedMessage.bodySizes.contains(body.count) else {
            links.tally.unexpectedFrames += 1
            return
        }
        guard takeRelayed(on: link) else { return mail.countRefused() }
        let frame = [UInt8](copying: body)
        switch mail.course(of: frame) {
        case .repeated: break
        case .forUs: unseal(frame, from: neighbour, on: link)
        case .forOthers: if !publishOverBridge(sealed: frame, from: neighbour) { passOnSealed(frame, from: neighbour) }
        }
    }

    /// Seals a payload for a peer without a link and sends it to the neighbours that know a path to the peer; in a crowd to the
    /// one by which the peer's presence came, and another.
    func seal(_ payload: VerifiedPayload, for peer: PeerID) {
        let isElsewhere = router.roster.isElsewhere(peer)
        guard configuration.sealsForRelays || isCrowd || isElsewhere, payload.type.maySeal else { return }
        let relays = router.paths[peer]
        let way: SealedMail.Way =
            isCrowd && !isElsewhere
            ? .path(crowdLinks, crowd.paths) : .relays(relays.compactMap { connections.sendingLink(of: $0) })
        withEffects {
            mail.seal(
                payload, for: peer, to: intake.certificate(of: peer, now: scheduler.now), with: ownSession.certificate,
                over: way, andBridge: leadsOverBridge(to: peer), environment,
                endpoint: { ownEndpoint(for: peer, on: $0) }, using: &randomness, &$0)
        }
    }

    /// Our address and port for the peer of an accepted conversation, as seen on a link; empty if there is none to tell.
    private func ownEndpoint(for peer: PeerID, on link: LinkInfo) -> [UInt8] {
        guard isAccepted(peer), let local = links.localEndpoint(of: link.id) else { return [] }
        return local.address + [UInt8(links.port >> 8), UInt8(truncatingIfNeeded: links.port)]
    }

    /// Records a neighbour as a path to a peer; sealed messages for the peer are sent to the neighbour.
    func recordPath(to peer: PeerID, via link: LinkInfo) {
        if let neighbour = link.peer { recordPath(to: peer, via: neighbour) }
    }

    /// As above; the neighbour may be the bridge. A path to a peer in another network is of use to those who let bridges publish
    /// them.
    func recordPath(to peer: PeerID, via neighbour: PeerID) {
        let isElsewhere = router.session.bridging.consents && router.roster.isElsewhere(peer)
        guard configuration.sealsForRelays || isElsewhere, neighbour != peer else { return }
        router.pathNoted(to: peer, via: neighbour)
        routed()
    }

    /// Opens a sealed message for this node.
    ///
    /// - Parameter link: the link that it came on; nil if it came over the bridge.
    func unseal(_ body: [UInt8], from neighbour: PeerID, on link: LinkInfo? = nil) {
        guard let opened = mail.open(body, for: context.me) else { return }
        let environment = environment
        do throws(DropReason) {
            let content = try intake.readSealed(opened, environment)
            let origin = Origin.sealed(from: neighbour, by: content.certificate)
            let payload = receive(try PayloadFrame(content.frame.span), from: origin, on: link, environment)
            guard let payload, let link else { return }
            recordEndpoint(content.endpoint, of: payload.author, from: link)
        } catch {
            intake.drop(error)
        }
    }

    /// Forwards a sealed message for another.
    ///
    /// - Parameter neighbour: the peer that it came from; nil for one that came over the bridge.
    func passOnSealed(_ frame: [UInt8], from neighbour: PeerID?) {
        withEffects {
            mail.passOn(
                frame, from: neighbour, isRelay: configuration.relaysSealed, environment,
                links: isCrowd ? crowdLinks : connections.active, paths: crowd.paths, using: &randomness, &$0)
        }
    }

    /// The peer of a conversation told its endpoint in a sealed message.
    func recordEndpoint(_ bytes: [UInt8], of peer: PeerID, from link: LinkInfo) {
        guard isAccepted(peer), !router.roster.isOnline(peer) else { return }
        withEffects {
            mail.recordEndpoint(
                bytes, of: peer, from: link, environment, allowsLoopback: finder.hasNamedLoopback,
                network: { links.network(of: $0) }, using: &randomness, &$0)
        }
    }

    /// Renews the dm key, seals again what has no receipt, dials guests and ends idle guest links, each if it is due.
    func tickMail() {
        guard case .running = phase else { return }
        if mail.renewKey(now: scheduler.now, using: &randomness) { renewCertificate() }
        let due = mail.takeDueRetries(now: scheduler.now) { peer in
            !router.roster.isOnline(peer) && router.isUnacknowledged(by: peer)
        }
        for peer in due { router.linkReady(peer) }
        if !due.isEmpty { routed() }
        withEffects {
            mail.tickGuests(
                environment, isLinked: { router.roster.isOnline($0) }, link: { connections[$0] }, &$0)
        }
        arm(.mail)
    }

    /// Dials a peer for direct messages alone, unless the limits of links forbid that.
    func dialGuest(_ peer: PeerID, at endpoint: Endpoint) {
        let now = scheduler.now
        guard links.room > 0, !links.isBanned(peer, now: now), links.mayDial(endpoint, now: now) else { return }
        let connection = links.dial(endpoint)
        let end = ToldDials.end(from: now, using: &randomness)
        mail.dialled(peer, at: endpoint, as: connection, now: now, until: end)
    }

    /// The dialler of a link said that it is for direct messages alone.
    func guestGreeted(on link: LinkInfo) {
        guard let peer = link.peer else { return }
        let isTaken = mail.greeted(on: link, now: scheduler.now) { isAccepted($0) }
        if !isTaken { withEffects { finder.refuse(peer, &$0) } }
        arm(.mail)
    }
}
