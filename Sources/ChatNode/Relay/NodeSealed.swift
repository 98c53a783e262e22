import Chat
import Noise
import Wire

/// Sends, receives and forwards direct messages over relays (Protocol.md section 8).
extension Node {
    /// Handles a sealed message: opens it if it is addressed to this node, else forwards it.
    func receivedSealed(_ body: Span<UInt8>, on connection: Connection) {
        guard let neighbour = connection.peer, SealedMessage.bodySizes.contains(body.count) else {
            links.tally.unexpectedFrames += 1
            return
        }
        guard takeRelayed(on: connection) else {
            counts.sealedRefused += 1
            return
        }
        let frame = [UInt8](copying: body)
        switch sealedRelay.course(of: frame) {
        case .repeated: counts.sealedRepeated += 1
        case .forUs: unseal(frame, from: neighbour, on: connection) { learn($0, from: connection) }
        case .forOthers:
            if !publishOverBridge(sealed: frame, from: neighbour) { passOnSealed(frame, from: connection) }
        }
    }

    /// Seals a payload for a peer without a link and sends it to the neighbours that know a path to the peer; in a crowd to the
    /// one by which the peer's presence came, and another.
    func seal(_ payload: VerifiedPayload, for peer: PeerID) {
        let isElsewhere = router.roster.isElsewhere(peer)
        guard configuration.sealsForRelays || isCrowd || isElsewhere, payload.payload.type.maySeal else { return }
        if isCrowd, !isElsewhere {
            people.retries.sealed(for: peer, now: scheduler.now)
            arm(.people)
        }
        guard let target = certificates.best(of: peer, now: scheduler.now) else { return }
        let isOnTrees = isCrowd && !isElsewhere
        let links =
            isOnTrees ? sealingLinks(to: peer) : router.paths[peer].compactMap(connections.sendingLink(of:))
        let isForBridge = bridge.map { router.paths[peer].contains($0.neighbour) } ?? false
        let endpoint = isOnTrees && !people.isSmall ? links.first.map { ownEndpoint(for: peer, on: $0) } ?? [] : []
        guard !links.isEmpty || isForBridge,
            let frame = SealedMessage.frame(
                sealing: payload, with: context.certificate, to: target,
                endpoint: endpoint, using: &randomness)
        else { return }
        _ = sealedRelay.course(of: Array(frame.dropFirst()))
        if isForBridge { _ = publishOverBridge(sealed: Array(frame.dropFirst()), from: context.me) }
        for connection in links { send(frame, on: connection) }
        self.links.tally.sent.add(payload.payload.type, links.count)
        counts.sealedSent += 1
    }

    /// Records a neighbour as a path to a peer; sealed messages for the peer are sent to the neighbour.
    func notePath(to peer: PeerID, via connection: Connection) {
        guard let neighbour = connection.peer else { return }
        notePath(to: peer, via: neighbour)
    }

    /// As above; the neighbour may be the bridge. A path to a peer in another network is of use to those who let bridges publish
    /// them.
    func notePath(to peer: PeerID, via neighbour: PeerID) {
        let isElsewhere = router.session.bridging.consents && router.roster.isElsewhere(peer)
        guard configuration.sealsForRelays || isElsewhere, neighbour != peer else { return }
        router.pathNoted(to: peer, via: neighbour)
        routed()
    }

    /// Opens a sealed message for this node.
    ///
    /// - Parameters:
    ///   - connection: the link that it came on; nil if it came over the bridge.
    ///   - learn: takes its author's certificate.
    func unseal(
        _ frame: [UInt8], from neighbour: PeerID, on connection: Connection? = nil, learn: (Certificate) -> Void
    ) {
        guard let opened = relayKeys.open(frame.span, for: context.me) else {
            counts.sealedUnopened += 1
            return
        }
        do throws(DropReason) {
            let content = try SealedContent(opened)
            let now = scheduler.now
            if case .worse = certificates.news(of: content.certificate, now: now) { throw .oldEpoch }
            switch admission.admitSealed(content, via: neighbour, now: now) {
            case .admitted(let payload):
                learn(content.certificate)
                if isCrowd, let connection { people.paths.note(payload.author, by: connection.id) }
                apply(router.route(payload, at: moment))
                if let connection { noteEndpoint(content.endpoint, of: payload.author, from: connection) }
            case .repeated(let payload):
                apply(router.routeAgain(payload, at: moment))
                if let connection { noteEndpoint(content.endpoint, of: payload.author, from: connection) }
            case .dropped, .closeLink, .ban:
                return
            }
            routed()
        } catch {
            admission.drop(error)
        }
    }

    private func passOnSealed(_ frame: [UInt8], from connection: Connection) {
        guard configuration.relaysSealed || isCrowd else {
            counts.sealedForOthers += 1
            return
        }
        passOnSealed(frame, except: connection.peer)
    }

    /// Forwards a sealed message to its recipient if that is linked, else to all other peers; in a crowd one step on its way.
    /// Skips links whose outbox is half full, so that forwarding never closes a link.
    ///
    /// - Parameter neighbour: the peer that it came from; nil for one that came over the bridge.
    func passOnSealed(_ frame: [UInt8], except neighbour: PeerID?) {
        if isCrowd {
            if let next = sealedStep(of: frame, except: neighbour) { passOnSealed(frame, to: next) }
            return
        }
        let target = connections.activeLinks.first { $0.sealedAddress.map { frame.starts(with: $0) } ?? false }
        for other in target.map({ [$0] }) ?? connections.activeLinks where other.peer != neighbour {
            passOnSealed(frame, to: other)
        }
    }

    private func passOnSealed(_ frame: [UInt8], to other: Connection) {
        guard other.link.outbox.count < Outbox.capacity / 2 else {
            counts.sealedRefused += 1
            return
        }
        send([FrameType.sealed.rawValue] + frame, on: other)
        counts.sealedPassedOn += 1
    }
}
