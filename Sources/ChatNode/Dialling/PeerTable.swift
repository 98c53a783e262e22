package import Noise
package import Wire

/// Who can be dialled, and when: candidates merged by instance name, and by key once a handshake has proven one.
///
/// Dial rule (Protocol.md section 10): a random 0-50 ms after a candidate is seen, or 300 ms more where the other side is
/// to dial first, its addresses in turn, 250 ms apart, until one connects; after a failure again with growing, jittered
/// pauses, for ever while discovery names it, and for 10 minutes after that if it was linked once.
package struct PeerTable {
    /// An order to dial; the caller answers with `dialled`.
    package struct Dial: Hashable {
        package let instance: String
        package let endpoint: Endpoint
    }

    private var candidates = PackedTable<String, Candidate>()
    /// The names of candidates by the times at which something was to be done about them; what was put off or taken back
    /// since is found out when its time comes.
    private var agenda = TimerHeap<String>()
    /// Candidates that are dialled, or shake hands.
    private var busy = 0
    private var attempts: [ConnectionID: Dial] = [:]
    private var linked = LinkedPeers()
    /// What we are called ourselves, and since when.
    private var own: (name: InstanceName, since: Instant)?
    private var budget = DialRateLimiter()
    /// While as many are dialled as may be, those that are due wait for this.
    private var restsUntil: Instant?
    /// Whether it is the turn of whoever was found last.
    private var isTurnOfNewest = false

    package init() {}

    package static let firstWait = 0...50
    /// How much longer one waits for whom the other side is to dial: for its dial, and for the handshake.
    package static let yieldingWait = Duration.milliseconds(300)
    /// For how long a name is new: who is found then has found us too, or does so now.
    package static let newness = Duration.seconds(3)
    package static let addressInterval = Duration.milliseconds(250)
    package static let memoryOfTheLost = Duration.seconds(600)
    package static let parallelDials = 64
    /// How long a candidate waits whose address was dialled too often.
    package static let crowdedAddressPause = Duration.seconds(1)

    package var count: Int { candidates.count }

    /// When `due` may have something to do next; nil while nothing waits.
    package var nextDeadline: Instant? {
        guard let earliest = agenda.nextDeadline, let restsUntil else { return agenda.nextDeadline }
        return max(earliest, restsUntil)
    }

    /// We are announced by another name, or for the first time.
    package mutating func recordName(_ name: InstanceName, now: Instant) {
        own = (name, now)
    }

    /// Of two that have just come, the one with the lesser name dials and the other waits for that: so they do not dial
    /// both. Who has been here for a while dials who comes, at once.
    private func yields(to name: InstanceName?, now: Instant) -> Bool {
        guard let name, let own else { return false }
        return name < own.name && now - own.since < PeerTable.newness
    }

    /// Discovery names an instance at an endpoint.
    package mutating func found(
        _ instance: String, at endpoint: Endpoint, now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        let name = InstanceName(instance)
        let wait = Duration.milliseconds(Int.random(in: PeerTable.firstWait, using: &generator))
        let soon = now + wait + (yields(to: name, now: now) ? PeerTable.yieldingWait : .zero)
        if candidates[instance] != nil {
            update(instance) { $0.recordSighting(at: endpoint, again: soon) }
        } else if candidates.count < Limits.knownPeers || forgetOneUnlisted() {
            candidates[instance] = Candidate(name: name, endpoint: endpoint, dialAt: soon)
            agenda.insert(instance, at: soon)
        }
    }

    /// Changes a candidate, if there is one, and notes when something is to be done about it.
    private mutating func update(_ instance: String, _ change: (inout Candidate) -> Void) {
        guard var candidate = candidates[instance] else { return }
        let (deadline, wasBusy) = (candidate.deadline, candidate.isBusy)
        change(&candidate)
        candidates[instance] = candidate
        if let new = candidate.deadline, new != deadline { agenda.insert(instance, at: new) }
        busy += (candidate.isBusy ? 1 : 0) - (wasBusy ? 1 : 0)
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

    /// What to dial now. Where more are due than may be dialled at once, those with the fewest failures go first: names
    /// without anybody behind them can not keep newcomers waiting for long.
    package mutating func due(now: Instant) -> [Dial] {
        var orders: [Dial] = []
        restsUntil = nil
        for instance in inTurn(now) {
            guard let candidate = candidates[instance], let deadline = candidate.deadline else { continue }
            if candidate.isForgotten(now: now) {
                candidates[instance] = nil
            } else if let peer = candidate.peer, linked.contains(peer) {
                update(instance) { $0.phase = .settled }
            } else if !candidate.isBusy, busy >= PeerTable.parallelDials {
                restsUntil = now + PeerTable.addressInterval
                agenda.insert(instance, at: deadline)
            } else if let endpoint = dial(instance, now) {
                orders.append(Dial(instance: instance, endpoint: endpoint))
            }
        }
        return orders
    }

    /// The address of a candidate whose turn has come; nil where there is none, or where it was dialled too often.
    ///
    /// Whether it is somebody whom there is a link to is asked last, so that what it costs is bounded by the dials that there
    /// could be: however many names are announced, each that is to be dialled is compared with each link once.
    private mutating func dial(_ instance: String, _ now: Instant) -> Endpoint? {
        if let peer = linkedPeer(atAllOf: instance) {
            update(instance) { $0.settle(as: peer, byAddress: true) }
            return nil
        }
        var wanted: Endpoint?
        let linked = linked
        update(instance) { wanted = $0.nextEndpoint(now: now) { linked.peer(at: $0) != nil } }
        guard let endpoint = wanted else { return nil }
        guard budget.take(endpoint, now: now) else {
            update(instance) { $0.skipped(until: now + PeerTable.crowdedAddressPause) }
            return nil
        }
        return isOfLinkedPeer(instance, now) ? nil : endpoint
    }

    /// Settles a candidate whose name belongs to somebody whom there is a link to, unless that seems to be elsewhere now.
    private mutating func isOfLinkedPeer(_ instance: String, _ now: Instant) -> Bool {
        guard let candidate = candidates[instance], let name = candidate.name else { return false }
        let owner = linked.owner(of: name, above: candidate.comparedTo)
        update(instance) { [last = linked.lastNumber] in $0.comparedTo = last }
        guard let owner, linked.isYoung(owner, now: now) || !hasMoved(owner, to: candidate.endpoints) else {
            return false
        }
        update(instance) { $0.settle(as: owner) }
        return true
    }

    /// Whether a peer was known to be somewhere, and nowhere that it is said to be now: its link may be dead, and only we do
    /// not know yet.
    private func hasMoved(_ peer: PeerID, to endpoints: [Endpoint]) -> Bool {
        let known = candidates.values.lazy.filter { $0.peer == peer }
        return !known.isEmpty && known.allSatisfy { Set($0.endpoints).isDisjoint(with: endpoints) }
    }

    /// Whom handshakes have proven at every address of a candidate, if there is a link to it: whatever it is called, there is
    /// nobody new to dial.
    private func linkedPeer(atAllOf instance: String) -> PeerID? {
        guard let candidate = candidates[instance], !candidate.isBusy else { return nil }
        let peers = candidate.endpoints.map(linked.peer(at:))
        return peers.contains(nil) ? nil : peers.last ?? nil
    }

    /// The names of those whose time has come. A dictionary's order differs from run to run; a seed must not.
    ///
    /// Where not all can be dialled at once, who has waited longest and who came last take turns, so that a crowd keeps
    /// neither waiting.
    private mutating func inTurn(_ now: Instant) -> [String] {
        var turns: [(failures: Int, deadline: Instant, instance: String)] = []
        for instance in Set(agenda.removeDue(at: now)) {
            guard let candidate = candidates[instance], let deadline = candidate.deadline, deadline <= now
            else { continue }
            turns.append((candidate.backoff.doublings, deadline, instance))
        }
        turns.sort { $0 < $1 }
        let untried = turns.prefix { $0.failures == 0 }
        var (first, last, order) = (0, untried.count - 1, [String]())
        while first <= last {
            order.append(turns[isTurnOfNewest ? last : first].instance)
            if isTurnOfNewest { last -= 1 } else { first += 1 }
            isTurnOfNewest.toggle()
        }
        return order + turns[untried.endIndex...].map(\.instance)
    }

    /// The caller has dialled what `due` ordered.
    package mutating func dialled(_ dial: Dial, as connection: ConnectionID) {
        guard case .dialling(let next, let at, let open) = candidates[dial.instance]?.phase else { return }
        attempts[connection] = dial
        update(dial.instance) { $0.phase = .dialling(next: next, at: at, open: open + [connection]) }
    }

    /// The caller does not want to dial what `due` ordered; later perhaps.
    package mutating func postpone(
        _ dial: Dial, now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        update(dial.instance) { $0.pause(now: now, using: &generator) }
    }

    /// A dialled connection stands; the caller abandons the slower ones that are returned.
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
    package mutating func failed(
        _ connection: ConnectionID, now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        guard let instance = attempts.removeValue(forKey: connection)?.instance else { return }
        update(instance) { $0.failed(connection, now: now, using: &generator) }
    }

    /// A handshake on a dialled connection proved who is there, with the Noise key of its run.
    package mutating func identified(
        _ connection: ConnectionID, as peer: PeerID, _ key: PublicKey, now: Instant,
        using generator: inout some RandomNumberGenerator
    ) {
        guard let dial = attempts.removeValue(forKey: connection) else { return }
        linked.prove(peer, at: dial.endpoint)
        update(dial.instance) {
            if $0.isMeant(key) { $0.settle(as: peer) } else { $0.pause(now: now, using: &generator) }
        }
    }

    /// A peer has said something on a link, so that it does not refuse us: after the next failure pauses are short again.
    package mutating func heard(_ peer: PeerID) {
        for instance in instances(of: peer) { update(instance) { $0.backoff.reset() } }
    }

    /// A dialled connection led to ourselves, or to somebody we want no link with: not dialled again.
    package mutating func ignore(_ connection: ConnectionID) {
        guard let instance = attempts.removeValue(forKey: connection)?.instance else { return }
        update(instance) { $0.phase = .ignored }
    }

    /// There is a link to a run of `peer`, whoever dialled.
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
        // Looked at where they are: a copy of each of hundreds would be made otherwise.
        candidates.indices.filter { candidates.values[$0].peer == peer }.map { candidates.keys[$0] }.sorted()
    }

    /// Makes room for a newcomer in a full table; false where all are still named by discovery.
    private mutating func forgetOneUnlisted() -> Bool {
        let unlisted = candidates.filter { $0.value.lostAt != nil && !$0.value.isBusy }
        guard let oldest = unlisted.min(by: { ($0.value.lostAt, $0.key) < ($1.value.lostAt, $1.key) }) else {
            return false
        }
        candidates[oldest.key] = nil
        return true
    }
}

private func < (left: (Instant?, String), right: (Instant?, String)) -> Bool {
    let (first, second) = (left.0?.nanoseconds ?? .max, right.0?.nanoseconds ?? .max)
    return first == second ? left.1 < right.1 : first < second
}
