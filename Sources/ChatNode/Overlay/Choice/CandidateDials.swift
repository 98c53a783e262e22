import Wire

/// The candidates that a node in overlay mode dials, to choose their peers (Protocol.md section 13).
struct CandidateDials: Sendable {
    /// By instance: when the dial is given up.
    private var ends: [String: Instant] = [:]
    private var nextExchange = Instant(nanoseconds: 0)

    var instances: Set<String> { Set(ends.keys) }
    var nextEnd: Instant? { ends.values.min() }

    func overdue(at now: Instant) -> [String] { ends.filter { $0.value <= now }.keys.sorted() }

    mutating func begin(_ instance: String, now: Instant) { ends[instance] = now + Limits.chosenDialTime }

    /// The dial of a candidate is over, in whichever way.
    ///
    /// - Returns: false if it was not dialled.
    @discardableResult mutating func end(_ instance: String) -> Bool { ends.removeValue(forKey: instance) != nil }

    /// A chosen link may be exchanged for a better draw then.
    mutating func allowExchange(at instant: Instant) { nextExchange = instant }

    /// Dials candidates for links that are lacking, or one for a better draw.
    ///
    /// - Parameters:
    ///   - wanted: how many links are to be chosen.
    ///   - chosen: the instances with a chosen link.
    mutating func fill(to wanted: Int, besides chosen: Set<String>, from samplers: Samplers, now: Instant) {
        let held = chosen.union(ends.keys)
        let missing = wanted - held.count
        if missing > 0 {
            let isAll = wanted >= samplers.sourceCount
            let found = candidates(missing, isAll: isAll, besides: held, from: samplers)
            for instance in found { begin(instance, now: now) }
            return
        }
        guard ends.isEmpty, now >= nextExchange else { return }
        let drawn = samplers.drawn(from: Limits.chosenLinks)
        guard let better = drawn.first(where: { !held.contains($0) && samplers.isRested($0) }),
            held.contains(where: { !drawn.contains($0) })
        else { return }
        nextExchange = now + Limits.exchangeInterval
        begin(better, now: now)
    }

    /// Candidates to dial: those of the slots, or one of each source where all are wanted; then those that nothing proves;
    /// then those that peers told of, not many.
    private func candidates(
        _ count: Int, isAll: Bool, besides held: Set<String>, from samplers: Samplers
    ) -> [String] {
        func free(_ instances: [String]) -> [String] {
            instances.filter { !held.contains($0) && samplers.isRested($0) }
        }
        var candidates = free(isAll ? samplers.restedOfSources : samplers.drawn())
        if candidates.count < count { candidates += free(samplers.unproven(.announced)) }
        if candidates.count < count {
            let told = held.count { samplers.proof(of: $0) == .told }
            candidates += free(samplers.unproven(.told)).prefix(max(0, Limits.chosenContacts - told))
        }
        return Array(candidates.prefix(count))
    }
}

extension Limits {
    /// Chosen links with contacts that peers named. With more, a few liars fill the choice with their own nodes; with
    /// fewer, a network without multicast DNS stays in parts.
    static let chosenContacts = 2
    /// Between two changes of a chosen link for a better draw. A longer one lets early candidates, which an attacker
    /// can flood, keep the links; a shorter one makes trees grow anew more often.
    static let exchangeInterval = Duration.seconds(30)
    /// How long a dial may take until another candidate is dialled. A longer one lets dead candidates delay a newcomer;
    /// a shorter one opens surplus links on slow networks.
    static let chosenDialTime = Duration.seconds(15)
}
