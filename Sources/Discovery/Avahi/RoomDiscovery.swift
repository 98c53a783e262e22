import ChatNode
import Wire

/// The state of one room: its announcement, the instances that are listed in it, and its node. Its bounds are per room.
struct RoomDiscovery {
    let tell: @Sendable (DiscoveryEvent) -> Void
    var table: InstanceTable
    var firstAnnouncement = FirstAnnouncement()
    var collisions = NameCollisions()
    var isRenaming = false
    /// Nothing is published: the former names belong to another network, and there are no new ones yet.
    var isMoving = false
    var absence = Absence()
    /// The responders that have its records.
    var publishers: Set<RecordSource> = []
    var crowd: RoomCrowd
    private(set) var announcement: Announcement

    init(
        _ announcement: Announcement, in pool: ResolverPool, now: Instant,
        tell: @escaping @Sendable (DiscoveryEvent) -> Void
    ) {
        self.tell = tell
        crowd = RoomCrowd(now: now)
        self.announcement = announcement
        table = InstanceTable(pool)
        table.addOwn(announcement.instance)
    }

    mutating func adopt(
        _ announcement: Announcement, now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        self.announcement = announcement
        isMoving = false
        crowd.renamed(now: now, using: &generator)
        table.addOwn(announcement.instance)
    }

    /// When the table or the crowd has something to do.
    var nextDue: Instant? { .earlier(table.nextDue, crowd.nextDue) }

    /// The service type that is browsed for.
    var type: String { MDNSName.browsingType(subtype: announcement.subtype) }

    func publication(in view: NetworkView) -> Publication {
        guard !isMoving else { return [:] }
        return view.publications.mapValues { MDNSRecords.records(for: announcement, addresses: $0, in: crowd) }
    }
}

/// The pauses before other names are drawn where another host has ours. They grow, and are short again once there was peace.
struct NameCollisions {
    /// So long without a collision is peace.
    static let peace = Duration.seconds(300)

    private var pauses = Backoff(from: .milliseconds(100), to: .seconds(60))
    private var last: Instant?

    mutating func next(now: Instant) -> Duration {
        if let last, now - last >= Self.peace { pauses.reset() }
        last = now
        return pauses.next()
    }
}

/// Whether peers of a room are missed, which fell silent.
struct Absence {
    /// Random, since others miss them too; for all that fall silent meanwhile, as on a network that is cut in two.
    static let wait = Duration.zero...Duration.seconds(2)

    private(set) var isPursued = false
    private(set) var pursuesUntil: Instant?
    private var isWaiting = false

    /// A peer has fallen silent.
    ///
    /// - Returns: whether to look for it after the wait; false if that is to be done already.
    mutating func began() -> Bool {
        isPursued = true
        defer { isWaiting = true }
        return !isWaiting
    }

    /// All are back.
    mutating func ended() { (isPursued, pursuesUntil) = (false, nil) }

    /// The wait is over.
    ///
    /// - Returns: whether peers are still missed.
    mutating func waited(now: Instant) -> Bool {
        isWaiting = false
        guard isPursued else { return false }
        pursuesUntil = now + QuietBrowser.pursuingTime
        return true
    }
}

/// The rooms that a process has a discovery port for, and the listings that found no room in each.
struct RoomClaims {
    private var nextNumber = 0
    private var crowdedOut: [RoomNumber: Int] = [:]
    /// True from the start of the first port.
    private var isStarted = false
    /// True from the stop of the last port, when its threads end, and where none could be made.
    private(set) var isEnded = false

    /// A new room; nil after the end.
    mutating func claim() -> RoomNumber? {
        guard !isEnded else { return nil }
        defer { nextNumber += 1 }
        crowdedOut[nextNumber] = 0
        return nextNumber
    }

    /// True if the threads are to be started.
    mutating func start() -> Bool {
        defer { isStarted = !isEnded }
        return !isStarted && !isEnded
    }

    /// The system refused the threads: none runs, and no later port starts them.
    mutating func startFailed() { (isStarted, isEnded) = (false, true) }

    /// Whether a room that ends is the last one, and whether the threads run. Nil for one that has ended.
    mutating func release(_ room: RoomNumber) -> (isLast: Bool, isStarted: Bool)? {
        guard crowdedOut.removeValue(forKey: room) != nil else { return nil }
        isEnded = isEnded || crowdedOut.isEmpty
        return (crowdedOut.isEmpty, isStarted)
    }

    mutating func record(_ dropped: Int, in room: RoomNumber) {
        if crowdedOut[room] != nil { crowdedOut[room] = dropped }
    }

    func crowdedOut(of room: RoomNumber) -> Int { crowdedOut[room] ?? 0 }

    /// True for the room that tells what concerns the whole process.
    func isFirst(_ room: RoomNumber) -> Bool { crowdedOut.keys.min() == room }
}
