import Chat
import Noise
import Wire

/// Sends, receives and forwards direct messages over relays (Protocol.md section 8).
extension Node {
    /// Handles a sealed message: opens it if it is addressed to this node, else forwards it.
    func receivedSealed(_ body: Span<UInt8>, on connection: Connection) {
        guard let neighbour = connection.peer, SealedMessage.bodySizes.contains(body.count) else {
            counts.unexpectedFrames += 1
            return
        }
        guard takeRelayed(on: connection) else {
            counts.sealedRefused += 1
            return
        }
        let frame = [UInt8](copying: body)
        switch sealedRelay.course(of: frame) {
        case .repeated: counts.sealedRepeated += 1
        case .forUs: unseal(frame, from: neighbour, on: connection)
        case .forOthers: passOnSealed(frame, from: connection)
        }
    }

    /// Seals a payload for a peer without a link and sends it to the neighbours that know a path to the peer; in a crowd to the
    /// one by which the peer's presence came, and another.
    func seal(_ payload: VerifiedPayload, for peer: PeerID) {
        guard configuration.sealsForRelays || isCrowd, payload.payload.type.maySeal else { return }
        if isCrowd {
            people.retries.sealed(for: peer, now: scheduler.now)
            armPeople()
        }
        guard let target = certificates.best(of: peer, now: scheduler.now) else { return }
        let links =
            isCrowd ? sealingLinks(to: peer) : router.paths[peer].compactMap(connections.sendingLink(of:))
        guard let first = links.first,
            let frame = SealedMessage.frame(
                sealing: payload, with: context.certificate, to: target,
                endpoint: isCrowd ? ownEndpoint(for: peer, on: first) : [], using: &randomness)
        else { return }
        _ = sealedRelay.course(of: Array(frame.dropFirst()))
        for connection in links { send(frame, on: connection) }
        counts.sent.add(payload.payload.type, links.count)
        counts.sealedSent += 1
    }

    /// Records a neighbour as a path to a peer; sealed messages for the peer are sent to the neighbour.
    func notePath(to peer: PeerID, via connection: Connection) {
        guard configuration.sealsForRelays, let neighbour = connection.peer, neighbour != peer else { return }
        router.pathNoted(to: peer, via: neighbour)
        routed()
    }

    private func unseal(_ frame: [UInt8], from neighbour: PeerID, on connection: Connection) {
        guard let opened = relayKeys.open(frame.span, for: context.me) else {
            counts.sealedUnopened += 1
            return
        }
        do throws(DropReason) {
            let content = try SealedContent(opened)
            let now = scheduler.now
            if case .worse = certificates.news(of: content.certificate, now: now) { throw .oldEpoch }
            let verdict = admission.admitSealed(content, via: neighbour, now: now, wallClock: scheduler.wallClock)
            switch verdict {
            case .admitted(let payload):
                learn(content.certificate, from: connection)
                if isCrowd { people.paths.note(payload.author, by: connection.id) }
                apply(router.route(payload, now: now, wallClock: scheduler.wallClock))
                noteEndpoint(content.endpoint, of: payload.author, from: connection)
            case .repeated(let payload):
                apply(router.routeAgain(payload, now: now, wallClock: scheduler.wallClock))
            case .dropped, .closeLink, .ban:
                return
            }
            routed()
        } catch {
            admission.drop(error)
        }
    }

    /// Forwards a sealed message to its recipient if that is linked, else to all other peers. Skips links whose outbox is
    /// half full, so that forwarding never closes a link.
    private func passOnSealed(_ frame: [UInt8], from connection: Connection) {
        if isCrowd {
            if let next = sealedStep(of: frame, from: connection) { passOnSealed(frame, to: next) }
            return
        }
        guard configuration.relaysSealed else {
            counts.sealedForOthers += 1
            return
        }
        let target = connections.activeLinks.first { $0.sealedAddress.map { frame.starts(with: $0) } ?? false }
        for other in target.map({ [$0] }) ?? connections.activeLinks where other.peer != connection.peer {
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
