import ChatNode
import Noise
import Wire

/// A unit under way in one direction of a connection.
enum Segment: Sendable {
    case bytes([UInt8])
    case finish
    case close
    /// The sender's kernel resets the connection.
    case reset

    /// After it the sender wants no event any more.
    var isAbrupt: Bool {
        switch self {
        case .bytes, .finish: false
        case .close, .reset: true
        }
    }
}

typealias ConfinedHandler = Confined<any TransportHandler>

/// The simulated network as a value: connections, segments under way, and segments held back.
struct NetworkState: Sendable {
    /// One end of a connection, with what it has sent and the other end has not got yet.
    private struct End {
        /// A segment, and the time at which the far end's kernel has it and all before it.
        struct Passage {
            let segment: Segment
            var arrival: Instant
        }

        let host: HostID
        let far: ConnectionID
        let farHost: HostID
        let handler: ConfinedHandler
        /// The latency of each segment; nil where each has one of its own.
        let latency: Duration?
        var queue: [Passage] = []
        var stalled = 0
        /// Segments at the head of the queue that a slow reader is about to read.
        var buffered = 0
        var unread = 0
        var wantsToWrite = false
        /// After `finish` or `close` nothing more is written, and after `close` nothing is reported.
        var hasEnded = false
        var isDeaf = false
        /// Its route is gone for good, without an event at either end.
        var isLost = false
        var lastArrival = Instant(nanoseconds: 0)
        /// The last of the lost segments is there then, unless later segments are acknowledged before.
        var recoversAt = Instant(nanoseconds: 0)

        /// Puts a segment under way. Order is kept: segments behind a lost one wait for it.
        ///
        /// - Returns: when a segment of the queue is due; also those that are due earlier now.
        mutating func enqueue(_ segment: Segment, _ delay: Delay, now: Instant) -> [Instant] {
            var arrivals: [Instant] = []
            let arrivesAt = now + delay.latency
            if let recovery = delay.recovery, delay.wait == .zero, recoversAt > arrivesAt {
                arrivals = hasten(to: arrivesAt + recovery)
            }
            let arrival = max(lastArrival, arrivesAt + delay.wait)
            if delay.wait > .zero { recoversAt = arrival }
            lastArrival = arrival
            queue.append(Passage(segment: segment, arrival: arrival))
            return arrivals + [arrival]
        }

        /// Lost segments are there at `recovered`, and those that waited behind them.
        private mutating func hasten(to recovered: Instant) -> [Instant] {
            var hastened: [Instant] = []
            for index in queue.indices where queue[index].arrival > recovered {
                queue[index].arrival = recovered
                hastened.append(recovered)
            }
            lastArrival = min(lastArrival, recovered)
            recoversAt = min(recoversAt, recovered)
            return hastened
        }
    }

    /// How long a segment is under way.
    struct Delay {
        let latency: Duration
        /// Until it is sent for the last time: as long as loss holds it up.
        let wait: Duration
        /// From its arrival until lost segments before it are there; nil if those wait for their timeout.
        let recovery: Duration?
    }

    /// How much of a write the window took.
    struct Acceptance {
        var count = 0
        /// A segment is due at each of them.
        var arrivals: [Instant] = []
    }

    enum DialOutcome {
        case accepted(by: ConfinedHandler, far: ConnectionID, dialler: Endpoint)
        case refused
        case lost
    }

    struct Delivery {
        let segment: Segment
        let receiver: ConfinedHandler
        let far: ConnectionID
        /// Nil when the sender wants to hear nothing any more.
        let sender: ConfinedHandler?
    }

    var hosts: HostTable
    private var ends: [ConnectionID: End] = [:]
    private var dials: Set<ConnectionID> = []
    private var randomness: Randomness
    private let conditions: Conditions
    private let topology: Topology
    private var connectionNumber: UInt64 = 0

    init(randomness: Randomness, conditions: Conditions, topology: Topology, families: AddressFamilies) {
        self.randomness = randomness
        self.conditions = conditions
        self.topology = topology
        hosts = HostTable(families: families)
    }

    /// Whether one hears the other's announcements.
    func canSee(_ first: HostID, _ second: HostID) -> Bool {
        topology.sees(hosts[first].place, hosts[second].place) && canReach(first, second)
    }

    func bytesReceived(by host: HostID) -> Int { hosts[host].bytesReceived }

    /// Takes all handlers out.
    mutating func takeHandlers() -> [ConfinedHandler] {
        let handlers = ends.values.map(\.handler)
        ends = [:]
        return handlers + hosts.takeListeners()
    }

    mutating func setReading(_ isReading: Bool, at host: HostID) {
        hosts[host].isReading = isReading
    }

    /// - Parameter rate: in bytes a second, of all its connections together; nil for no limit.
    mutating func setReadingRate(_ rate: Int?, of host: HostID) {
        hosts[host].readingRate = rate
    }

    func canReach(_ first: HostID, _ second: HostID) -> Bool { hosts.canReach(first, second) }

    mutating func drawLatency() -> Duration { conditions.drawLatency(using: &randomness) }

    mutating func drawAnswerPause() -> Duration { .milliseconds(Int.random(in: 20...120, using: &randomness)) }

    /// The weight of an answer in a crowd, for the buckets or by a beacon; 0 for none.
    mutating func drawAnswer(among known: Int) -> Int {
        let isWide = known / AddressBucket.weight(isWide: false) < Limits.bucketSources
        let weight = AddressBucket.weight(isWide: isWide)
        let beacons = Double(Limits.beacons) / Double(max(1, known))
        let lot = Double.random(in: 0..<1, using: &randomness)
        return lot < 1 / Double(weight) ? weight : lot < 1 / Double(weight) + beacons ? 1 : 0
    }

    mutating func drawFirstWait() -> Duration { conditions.drawFirstWait(using: &randomness) }

    mutating func nextConnection() -> ConnectionID {
        connectionNumber += 1
        let connection = ConnectionID(number: connectionNumber)
        dials.insert(connection)
        return connection
    }

    mutating func listen(_ host: HostID, handler: ConfinedHandler) -> UInt16 {
        hosts[host].listener = handler
        return hosts[host].endpoints[0].port
    }

    mutating func stopListening(_ host: HostID) { hosts[host].listener = nil }

    /// The dial's first packet arrives.
    mutating func connect(
        _ connection: ConnectionID, from host: HostID, to endpoint: Endpoint, handler: ConfinedHandler
    ) -> DialOutcome {
        guard dials.contains(connection) else { return .lost }
        guard !hosts[host].isDown else {
            dials.remove(connection)
            return .lost
        }
        let source = hosts[host].endpoints.first { $0.isIPv4 == endpoint.isIPv4 }
        guard let target = hosts.host(at: endpoint), let source else { return .refused }
        guard hosts.canDial(host, target), !hosts[target].hasVanished else { return .lost }
        guard let listener = hosts[target].listener else { return .refused }
        dials.remove(connection)
        let far = nextConnection()
        dials.remove(far)
        let (there, back) = (drawKeptLatency(), drawKeptLatency())
        ends[connection] = End(host: host, far: far, farHost: target, handler: handler, latency: there)
        ends[far] = End(host: target, far: connection, farHost: host, handler: listener, latency: back)
        return .accepted(by: listener, far: far, dialler: source)
    }

    /// Whether a dial that failed was still wanted.
    mutating func takeDial(_ connection: ConnectionID) -> Bool { dials.remove(connection) != nil }

    /// Whether both ends of a connection are on one machine.
    func isWithinMachine(_ connection: ConnectionID) -> Bool {
        ends[connection].map { hosts[$0.host].machine == hosts[$0.farHost].machine } ?? false
    }

    func isOpen(_ connection: ConnectionID) -> Bool {
        ends[connection].map { !$0.hasEnded } ?? false
    }

    /// How much the window took, and when it arrives.
    mutating func write(_ bytes: Span<UInt8>, to connection: ConnectionID, now: Instant) -> Acceptance {
        guard let place = ends.index(forKey: connection), !ends.values[place].hasEnded else { return Acceptance() }
        let count = min(bytes.count, InMemoryNetwork.window - ends.values[place].unread)
        ends.values[place].wantsToWrite = count < bytes.count
        ends.values[place].unread += count
        guard count > 0 else { return Acceptance() }
        let segment = Segment.bytes([UInt8](copying: bytes.extracting(first: count)))
        let delay = drawDelay(of: count, latency: ends.values[place].latency)
        return Acceptance(count: count, arrivals: ends.values[place].enqueue(segment, delay, now: now))
    }

    /// Queues the end of a direction behind its bytes; nil if the other end is gone.
    mutating func end(_ connection: ConnectionID, with ending: Segment, now: Instant) -> [Instant] {
        dials.remove(connection)
        guard var end = ends[connection] else { return [] }
        if ending.isAbrupt { end.isDeaf = true }
        guard !end.isLost else {
            ends[connection] = nil
            return []
        }
        guard !end.hasEnded, ends[end.far] != nil else {
            ends[connection] = end.isDeaf && end.queue.isEmpty ? nil : end
            return []
        }
        end.hasEnded = true
        let arrivals = end.enqueue(ending, drawDelay(of: 0, latency: end.latency), now: now)
        ends[connection] = end
        return arrivals
    }

    /// The oldest segment from `connection` came to a slow reader: when it will be read; nil where the far end reads at once.
    mutating func beginReading(from connection: ConnectionID, now: Instant) -> Instant? {
        guard let place = ends.index(forKey: connection) else { return nil }
        let (farHost, buffered) = (ends.values[place].farHost, ends.values[place].buffered)
        guard let rate = hosts[farHost].readingRate, buffered < ends.values[place].queue.count,
            ends.values[place].queue[buffered].arrival <= now, canReach(ends.values[place].host, farHost)
        else { return nil }
        ends.values[place].buffered += 1
        if case .bytes(let bytes) = ends.values[place].queue[buffered].segment {
            let time = Duration.nanoseconds(Int64(bytes.count) * 1_000_000_000 / Int64(rate))
            hosts[farHost].readsUntil = max(now, hosts[farHost].readsUntil) + time
        }
        return max(now, hosts[farHost].readsUntil)
    }

    /// The segment that is due from `connection`; nil while it is held back or if the other end is gone.
    mutating func nextDelivery(from connection: ConnectionID, now: Instant) -> Delivery? {
        // Changed where it is: taken out, the queue would be copied.
        guard let place = ends.index(forKey: connection), !ends.values[place].isLost,
            let passage = ends.values[place].queue.first, passage.arrival <= now
        else { return nil }
        let segment = passage.segment
        let farHost = ends.values[place].farHost
        guard let far = ends[ends.values[place].far] else {
            ends[connection] = nil
            return nil
        }
        guard canReach(ends.values[place].host, farHost), hosts[farHost].isReading else {
            ends.values[place].stalled += 1
            return nil
        }
        ends.values[place].queue.removeFirst()
        ends.values[place].buffered = max(0, ends.values[place].buffered - 1)
        let end = ends.values[place]
        // The other side has closed, and its end is still under way: the segment is dropped.
        if far.isDeaf && end.isDeaf && end.queue.isEmpty { ends[connection] = nil }
        guard !far.isDeaf else { return nil }
        let delivery = Delivery(
            segment: segment, receiver: far.handler, far: end.far, sender: end.isDeaf ? nil : end.handler)
        switch segment {
        case .bytes(let bytes):
            hosts[farHost].bytesReceived += bytes.count
        case .finish, .close, .reset:
            ends[end.far] = nil
            ends[connection] = nil
        }
        return delivery
    }

    /// Frees the window; tells whether the sender was waiting for that.
    mutating func hasRead(_ count: Int, from connection: ConnectionID) -> Bool {
        guard let place = ends.index(forKey: connection) else { return false }
        ends.values[place].unread -= count
        let wasWaiting = ends.values[place].wantsToWrite && !ends.values[place].hasEnded
        ends.values[place].wantsToWrite = false
        return wasWaiting
    }

    /// One entry for each segment that was held back and may go on now, in order.
    mutating func takeStalled() -> [ConnectionID] {
        var released: [ConnectionID] = []
        for connection in ends.filter({ $0.value.stalled > 0 }).keys.sorted() {
            guard let end = ends[connection], canReach(end.host, end.farHost),
                hosts[end.farHost].isReading
            else { continue }
            released += repeatElement(connection, count: end.stalled)
            ends[connection]?.stalled = 0
        }
        return released
    }

    mutating func removeConnections(
        between first: HostID, and second: HostID
    ) -> [(ConfinedHandler, ConnectionID)] {
        let broken = ends.filter { _, end in
            (end.host, end.farHost) == (first, second) || (end.host, end.farHost) == (second, first)
        }
        return broken.keys.sorted().compactMap { connection in
            guard let end = ends.removeValue(forKey: connection), !end.isDeaf else { return nil }
            return (end.handler, connection)
        }
    }

    mutating func loseConnections(of host: HostID) {
        for (connection, end) in ends where end.host == host || end.farHost == host { ends[connection]?.isLost = true }
    }

    /// Closes a host's port and tells which connections have to be closed.
    mutating func kill(_ host: HostID) -> [ConnectionID] {
        stopListening(host)
        hosts[host].isDown = true
        return ends.filter { $0.value.host == host }.keys.sorted()
    }

    /// Takes a host off the network without an event: the other ends of its connections deliver nothing any more.
    mutating func vanish(_ host: HostID) {
        stopListening(host)
        hosts[host].isDown = true
        hosts[host].hasVanished = true
        for (connection, end) in ends where end.host == host {
            ends[end.far]?.isLost = true
            ends[connection] = nil
        }
    }

    private mutating func drawKeptLatency() -> Duration? { conditions.drawKeptLatency(using: &randomness) }

    /// - Parameter latency: of the connection; nil to draw one for the segment.
    private mutating func drawDelay(of bytes: Int, latency: Duration?) -> Delay {
        let latency = latency ?? drawLatency()
        let wait = conditions.drawWait(of: bytes, latency: latency, using: &randomness)
        let recovery = conditions.hasSACK ? conditions.drawRecovery(latency: latency, using: &randomness) : nil
        return Delay(latency: latency, wait: wait, recovery: recovery)
    }
}
