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

    private var candidates = PackedTable<String, Candidate>()
    /// Names of candidates by deadline. An entry whose candidate has another deadline by then is skipped.
    private var agenda = TimerHeap<String>()
    /// Candidates with a dial or a handshake under way.
    package private(set) var busy = 0
    private var attempts: [ConnectionID: Dial] = [:]
    private var linked = LinkedPeers()
    /// The Noise keys of peers that are shut out, to know their names without a dial.
    private var shutOut = PackedTable<PeerID, PublicKey>()
    /// Our own instance name, and the time of its announcement.
    private var own: (name: InstanceName, since: Instant)?
    private var budget = DialRateLimiter()
    /// While as many dials are under way as may be, the next look at those that are due.
    private var restsUntil: Instant?
    private var turns = DialTurns()

    package init() {}

    package var count: Int { candidates.count }

    /// The next time at which `due` may order a dial; nil while no candidate waits.
    package var nextDeadline: Instant? {
        guard let earliest = agenda.nextDeadline, let restsUntil else { return agenda.nextDeadline }
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
            update(instance) { $0.recordSighting(at: endpoint, again: soon) }
        } else if candidates.count < Limits.knownPeers || forgetOneUnlisted() {
            candidates[instance] = Candidate(name: name, endpoint: endpoint, dialAt: soon)
            agenda.insert(instance, at: soon)
        }
    }

    /// Changes a candidate, if there is one, and notes its new deadline.
    private mutating func update(_ instance: String, _ change: (inout Candidate) -> Void) {
        guard var candidate = candidates[instance] else { return }
        let (deadline, wasBusy) = (candidate.deadline, candidate.isBusy)
        change(&candidate)
        candidates[instance] = candidate
        if let new = candidate.deadline, new != deadline { agenda.insert(instance, at: new) }
        busy += (candidate.isBusy ? 1 : 0) - (wasBusy ? 1 : 0)
    }

    /// Discovery names all endpoints of an instance anew: the earlier ones are stale.
    package mutating func moved(
        _ instance: String, to endpoints: [Endpoint], now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        guard let first = endpoints.first else { return }
        found(instance, at: first, now: now, using: &generator)
        update(instance) { $0.replaceEndpoints(endpoints, dialAt: now) }
    }

    /// Discovery no longer names an instance: a hint, which ends no link.
    package mutating func lost(_ instance: String, now: Instant) {
        guard let candidate = candidates[instance] else { return }
        let isWorthKeeping = candidate.peer != nil || candidate.isBusy
        guard isWorthKeeping else {
            candidates[instance] = nil
            return
        }
        update(instance) { $0.lostAt = now }
    }

    /// The dials of now. Where more are due than may be under way at once, those with the fewest failures go first: names
    /// without a node behind them can not keep newcomers waiting for long.
    ///
    /// - Parameter room: links that are free; above 0. Each dial under way takes one.
    package mutating func due(now: Instant, room: Int = Dialler.parallelDials) -> [Dial] {
        var orders: [Dial] = []
        restsUntil = nil
        let mostBusy = min(Dialler.parallelDials, room)
        for instance in inTurn(now) {
            guard let candidate = candidates[instance], let deadline = candidate.deadline else { continue }
            if candidate.isForgotten(now: now) {
                candidates[instance] = nil
            } else if let peer = candidate.peer, linked.contains(peer) {
                update(instance) { $0.phase = .linked }
            } else if !candidate.isBusy, busy >= mostBusy {
                restsUntil = now + Dialler.addressInterval
                agenda.insert(instance, at: deadline)
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
            update(instance) { $0.markLinked(to: peer, byAddress: true) }
            return nil
        }
        if let name = candidates[instance]?.name, let peer = shutOut.first(where: { name.belongs(to: $0.value) })?.key {
            update(instance) { $0.markShutOut(as: peer) }
            return nil
        }
        var wanted: Endpoint?
        let linked = linked
        update(instance) { wanted = $0.nextEndpoint(now: now) { linked.peer(at: $0) != nil } }
        guard let endpoint = wanted else { return nil }
        guard budget.take(endpoint, now: now) else {
            update(instance) { $0.skipped(until: now + Dialler.crowdedAddressPause) }
            return nil
        }
        return joinLinkedPeer(instance, now) ? nil : endpoint
    }

    /// Marks a candidate as linked if its name belongs to a linked peer, unless that peer seems to be elsewhere now.
    private mutating func joinLinkedPeer(_ instance: String, _ now: Instant) -> Bool {
        guard let candidate = candidates[instance], let name = candidate.name else { return false }
        let owner = linked.owner(of: name, above: candidate.comparedTo)
        update(instance) { [last = linked.lastNumber] in $0.comparedTo = last }
        guard let owner, linked.isYoung(owner, now: now) || !hasMoved(owner, to: candidate.endpoints) else {
            return false
        }
        update(instance) { $0.markLinked(to: owner) }
        return true
    }

    /// True if `peer` has known addresses and none of them is in `endpoints`: its link may be dead without our knowledge.
    private func hasMoved(_ peer: PeerID, to endpoints: [Endpoint]) -> Bool {
        let known = candidates.values.lazy.filter { $0.peer == peer }
        return !known.isEmpty && known.allSatisfy { Set($0.endpoints).isDisjoint(with: endpoints) }
    }

    /// The linked peer that handshakes have proven at every address of a candidate: under any name, no new peer is there.
    private func linkedPeer(atAllOf instance: String) -> PeerID? {
        guard let candidate = candidates[instance], !candidate.isBusy else { return nil }
        let peers = candidate.endpoints.map(linked.peer(at:))
        return peers.contains(nil) ? nil : peers.last ?? nil
    }

    /// The names of the candidates that are due, in their order.
    private mutating func inTurn(_ now: Instant) -> [String] {
        let due = Set(agenda.removeDue(at: now)).compactMap { instance -> DialTurns.Turn? in
            guard let candidate = candidates[instance], let deadline = candidate.deadline, deadline <= now else {
                return nil
            }
            return DialTurns.Turn(failures: candidate.backoff.doublings, deadline: deadline, instance: instance)
        }
        return turns.order(due)
    }

    /// The caller has dialled an order of `due`.
    package mutating func dialled(_ dial: Dial, as connection: ConnectionID) {
        guard case .dialling(let next, let at, let open) = candidates[dial.instance]?.phase else { return }
        attempts[connection] = dial
        update(dial.instance) { $0.phase = .dialling(next: next, at: at, open: open + [connection]) }
    }

    /// The caller does not dial an order of `due` now.
    package mutating func postpone(
        _ dial: Dial, now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        update(dial.instance) { $0.pause(now: now, using: &generator) }
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
        update(instance) { $0.phase = .handshaking(connection) }
        let slower = open.filter { $0 != connection }
        for other in slower { attempts[other] = nil }
        return slower
    }

    /// A dialled connection failed, or ended before its handshake was through.
    ///
    /// - Returns: the instance that was dialled; nil if the connection was not a dial.
    @discardableResult
    package mutating func failed(
        _ connection: ConnectionID, now: Instant, using generator: inout some RandomNumberGenerator
    ) -> String? {
        guard let instance = attempts.removeValue(forKey: connection)?.instance else { return nil }
        update(instance) { $0.failed(connection, now: now, using: &generator) }
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
        update(dial.instance) {
            if $0.accepts(key) { $0.markLinked(to: peer) } else { $0.pause(now: now, using: &generator) }
        }
    }

    /// Shuts a peer out: its candidates are not dialled until `admit`, nor is any further name of this run.
    package mutating func shutOut(_ peer: PeerID, _ key: PublicKey?) {
        if let key, shutOut.count < Dialler.mostShutOut || shutOut[peer] != nil { shutOut[peer] = key }
        for instance in instances(of: peer) { update(instance) { $0.markShutOut(as: peer) } }
    }

    /// Takes `shutOut` back: candidates of the peer are dialled at once.
    package mutating func admit(_ peer: PeerID, now: Instant) {
        shutOut[peer] = nil
        for instance in instances(of: peer) { update(instance) { $0.admit(now: now) } }
    }

    /// A peer has said something on a link, so it does not refuse us: after the next failure pauses are short again.
    package mutating func heard(_ peer: PeerID) {
        for instance in instances(of: peer) { update(instance) { $0.backoff.reset() } }
    }

    /// A dialled connection led to ourselves: the candidate is not dialled again.
    package mutating func ignore(_ connection: ConnectionID) {
        guard let instance = attempts.removeValue(forKey: connection)?.instance else { return }
        update(instance) { $0.phase = .ignored }
    }

    /// A link to a run of `peer` is up, dialled by either side.
    package mutating func linkOpened(to peer: PeerID, _ key: PublicKey, now: Instant) {
        linked.open(peer, key, now: now)
    }

    /// The last link to `peer` ended; its candidates are dialled again after a pause.
    package mutating func linkClosed(
        to peer: PeerID, now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        linked.close(peer)
        for instance in instances(of: peer) { update(instance) { $0.linkClosed(now: now, using: &generator) } }
    }

    private func instances(of peer: PeerID) -> [String] {
        // By index: iterating over the values would copy each of hundreds.
        candidates.indices.filter { candidates.values[$0].peer == peer }.map { candidates.keys[$0] }.sorted()
    }

    /// Evicts a candidate that discovery no longer names; false if there is none.
    private mutating func forgetOneUnlisted() -> Bool {
        let unlisted = candidates.filter { $0.value.lostAt != nil && !$0.value.isBusy }
        let oldest = unlisted.min { first, second in
            let (left, right) = (first.value.lostAt?.nanoseconds ?? .max, second.value.lostAt?.nanoseconds ?? .max)
            return (left, first.key) < (right, second.key)
        }
        guard let oldest else {
            return false
        }
        candidates[oldest.key] = nil
        return true
    }
}
