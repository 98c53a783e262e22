import Chat
import Noise
import Simulator
import Wire

@testable import ChatNode

/// Processes with a node in each of two rooms, in which a script happens: the first room is open, the second one private. One
/// process may have the wrong key of the second, and is then alone in a third.
final class InteractionProcesses {
    let script: InteractionScript
    let simulation: Simulation
    private(set) var rooms: [InteractionRoom] = []
    /// By seat; false for a process that has ended.
    private var isRunning: [Bool]
    private var groups: [Int]
    private var isReading: [Bool]
    private var textCount = 0
    /// The names under which a node has the address of a node of another room.
    private var misdials: [(of: InteractionWitness, name: String)] = []

    init(_ script: InteractionScript) {
        self.script = script
        simulation = Simulation(seed: script.seed, latency: script.latency, loss: script.loss)
        isRunning = Array(repeating: true, count: script.people)
        groups = Array(repeating: 0, count: script.people)
        isReading = Array(repeating: true, count: script.people)
        var randomness = Randomness.seeded(script.seed)
        let own = [Room.lobby] + (0..<2).compactMap { _ in InteractionProcesses.kitchen(&randomness) }
        rooms = own.enumerated().map { InteractionRoom(number: $0.offset, $0.element, of: self) }
        for seat in 0..<script.people { begin(seat, asTheSame: true) }
    }

    private static func kitchen(_ randomness: inout Randomness) -> Room? {
        let key = try? RoomKey(reading: RoomKey.generate(using: &randomness), forRoomNamed: "kitchen")
        return key.map { Room("kitchen", key: $0) }
    }

    /// Runs the script, then lets it be quiet, and tells every promise that was broken.
    func play() -> [String] {
        let haveAllMet = waitForMeeting()
        for step in script.steps { take(step) }
        for (witness, name) in misdials { witness.peer.with { node in node.discovered(.lost(instance: name)) } }
        for seat in isReading.indices { setReading(seat, true) }
        heal()
        let meetsAgain = waitForMeeting()
        waitForOneLinkEach()
        // A peer that was asked and went is given 5 s, several times over, before another is asked.
        simulation.advance(by: .seconds(60))
        var breaches = rooms.flatMap { room in room.verdict(wasMisdialled: !misdials.isEmpty) } + looks()
        if !haveAllMet { breaches.append("they did not meet in the beginning") }
        if !meetsAgain { breaches.append("they did not meet in the end") }
        return breaches
    }

    /// No text is said twice, so that one is known by its text.
    func nextText(_ what: String) -> String {
        textCount += 1
        return "\(what) \(textCount)"
    }

    /// Whether two seats reach each other now.
    func canReach(_ one: Int, _ other: Int) -> Bool {
        groups[one] == groups[other] && isReading[one] && isReading[other]
    }

    /// The node of a seat in another room, whose addresses a new one of the seat has.
    func neighbour(of seat: Int) -> SimulatedPeer? { rooms.lazy.compactMap { $0.present[seat]?.peer }.first }

    /// The rooms that a process with the right key is in, or one with the wrong key.
    private func rooms(of seat: Int) -> [InteractionRoom] { [rooms[0], room(1, of: seat)] }

    private func room(_ number: Int, of seat: Int) -> InteractionRoom {
        number == 1 && seat == script.stranger ? rooms[2] : rooms[number]
    }

    /// Puts every node into its part of the partition, leavers too: their last words are still under way.
    func regroup() {
        let sides = [0, 1].map { side in
            rooms.flatMap { room in room.lives.filter { groups[$0.seat] == side }.map(\.peer.host) }
        }
        simulation.network.partition(sides)
        for witness in rooms.flatMap(\.allWitnesses) {
            simulation.network.setReading(isReading[witness.seat], at: witness.peer.host)
        }
    }
}

/// Performs each step of a script.
extension InteractionProcesses {
    private func take(_ step: InteractionScript.Step) {
        switch step.kind {
        case .pass(let duration): simulation.advance(by: duration)
        case .open(let seat, _), .openPublic(let seat): look(seat, step)
        case .partition, .heal, .breakConnections, .stopReading, .readAgain: disturb(by: step.kind)
        case .kill(let seat): end(seat) { $0.kill() }
        case .leave(let seat): end(seat) { $0.leave() }
        case .start(let seat, let asTheSame): start(seat, asTheSame)
        case .join(let seat, let asTheSame): join(seat, step.room, asTheSame)
        case .part(let seat): part(seat, step.room)
        case .misdial(let seat, let at): misdial(seat, at, step.room)
        case .say, .direct, .accept, .decline, .leaveDirect, .edit, .delete, .reply, .react, .card, .removeCard, .mute,
            .unmute, .rename, .away:
            room(step.room, of: step.kind.seat).take(step.kind)
        }
        for witness in rooms.flatMap(\.allWitnesses) { witness.catchUp() }
    }

    /// The user opens a conversation of a room, and looks at no conversation of the others any more.
    private func look(_ seat: Int, _ step: InteractionScript.Step) {
        let room = room(step.room, of: seat)
        guard room.present[seat] != nil else { return }
        lookAway(seat, from: room)
        room.take(step.kind)
    }

    private func lookAway(_ seat: Int, from opened: InteractionRoom) {
        for other in rooms(of: seat) where other !== opened { other.present[seat]?.lookAway() }
    }

    private func begin(_ seat: Int, asTheSame: Bool) {
        for (index, room) in rooms(of: seat).enumerated() {
            room.start(seat, asTheSame: asTheSame)
            if index > 0 { room.present[seat]?.lookAway() }
        }
    }

    private func start(_ seat: Int, _ asTheSame: Bool) {
        guard !isRunning[seat] else { return }
        isRunning[seat] = true
        // Of two runs of an identity the later one began later.
        simulation.advance(by: .milliseconds(20))
        begin(seat, asTheSame: asTheSame)
    }

    private func end(_ seat: Int, _ body: (SimulatedPeer) -> Void) {
        guard isRunning[seat] else { return }
        for room in rooms(of: seat) { room.end(seat, body) }
        isRunning[seat] = false
        isReading[seat] = true
    }

    private func join(_ seat: Int, _ number: Int, _ asTheSame: Bool) {
        let room = room(number, of: seat)
        guard isRunning[seat], room.present[seat] == nil else { return }
        simulation.advance(by: .milliseconds(20))
        lookAway(seat, from: room)
        room.start(seat, asTheSame: asTheSame)
    }

    /// A process that leaves its last room ends, which is another step.
    private func part(_ seat: Int, _ number: Int) {
        guard rooms(of: seat).allSatisfy({ $0.present[seat] != nil }) else { return }
        room(number, of: seat).end(seat) { $0.leave() }
    }

    /// A node gets the address of a node in another room, as from a liar or by `--peer`. The one with the wrong key calls the
    /// members, and they call it.
    private func misdial(_ seat: Int, _ other: Int, _ number: Int) {
        let isKeyWrong = [seat, other].contains(script.stranger)
        let (from, at) = (room(number, of: seat), room(isKeyWrong ? 1 : 1 - number, of: other))
        guard from !== at, let caller = from.present[seat], let called = at.present[other] else { return }
        let name = nextText("misdial")
        misdials.append((caller, name))
        let endpoint = simulation.network.endpoints(of: called.peer.host)[0]
        caller.peer.with { node in node.discovered(.found(instance: name, endpoint: endpoint)) }
    }

    private func disturb(by step: Interaction) {
        switch step {
        case .partition(let seats):
            for seat in groups.indices { groups[seat] = seats.contains(seat) ? 1 : 0 }
            disturbAll()
            regroup()
        case .heal: heal()
        case .breakConnections(let one, let other):
            for room in rooms { room.breakConnections(one, other) }
            simulation.advance(by: .zero)
        case .stopReading(let seat): setReading(seat, false)
        case .readAgain(let seat): setReading(seat, true)
        case .say, .direct, .accept, .decline, .leaveDirect, .edit, .delete, .reply, .react, .card, .removeCard, .open,
            .openPublic, .mute, .unmute, .rename, .away, .pass, .kill, .leave, .start, .join, .part, .misdial:
            break
        }
    }

    private func disturbAll() {
        for room in rooms {
            for witness in room.allWitnesses { room.disturb(witness) }
        }
    }

    private func heal() {
        for seat in groups.indices { groups[seat] = 0 }
        disturbAll()
        simulation.heal()
        regroup()
    }

    private func setReading(_ seat: Int, _ reads: Bool) {
        isReading[seat] = reads
        for room in rooms(of: seat) {
            guard let witness = room.present[seat] else { continue }
            room.disturb(witness)
            simulation.network.setReading(reads, at: witness.peer.host)
        }
    }
}

/// The conditions of the end, and the rules for a process.
extension InteractionProcesses {
    /// Until every node has a link with every other of its room and nothing is under way.
    private func waitForMeeting() -> Bool {
        let hasMet = simulation.run(atMost: .seconds(200)) { [self] in
            rooms.map(\.allWitnesses).allSatisfy { witnesses in
                witnesses.allSatisfy { $0.peer.with { node in node.chat.roster.online } == witnesses.count - 1 }
            }
        }
        simulation.advance(by: script.longestDelivery + .seconds(5))
        return hasMet
    }

    /// A dial that failed often, as it does where a round trip takes seconds, may still be tried again, and replace a link.
    private func waitForOneLinkEach() {
        _ = simulation.run(atMost: .seconds(300)) { [self] in
            rooms.map(\.allWitnesses).allSatisfy { witnesses in
                let others = witnesses.count - 1
                return witnesses.allSatisfy {
                    $0.peer.with { node in node.connections.count == others && node.parts.links.halfOpen == 0 }
                }
            }
        }
    }

    /// At most one conversation of a process is looked at, in whichever room.
    private func looks() -> [String] {
        (0..<script.people).compactMap { seat in
            let active = rooms.compactMap { $0.present[seat]?.peer }.flatMap { peer in
                peer.with { node in node.chat.summaries }.filter(\.isActive)
            }
            return active.count > 1 ? "seat \(seat) looks at \(active.count) conversations" : nil
        }
    }
}
