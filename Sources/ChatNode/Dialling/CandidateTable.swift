import Wire

/// The candidates by their names, with the times of their dials, and in overlay mode those that are wanted.
struct CandidateTable {
    private var candidates = PackedTable<String, Candidate>()
    /// Names by deadline. An entry whose candidate has another deadline by then is skipped.
    private var agenda = TimerHeap<String>()
    /// Candidates with a dial or a handshake under way.
    private(set) var busy = 0
    /// Candidates that discovery no longer names: while there are none, a full table need not be searched.
    private var unlisted = 0
    /// The only ones that are dialled; nil where all are.
    private var wanted: Set<String>?

    var count: Int { candidates.count }

    /// The next time at which `removeDue` may return something; nil while no candidate waits.
    var nextDeadline: Instant? { agenda.nextDeadline }

    subscript(instance: String) -> Candidate? { candidates[instance] }

    /// Adds a candidate; false if there is no room, because all are listed.
    mutating func add(_ instance: String, _ candidate: Candidate) -> Bool {
        guard candidates.count < Limits.knownPeers || forgetOneUnlisted() else { return false }
        candidates[instance] = candidate
        schedule(instance)
        return true
    }

    /// Changes a candidate, if there is one, and notes its new deadline.
    mutating func update(_ instance: String, _ change: (inout Candidate) -> Void) {
        guard var candidate = candidates[instance] else { return }
        let (deadline, wasBusy, wasListed) = (candidate.deadline, candidate.isBusy, candidate.lostAt == nil)
        change(&candidate)
        candidates[instance] = candidate
        if candidate.deadline != deadline { schedule(instance) }
        busy += (candidate.isBusy ? 1 : 0) - (wasBusy ? 1 : 0)
        unlisted += (wasListed ? 1 : 0) - (candidate.lostAt == nil ? 1 : 0)
    }

    mutating func remove(_ instance: String) {
        guard let candidate = candidates.removeValue(forKey: instance) else { return }
        if candidate.lostAt != nil { unlisted -= 1 }
    }

    /// Puts a candidate at its deadline on the agenda again, if it may be dialled.
    mutating func schedule(_ instance: String) {
        guard let candidate = candidates[instance], let deadline = candidate.deadline, isWanted(instance, candidate)
        else { return }
        agenda.insert(instance, at: deadline)
    }

    /// Those that are due, each once.
    mutating func removeDue(at now: Instant) -> [DialTurns.DueCandidate] {
        Set(agenda.removeDue(at: now)).compactMap { instance in
            guard let candidate = candidates[instance], let deadline = candidate.deadline, deadline <= now,
                isWanted(instance, candidate)
            else { return nil }
            return DialTurns.DueCandidate(failures: candidate.backoff.doublings, deadline: deadline, instance: instance)
        }
    }

    /// A dial under way goes on.
    private func isWanted(_ instance: String, _ candidate: Candidate) -> Bool {
        wanted.map { $0.contains(instance) || candidate.isBusy } ?? true
    }

    /// From now on only these are dialled, those that were not among them before at once; nil for all.
    mutating func restrict(to wanted: Set<String>?, now: Instant) {
        guard wanted != self.wanted else { return }
        let before = self.wanted
        self.wanted = wanted
        guard let wanted else { return candidates.keys.forEach { schedule($0) } }
        for instance in wanted.subtracting(before ?? []).sorted() {
            update(instance) { $0.hasten(now: now) }
            schedule(instance)
        }
    }

    func instances(of peer: PeerID) -> [String] {
        // By index: iterating over the values would copy each of hundreds.
        candidates.indices.filter { candidates.values[$0].peer == peer }.map { candidates.keys[$0] }.sorted()
    }

    /// True if `peer` has known addresses and none of them is in `endpoints`: its link may be dead without our knowledge.
    func hasMoved(_ peer: PeerID, to endpoints: [Endpoint]) -> Bool {
        let known = candidates.values.lazy.filter { $0.peer == peer }
        return !known.isEmpty && known.allSatisfy { Set($0.endpoints).isDisjoint(with: endpoints) }
    }

    /// Evicts a candidate that discovery no longer names; false if there is none.
    private mutating func forgetOneUnlisted() -> Bool {
        guard unlisted > 0 else { return false }
        let idle = candidates.filter { $0.value.lostAt != nil && !$0.value.isBusy }
        let oldest = idle.min { first, second in
            let (left, right) = (first.value.lostAt?.nanoseconds ?? .max, second.value.lostAt?.nanoseconds ?? .max)
            return (left, first.key) < (right, second.key)
        }
        guard let oldest else {
            return false
        }
        remove(oldest.key)
        return true
    }
}
