import Chat
import ChatNode
import Noise
import Wire

/// A room full of nodes that talk while the network does its worst: from settings and a seed to a report.
package struct Experiment {
    private enum Occasion: Sendable {
        case join(place: Int, identitySeed: UInt64)
        case say(Int)
        case depart
        case retire(Int)
        case part
        case heal
        case sample
    }

    private let settings: ExperimentSettings
    private let topology: Topology
    private let simulation: Simulation
    private let observe: (ExperimentProgress) -> Void
    private let isCalledOff: () -> Bool
    private var cast: ExperimentCast
    private var randomness: Randomness
    private var agenda = TimerHeap<Occasion>()
    private var isParted = false
    private var report: ExperimentReport

    /// - Parameters:
    ///   - observe: takes the progress, many times a second of the simulated world.
    ///   - isCalledOff: true ends the run; called before each event.
    package init(
        _ settings: ExperimentSettings, observe: @escaping (ExperimentProgress) -> Void = { _ in },
        isCalledOff: @escaping () -> Bool = { false }
    ) {
        self.settings = settings
        self.observe = observe
        self.isCalledOff = isCalledOff
        randomness = .seeded(settings.seed)
        topology =
            settings.links.map { .limited(places: settings.nodes, links: $0, seed: settings.seed) } ?? .full
        simulation = Simulation(
            seed: randomness.next(), latency: settings.latency, loss: settings.loss, topology: topology)
        cast = ExperimentCast(
            simulation, in: Experiment.rooms(settings), memory: Experiment.memory + settings.partition)
        report = ExperimentReport(settings: settings)
    }

    /// Between two nodes that start.
    static let joinInterval = Duration.milliseconds(10)
    /// How long nodes may take to meet, and messages to come once all is said and healed.
    static let meetingTime = Duration.seconds(60)
    static let restTime = Duration.seconds(120)
    /// Messages are followed for at least this long, and through a partition: longer than the room's history takes to fill.
    static let memory = Duration.seconds(1_800)
    /// Beyond the 10 s that leaving politely takes at most.
    static let leavingTime = Duration.seconds(12)
    /// How often it is looked whether everything that was waited for has come.
    private static let lookInterval = Duration.milliseconds(100)
    private static let observationInterval = Duration.milliseconds(20)

    /// Runs the experiment. Equal settings give equal events, unless it is cancelled.
    package mutating func run() -> ExperimentReport {
        meet()
        let met = cast.totals
        report.linksMet = cast.online / 2
        planTalk()
        while let next = agenda.nextDeadline, !isCalledOff() { pass(until: next) }
        // Where it was called off, what was said can still come, and nothing is said any more.
        agenda = TimerHeap()
        if isParted { simulation.heal() }
        rest()
        conclude(since: met)
        return report
    }

    private mutating func meet() {
        for place in 0..<settings.nodes {
            plan(.join(place: place, identitySeed: randomness.next()), after: Experiment.joinInterval * place)
        }
        while let next = agenda.nextDeadline { pass(until: next) }
        let wanted =
            settings.rooms * (0..<settings.nodes).reduce(0) { $0 + topology.degree(of: $1, among: settings.nodes) }
        let end = simulation.now + Experiment.meetingTime
        while cast.online < wanted, simulation.now < end, !isCalledOff() {
            pass(until: simulation.now + Experiment.lookInterval)
        }
        // A message is expected at those who were there for a while.
        pass(until: simulation.now + Ledger.settling)
    }

    /// The open room that a user gets without asking for another, then private rooms with keys drawn from the seed.
    private static func rooms(_ settings: ExperimentSettings) -> [Room] {
        var randomness = Randomness.seeded(settings.seed)
        return [.lobby]
            + (1..<settings.rooms).map { number in
                let name = "room-\(number)"
                do throws(RoomKeyError) {
                    let key = try RoomKey(reading: RoomKey.generate(using: &randomness), forRoomNamed: name)
                    return Room(name, key: key)
                } catch {
                    preconditionFailure("a generated key is refused: \(error)")
                }
            }
    }

    private mutating func planTalk() {
        let interval = 1 / settings.rate
        for number in 0..<settings.messages {
            let moment = (Double(number) + Double.random(in: 0..<1, using: &randomness)) * interval
            plan(.say(number), after: .nanoseconds(Int64(moment * 1e9)))
        }
        let talk = Duration.nanoseconds(Int64(Double(settings.messages) * interval * 1e9))
        if settings.partition > .zero {
            plan(.part, after: talk / 3)
            plan(.heal, after: talk / 3 + settings.partition)
        }
        planDepartures(during: max(talk, settings.partition))
        guard let interval = settings.sampling else { return }
        for number in 0...Int(talk / interval) { plan(.sample, after: interval * number) }
    }

    private mutating func planDepartures(during span: Duration) {
        guard settings.churnPerMinute > 0 else { return }
        var moment = 0.0
        while true {
            moment += Double.random(in: 0.5..<1.5, using: &randomness) * 60 / settings.churnPerMinute
            guard moment < span / .seconds(1) else { return }
            plan(.depart, after: .nanoseconds(Int64(moment * 1e9)))
        }
    }

    /// Waits until all has come that is expected, as long as that is likely.
    private mutating func rest() {
        let end = simulation.now + Experiment.restTime
        while cast.missed > 0, simulation.now < end {
            pass(until: simulation.now + .seconds(1))
        }
    }

    private mutating func conclude(since met: ExperimentCast.Totals) {
        let totals = cast.totals
        report.messages = cast.messageCount
        report.deliveries = cast.deliveries
        report.strays = cast.strays
        report.payloadsSent = totals.payloadsSent - met.payloadsSent
        report.linksMade = (totals.handshakes - met.handshakes) / 2
        report.linksLeft = cast.online / 2
        report.bytesMean = totals.bytes / max(1, cast.nodeCount)
        report.bytesMost = totals.bytesMost
        report.simulated = simulation.now - Instant(nanoseconds: 0)
        report.events = simulation.timeline.eventCount
    }

    private mutating func plan(_ occasion: Occasion, after pause: Duration) {
        agenda.insert(occasion, at: simulation.now + pause)
    }

    /// Lets time pass, and does what is on the agenda until then.
    private mutating func pass(until end: Instant) {
        while true {
            let due = min(agenda.nextDeadline ?? end, end)
            while simulation.now < due {
                let step = min(due - simulation.now, Experiment.observationInterval)
                simulation.advance(by: step)
                observe(progress)
            }
            for occasion in agenda.removeDue(at: simulation.now) { hold(occasion) }
            if simulation.now >= end { return }
        }
    }

    private var progress: ExperimentProgress {
        ExperimentProgress(
            simulated: simulation.now - Instant(nanoseconds: 0), nodes: cast.present.count,
            messages: cast.messageCount, shown: cast.showingCount)
    }
}

/// Events of the agenda.
extension Experiment {
    private mutating func hold(_ occasion: Occasion) {
        switch occasion {
        case .join(let place, let identitySeed): join(place, identitySeed)
        case .say(let number): say(number)
        case .depart: depart()
        case .retire(let number): cast.retire(number)
        case .part:
            isParted = true
            applyPartition()
        case .heal:
            isParted = false
            simulation.heal()
        case .sample:
            let sizes = cast.tableSizes(ofFirst: settings.residents)
            report.samples.append(TableSample(at: simulation.now - Instant(nanoseconds: 0), sizes: sizes))
        }
    }

    private mutating func join(_ place: Int, _ identitySeed: UInt64) {
        cast.join(at: place, identitySeed: identitySeed)
        guard isParted else { return }
        applyPartition()
        for peer in cast.present[place]?.peers ?? [] { simulation.directory.introduce(peer.host) }
    }

    /// Every second place is on the other side.
    private func applyPartition() {
        let halves = [0, 1].map { half in cast.hosts.filter { $0.place % 2 == half }.map(\.host) }
        simulation.network.partition(halves)
    }

    private mutating func say(_ number: Int) {
        guard let speaker = cast.members.randomElement(using: &randomness) else { return }
        let room = settings.rooms == 1 ? 0 : Int.random(in: 0..<settings.rooms, using: &randomness)
        try? speaker.peers[room].say("message \(number + 1) of \(settings.messages)")
    }

    /// Half of those who go are killed, and half of those who come are who went.
    private mutating func depart() {
        let guests = cast.members.filter { $0.place >= settings.residents }
        guard let member = guests.randomElement(using: &randomness) else { return }
        if Bool.random(using: &randomness) {
            cast.kill(member)
            report.killed += 1
        } else {
            cast.leave(member)
            plan(.retire(member.number), after: Experiment.leavingTime)
            report.left += 1
        }
        report.joined += 1
        let identitySeed = Bool.random(using: &randomness) ? member.identitySeed : randomness.next()
        let pause = Duration.milliseconds(Int.random(in: 200...5_000, using: &randomness))
        plan(.join(place: member.place, identitySeed: identitySeed), after: pause)
    }
}
