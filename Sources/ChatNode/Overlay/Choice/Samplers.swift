import Noise
package import Wire

/// Draws the candidates that a node in overlay mode links with (Protocol.md section 13).
///
/// Sources and instances are compared by digests under a private salt, in slots that have a further salt each. Therefore an
/// announcer can not choose an address that is drawn, gains nothing by repetition, and counts once with many names at one
/// address. A newcomer of a crowd hears a part of the room: a source that answered because it is in that part, which the
/// newcomer drew, stands for all that were not asked, and is drawn as often as they would be together. Else those that answer
/// every newcomer would be most of its neighbours. A node of this machine is a source of its own, because this machine is
/// exempt from the bounds per source.
package struct Samplers: Sendable {
    /// The reason to believe that a peer is at a candidate's address.
    package enum Proof: UInt8, Sendable {
        /// A peer told of it (frame 13).
        case told
        /// mDNS lists it there; the sender of the record is not known.
        case announced
        /// Its announcement came from that very address, or the user named it.
        case proven
    }

    private var candidates = PackedTable<String, SampledCandidate>()
    private var sources = SampledSources()
    /// When all candidates stand for themselves again, because nearly all nodes have been heard by then.
    private var weighedUntil: Instant?
    private var slots: [SamplerSlot]
    private let salt: [UInt8]
    /// The next time at which a rest ends, or an earlier one.
    package private(set) var nextDeadline: Instant?
    /// Sources that are not drawn until a time, because of what came from there.
    private var avoided = RecentTable<UInt64, Instant>(capacity: Limits.knownPeers)
    /// Addresses of this machine, as connections have shown.
    private var ownAddresses: Set<[UInt8]> = []
    /// More than a machine of a few interfaces has.
    private static let mostOwnAddresses = 64

    package init(using randomness: inout some RandomNumberGenerator) {
        salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &randomness) }
        slots = (0..<Limits.samplerSlots).map { _ in SamplerSlot(salt: randomness.next()) }
    }

    package var count: Int { candidates.count }

    /// Distinct sources of the proven candidates.
    package var sourceCount: Int { sources.count }

    /// The nodes of the room, by the weights of the sources: between one and two times as many as there are.
    package var roomSize: Int { sources.weight }

    /// The candidates of the slots, each once, in the order of the slots.
    ///
    /// - Parameter count: how many slots are looked at: the first are those of links, the others are spares.
    package func drawn(from count: Int = Limits.samplerSlots) -> [String] {
        var drawn: [String] = []
        for slot in slots.prefix(count) {
            if let instance = slot.instance, !drawn.contains(instance) { drawn.append(instance) }
        }
        return drawn
    }

    /// The candidates with less than a proof that may be dialled now, in a private order.
    package func unproven(_ proof: Proof) -> [String] {
        candidates.filter { $0.value.proof == proof && $0.value.restsUntil == nil }
            .sorted { ($0.value.source, $0.value.name) < ($1.value.source, $1.value.name) }.map(\.key)
    }

    /// Of each source of proven candidates one that may be dialled now, in a private order.
    package var restedOfSources: [String] {
        var least: [UInt64: (name: UInt64, instance: String)] = [:]
        for (instance, candidate) in candidates where candidate.isDrawn {
            if let known = least[candidate.source], known.name <= candidate.name { continue }
            least[candidate.source] = (candidate.name, instance)
        }
        return least.sorted { $0.key < $1.key }.map(\.value.instance)
    }

    package func proof(of instance: String) -> Proof? { candidates[instance]?.proof }

    /// True for a known candidate that may be dialled now.
    package func isRested(_ instance: String) -> Bool {
        candidates[instance].map { $0.restsUntil == nil } ?? false
    }
}

/// Changes of the candidates.
extension Samplers {
    /// A candidate was seen, or a peer told of it. One that is seen anew ends its rest, unless its source is avoided.
    ///
    /// Of several endpoints of an instance the one with the best proof is its source, and of those an IPv4 address: an IPv6
    /// host can have many.
    ///
    /// - Parameter weight: the number of nodes that it stands for, at least 1.
    package mutating func add(
        _ instance: String, at endpoint: Endpoint, _ proof: Proof, weight: Int = 1, now: Instant
    ) {
        guard var candidate = candidates[instance] else {
            guard candidates.count < Limits.knownPeers else { return }
            recordWeight(weight, now: now)
            let new = SampledCandidate(
                endpoint: endpoint, source: digest(ofSource: endpoint, proof), name: digest(Array(instance.utf8)),
                proof: proof, weight: weight)
            return insert(instance, new, now: now)
        }
        let isBetter = Samplers.worth(endpoint, proof) > Samplers.worth(candidate.endpoint, candidate.proof)
        let isWeighed = weight > 1 && weight != candidate.weight && endpoint == candidate.endpoint
        guard isBetter || isWeighed || candidate.restsUntil != nil else { return }
        remove(instance)
        if isBetter || isWeighed {
            recordWeight(weight, now: now)
            (candidate.endpoint, candidate.proof, candidate.weight) = (endpoint, proof, weight)
            candidate.source = digest(ofSource: endpoint, proof)
        }
        candidate.restsUntil = nil
        insert(instance, candidate, now: now)
    }

    /// All endpoints of a candidate are others.
    package mutating func move(_ instance: String, to endpoints: [Endpoint], now: Instant) {
        let proof = candidates[instance]?.proof ?? .announced
        remove(instance)
        for endpoint in endpoints { add(instance, at: endpoint, proof, now: now) }
    }

    package mutating func remove(_ instance: String) {
        guard let candidate = candidates.removeValue(forKey: instance) else { return }
        sources.remove(candidate)
        refill(slots.indices.filter { slots[$0].instance == instance })
    }

    private mutating func insert(_ instance: String, _ candidate: SampledCandidate, now: Instant) {
        var candidate = candidate
        if let until = avoided[candidate.source], until > now {
            candidate.restsUntil = until
            recordRest(until: until)
        }
        candidates[instance] = candidate
        sources.add(candidate)
        offer(instance, candidate)
    }

    /// An answer has a weight: weights hold for a time from now on.
    private mutating func recordWeight(_ weight: Int, now: Instant) {
        guard weight > 1 else { return }
        weighedUntil = now + Limits.crowdMemory
        recordRest(until: now + Limits.crowdMemory)
    }

    /// An address is one of this machine: each node there is a source of its own.
    package mutating func recordOwnAddress(_ address: [UInt8], now: Instant) {
        guard ownAddresses.count < Samplers.mostOwnAddresses, ownAddresses.insert(address).inserted else { return }
        for (instance, candidate) in candidates.filter({ $0.value.endpoint.address == address }) {
            remove(instance)
            var moved = candidate
            moved.source = digest(ofSource: candidate.endpoint, candidate.proof)
            insert(instance, moved, now: now)
        }
    }

    /// Whether a connection from `endpoint` comes from a source that is avoided.
    package func avoids(_ endpoint: Endpoint, now: Instant) -> Bool {
        avoided[digest(ofSource: endpoint, .proven)].map { $0 > now } ?? false
    }

    private static func worth(_ endpoint: Endpoint, _ proof: Proof) -> Int {
        2 * Int(proof.rawValue) + (endpoint.isIPv4 ? 1 : 0)
    }

    /// A contact may be beyond the link, where a host can have all addresses of a /64.
    private func digest(ofSource endpoint: Endpoint, _ proof: Proof) -> UInt64 {
        let isOwn = endpoint.isLoopback || ownAddresses.contains(endpoint.address)
        let source = isOwn ? endpoint : proof == .told ? endpoint.network ?? endpoint.source : endpoint.source
        let port = [UInt8(source.port >> 8), UInt8(source.port & 0xff)]
        let scope = (0..<4).map { UInt8(source.scope >> (8 * $0) & 0xff) }
        return digest(source.address + port + scope)
    }

    private func digest(_ bytes: [UInt8]) -> UInt64 { BLAKE2b.words("earshot/3 view", (salt + bytes).span).0 }
}

/// Draws and rests.
extension Samplers {
    private mutating func offer(_ instance: String, _ candidate: SampledCandidate) {
        guard candidate.isDrawn else { return }
        for index in slots.indices { slots[index].offer(instance, candidate) }
    }

    /// Draws slots again from all candidates.
    private mutating func refill(_ indices: [Int]) {
        guard !indices.isEmpty else { return }
        for index in indices { slots[index] = slots[index].emptied }
        for (instance, candidate) in candidates where candidate.isDrawn {
            for index in indices { slots[index].offer(instance, candidate) }
        }
    }

    /// Draws one slot of a link anew, under another salt.
    package mutating func redrawOne(using randomness: inout some RandomNumberGenerator) {
        let index = Int.random(in: 0..<Limits.chosenLinks, using: &randomness)
        slots[index] = SamplerSlot(salt: randomness.next())
        refill([index])
    }

    /// A candidate has no room: it keeps its slots, and is not dialled for a while.
    package mutating func pause(_ instance: String, until: Instant) {
        guard var candidate = candidates[instance] else { return }
        candidate.restsUntil = until
        candidates[instance] = candidate
        recordRest(until: until)
    }

    /// Candidates that had no room may be dialled again.
    ///
    /// - Returns: these.
    package mutating func endPauses() -> Set<String> {
        var ended: Set<String> = []
        for index in candidates.indices {
            let candidate = candidates.values[index]
            guard candidate.restsUntil != nil, candidate.failures == 0, avoided[candidate.source] == nil
            else { continue }
            candidates.values[index].restsUntil = nil
            offer(candidates.keys[index], candidates.values[index])
            ended.insert(candidates.keys[index])
        }
        return ended
    }

    private mutating func recordRest(until: Instant) {
        nextDeadline = min(nextDeadline ?? until, until)
    }

    /// A candidate is dead: it rests, each time for longer, and its slots are drawn anew under other salts.
    package mutating func fail(_ instance: String, now: Instant, using randomness: inout some RandomNumberGenerator) {
        guard let failures = candidates[instance]?.failures else { return }
        let rest = min(Limits.deadRest * (1 << Int(failures)), Limits.strikeTime)
        pause(instance, until: now + rest)
        if let index = candidates.index(forKey: instance) { candidates.values[index].failures = min(10, failures + 1) }
        redraw([instance], using: &randomness)
    }

    /// Avoids the source of a link for `Limits.strikeTime`, under whichever names.
    ///
    /// - Parameter instance: the candidate that the link was chosen as; its source may be another address.
    package mutating func avoid(
        _ endpoint: Endpoint, _ instance: String?, now: Instant, using randomness: inout some RandomNumberGenerator
    ) {
        let chosen = instance.flatMap { candidates[$0]?.source }
        let avoided = Set([digest(ofSource: endpoint, .proven)] + [chosen].compactMap(\.self))
        for source in avoided { self.avoided.set(now + Limits.strikeTime, for: source) }
        let there = candidates.filter { avoided.contains($0.value.source) }.map(\.key)
        for instance in there { pause(instance, until: now + Limits.strikeTime) }
        redraw(there, using: &randomness)
    }

    private mutating func redraw(_ instances: [String], using randomness: inout some RandomNumberGenerator) {
        let stale = slots.indices.filter { slots[$0].instance.map(instances.contains) ?? false }
        for index in stale { slots[index] = SamplerSlot(salt: randomness.next()) }
        refill(stale)
    }

    /// A candidate has a link.
    package mutating func succeed(_ instance: String) {
        if let index = candidates.index(forKey: instance) { candidates.values[index].failures = 0 }
    }

    private mutating func forgetWeights() {
        weighedUntil = nil
        for index in candidates.indices { candidates.values[index].weight = 1 }
        sources.forgetWeights()
        refill(Array(slots.indices))
    }

    /// Candidates whose rest is over are drawn again.
    package mutating func wake(now: Instant) {
        guard let due = nextDeadline, due <= now else { return }
        nextDeadline = nil
        if let until = weighedUntil {
            if until <= now { forgetWeights() } else { recordRest(until: until) }
        }
        for index in candidates.indices {
            guard let until = candidates.values[index].restsUntil else { continue }
            if until > now {
                recordRest(until: until)
            } else {
                candidates.values[index].restsUntil = nil
                offer(candidates.keys[index], candidates.values[index])
            }
        }
    }
}

extension Limits {
    /// Draws of candidates, for links and spares (the samplers of Brahms). More cost a digest for each candidate and
    /// slot; with fewer, the spares run out while candidates fail, and the choice is no sample.
    static let samplerSlots = 32
    /// How long a dead candidate is not dialled; twice as long after each further failure. A longer one keeps a node
    /// from a peer that only restarted; a shorter one dials dead addresses.
    static let deadRest = Duration.seconds(2)
    /// How long a source is avoided that was struck out, and the longest rest of a dead candidate. A longer one keeps
    /// an address out that has a new user by now; with a shorter one, an attacker is chosen again sooner.
    static let strikeTime = Duration.seconds(600)
}
