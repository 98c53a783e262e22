import Wire

/// The sources of proven candidates, by their digests: announcers and tellers can name addresses without number, so others are
/// not counted.
struct SampledSources: Sendable {
    private struct Source {
        var candidates: Int
        /// The number of nodes that it stands for.
        var weight: Int
    }

    private var sources = PackedTable<UInt64, Source>()
    /// The sum of the weights.
    private(set) var weight = 0

    var count: Int { sources.count }

    mutating func add(_ candidate: SampledCandidate) {
        guard candidate.proof == .proven else { return }
        let known = sources[candidate.source] ?? Source(candidates: 0, weight: 0)
        weight += max(0, candidate.weight - known.weight)
        sources[candidate.source] = Source(
            candidates: known.candidates + 1, weight: max(known.weight, candidate.weight))
    }

    mutating func remove(_ candidate: SampledCandidate) {
        guard candidate.proof == .proven, let known = sources[candidate.source] else { return }
        let isLast = known.candidates == 1
        if isLast { weight -= known.weight }
        sources[candidate.source] = isLast ? nil : Source(candidates: known.candidates - 1, weight: known.weight)
    }

    /// Each source stands for itself alone from now on.
    mutating func forgetWeights() {
        for index in sources.indices { sources.values[index].weight = 1 }
        weight = sources.count
    }
}
