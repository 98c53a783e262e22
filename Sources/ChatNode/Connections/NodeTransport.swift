import Chat
import Noise
import Wire

/// Events of the transport, on the node's scheduler.
extension Node: TransportHandler {
    package nonisolated func transportAccepted(_ connection: ConnectionID, from endpoint: Endpoint) {
        assumeIsolated { $0.accepted(connection, from: endpoint) }
    }

    package nonisolated func transportConnected(_ connection: ConnectionID) {
        assumeIsolated { $0.connected(connection) }
    }

    package nonisolated func transportReceived(_ buffer: [UInt8], count: Int, on connection: ConnectionID) {
        assumeIsolated { node in
            guard let slot = node.slots[connection] else { return }
            node.receive(buffer, count: count, on: slot)
        }
    }

    package nonisolated func transportBecameWritable(_ connection: ConnectionID) {
        assumeIsolated { node in
            guard let slot = node.slots[connection] else { return }
            node.flush(slot)
        }
    }

    package nonisolated func transportClosed(_ connection: ConnectionID, error: TransportError?) {
        assumeIsolated { $0.closed(connection, error: error) }
    }

    private func accepted(_ connection: ConnectionID, from address: Endpoint) {
        let endpoint = source(of: connection, at: address)
        guard case .running = phase, !bans.isBanned(endpoint, now: scheduler.now),
            gate.admit(endpoint, now: scheduler.now)
        else {
            counts.connectionsRefused += 1
            transport.close(connection)
            return
        }
        open(connection, to: endpoint, role: .responder)
    }

    private func connected(_ connection: ConnectionID) {
        guard let endpoint = dialler.endpoint(of: connection), case .running = phase else {
            transport.close(connection)
            return
        }
        for slower in dialler.connected(connection) { transport.close(slower) }
        open(connection, to: source(of: connection, at: endpoint), role: .initiator)
    }

    /// The source for the limits: nodes of this machine count as one machine's, though they find each other by its address
    /// on the network.
    private func source(of connection: ConnectionID, at endpoint: Endpoint) -> Endpoint {
        transport.isOnThisMachine(connection) ? endpoint.onThisMachine : endpoint
    }

    private func closed(_ connection: ConnectionID, error: TransportError?) {
        if let slot = slots[connection] {
            forget(slot, error == nil ? .closed : .lost)
        } else if dialler.endpoint(of: connection) != nil {
            counts.dialsFailed += 1
            dialFailed(connection)
            armDialler()
        }
    }

    /// Ends an attempt: a discovery that looked its address up may do so again.
    func dialFailed(_ connection: ConnectionID) {
        guard let instance = dialler.failed(connection, now: scheduler.now, using: &randomness) else { return }
        for discovery in discoveries { discovery.dialFailed(instance) }
    }
}

/// Events of discovery, and the dials that follow.
extension Node {
    func discovered(_ event: DiscoveryEvent) {
        guard case .running = phase else { return }
        switch event {
        case .found(let instance, let endpoint):
            dialler.found(instance, at: endpoint, now: scheduler.now, using: &randomness)
        case .moved(let instance, let endpoints):
            dialler.moved(instance, to: endpoints, now: scheduler.now, using: &randomness)
        case .lost(let instance):
            dialler.lost(instance, now: scheduler.now)
        case .networkChanged:
            probeLinks()
        case .namesOutdated:
            let announcement = makeAnnouncement()
            for discovery in discoveries { discovery.announce(announcement) }
        case .mode(let mode, let detail):
            if let known = discoveryMode, known != mode {
                emit(.notice(.discoveryChanged, "discovery is now \(mode.rawValue): \(detail)"))
            }
            becomeReady(mode)
        }
        armDialler()
    }

    func dialDue() {
        guard case .running = phase, gate.room > 0 else { return }
        for dial in dialler.due(now: scheduler.now, room: gate.room) {
            guard !bans.isBanned(dial.endpoint, now: scheduler.now) else {
                dialler.postpone(dial, now: scheduler.now, using: &randomness)
                continue
            }
            let connection = transport.dial(dial.endpoint)
            counts.dials += 1
            dialler.dialled(dial, as: connection)
        }
        armDialler()
    }
}

/// Deadlines: each value tells its own; the node wakes at the earliest and asks again.
extension Node {
    func arm(_ slot: Connection) {
        guard let deadline = slot.link.deadline, slot.time.arm(deadline) else { return }
        scheduler.schedule(at: deadline) { [weak self, id = slot.id] in
            self?.assumeIsolated { node in
                if let slot = node.slots[id], slot.time.isCurrent(deadline) { node.wake(slot) }
            }
        }
    }

    func armDialler() {
        // Without room for a link no deadline matters: the end of a link arms it again.
        guard gate.room > 0, let deadline = dialler.nextDeadline, dialTime.arm(deadline) else { return }
        scheduler.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { node in
                if node.dialTime.isCurrent(deadline) { node.dialDue() }
            }
        }
    }

    func armRouter() {
        isRouterChanged = false
        guard let deadline = router.nextDeadline, routerTime.arm(deadline) else { return }
        scheduler.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { node in
                guard node.routerTime.isCurrent(deadline) else { return }
                node.apply(node.router.tick(node.scheduler.now))
                node.sendReplies()
                node.armRouter()
            }
        }
    }

    private func wake(_ slot: Connection) {
        do throws(LinkError) {
            try slot.link.tick(now: scheduler.now, using: &randomness)
            if slot.link.hasSomethingToSend { markDirty(slot) }
            arm(slot)
        } catch .expired {
            counts.count(.expired)
            finish(slot)
        } catch {
            fail(slot, error)
        }
    }
}
