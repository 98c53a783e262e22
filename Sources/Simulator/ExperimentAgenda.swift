import Chat
import ChatNode
import Noise
import Wire

/// Events of the agenda.
extension Experiment {
    mutating func hold(_ occasion: Occasion) {
        switch occasion {
        case .join(let place, let identitySeed): join(place, identitySeed)
        case .attack(let place, let identitySeed, let attack):
            cast.joinAttacker(at: place, identitySeed: identitySeed, attack)
        case .intrude(let place, let identitySeed): cast.intrude(at: place, identitySeed: identitySeed)
        case .say(let number): say(number)
        case .react(let number): react(number)
        case .depart: depart()
        case .grow(let place, let identitySeed):
            join(place, identitySeed)
            report.joined += 1
        case .shrink: _ = dismissGuest()
        case .retire(let number): cast.retire(number)
        case .part:
            isParted = true
            applyPartition()
        case .heal:
            isParted = false
            if settings.isCrowd, shockAt == nil { shockAt = simulation.now }
            simulation.heal()
        case .sample:
            let sizes = cast.tableSizes(ofFirst: settings.residents)
            report.samples.append(TableSample(at: simulation.now - Instant(nanoseconds: 0), sizes: sizes))
        case .massKill: killMany()
        case .countLinks: cast.countLinks()
        case .outage:
            let place = Int.random(in: 0..<settings.networks, using: &randomness)
            broker?.interrupt(place, for: Experiment.outageTime)
        }
    }

    /// How long a bridge is without its broker: about as long as the connection to another one takes.
    private static let outageTime = Duration.milliseconds(700)

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

    /// A random member gives an emoji to one of the latest messages that it shows and has not reacted to.
    private mutating func react(_ number: Int) {
        guard let member = cast.members.randomElement(using: &reactionRandomness) else { return }
        let room = settings.rooms == 1 ? 0 : Int.random(in: 0..<settings.rooms, using: &reactionRandomness)
        let emoji = Experiment.emojis[number % Experiment.emojis.count]
        guard
            let message = member.peers[room].reactable(of: Experiment.latest).randomElement(using: &reactionRandomness)
        else {
            return
        }
        try? member.peers[room].react(emoji, to: message)
    }

    private static let emojis = ["👍", "❤️", "😂", "🎉", "😮"]
    /// The messages that are on a screen.
    private static let latest = 20

    /// Residents are spared.
    private mutating func killMany() {
        guard let kill = settings.massKill else { return }
        shockAt = simulation.now
        let count = Int(kill.share * Double(cast.members.count))
        let guests = cast.members.filter { $0.place >= settings.residents }
        for member in guests.shuffled(using: &randomness).prefix(count) {
            cast.kill(member, isReset: true)
            report.killed += 1
        }
    }

    /// Half of those who come are who went.
    private mutating func depart() {
        guard let member = dismissGuest() else { return }
        report.joined += 1
        let identitySeed = Bool.random(using: &randomness) ? member.identitySeed : randomness.next()
        let pause = Duration.milliseconds(Int.random(in: 200...5_000, using: &randomness))
        plan(.join(place: member.place, identitySeed: identitySeed), after: pause)
    }

    /// A random node goes; half of those who do are killed.
    private mutating func dismissGuest() -> ExperimentCast.Member? {
        let guests = cast.members.filter { $0.place >= settings.residents }
        guard let member = guests.randomElement(using: &randomness) else { return nil }
        if Bool.random(using: &randomness) {
            cast.kill(member)
            report.killed += 1
        } else {
            cast.leave(member)
            plan(.retire(member.number), after: Experiment.leavingTime)
            report.left += 1
        }
        return member
    }
}
