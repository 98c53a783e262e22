import Noise
import Wire

/// The runs that have said on a link that they leave, until later ones displace them. A name of such a run has no node any
/// more, however long a cache keeps it listed.
///
/// Without it each left peer was dialled for ten minutes more, and where runs of one host follow each other, those dials used up
/// the rate of its address, so that the next run there waited for seconds.
struct DepartedRuns {
    /// One hash for each of them is computed before a dial.
    private static let capacity = 32

    private var keys: [PublicKey] = []

    mutating func insert(_ key: PublicKey) {
        guard !keys.contains(key) else { return }
        if keys.count >= Self.capacity { keys.removeFirst() }
        keys.append(key)
    }

    func owns(_ name: InstanceName) -> Bool { keys.contains { name.belongs(to: $0) } }
}
