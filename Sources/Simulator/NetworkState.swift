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
        let host: HostID
        let far: ConnectionID
        let farHost: HostID
        let handler: ConfinedHandler
        var queue: [Segment] = []
        var stalled = 0
        var unread = 0
        var wantsToWrite = false
        /// After `finish` or `close` nothing more is written, and after `close` nothing is reported.
        var hasEnded = false
        var isDeaf = false
        /// Its route is gone for good, without an event at either end.
        var isLost = false
        var lastArrival = Instant(nanoseconds: 0)
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
        ends[connection] = End(host: host, far: far, farHost: target, handler: handler)
        ends[far] = End(host: target, far: connection, farHost: host, handler: listener)
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
    mutating func write(_ bytes: Span<UInt8>, to connection: ConnectionID, now: Instant) -> (Int, Instant?) {
        guard let place = ends.index(forKey: connection), !ends.values[place].hasEnded else { return (0, nil) }
        let count = min(bytes.count, InMemoryNetwork.window - ends.values[place].unread)
        ends.values[place].wantsToWrite = count < bytes.count
        ends.values[place].unread += count
        guard count > 0 else { return (0, nil) }
        ends.values[place].queue.append(.bytes([UInt8](copying: bytes.extracting(first: count))))
        let arrival = nextArrival(of: count, after: ends.values[place].lastArrival, now: now)
        ends.values[place].lastArrival = arrival
        return (count, arrival)
    }

    /// Queues the end of a direction behind its bytes; nil if the other end is gone.
    mutating func end(_ connection: ConnectionID, with ending: Segment, now: Instant) -> Instant? {
        dials.remove(connection)
        guard var end = ends[connection] else { return nil }
        if ending.isAbrupt { end.isDeaf = true }
        guard !end.isLost else {
            ends[connection] = nil
            return nil
        }
        guard !end.hasEnded, ends[end.far] != nil else {
            ends[connection] = end.isDeaf && end.queue.isEmpty ? nil : end
            return nil
        }
        end.hasEnded = true
        end.queue.append(ending)
        let arrival = nextArrival(of: 0, after: end.lastArrival, now: now)
        end.lastArrival = arrival
        ends[connection] = end
        return arrival
    }

    /// The segment that is due from `connection`; nil while it is held back or if the other end is gone.
    mutating func nextDelivery(from connection: ConnectionID) -> Delivery? {
        // Changed where it is: taken out, the queue would be copied.
        guard let place = ends.index(forKey: connection), !ends.values[place].isLost,
            let segment = ends.values[place].queue.first
        else { return nil }
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

    /// Order is kept: what is written behind something that was lost waits for it.
    private mutating func nextArrival(of bytes: Int, after last: Instant, now: Instant) -> Instant {
        max(last, now + conditions.drawDelay(of: bytes, using: &randomness))
    }
}
