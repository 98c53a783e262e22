import ChatNode
import Wire

/// The instances that mDNS lists for one room, merged over interfaces, families and sources: decides which to resolve,
/// which to query again, and which to report to the node. Its bounds are per room; the resolvers are of the process.
///
/// A resolver answers with one address and gives up for good after 5 s, so each listing is queried for the likeliest family
/// first, and again as long as the instance has no endpoint. Of the two families on one interface the second is queried
/// only where the first fails: queries of all nodes for all others are most of the traffic when a group meets.
struct InstanceTable {
    /// In one room that is no crowd; a process has up to 16 of them.
    static let maximumInstances = 1_024
    static let maximumListingsPerInstance = 16
    /// The answer is cached when an instance is listed; a family without one within this time was not published.
    static let quickLookup = Duration.milliseconds(150)
    static let firstRetry = Duration.seconds(1)
    static let lastRetry = Duration.seconds(60)
    /// How long what a source said holds after the source itself went away.
    static let staleTime = Duration.seconds(10)

    private var instances: [String: PackedTable<Listing, Lookup>] = [:]
    private var told = ToldEndpoints()
    private var queue: ResolverQueue
    /// All instances, in the order in which they came.
    private var arrivals: [String] = []
    private var agenda = LookupAgenda()
    private static let maximumOwn = 64
    /// Names that are ours, or were not long ago.
    private(set) var own: [String] = []
    /// Listings that found no room.
    private(set) var dropped = 0
    private var linked = LinkedRuns()
    /// For the crowd that a room may be.
    var memory = CrowdMemory()

    init(_ pool: ResolverPool = ResolverPool()) { queue = ResolverQueue(pool) }

    var instanceCount: Int { instances.count }

    /// True if a listing waits for a resolver.
    var isWaiting: Bool { queue.isWaiting }

    /// Returns the resolvers to the pool: the room has ended, and nothing else is called.
    mutating func close() { queue.close() }

    mutating func listed(_ listing: Listing, now: Instant) -> [ListingAction] {
        guard !own.contains(listing.instance) else { return [] }
        guard var known = instances[listing.instance]?[listing] else {
            guard let actions = add(listing, now: now) else { return [] }
            return actions + begin(listing, now: now)
        }
        guard known.expires != nil else { return [] }
        let isSettled = known.isOnlyHeard
        (known.expires, known.isOnlyHeard) = (nil, false)
        instances[listing.instance]?[listing] = known
        return isSettled ? [] : begin(listing, now: now)
    }

    /// A packet has given the endpoint of an instance, so no query is needed; a source lists the instance within
    /// `staleTime`.
    ///
    /// - Parameter weight: the number of nodes that the endpoint stands for; 0 unless the packet came from its address.
    mutating func heard(
        _ listing: Listing, _ endpoint: Endpoint, weight: Int = 0, now: Instant
    ) -> [ListingAction] {
        guard !own.contains(listing.instance) else { return [] }
        var actions: [ListingAction] = []
        if instances[listing.instance]?[listing] == nil {
            guard let room = add(listing, now: now) else { return [] }
            actions += room
            hold(listing, until: now + memory.heardTime)
        } else if weight > 0, memory.isCrowd, instances[listing.instance]?[listing]?.isOnlyHeard == true {
            hold(listing, until: now + memory.heardTime)
        }
        guard let lookup = instances[listing.instance]?[listing], lookup.isImproved(by: endpoint, weight)
        else { return actions }
        actions += stop(listing, lookup)
        instances[listing.instance]?[listing]?.answered(endpoint, weight: weight)
        return actions + settle(listing.instance, now: now) + serveWaiting(now: now)
    }

    /// A place in the table for what is not in it, and what else that takes; nil where there is none.
    private mutating func add(_ listing: Listing, now: Instant) -> [ListingAction]? {
        var lookups = instances[listing.instance] ?? PackedTable()
        guard lookups.count < Self.maximumListingsPerInstance else {
            dropped += 1
            return nil
        }
        let actions = lookups.isEmpty ? evict(downTo: memory.maximumInstances - 1, now: now) : []
        if lookups.isEmpty { arrivals.append(listing.instance) }
        lookups[listing] = Lookup(listedAt: now)
        instances[listing.instance] = lookups
        return actions
    }

    /// Cancels the query of a listing, or its wait for one.
    private mutating func stop(_ listing: Listing, _ lookup: Lookup) -> [ListingAction] {
        if lookup.isResolving {
            queue.closed()
            return [.cancel(listing)]
        }
        if lookup.isWaiting { queue.remove(listing) }
        return []
    }

    /// Evicts the oldest instances: they were dialled long ago, and newcomers were not.
    mutating func evict(downTo most: Int, now: Instant) -> [ListingAction] {
        var actions: [ListingAction] = []
        while instances.count > most, let oldest = arrivals.first {
            dropped += 1
            actions += (instances[oldest]?.keys ?? []).flatMap { remove($0, now: now) }
        }
        return actions
    }

    /// From now on this name is ours and is not reported.
    mutating func addOwn(_ instance: String) {
        own.append(RandomNames.canonical(instance) ?? instance)
        if own.count > Self.maximumOwn { own.removeFirst() }
    }

    mutating func unlisted(_ listing: Listing, now: Instant) -> [ListingAction] {
        guard memory.keepsUnlisted(at: now), instances[listing.instance]?[listing]?.endpoint != nil else {
            return remove(listing, now: now)
        }
        hold(listing, until: now + memory.heardTime)
        return []
    }

    mutating func remove(_ listing: Listing, now: Instant) -> [ListingAction] {
        guard let lookup = instances[listing.instance]?.removeValue(forKey: listing) else { return [] }
        return stop(listing, lookup) + settle(listing.instance, now: now) + askTwin(of: listing, now: now)
            + serveWaiting(now: now)
    }

    /// `endpoint` is nil where the query failed, or the answer was none that may be dialled.
    mutating func resolved(_ listing: Listing, _ endpoint: Endpoint?, now: Instant) -> [ListingAction] {
        finish(listing, endpoint: endpoint, now: now)
    }

    /// A link to a run is up, dialled by either side: waiting queries for its instances are dropped.
    mutating func linkOpened(to run: LinkedRun, now: Instant) { linked.open(run, now: now) }

    /// The last link to a run has ended.
    mutating func linkClosed(to run: LinkedRun, now: Instant) -> [ListingAction] {
        linked.close(run).flatMap { instance in
            (instances[instance]?.keys ?? []).flatMap { begin($0, now: now) }
        }
    }

    /// A listing that no source lists ends then, unless one does.
    mutating func hold(_ listing: Listing, until expires: Instant) {
        instances[listing.instance]?[listing]?.heard(until: expires)
        agenda.record(expires)
    }

    /// The listings of an ended source are kept for a while, until it or the other source lists them again.
    mutating func sourceEnded(_ source: RecordSource, now: Instant) -> [ListingAction] {
        queue.removeAll { $0.source == source }
        for listing in listings where listing.source == source {
            guard var lookup = instances[listing.instance]?[listing] else { continue }
            if lookup.isResolving { queue.closed() }
            lookup.phase = .idle
            let expires = lookup.expires ?? now + Self.staleTime
            lookup.expires = expires
            agenda.record(expires)
            instances[listing.instance]?[listing] = lookup
        }
        return serveWaiting(now: now)
    }

    /// Our addresses changed, so answers that could not be dialled may be now.
    mutating func networkChanged(now: Instant) -> [ListingAction] {
        for listing in listings where instances[listing.instance]?[listing]?.retry != nil {
            instances[listing.instance]?[listing]?.phase = .failed(retry: now)
        }
        return due(now: now)
    }

    mutating func due(now: Instant) -> [ListingAction] {
        var actions: [ListingAction] = []
        for listing in listings {
            guard let lookup = instances[listing.instance]?[listing] else { continue }
            if let expires = lookup.expires, expires <= now {
                actions += remove(listing, now: now)
            } else if let deadline = lookup.deadline, deadline <= now {
                actions.append(.cancel(listing))
                queue.pool.window.missed(now: now)
                actions += finish(listing, endpoint: nil, now: now)
            } else if let retry = lookup.retry, retry <= now, !hasEndpoint(listing.instance) {
                actions += begin(listing, now: now)
            }
        }
        agenda = LookupAgenda()
        for (instance, lookups) in instances { agenda.record(lookups.values, isSettled: hasEndpoint(instance)) }
        return actions
    }

    /// When `due` may have something to do; nil if not before something else happens.
    var nextDue: Instant? { agenda.earliest }

    var listings: [Listing] { instances.values.flatMap(\.keys) }

    func lookups(of instance: String) -> PackedTable<Listing, Lookup> { instances[instance] ?? PackedTable() }

    private func hasEndpoint(_ instance: String) -> Bool { told.contains(instance) }
}

extension InstanceTable {
    private mutating func begin(_ listing: Listing, now: Instant) -> [ListingAction] {
        guard var lookup = instances[listing.instance]?[listing], !lookup.isResolving else { return [] }
        guard !isSpared(listing, lookup) else {
            instances[listing.instance]?[listing]?.phase = .idle
            return []
        }
        let isNewcomer = lookup.attempt == 0
        guard queue.hasSpace(isNewcomer: isNewcomer) else {
            wait(listing, lookup)
            return []
        }
        queue.opened()
        let deadline = isNewcomer ? now + Self.quickLookup : nil
        lookup.phase = .resolving(deadline: deadline)
        if let deadline { agenda.record(deadline) }
        instances[listing.instance]?[listing] = lookup
        return [.resolve(listing, lookup.wantedFamily(of: listing))]
    }

    private mutating func finish(_ listing: Listing, endpoint: Endpoint?, now: Instant) -> [ListingAction] {
        guard var lookup = instances[listing.instance]?[listing], lookup.isResolving else { return [] }
        queue.closed()
        if let endpoint {
            queue.pool.window.answered()
            lookup.answered(endpoint)
        } else {
            let retry = now + lookup.pause
            lookup.phase = .failed(retry: retry)
            lookup.attempt += 1
            agenda.record(retry)
        }
        instances[listing.instance]?[listing] = lookup
        let next = endpoint == nil ? askTwin(of: listing, now: now) : []
        return settle(listing.instance, now: now) + next + serveWaiting(now: now)
    }

    /// Whether a listing that never failed need not be asked for, because its twin is, or has answered.
    private func isSpared(_ listing: Listing, _ lookup: Lookup) -> Bool {
        guard lookup.attempt == 0, let twin = instances[listing.instance]?[listing.twin],
            twin.expires == nil || twin.isOnlyHeard
        else { return false }
        return twin.endpoint != nil || twin.attempt == 0 && (twin.isResolving || twin.isWaiting)
    }

    /// The turn of a listing that was spared, where its twin came to nothing.
    private mutating func askTwin(of listing: Listing, now: Instant) -> [ListingAction] {
        guard let twin = instances[listing.instance]?[listing.twin], twin.isIdle, twin.endpoint == nil,
            twin.expires == nil
        else { return [] }
        return begin(listing.twin, now: now)
    }

    private mutating func wait(_ listing: Listing, _ lookup: Lookup) {
        guard !lookup.isWaiting else { return }
        instances[listing.instance]?[listing]?.phase = .waiting
        queue.append(listing, isNewcomer: lookup.attempt == 0)
    }

    /// Resolves listings that wait, as far as resolvers are free; also to be called when another room has freed some.
    mutating func serveWaiting(now: Instant) -> [ListingAction] {
        var actions: [ListingAction] = []
        while let listing = queue.next() { actions += resume(listing, now: now) }
        return actions
    }

    /// Queries a listing unless it went or was resolved while it waited, or its peer is linked.
    private mutating func resume(_ listing: Listing, now: Instant) -> [ListingAction] {
        guard let lookup = instances[listing.instance]?[listing], lookup.isWaiting else { return [] }
        if linked.passesOver(listing.instance, listedAt: lookup.listedAt) {
            instances[listing.instance]?[listing]?.phase = .idle
            return []
        }
        return begin(listing, now: now)
    }

    /// Tells what changed for an instance, and asks at once again where it lost its last endpoint but is still listed.
    private mutating func settle(_ instance: String, now: Instant) -> [ListingAction] {
        let lookups = instances[instance] ?? PackedTable()
        let reports = told.update(instance, to: lookups.values)
        if lookups.isEmpty, instances.removeValue(forKey: instance) != nil {
            arrivals.removeAll { $0 == instance }
            linked.forget(instance)
        }
        let news = reports.map(ListingAction.tell)
        guard !told.contains(instance), !news.isEmpty else { return news }
        var actions = news
        for (listing, lookup) in lookups where lookup.retry != nil { actions += begin(listing, now: now) }
        return actions
    }
}
