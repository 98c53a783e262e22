import ChatNode
import Wire

/// How long instances are kept that are heard and not listed: in a crowd few are listed under the room, but all announce
/// themselves from time to time (Protocol.md section 10).
struct CrowdMemory {
    var isCrowd = false
    /// The last time at which the network became another one.
    var leftAt: Instant?

    var heardTime: Duration { isCrowd ? Limits.crowdMemory : InstanceTable.staleTime }

    /// A crowd announces 2,400 instances in the time for which they are kept.
    var maximumInstances: Int { isCrowd ? 4_096 : InstanceTable.maximumInstances }

    /// Whether an instance stays when it is listed no more: a node of a crowd withdraws its record of the room and goes on.
    /// An instance that is unlisted because the network is another one does not stay.
    func keepsUnlisted(at now: Instant) -> Bool {
        isCrowd && leftAt.map { now - $0 > InstanceTable.staleTime } ?? true
    }
}

extension InstanceTable {
    /// The room is a crowd, or is none any more, which has less room.
    mutating func crowdChanged(isCrowd: Bool, now: Instant) -> [ListingAction] {
        memory.isCrowd = isCrowd
        return evict(downTo: memory.maximumInstances, now: now)
    }

    /// In a crowd, a packet has withdrawn an instance: what is known of it at the packet's sender ends soon.
    mutating func withdrawn(_ instance: String, by sender: [UInt8], now: Instant) {
        guard memory.isCrowd else { return }
        for (listing, lookup) in lookups(of: instance) where lookup.endpoint?.address == sender {
            hold(listing, until: now + QuietBrowser.goodbyeTime)
        }
    }

    /// This is another network: what was only heard is forgotten.
    mutating func networkLeft(now: Instant) -> [ListingAction] {
        guard memory.isCrowd else { return [] }
        memory.leftAt = now
        let heard = listings.filter { lookups(of: $0.instance)[$0]?.isOnlyHeard == true }
        return heard.flatMap { remove($0, now: now) }
    }
}
