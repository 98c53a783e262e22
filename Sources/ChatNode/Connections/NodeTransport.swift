import Chat
import Noise
import Phrases
import Wire

/// Events of the transport, on the node's scheduler.
extension Node: TransportHandler {
    package nonisolated func transportAccepted(_ id: ConnectionID, from endpoint: Endpoint) {
        assumeIsolated { $0.accepted(id, from: endpoint) }
    }

    package nonisolated func transportConnected(_ id: ConnectionID) {
        assumeIsolated { $0.connected(id) }
    }

    package nonisolated func transportReceived(_ buffer: [UInt8], count: Int, on id: ConnectionID) {
        assumeIsolated { node in
            guard let connection = node.connections[id] else { return }
            node.receive(buffer, count: count, on: connection)
        }
    }

    package nonisolated func transportBecameWritable(_ id: ConnectionID) {
        assumeIsolated { node in
            guard let connection = node.connections[id] else { return }
            node.flush(connection)
        }
    }

    package nonisolated func transportClosed(_ id: ConnectionID, error: TransportError?) {
        assumeIsolated { $0.closed(id, error: error) }
    }

    private func accepted(_ id: ConnectionID, from address: Endpoint) {
        let endpoint = source(of: id, at: address)
        guard case .running = phase, !bans.isBanned(endpoint, now: scheduler.now),
            limiter.admit(endpoint, now: scheduler.now)
        else {
            counts.connectionsRefused += 1
            transport.close(id)
            return
        }
        open(id, to: endpoint, role: .responder)
    }

    private func connected(_ id: ConnectionID) {
        guard let endpoint = dialler.endpoint(of: id) ?? people.guests.endpoint(of: id), case .running = phase else {
            transport.close(id)
            return
        }
        if let instance = dialler.instance(of: id) { unreachedPeers.connected(instance) }
        for slower in dialler.connected(id) { transport.close(slower) }
        open(id, to: source(of: id, at: endpoint), role: .initiator)
    }

    /// The source for the limits: nodes of this machine count as one machine's, though they find each other by its address
    /// on the network.
    private func source(of id: ConnectionID, at endpoint: Endpoint) -> Endpoint {
        guard transport.isOnThisMachine(id) else { return endpoint }
        choice.noteOwnAddress(endpoint, now: scheduler.now)
        return endpoint.onThisMachine
    }

    private func closed(_ id: ConnectionID, error: TransportError?) {
        if let connection = connections[id] {
            forget(connection, error == nil ? .closed : .lost)
            if error == .timedOut || error == .unreachable { miss(connection) }
        } else if people.guests.endpoint(of: id) != nil {
            counts.dialsFailed += 1
            people.guests.closed(id)
            arm(.people)
        } else if dialler.endpoint(of: id) != nil {
            counts.dialsFailed += 1
            noteUnreached(id, UnreachedPeers.Reason(error))
            dialFailed(id)
            arm(.dialler)
        }
    }

    /// Ends an attempt: a discovery that looked its address up may do so again. The end of one that a peer wished for shows later.
    func dialFailed(_ id: ConnectionID) {
        let end = toldDials.finish(id)
        guard let instance = dialler.failed(id, now: scheduler.now, until: end, using: &randomness) else { return }
        for discovery in discoveries { discovery.dialFailed(instance) }
        guard let end, scheduler.now < end else { return noteFailed(instance) }
        scheduler.schedule(at: end) { [weak self] in self?.assumeIsolated { $0.noteFailed(instance) } }
    }

    /// The colon of HOST:PORT, which no instance of mDNS has in its name, so that no stranger seems to be named by the user.
    private func isNamed(_ instance: String) -> Bool { instance.contains(":") }

    private func noteNamed(_ endpoint: Endpoint) {
        choice.hasNamedPeers = true
        if endpoint.isLoopback { hasNamedLoopback = true }
    }

    /// Warns of a peer that the user named and that no dial reaches. Peers of mDNS come and go without a word.
    func noteUnreached(_ id: ConnectionID, _ reason: UnreachedPeers.Reason) {
        guard let instance = dialler.instance(of: id), isNamed(instance) else { return }
        let news = unreachedPeers.failed(instance, reason, isLast: dialler.isLastAttempt(id))
        if let news { warn(.peerUnreachable, news.sentence(of: instance)) }
    }
}

/// Events of discovery, and the dials that follow.
extension Node {
    func discovered(_ event: DiscoveryEvent) {
        guard case .running = phase else { return }
        switch event {
        case .found(let instance, let endpoint, let weight):
            if isNamed(instance) { noteNamed(endpoint) }
            dialler.found(instance, at: endpoint, now: scheduler.now, using: &randomness)
            choice.found(
                instance, at: endpoint, weight > 0 ? .proven : .announced, weight: max(1, weight), now: scheduler.now)
        case .moved(let instance, let endpoints):
            dialler.moved(instance, to: endpoints, now: scheduler.now, using: &randomness)
            choice.moved(instance, to: endpoints, now: scheduler.now)
        case .lost(let instance):
            dialler.lost(instance, now: scheduler.now)
            choice.lost(instance)
        case .networkChanged:
            probeLinks()
        case .namesOutdated:
            let announcement = makeAnnouncement()
            for discovery in discoveries { discovery.announce(announcement) }
        case .mode(let mode, let detail):
            if let known = discoveryMode, known != mode {
                emit(.notice(.discoveryChanged, Sentence(.discoveryIs, mode.rawValue, detail)))
            } else if mode == .none, discoveryMode == nil {
                warn(.discoveryLost, Sentence(.discoveryWaits, detail))
            }
            becomeReady(mode)
        case .warning(let code, let text): warn(code, text)
        case .failed(let reason):
            stopReason = .failed(reason)
            beginLeaving()
        }
        noteCrowd()
        arm(.dialler)
    }

    func dialDue() {
        guard case .running = phase, dialRoom > 0 else { return }
        for dial in dialler.due(now: scheduler.now, room: dialRoom) {
            guard !bans.isBanned(dial.endpoint, now: scheduler.now), !isAvoided(dial.endpoint),
                silentLinks.mayDial(dial.endpoint, now: scheduler.now)
            else {
                dialler.postpone(dial, now: scheduler.now, using: &randomness)
                noteFailed(dial.instance)
                continue
            }
            let connection = transport.dial(dial.endpoint)
            counts.dials += 1
            dialler.dialled(dial, as: connection)
            if ContactBook.isContact(dial.instance) {
                toldDials.began(connection, now: scheduler.now, using: &randomness)
            }
        }
        // A due candidate may have turned out to be a peer with a link.
        if choice.isOverlay { noteCrowd() }
        arm(.dialler)
    }
}
