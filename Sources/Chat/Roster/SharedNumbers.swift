internal import Wire

/// Which sender numbers two peers have shared in this run (Protocol.md section 2). At most 9,000, as there are numbers.
struct SharedNumbers: Sendable {
    private var holders: [Int: PeerID] = [:]
    private var shared: Set<Int> = []

    func isShared(_ number: Int) -> Bool { !shared.isEmpty && shared.contains(number) }

    /// The first holder of a number is remembered after it has gone: a second one never looks like the first.
    ///
    /// - Returns: the holder that has the number no longer alone, once.
    mutating func add(_ number: Int, of peer: PeerID) -> PeerID? {
        guard let holder = holders[number] else {
            holders[number] = peer
            return nil
        }
        return holder != peer && shared.insert(number).inserted ? holder : nil
    }
}
