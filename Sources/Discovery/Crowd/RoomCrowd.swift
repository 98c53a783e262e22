import ChatNode
import Wire

/// The records, questions and announcements of a node in a room that may be a crowd: up to 32 nodes all is as in any small
/// room, and beyond it is less (Protocol.md section 10).
struct RoomCrowd {
    enum Action: Hashable {
        /// `isListed` or `hasBuckets` has changed: the records are to be changed accordingly.
        case publish
        /// To ask for the members of these subtypes by a one-shot question.
        case ask([String])
        /// To announce the node once.
        case announce
    }

    /// A new name stays listed under the room for so long, since responders announce it again after a second.
    static let startTime = Duration.seconds(2)

    /// Whether the node has a record under the room's own name.
    private(set) var isListed = true
    /// Whether to hear the census: where there are enough instances for a crowd, or will be soon.
    private(set) var hearsCensus = false
    private var crowd = Crowd(isOverlay: false, known: 0)
    private var listedUntil: Instant
    private var beacon: BeaconChoice?
    private var census: CensusClock?
    private var plan = BucketPlan()

    init(now: Instant) { listedUntil = now + Self.startTime }

    /// Whether the node has records of its buckets.
    var hasBuckets: Bool { crowd.isOverlay }

    /// When `due` has something to do, unless something happens before.
    var nextDue: Instant? {
        let start = hasBuckets && isListed && beacon?.isBeacon == false ? listedUntil : nil
        return [start, beacon?.nextDraw, census?.nextDue, plan.nextDue].compactMap { $0 }.min()
    }

    /// The node has taken new names and announces them under the room.
    mutating func renamed(now: Instant, using generator: inout some RandomNumberGenerator) {
        (listedUntil, isListed) = (now + Self.startTime, true)
        if hasBuckets { census = CensusClock(known: crowd.known, now: now, using: &generator) }
        if plan.nextDue != nil { plan.restart(now: now, using: &generator) }
    }

    mutating func crowdChanged(
        _ crowd: Crowd, now: Instant, using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        let was = self.crowd
        self.crowd = crowd
        beacon?.roomChanged(known: crowd.known)
        census?.roomChanged(known: crowd.known)
        guard crowd.isOverlay != was.isOverlay else { return settle(now: now) }
        if crowd.isOverlay {
            hearsCensus = true
            beacon = BeaconChoice(known: crowd.known, now: now, using: &generator)
            census = CensusClock(known: crowd.known, now: now, using: &generator)
            plan.begin(now: now, using: &generator)
        } else {
            (beacon, census) = (nil, nil)
            plan.end()
        }
        _ = settle(now: now)
        return [.publish]
    }

    /// So many instances are listed or heard: perhaps more than a room has that is no crowd.
    ///
    /// - Returns: whether `hearsCensus` has changed.
    mutating func heard(instances: Int, now: Instant, using generator: inout some RandomNumberGenerator) -> Bool {
        if instances > Limits.crowdInstances { plan.begin(now: now, using: &generator) }
        guard !hearsCensus, instances > Limits.crowdInstances / 2 else { return false }
        hearsCensus = true
        return true
    }

    /// A node has announced itself in its bucket, so the room is a crowd.
    mutating func heardCensus(now: Instant, using generator: inout some RandomNumberGenerator) {
        plan.begin(now: now, using: &generator)
    }

    mutating func due(
        of subtype: String, now: Instant, using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        beacon?.due(now: now, using: &generator)
        let asked = plan.due(of: subtype, now: now, using: &generator)
        let isCensus = census?.due(now: now, using: &generator) ?? false
        return settle(now: now) + (asked.isEmpty ? [] : [.ask(asked)]) + (isCensus ? [.announce] : [])
    }

    /// As `BucketPlan.takes`.
    mutating func takes(_ source: [UInt8], of subtype: String) -> Int? { plan.takes(source, of: subtype) }

    private mutating func settle(now: Instant) -> [Action] {
        let isWanted = beacon?.isBeacon ?? true || now < listedUntil
        guard isWanted != isListed else { return [] }
        isListed = isWanted
        return [.publish]
    }
}

extension Limits {
    /// Instances of a room above which a node asks for buckets: a room up to `meshNodes` does not. With more, newcomers
    /// make a large room answer whole; with fewer, small rooms ask in vain.
    static let crowdInstances = 32
}
