import ChatNode
import Wire

/// The runs that there are links to, and the instances that were not asked for because they are of one of these.
struct LinkedRuns {
    private var openedAt = PackedTable<LinkedRun, Instant>()
    private var passedOver: [String: LinkedRun] = [:]

    mutating func open(_ run: LinkedRun, now: Instant) {
        if openedAt[run] == nil { openedAt[run] = now }
    }

    /// The instances that are to be asked for after all.
    mutating func close(_ run: LinkedRun) -> [String] {
        openedAt[run] = nil
        let instances = passedOver.filter { $0.value == run }.map(\.key)
        instances.forEach { forget($0) }
        return instances.sorted()
    }

    /// True if an instance belongs to one of the runs, which is noted then: one hash for each run.
    ///
    /// False for an instance listed long after the link: its peer may be elsewhere, and the link dead.
    mutating func passesOver(_ instance: String, listedAt: Instant) -> Bool {
        guard let name = InstanceName(instance) else { return false }
        let owner = openedAt.first { run, openedAt in
            listedAt < openedAt + Limits.crossingTime && run.owns(name)
        }
        guard let owner else { return false }
        passedOver[instance] = owner.key
        return true
    }

    mutating func forget(_ instance: String) { passedOver[instance] = nil }
}
