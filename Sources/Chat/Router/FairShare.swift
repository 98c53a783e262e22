internal import Wire

/// Chooses what a full table gives up: something of the giver with the most entries, and of these of the author with the most. So
/// neither takes the places of another one that has fewer, however many entries it has to offer.
enum FairShare {
    struct Holder: Hashable {
        let giver: Giver
        let author: PeerID
    }

    /// The oldest entry to be given up; among equals that of the holder whose oldest entry is the oldest.
    ///
    /// - Parameter holders: those of all entries, the oldest first.
    /// - Returns: its position; nil if there are no entries.
    static func oldest(of holders: [Holder]) -> Int? {
        greediest(holders) { $0[0] > $1[0] }.first
    }

    /// The newest entry to be given up; among equals that of the holder whose newest entry is the newest.
    static func newest(of holders: [Holder]) -> Int? {
        greediest(holders) { $0[$0.count - 1] < $1[$1.count - 1] }.last
    }

    /// - Parameter isBefore: the order of two groups of positions with equally many entries.
    private static func greediest(_ holders: [Holder], _ isBefore: ([Int], [Int]) -> Bool) -> [Int] {
        func largest(_ groups: some Sequence<[Int]>) -> [Int] {
            groups.max { $0.count == $1.count ? isBefore($0, $1) : $0.count < $1.count } ?? []
        }
        let ofGiver = largest(Dictionary(grouping: holders.indices) { holders[$0].giver }.values)
        return largest(Dictionary(grouping: ofGiver) { holders[$0].author }.values)
    }

    /// The first entries of each holder in turn, in their order; of each as many as of the others.
    static func shares<Entry, Holder: Hashable>(
        of entries: [Entry], by holder: (Entry) -> Holder, atMost bound: Int
    ) -> [Entry] {
        guard entries.count > bound else { return entries }
        var counts: [Holder: Int] = [:]
        // The rank of an entry is its place among those of its holder: all below the last rank are chosen, and as many of that one
        // as there is room for.
        var sizes: [Int] = []
        let ranks = entries.map { entry in
            let rank = counts[holder(entry), default: 0]
            counts[holder(entry)] = rank + 1
            if rank == sizes.count { sizes.append(1) } else { sizes[rank] += 1 }
            return rank
        }
        var (last, rest) = (0, bound)
        while sizes[last] <= rest {
            rest -= sizes[last]
            last += 1
        }
        return zip(entries, ranks).compactMap { entry, rank in
            guard rank >= last else { return entry }
            guard rank == last, rest > 0 else { return nil }
            rest -= 1
            return entry
        }
    }
}
