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
}
