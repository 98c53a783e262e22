import Chat
import Noise
import Simulator
import Wire

@testable import ChatNode

/// One of the rooms in which a script happens, and what is to be expected of it.
final class InteractionRoom {
    /// A message that a witness has to be shown, if nothing came between the two.
    struct Expectation {
        let id: MessageID
        let text: String
        let from: InteractionWitness
        let to: InteractionWitness
        let at: Instant
    }

    /// Two lives, in either order.
    struct Pair: Hashable {
        private let first: Int
        private let second: Int

        init(_ one: InteractionWitness, _ other: InteractionWitness) {
            (first, second) = (min(one.number, other.number), max(one.number, other.number))
        }
    }

    private unowned let processes: InteractionProcesses
    let number: Int
    let room: Room
    let script: InteractionScript
    let simulation: Simulation
    /// By seat; nil for a process that is not in this room.
    var present: [InteractionWitness?]
    var lives: [InteractionWitness] = []
    /// The expected public conversation: the last text of each message, nil for a deleted one; its author, and the order.
    var said: [MessageID: String?] = [:]
    var order: [(id: MessageID, author: InteractionWitness)] = []
    /// The texts that were sent to a peer directly, with their senders.
    var saidDirectly: [PeerID: [PeerID: Set<String>]] = [:]
    /// By message: its receiver, if it is direct.
    var directTargets: [MessageID: PeerID] = [:]
    var expectations: [Expectation] = []
    var directExpectations: [Expectation] = []
    /// When something came between two, the network or a change of their minds.
    var disturbances: [Pair: [Instant]] = [:]
    var mindChanges: [Pair: [Instant]] = [:]
    var identitySeeds: [UInt64]
    /// The muted lives of each life, by number.
    var muted: Set<[Int]> = []
    var everMuted: Set<[Int]> = []
    /// The declined requests: a declined request is shown as a message if its receiver asks in turn later.
    var declined: Set<[Int]> = []

    init(number: Int, _ room: Room, of processes: InteractionProcesses) {
        self.processes = processes
        self.number = number
        self.room = room
        script = processes.script
        simulation = processes.simulation
        present = Array(repeating: nil, count: script.people)
        let first = script.seed &* 1_000 &+ UInt64(number) << 48
        identitySeeds = (0..<script.people).map { first &+ UInt64($0) }
    }

    var allWitnesses: [InteractionWitness] { present.compactMap(\.self) }

    func nextText(_ what: String) -> String { processes.nextText(what) }

    func start(_ seat: Int, asTheSame: Bool) {
        if !asTheSame { identitySeeds[seat] &+= 100 }
        // The file of an identity keeps the epoch of its last run.
        let epochs = lives.filter { $0.seat == seat }.map { $0.peer.with { node in node.epoch } }
        let peer = simulation.node(
            "seat-\(seat)", clockError: script.clockErrors[seat], identitySeed: identitySeeds[seat],
            minimumEpoch: (epochs.max() ?? 0) + 1, beside: processes.neighbour(of: seat),
            configure: { [isPaced = script.isPaced, room] in
                $0.room = room
                if !isPaced { $0.messagesPerSecond = 0 }
                $0.handshakesPerSecond = 0
            })
        let witness = InteractionWitness(number: lives.count, seat: seat, peer: peer)
        // Marks belong to the key: a peer that returns under its key is still muted.
        let before = Set(lives.filter { $0.peer.key == peer.key }.map(\.number))
        for pair in muted where before.contains(pair[1]) { muted.insert([pair[0], witness.number]) }
        for pair in everMuted where before.contains(pair[1]) { everMuted.insert([pair[0], witness.number]) }
        lives.append(witness)
        present[seat] = witness
        processes.regroup()
        simulation.directory.introduce(peer.host)
        disturb(witness)
    }

    /// The process of a seat ends, or leaves this room.
    func end(_ seat: Int, _ body: (SimulatedPeer) -> Void) {
        guard let witness = present[seat] else { return }
        witness.catchUp()
        disturb(witness)
        body(witness.peer)
        present[seat] = nil
    }

    func breakConnections(_ one: Int, _ other: Int) {
        guard let first = present[one], let second = present[other] else { return }
        disturb(first, second)
        simulation.network.breakConnections(between: first.peer.host, and: second.peer.host)
    }

    /// A barrier comes between one node and all others.
    func disturb(_ one: InteractionWitness) {
        for other in lives where other !== one { disturb(one, other) }
    }

    func disturb(_ one: InteractionWitness, _ other: InteractionWitness) {
        disturbances[Pair(one, other), default: []].append(simulation.now)
    }

    func changeMind(_ one: InteractionWitness, _ other: InteractionWitness) {
        mindChanges[Pair(one, other), default: []].append(simulation.now)
    }

    /// Whether two are undisturbed now, as far as can be seen from outside.
    func areTogether(_ one: InteractionWitness, _ other: InteractionWitness) -> Bool {
        processes.canReach(one.seat, other.seat)
            && one.hasLink(to: other) && other.hasLink(to: one)
            && !muted.contains([other.number, one.number])
    }

    /// Notes a new message for every witness that it has to reach.
    func expect(_ id: MessageID, _ text: String, from author: InteractionWitness) {
        for other in allWitnesses where other !== author && areTogether(author, other) {
            expectations.append(Expectation(id: id, text: text, from: author, to: other, at: simulation.now))
        }
    }

    /// Whether nothing came between for as long as a message may take, before and after it.
    func holds(_ expectation: Expectation) -> Bool {
        let span = script.longestDelivery
        let pair = Pair(expectation.from, expectation.to)
        return !(disturbances[pair] ?? []).contains { $0 + span >= expectation.at && $0 <= expectation.at + span }
    }
}
