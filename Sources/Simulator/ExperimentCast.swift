import Chat
import ChatNode
import Noise
import Synchronization
import Wire

/// The processes of an experiment: their nodes and places, and the counters of those that are gone.
struct ExperimentCast {
    /// A process in its place.
    struct Member {
        let number: Int
        /// Its node in each room.
        let peers: [SimulatedPeer]
        let place: Int
        let identitySeed: UInt64
    }

    /// Sums of the nodes' counters.
    struct Totals {
        var payloadsSent = 0
        var handshakes = 0
        var bytes = 0
        var bytesMost = 0
        var connections = 0
        var messagesSent = 0
        var reactionsSent = 0
        var hops = [Int](repeating: 0, count: 8)
        var control = ControlTally()
    }

    /// A ledger for each room. A process has the same number in all of them.
    private final class Book: Sendable {
        private struct State {
            var ledgers: [Ledger]
            /// Of the reactions of all rooms.
            var reactions: Ledger
            var strays = 0
        }

        private let state: Mutex<State>

        init(rooms: Int, memory: Duration) {
            let ledger = Ledger(memory: memory)
            state = Mutex(State(ledgers: Array(repeating: ledger, count: rooms), reactions: ledger))
        }

        func sum(_ value: (Ledger) -> Int) -> Int { state.withLock { $0.ledgers.reduce(0) { $0 + value($1) } } }

        var strays: Int { state.withLock(\.strays) }

        var missed: Int {
            state.withLock { state in state.ledgers.reduce(state.reactions.missed) { $0 + $1.missed } }
        }

        /// How many reactions were given, and their deliveries.
        var reactions: (count: Int, deliveries: Deliveries) {
            state.withLock { ($0.reactions.messageCount, $0.reactions.deliveries) }
        }

        var deliveries: Deliveries {
            state.withLock { state in
                state.ledgers.dropFirst().reduce(into: state.ledgers[0].deliveries) { $0.add($1.deliveries) }
            }
        }

        func deliveries(since instant: Instant) -> Deliveries {
            state.withLock { state in
                state.ledgers.reduce(into: Deliveries()) { $0.add($1.deliveries(since: instant)) }
            }
        }

        func lastLate(since instant: Instant, bound: Duration) -> Instant? {
            state.withLock { state in
                state.ledgers.compactMap { $0.lastLate(since: instant, bound: bound) }.max()
            }
        }

        /// The number of a process that starts.
        func arrive(at now: Instant) -> Int {
            state.withLock { state in
                for room in state.ledgers.indices { _ = state.ledgers[room].arrive(at: now) }
                return state.reactions.arrive(at: now)
            }
        }

        func depart(_ number: Int, at now: Instant, isKilled: Bool) {
            state.withLock { state in
                for room in state.ledgers.indices { state.ledgers[room].depart(number, at: now, isKilled: isKilled) }
                state.reactions.depart(number, at: now, isKilled: isKilled)
            }
        }

        func record(_ batch: [NodeEvent], by number: Int, in room: Int, now: Instant) {
            state.withLock { state in
                for event in batch {
                    state.ledgers[room].record(event, by: number, now: now)
                    state.reactions.record(reaction: event, by: number, now: now)
                    guard case .message(let message) = event, case .publicRoom = message.conversation else { continue }
                    let isStray = state.ledgers.indices.contains { $0 != room && state.ledgers[$0].follows(message.id) }
                    if isStray { state.strays += 1 }
                }
            }
        }
    }

    private let simulation: Simulation
    private let rooms: [Room]
    private let isLimited: Bool
    /// The set-up of the bridge at a place; nil for a place that has none.
    private let bridge: (Int) -> BridgeSetup?
    private let vanishes: Bool
    private let book: Book
    private(set) var present: [Int: Member] = [:]
    private var leaving: [Int: Member] = [:]
    /// Of all who are there or were, since what the latter have sent may still be under way.
    private(set) var hosts: [(place: Int, host: HostID)] = []
    private var gone = Totals()
    private let slowReaders: ExperimentSettings.SlowReaders?
    private let slowPlaces: Set<Int>
    private var attackers: [Attacker] = []
    /// The instance names of an attacker's addresses.
    private let ownNames = Attacker.Names()
    /// Attackers that behave until the talk begins.
    private var pretenders: [SimulatedPeer] = []
    /// The most links that a node had at any look.
    private(set) var linksMost = 0

    /// - Parameters:
    ///   - rooms: that each process is in.
    ///   - broker: joins the networks; nil for one network.
    ///   - memory: for how long what was said is followed.
    init(
        _ simulation: Simulation, in rooms: [Room], settings: ExperimentSettings, broker: SimulatedBroker?,
        memory: Duration
    ) {
        self.simulation = simulation
        self.rooms = rooms
        isLimited = settings.isLimited
        vanishes = settings.vanishes
        slowReaders = settings.slowReaders
        slowPlaces = ExperimentCast.slowPlaces(settings)
        var randomness = Randomness.seeded(~settings.seed)
        let key = BridgeKey(using: &randomness)
        bridge = { $0 % settings.nodes == 0 ? broker?.bridge(key) : nil }
        book = Book(rooms: rooms.count, memory: memory)
    }

    /// Drawn from the seed by themselves: all else is then drawn as without them.
    private static func slowPlaces(_ settings: ExperimentSettings) -> Set<Int> {
        guard let slow = settings.slowReaders else { return [] }
        var randomness = Randomness.seeded(settings.seed).branch(1)
        let count = Int(slow.share * Double(settings.places))
        return Set((0..<settings.places).shuffled(using: &randomness).prefix(count))
    }

    var deliveries: Deliveries { book.deliveries }
    var missed: Int { book.missed }
    var reactions: (count: Int, deliveries: Deliveries) { book.reactions }
    var messageCount: Int { book.sum(\.messageCount) }
    var showingCount: Int { book.sum(\.showingCount) }
    var nodeCount: Int { book.sum(\.nodeCount) }
    var strays: Int { book.strays }

    func deliveries(since instant: Instant) -> Deliveries { book.deliveries(since: instant) }

    /// As `Ledger.lastLate`, of all rooms.
    func lastLate(since instant: Instant, bound: Duration) -> Instant? { book.lastLate(since: instant, bound: bound) }

    /// Those who are there and not about to go, by their places.
    var members: [Member] { present.values.sorted { $0.place < $1.place } }

    /// A process comes. Unless they are asked for, the limits of its nodes on rates are lifted, so that the network is what is
    /// seen.
    mutating func join(at place: Int, identitySeed: UInt64) {
        let number = book.arrive(at: simulation.now)
        let bridge = bridge(place)
        var peers: [SimulatedPeer] = []
        for (index, room) in rooms.enumerated() {
            let peer = simulation.node(
                "node-\(number)", identitySeed: identitySeed &+ UInt64(index), place: place, beside: peers.first,
                configure: { [isLimited] in
                    $0.room = room
                    ($0.bridge, $0.consentsToBridges) = (bridge, true)
                    if !isLimited { ($0.messagesPerSecond, $0.handshakesPerSecond) = (0, 0) }
                },
                listener: { [book, timeline = simulation.timeline] batch in
                    book.record(batch, by: number, in: index, now: timeline.now)
                })
            peers.append(peer)
            hosts.append((place, peer.host))
            if let slowReaders, slowPlaces.contains(place) {
                simulation.network.setReadingRate(slowReaders.rate, of: peer.host)
            }
        }
        present[place] = Member(number: number, peers: peers, place: place, identitySeed: identitySeed)
    }

    /// A process begins to leave politely; `retire` has to follow.
    mutating func leave(_ member: Member) {
        present[member.place] = nil
        leaving[member.number] = member
        record(departureOf: member)
        for peer in member.peers { peer.leave() }
    }

    /// - Parameter isReset: true if its links are reset instead of closed. Where killed nodes vanish, neither happens.
    mutating func kill(_ member: Member, isReset: Bool = false) {
        present[member.place] = nil
        record(departureOf: member, isKilled: true)
        for peer in member.peers {
            if vanishes { peer.vanish() } else { peer.kill(isReset: isReset) }
        }
        count(member, into: &gone)
        for peer in member.peers { simulation.forget(peer) }
    }

    /// A process that began to leave has left.
    mutating func retire(_ number: Int) {
        guard let member = leaving.removeValue(forKey: number) else { return }
        count(member, into: &gone)
        for peer in member.peers { simulation.forget(peer) }
    }

    /// For each table the largest size among the nodes of the first `count` processes.
    func tableSizes(ofFirst count: Int) -> [String: Int] {
        members.prefix(count).flatMap(\.peers).reduce(into: [:]) { most, peer in
            most.merge(peer.with { node in Examination.tableSizes(of: node) }, uniquingKeysWith: max)
        }
    }

    private func record(departureOf member: Member, isKilled: Bool = false) {
        book.depart(member.number, at: simulation.now, isKilled: isKilled)
    }

    /// How many peers all nodes that are there have a link to, added up.
    var linkEnds: Int {
        present.values.flatMap(\.peers).reduce(0) {
            $0 + $1.with { node in Examination.overlay(of: node).linked.count }
        }
    }

    /// The counters of all nodes, present or gone.
    var totals: Totals {
        var totals = gone
        for member in leaving.values { count(member, into: &totals) }
        totals.connections = 0
        for member in present.values { count(member, into: &totals) }
        return totals
    }

    private func count(_ member: Member, into totals: inout Totals) {
        for peer in member.peers { count(peer, into: &totals) }
    }

    private func count(_ peer: SimulatedPeer, into totals: inout Totals) {
        let counters = peer.with { node in node.statistics() }
        let values = Dictionary(counters.map { ($0.metric, $0.value) }, uniquingKeysWith: +)
        let bytes = values[.bytesSent] ?? 0
        totals.payloadsSent += (values[.payloadsSent] ?? 0) + (values[.historySent] ?? 0)
        totals.handshakes += values[.handshakesDone] ?? 0
        totals.connections += values[.connections] ?? 0
        totals.bytes += bytes
        totals.bytesMost = max(totals.bytesMost, bytes)
        let sample = peer.with { node in Examination.overlay(of: node) }
        totals.messagesSent += sample.messagesSent
        totals.reactionsSent += sample.reactionsSent
        totals.control += sample.control
        for (index, count) in sample.hops.enumerated() { totals.hops[index] += count }
    }
}

/// The overlay, and the attackers in it.
extension ExperimentCast {
    /// A member of the first room comes that does harm.
    mutating func joinAttacker(at place: Int, identitySeed: UInt64, _ attack: ExperimentSettings.Attack) {
        if attack == .mute {
            let peer = simulation.node(
                "node-\(place)", identitySeed: identitySeed, place: place,
                configure: { [isLimited] in
                    if !isLimited { ($0.messagesPerSecond, $0.handshakesPerSecond) = (0, 0) }
                }, listener: { _ in })
            pretenders.append(peer)
            hosts.append((place, peer.host))
        } else {
            start(
                Attacker(
                    attack, in: rooms[0], timeline: simulation.timeline, network: simulation.network,
                    directory: simulation.directory, place: place, seed: identitySeed))
        }
    }

    /// One more address of an attacker comes. It fills the links of the nodes, and leaves its other addresses alone.
    mutating func intrude(at place: Int, identitySeed: UInt64) {
        start(
            Attacker(
                .fill, in: rooms[0], timeline: simulation.timeline, network: simulation.network,
                directory: simulation.directory, place: place, seed: identitySeed, beside: ownNames))
    }

    private mutating func start(_ attacker: Attacker) {
        simulation.timeline.perform { attacker.start() }
        attackers.append(attacker)
        hosts.append((attacker.place, attacker.host))
    }

    /// Attackers that behaved until now send nothing more.
    func revealPretenders() {
        for peer in pretenders { peer.with { node in Examination.silence(node) } }
    }

    /// Looks how many links each node has.
    mutating func countLinks() {
        let most =
            present.values.flatMap(\.peers).map { $0.with { node in Examination.overlay(of: node).linked.count } }.max()
            ?? 0
        linksMost = max(linksMost, most)
    }

    /// The links of a node on average, in thousandths, and the nodes that are cut off from the largest part of their room.
    func overlay() -> (linksMean: Int, cutOff: Int) {
        var (count, nodes, cutOff) = (0, 0, 0)
        for room in rooms.indices {
            let peers = members.map { $0.peers[room] }
            let links = peers.map { ($0.key, $0.with { node in Examination.overlay(of: node) }.linked) }
            count += links.reduce(0) { $0 + $1.1.count }
            nodes += links.count
            cutOff += CrowdFigures.countCutOff(Dictionary(links) { first, _ in first })
        }
        return (nodes == 0 ? 0 : (count * 1_000 + nodes / 2) / nodes, cutOff)
    }
}
