import Chat
import ChatNode
import Noise
import Wire

/// A room full of nodes that talk while the network does its worst: from settings and a seed to a report.
package struct Experiment {
    enum Occasion: Sendable {
        case join(place: Int, identitySeed: UInt64)
        case attack(place: Int, identitySeed: UInt64, ExperimentSettings.Attack)
        /// An address of an attacker that has several.
        case intrude(place: Int, identitySeed: UInt64)
        case say(Int)
        case react(Int)
        case depart
        case grow(place: Int, identitySeed: UInt64)
        case shrink
        case retire(Int)
        case part
        case heal
        case sample
        case massKill
        case countLinks
        case outage
    }

    let settings: ExperimentSettings
    private let topology: Topology
    let simulation: Simulation
    /// Joins several networks; nil for one.
    let broker: SimulatedBroker?
    private let observe: (ExperimentProgress) -> Void
    private let isCalledOff: () -> Bool
    var cast: ExperimentCast
    var randomness: Randomness
    /// Of the reactions alone: all else is drawn as without them.
    var reactionRandomness: Randomness
    private var agenda = TimerHeap<Occasion>()
    var isParted = false
    /// When many nodes were killed at once, or attackers began; nil if neither happened.
    var shockAt: Instant?
    var report: ExperimentReport

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
        SignatureMemory.use()
        randomness = .seeded(settings.seed)
        reactionRandomness = Randomness.seeded(settings.seed).branch(2)
        topology = Experiment.topology(settings)
        simulation = Simulation(
            seed: randomness.next(), conditions: settings.conditions, topology: topology)
        broker = settings.networks > 1 ? SimulatedBroker(simulation) : nil
        cast = ExperimentCast(
            simulation, in: Experiment.rooms(settings), settings: settings, broker: broker,
            memory: Experiment.memory + settings.partition)
        report = ExperimentReport(settings: settings)
    }

    private static func topology(_ settings: ExperimentSettings) -> Topology {
        if settings.networks > 1 { return .separate(settings.networks, of: settings.nodes) }
        return settings.links.map { .limited(places: settings.nodes, links: $0, seed: settings.seed) } ?? .full
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
    /// A crowd has met once the number of its links was the same, about, at so many looks.
    private static let steadyLooks = 5
    private static let crowdLookInterval = Duration.seconds(1)
    private static let observationInterval = Duration.milliseconds(20)

    /// Runs the experiment. Equal settings give equal events, unless it is cancelled.
    package mutating func run() -> ExperimentReport {
        meet()
        let met = cast.totals
        let published = broker?.published ?? 0
        report.linksMet = cast.linkEnds / 2
        planTalk()
        while let next = agenda.nextDeadline, !isCalledOff() { pass(until: next) }
        let overlay = settings.isCrowd ? cast.overlay() : nil
        // Where it was called off, what was said can still come, and nothing is said any more.
        agenda = TimerHeap()
        if isParted { simulation.heal() }
        rest()
        conclude(since: met)
        report.publications = broker.map { $0.published - published }
        if let overlay { concludeCrowd(overlay, since: met) }
        return report
    }

    private mutating func meet() {
        let attacks = attackedPlaces()
        for place in 0..<(settings.growth ?? settings.places) {
            let identitySeed = randomness.next()
            var occasion = Occasion.join(place: place, identitySeed: identitySeed)
            if let attackers = settings.attackers, attacks.contains(place) {
                occasion = .attack(place: place, identitySeed: identitySeed, attackers.attack)
            }
            plan(occasion, after: Experiment.joinInterval * place)
        }
        for place in settings.places..<settings.places + settings.attackerAddresses {
            plan(.intrude(place: place, identitySeed: randomness.next()), after: Experiment.joinInterval * place)
        }
        while let next = agenda.nextDeadline, !isCalledOff() { pass(until: next) }
        if settings.isCrowd { awaitSteadyLinks() } else { awaitAllLinks() }
        // A message is expected at members that were present for a while.
        pass(until: simulation.now + Ledger.settling)
    }

    private mutating func awaitAllLinks() {
        let places = settings.growth ?? settings.places
        let wanted = settings.rooms * (0..<places).reduce(0) { $0 + topology.degree(of: $1, among: places) }
        let end = simulation.now + Experiment.meetingTime
        while cast.linkEnds < wanted, simulation.now < end, !isCalledOff() {
            pass(until: simulation.now + Experiment.lookInterval)
        }
    }

    /// Waits until the nodes of a crowd make hardly any new links: how many there will be is theirs to decide.
    private mutating func awaitSteadyLinks() {
        let end = simulation.now + Experiment.meetingTime
        var (links, looks) = (0, 0)
        while looks < Experiment.steadyLooks, simulation.now < end, !isCalledOff() {
            pass(until: simulation.now + Experiment.crowdLookInterval)
            let ends = cast.linkEnds
            looks = abs(ends - links) * 100 <= ends ? looks + 1 : 0
            if looks == 0 { links = ends }
        }
    }

    /// The places of the attackers, drawn from the seed by themselves: the others are then the same with and without them.
    private func attackedPlaces() -> Set<Int> {
        guard let attackers = settings.attackers else { return [] }
        var randomness = Randomness.seeded(~settings.seed)
        let count = Int(attackers.share * Double(settings.nodes))
        return Set((0..<settings.nodes).shuffled(using: &randomness).prefix(count))
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
        let talk = settings.talk
        planReactions(during: talk)
        if settings.partition > .zero {
            plan(.part, after: talk / 3)
            plan(.heal, after: talk / 3 + settings.partition)
        }
        planDepartures(during: max(talk, settings.partition))
        if let growth = settings.growth { planGrowth(from: growth, during: talk) }
        for moment in moments(perMinute: settings.outagesPerMinute, during: talk) { plan(.outage, after: moment) }
        if settings.isCrowd { planShocks(during: talk) }
        guard let interval = settings.sampling else { return }
        for number in 0...Int(talk / interval) { plan(.sample, after: interval * number) }
    }

    private mutating func planReactions(during talk: Duration) {
        for number in 0..<Int(settings.reactions * (talk / .seconds(1))) {
            let moment = (Double(number) + Double.random(in: 0..<1, using: &reactionRandomness)) / settings.reactions
            plan(.react(number), after: .nanoseconds(Int64(moment * 1e9)))
        }
    }

    private mutating func planShocks(during talk: Duration) {
        if let kill = settings.massKill { plan(.massKill, after: kill.after) }
        if settings.attackers?.attack == .mute {
            shockAt = simulation.now
            cast.revealPretenders()
        }
        for second in 0...Int(talk / .seconds(1)) { plan(.countLinks, after: .seconds(second)) }
    }

    private mutating func planDepartures(during span: Duration) {
        for moment in moments(perMinute: settings.churnPerMinute, during: span) { plan(.depart, after: moment) }
    }

    /// The room grows in the first third of the talk, and shrinks in the last.
    private mutating func planGrowth(from least: Int, during talk: Duration) {
        let count = settings.nodes - least
        for number in 0..<count {
            let pause = talk * number / (3 * count)
            plan(.grow(place: least + number, identitySeed: randomness.next()), after: pause)
            plan(.shrink, after: talk * 2 / 3 + pause)
        }
    }

    /// Random moments at a rate.
    private mutating func moments(perMinute: Double, during span: Duration) -> [Duration] {
        guard perMinute > 0 else { return [] }
        var moments: [Duration] = []
        var moment = 0.0
        while true {
            moment += Double.random(in: 0.5..<1.5, using: &randomness) * 60 / perMinute
            guard moment < span / .seconds(1) else { return moments }
            moments.append(.nanoseconds(Int64(moment * 1e9)))
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
        report.linksLeft = cast.linkEnds / 2
        if settings.reactions > 0 {
            let (count, deliveries) = cast.reactions
            report.reactions = ExperimentReport.Reactions(
                count: count, deliveries: deliveries, sent: totals.reactionsSent - met.reactionsSent)
        }
        report.bytesMean = totals.bytes / max(1, cast.nodeCount)
        report.bytesMost = totals.bytesMost
        report.simulated = simulation.now - Instant(nanoseconds: 0)
        report.events = simulation.timeline.eventCount
    }

    private mutating func concludeCrowd(_ overlay: (linksMean: Int, cutOff: Int), since met: ExperimentCast.Totals) {
        let totals = cast.totals
        var crowd = CrowdFigures()
        crowd.messagesSent = totals.messagesSent - met.messagesSent
        crowd.linksMean = overlay.linksMean
        crowd.linksMost = cast.linksMost
        crowd.cutOff = overlay.cutOff
        crowd.hops = zip(totals.hops, met.hops).map { $0 - $1 }
        crowd.control = totals.control - met.control
        crowd.shock = shockAt.map { shock in
            let lastLate = cast.lastLate(since: shock, bound: CrowdFigures.late)
            return CrowdFigures.Shock(
                recovery: lastLate.map { $0 - shock } ?? .zero,
                afterwards: cast.deliveries(since: shock + CrowdFigures.recoveryTime))
        }
        report.crowd = crowd
    }

    mutating func plan(_ occasion: Occasion, after pause: Duration) {
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
