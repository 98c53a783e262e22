package import Noise
package import Wire

/// The candidates of discovery and the times of their dials: merged by instance name, and by key once a handshake has
/// proven one.
package struct Dialler {
    /// An order to dial; the caller answers with `dialled`.
    package struct Dial: Hashable {
        package let instance: String
        package let endpoint: Endpoint
    }

    private var candidates = CandidateTable()
    private var attempts: [ConnectionID: Dial] = [:]
    private var linked = LinkedPeers()
    /// The Noise keys of peers that are shut out, to know their names without a dial.
    private var shutOut = PackedTable<PeerID, PublicKey>()
    /// Our own instance name, and the time of its announcement.
    private var own: (name: InstanceName, since: Instant)?
    private var departed = DepartedRuns()
    private var budget = DialRateLimiter()
    /// While as many dials are under way as may be, the next look at those that are due.
    private var restsUntil: Instant?
    private var turns = DialTurns()

    package init() {}

    package var count: Int { candidates.count }

    /// Candidates with a dial or a handshake under way.
    package var busy: Int { candidates.busy }

    /// The next time at which `due` may order a dial; nil while no candidate waits.
    package var nextDeadline: Instant? {
        guard let earliest = candidates.nextDeadline, let restsUntil else { return candidates.nextDeadline }
        return max(earliest, restsUntil)
    }

    /// Our own announcement has another name.
    package mutating func recordName(_ name: InstanceName, now: Instant) {
        own = (name, now)
    }

    /// Of two newcomers the one with the lesser name dials and the other waits, so that one dial joins them. A node that
    /// has been here for a while dials newcomers at once.
    private func yields(to name: InstanceName?, now: Instant) -> Bool {
        guard let name, let own else { return false }
        return name < own.name && now - own.since < Dialler.newness
    }

    /// Discovery names an instance at an endpoint.
    package mutating func found(
        _ instance: String, at endpoint: Endpoint, now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        let name = InstanceName(instance)
        let wait = Duration.milliseconds(Int.random(in: Dialler.firstWait, using: &generator))
        let soon = now + wait + (yields(to: name, now: now) ? Dialler.yieldingWait : .zero)
        if candidates[instance] != nil {
            candidates.update(instance) { $0.recordSighting(at: endpoint, again: soon) }
        } else {
            _ = candidates.add(instance, Candidate(name: name, endpoint: endpoint, dialAt: soon))
        }
    }

    /// In overlay mode only these candidates are dialled, new ones among them at once; nil for all.
    package mutating func restrict(to wanted: Set<String>?, now: Instant) {
        candidates.restrict(to: wanted, now: now)
    }

    /// The outlook of a candidate that is to be dialled.
    package enum Prospect: Hashable {
        case dialled
        /// Its peer has a link.
        case linked(PeerID)
        /// It is unknown, blocked, or this node itself.
        case never
    }

    package func prospect(of instance: String) -> Prospect {
        switch candidates[instance]?.phase {
        case .waiting, .dialling, .handshaking: .dialled
        case .linked: candidates[instance]?.peer.map(Prospect.linked) ?? .never
        case .shutOut, .departed, .ignored, nil: .never
        }
    }

    /// Whether a dial or a handshake with a candidate is under way.
    package func isDialling(_ instance: String) -> Bool { candidates[instance]?.isBusy ?? false }

    /// Discovery names all endpoints of an instance anew: the earlier ones are stale.
    package mutating func moved(
        _ instance: String, to endpoints: [Endpoint], now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        guard let first = endpoints.first else { return }
        found(instance, at: first, now: now, using: &generator)
        candidates.update(instance) { $0.replaceEndpoints(endpoints, dialAt: now) }
    }

    /// Discovery no longer names an instance: a hint, which ends no link.
    package mutating func lost(_ instance: String, now: Instant) {
        guard let candidate = candidates[instance] else { return }
        guard candidate.isWorthKeeping else { return candidates.remove(instance) }
        candidates.update(instance) { $0.lostAt = now }
    }

    /// The dials of now. Where more are due than may be under way at once, those with the fewest failures go first: names
    /// without a node behind them can not keep newcomers waiting for long.
    ///
    /// - Parameter room: links that are free; above 0. Each dial under way takes one.
    package mutating func due(now: Instant, room: Int = Dialler.parallelDials) -> [Dial] {
        var orders: [Dial] = []
        restsUntil = nil
        let mostBusy = min(Dialler.parallelDials, room)
        for instance in turns.order(candidates.removeDue(at: now)) {
            guard let candidate = candidates[instance] else { continue }
            if candidate.isForgotten(now: now) {
                candidates.remove(instance)
            } else if let peer = candidate.peer, linked.contains(peer) {
                candidates.update(instance) { $0.phase = .linked }
            } else if !candidate.isBusy, busy >= mostBusy {
                restsUntil = now + Dialler.addressInterval
                candidates.schedule(instance)
            } else if let endpoint = dial(instance, now) {
                orders.append(Dial(instance: instance, endpoint: endpoint))
            }
        }
        return orders
    }

    /// The address of a candidate whose turn has come; nil where there is none, or where it was dialled too often.
    ///
    /// The comparison of its name with each link comes last, so that its cost is bounded by the rate of dials, however many
    /// names are announced.
    private mutating func dial(_ instance: String, _ now: Instant) -> Endpoint? {
        if let peer = linkedPeer(atAllOf: instance) {
            candidates.update(instance) { $0.markLinked(to: peer, byAddress: true) }
            return nil
        }
        if let name = candidates[instance]?.name, let peer = shutOut.first(where: { name.belongs(to: $0.value) })?.key {
            candidates.update(instance) { $0.markShutOut(as: peer) }
            return nil
        }
        var wanted: Endpoint?
        let linked = linked
        candidates.update(instance) { wanted = $0.nextEndpoint(now: now) { linked.peer(at: $0) != nil } }
        guard let endpoint = wanted else { return nil }
        guard budget.takeTokens(endpoint, now: now) else {
            candidates.update(instance) { $0.skipped(until: now + Dialler.crowdedAddressPause) }
            return nil
        }
        if let name = candidates[instance]?.name, departed.owns(name) {
            leave(instance)
            return nil
        }
        return joinLinkedPeer(instance, now) ? nil : endpoint
    }

    /// A candidate whose run has left is dialled no more, and is forgotten unless discovery still names it.
    private mutating func leave(_ instance: String) {
        candidates.update(instance) { $0.depart() }
        guard let candidate = candidates[instance], candidate.lostAt != nil, !candidate.isWorthKeeping else { return }
        candidates.remove(instance)
    }

    /// Marks a candidate as linked if its name belongs to a linked peer, unless that peer seems to be elsewhere now.
    private mutating func joinLinkedPeer(_ instance: String, _ now: Instant) -> Bool {
        guard let candidate = candidates[instance], let name = candidate.name else { return false }
        let owner = linked.owner(of: name, above: candidate.comparedTo)
        candidates.update(instance) { [last = linked.lastNumber] in $0.comparedTo = last }
        guard let owner, linked.isYoung(owner, now: now) || !candidates.hasMoved(owner, to: candidate.endpoints) else {
            return false
        }
        candidates.update(instance) { $0.markLinked(to: owner) }
        return true
    }

    /// The linked peer that handshakes have proven at every address of a candidate: under any name, no new peer is there.
    private func linkedPeer(atAllOf instance: String) -> PeerID? {
        guard let candidate = candidates[instance], !candidate.isBusy else { return nil }
        let peers = candidate.endpoints.map(linked.peer(at:))
        return peers.contains(nil) ? nil : peers.last ?? nil
    }

    /// The caller has dialled an order of `due`.
    package mutating func dialled(_ dial: Dial, as connection: ConnectionID) {
        guard case .dialling(let next, let at, let open) = candidates[dial.instance]?.phase else { return }
        attempts[connection] = dial
        candidates.update(dial.instance) { $0.phase = .dialling(next: next, at: at, open: open + [connection]) }
    }

    /// The caller does not dial an order of `due` now.
    package mutating func postpone(
        _ dial: Dial, now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        candidates.update(dial.instance) { $0.pause(now: now, using: &generator) }
    }

    /// The endpoint of a dial that is neither ended nor through its handshake; nil for other connections.
    package func endpoint(of connection: ConnectionID) -> Endpoint? { attempts[connection]?.endpoint }

    /// The instance that such a dial is of.
    func instance(of connection: ConnectionID) -> String? { attempts[connection]?.instance }

    /// The connections of all dials under way.
    package var underWay: [ConnectionID] { attempts.keys.sorted() }

    /// A dialled connection is up; the caller abandons the slower ones that are returned.
    package mutating func connected(_ connection: ConnectionID) -> [ConnectionID] {
        guard let instance = attempts[connection]?.instance,
            case .dialling(_, _, let open) = candidates[instance]?.phase
        else { return [] }
        candidates.update(instance) { $0.phase = .handshaking(connection) }
        let slower = open.filter { $0 != connection }
        for other in slower { attempts[other] = nil }
        return slower
    }

    /// A dialled connection failed, or ended before its handshake was through.
    ///
    /// - Parameter rest: the earliest next dial; nil for as soon as the pause is over.
    /// - Returns: the instance that was dialled; nil if the connection was not a dial.
    @discardableResult
    package mutating func failed(
        _ connection: ConnectionID, now: Instant, until rest: Instant? = nil,
        using generator: inout some RandomNumberGenerator
    ) -> String? {
        guard let instance = attempts.removeValue(forKey: connection)?.instance else { return nil }
        candidates.update(instance) { candidate in
            candidate.failed(connection, now: now, using: &generator)
            if let rest { candidate.rest(until: rest) }
        }
        return instance
    }

    /// Whether no other address of an instance is being dialled or waits for its turn beside this connection.
    func isLastAttempt(_ connection: ConnectionID) -> Bool {
        guard let instance = attempts[connection]?.instance else { return false }
        return candidates[instance]?.isLastAttempt(connection) ?? false
    }

    /// A handshake on a dialled connection proved its peer, with the Noise key of the peer's run.
    package mutating func identified(
        _ connection: ConnectionID, as peer: PeerID, _ key: PublicKey, now: Instant,
        using generator: inout some RandomNumberGenerator
    ) {
        guard let dial = attempts.removeValue(forKey: connection) else { return }
        linked.prove(peer, at: dial.endpoint)
        candidates.update(dial.instance) {
            if $0.accepts(key) { $0.markLinked(to: peer) } else { $0.pause(now: now, using: &generator) }
        }
    }

    /// Shuts a peer out: its candidates are not dialled until `admit`, nor is any further name of this run.
    package mutating func shutOut(_ peer: PeerID, _ key: PublicKey?) {
        if let key, shutOut.count < Dialler.mostShutOut || shutOut[peer] != nil { shutOut[peer] = key }
        for instance in candidates.instances(of: peer) { candidates.update(instance) { $0.markShutOut(as: peer) } }
    }

    /// Takes `shutOut` back: candidates of the peer are dialled at once.
    package mutating func admit(_ peer: PeerID, now: Instant) {
        shutOut[peer] = nil
        for instance in candidates.instances(of: peer) { candidates.update(instance) { $0.admit(now: now) } }
    }

    /// A peer has said something on a link, so it does not refuse us: after the next failure pauses are short again.
    package mutating func heard(_ peer: PeerID) {
        for instance in candidates.instances(of: peer) { candidates.update(instance) { $0.backoff.reset() } }
    }

    /// A dialled connection led to ourselves: the candidate is not dialled again.
    package mutating func ignore(_ connection: ConnectionID) {
        guard let instance = attempts.removeValue(forKey: connection)?.instance else { return }
        candidates.update(instance) { $0.phase = .ignored }
    }

    /// A link to a run of `peer` is up, dialled by either side.
    package mutating func linkOpened(to peer: PeerID, _ key: PublicKey, now: Instant) {
        linked.open(peer, key, now: now)
    }

    /// A run of `peer` has said on its link that it leaves: no dial of its names leads anywhere. Candidates that the user named
    /// by an address are dialled on, since a later run may be there.
    package mutating func departed(_ peer: PeerID, _ key: PublicKey) {
        departed.insert(key)
        for instance in candidates.instances(of: peer) {
            if let name = candidates[instance]?.name, name.belongs(to: key) { leave(instance) }
        }
    }

    /// The last link to `peer` ended; its candidates are dialled again after a pause.
    package mutating func linkClosed(
        to peer: PeerID, now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        linked.close(peer)
        for instance in candidates.instances(of: peer) {
            candidates.update(instance) { $0.linkClosed(now: now, using: &generator) }
        }
    }
}
