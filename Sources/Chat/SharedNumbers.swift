internal import Wire

/// Which sender numbers two peers have shared in this run (Protocol.md section 2). At most 9,000, as there are numbers.
struct SharedNumbers: Sendable {
    private var holders: [Int: PeerID] = [:]
    private var shared: Set<Int> = []

    func isShared(_ number: Int) -> Bool { shared.contains(number) }

    /// The first holder of a number is remembered after it has gone: a second one never looks like the first.
    mutating func add(_ number: Int, of peer: PeerID) {
        guard let holder = holders[number] else {
            holders[number] = peer
            return
        }
        if holder != peer { shared.insert(number) }
    }
}
