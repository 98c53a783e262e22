import Chat
import ChatNode
import Noise
import Synchronization
import Wire

/// The nodes of an experiment: their places, and the counters of those that are gone.
struct ExperimentCast {
    /// A node in its place.
    struct Member {
        let number: Int
        let peer: SimulatedPeer
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
    }

    private final class Book: Sendable {
        let ledger: Mutex<Ledger>

        init(memory: Duration) { ledger = Mutex(Ledger(memory: memory)) }
    }

    private let simulation: Simulation
    private let book: Book
    private(set) var present: [Int: Member] = [:]
    private var leaving: [Int: Member] = [:]
    /// Of all who are there or were, since what the latter have sent may still be under way.
    private(set) var hosts: [(place: Int, host: HostID)] = []
    private var gone = Totals()

    /// - Parameter memory: for how long what was said is followed.
    init(_ simulation: Simulation, memory: Duration) {
        self.simulation = simulation
        book = Book(memory: memory)
    }

    var deliveries: Deliveries { book.ledger.withLock(\.deliveries) }
    var missed: Int { book.ledger.withLock(\.missed) }
    var messageCount: Int { book.ledger.withLock(\.messageCount) }
    var showingCount: Int { book.ledger.withLock(\.showingCount) }
    var nodeCount: Int { book.ledger.withLock(\.nodeCount) }

    /// Those who are there and not about to go, by their places.
    var members: [Member] { present.values.sorted { $0.place < $1.place } }

    /// A node comes; its limits on rates are lifted, so that the network is what is seen.
    mutating func join(at place: Int, identitySeed: UInt64) {
        let number = book.ledger.withLock { $0.arrive(at: simulation.now) }
        let peer = simulation.node(
            "node-\(number)", identitySeed: identitySeed, place: place,
            configure: {
                $0.messagesPerSecond = 0
                $0.handshakesPerSecond = 0
            },
            listener: { [book, timeline = simulation.timeline] batch in
                let now = timeline.now
                book.ledger.withLock { ledger in
                    for event in batch { ledger.note(event, by: number, now: now) }
                }
            })
        hosts.append((place, peer.host))
        present[place] = Member(number: number, peer: peer, place: place, identitySeed: identitySeed)
    }

    /// A node begins to leave politely; `retire` has to follow.
    mutating func leave(_ member: Member) {
        present[member.place] = nil
        leaving[member.number] = member
        note(departureOf: member)
        member.peer.leave()
    }

    mutating func kill(_ member: Member) {
        present[member.place] = nil
        note(departureOf: member, isKilled: true)
        member.peer.kill()
        count(member, into: &gone)
        simulation.forget(member.peer)
    }

    /// A node that began to leave has left.
    mutating func retire(_ number: Int) {
        guard let member = leaving.removeValue(forKey: number) else { return }
        count(member, into: &gone)
        simulation.forget(member.peer)
    }

    /// For each table the largest size among the first `count` nodes.
    func tableSizes(ofFirst count: Int) -> [String: Int] {
        members.prefix(count).reduce(into: [:]) { most, member in
            most.merge(member.peer.with { node in node.tableSizes() }, uniquingKeysWith: max)
        }
    }

    private func note(departureOf member: Member, isKilled: Bool = false) {
        book.ledger.withLock { $0.depart(member.number, at: simulation.now, isKilled: isKilled) }
    }

    /// How many peers all nodes that are there have a link to, added up.
    var online: Int { present.values.reduce(0) { $0 + $1.peer.with { node in node.online() } } }

    /// The counters of all nodes, present or gone.
    var totals: Totals {
        var totals = gone
        for member in leaving.values { count(member, into: &totals) }
        totals.connections = 0
        for member in present.values { count(member, into: &totals) }
        return totals
    }

    private func count(_ member: Member, into totals: inout Totals) {
        let counters = member.peer.with { node in node.statistics() }
        let values = Dictionary(counters.map { ($0.metric, $0.value) }, uniquingKeysWith: +)
        let bytes = values[.bytesSent] ?? 0
        totals.payloadsSent += (values[.payloadsSent] ?? 0) + (values[.historySent] ?? 0)
        totals.handshakes += values[.handshakesDone] ?? 0
        totals.connections += values[.connections] ?? 0
        totals.bytes += bytes
        totals.bytesMost = max(totals.bytesMost, bytes)
    }
}
