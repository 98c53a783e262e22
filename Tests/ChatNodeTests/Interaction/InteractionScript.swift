import Noise
import Wire

/// One thing that happens in a fuzzed room. People are named by their seats; what makes no sense just now is passed over.
enum Interaction: Hashable, Sendable {
    case say(Int)
    case direct(Int, to: Int)
    case accept(Int, of: Int)
    case decline(Int, of: Int)
    case leaveDirect(Int, with: Int)
    /// The message is one of the sender's own, counted from its last.
    case edit(Int, back: Int)
    case delete(Int, back: Int)
    /// Answers one of the last messages that the room has shown it, counted from its last.
    case reply(Int, back: Int)
    /// Gives one of them an emoji, the one with this place in a list, or takes it back.
    case react(Int, back: Int, Int, isOn: Bool)
    case card(Int)
    case removeCard(Int)
    case open(Int, with: Int)
    case openPublic(Int)
    case mute(Int, of: Int)
    case unmute(Int, of: Int)
    case rename(Int)
    case away(Int, Bool)
    case pass(Duration)
    case partition(with: [Int])
    case heal
    case breakConnections(Int, Int)
    case stopReading(Int)
    case readAgain(Int)
    case kill(Int)
    case leave(Int)
    case start(Int, asTheSame: Bool)
    /// A running process enters a room that it is not in, or leaves one of its two.
    case join(Int, asTheSame: Bool)
    case part(Int)
    /// A node gets the address of a node in another room.
    case misdial(Int, at: Int)

    /// Whether it touches the network or who is there; the other kinds only talk.
    var isDisturbance: Bool {
        switch self {
        case .partition, .heal, .breakConnections, .stopReading, .readAgain, .kill, .leave, .start, .join, .part: true
        case .say, .direct, .accept, .decline, .leaveDirect, .edit, .delete, .reply, .react, .card, .removeCard, .open,
            .openPublic, .mute, .unmute, .rename, .away, .pass, .misdial:
            false
        }
    }

    /// The seat that acts; 0 where none does.
    var seat: Int {
        switch self {
        case .say(let seat), .direct(let seat, _), .accept(let seat, _), .decline(let seat, _),
            .leaveDirect(let seat, _), .edit(let seat, _), .delete(let seat, _), .reply(let seat, _),
            .react(let seat, _, _, _), .card(let seat), .removeCard(let seat), .open(let seat, _),
            .openPublic(let seat), .mute(let seat, _), .unmute(let seat, _), .rename(let seat), .away(let seat, _),
            .breakConnections(let seat, _), .stopReading(let seat), .readAgain(let seat), .kill(let seat),
            .leave(let seat), .start(let seat, _), .join(let seat, _), .part(let seat), .misdial(let seat, _):
            seat
        case .pass, .partition, .heal: 0
        }
    }
}

/// Steps of 2 to 6 processes in two rooms, drawn from a seed.
struct InteractionScript: Sendable {
    /// A step, in the first room or the second; what touches a whole process or the network happens in both.
    struct Step: Hashable, Sendable {
        let room: Int
        let kind: Interaction
    }

    let seed: UInt64
    let people: Int
    /// The seat with another key of the second room; nil if all have the same.
    let stranger: Int?
    let latency: ClosedRange<Duration>
    let loss: Double
    /// By seat.
    let clockErrors: [Duration]
    let isPaced: Bool
    /// No node comes or goes, and the network only delays: then all nodes end with equal rooms.
    let isCalm: Bool
    var steps: [Step] = []

    init(seed: UInt64, steps count: Int = 60) {
        self.seed = seed
        var randomness = Randomness.seeded(seed)
        people = Int.random(in: 2...6, using: &randomness)
        latency =
            [
                .milliseconds(1)...(.milliseconds(20)), .zero...(.zero), .milliseconds(50)...(.milliseconds(400)),
                .milliseconds(1)...(.milliseconds(1_500)),
            ].randomElement(using: &randomness) ?? .zero...(.zero)
        loss = Int.random(in: 0..<4, using: &randomness) == 0 ? 0.05 : 0
        clockErrors = (0..<people).map { _ in
            .milliseconds(Bool.random(using: &randomness) ? 0 : Int.random(in: -60_000...60_000, using: &randomness))
        }
        isPaced = Bool.random(using: &randomness)
        isCalm = Int.random(in: 0..<4, using: &randomness) == 0
        let seat = Int.random(in: 0..<people, using: &randomness)
        stranger = Bool.random(using: &randomness) ? seat : nil
        while steps.count < count {
            let step = draw(using: &randomness)
            if isCalm && step.isDisturbance { continue }
            steps.append(Step(room: Int.random(in: 0..<2, using: &randomness), kind: step))
        }
    }

    /// How long a message may be under way where nothing holds it up but latency and loss.
    var longestDelivery: Duration {
        .seconds(4) + latency.upperBound * 6 + (loss > 0 ? .seconds(26) : .zero)
    }

    private func draw(using randomness: inout Randomness) -> Interaction {
        let one = Int.random(in: 0..<people, using: &randomness)
        let other = (one + Int.random(in: 1..<people, using: &randomness)) % people
        switch Int.random(in: 0..<100, using: &randomness) {
        case 0..<25: return .say(one)
        case 25..<50: return .pass(drawPause(using: &randomness))
        case 50..<85: return drawTalk(one, other, using: &randomness)
        default: return drawDisturbance(one, other, using: &randomness)
        }
    }

    private func drawPause(using randomness: inout Randomness) -> Duration {
        let longest = [20, 400, 3_000, 15_000, 100_000]
        // The longest is longer than a dead link is kept.
        let index = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4].randomElement(using: &randomness) ?? 0
        return .milliseconds(Int.random(in: 0...longest[index], using: &randomness))
    }

    private func drawTalk(_ one: Int, _ other: Int, using randomness: inout Randomness) -> Interaction {
        let back = Int.random(in: 0..<3, using: &randomness)
        switch Int.random(in: 0..<30, using: &randomness) {
        case 0..<6: return .direct(one, to: other)
        case 6..<9: return .accept(one, of: other)
        case 9: return .decline(one, of: other)
        case 10: return .leaveDirect(one, with: other)
        case 11..<14: return .edit(one, back: back)
        case 14..<16: return .delete(one, back: back)
        case 16: return .open(one, with: other)
        case 17..<19: return .openPublic(one)
        case 19: return .mute(one, of: other)
        case 20: return .unmute(one, of: other)
        case 21..<23: return .reply(one, back: back)
        case 23..<27:
            let emoji = Int.random(in: 0..<4, using: &randomness)
            return .react(one, back: back, emoji, isOn: Int.random(in: 0..<3, using: &randomness) > 0)
        case 27: return .card(one)
        case 28: return .removeCard(one)
        default: return Bool.random(using: &randomness) ? .rename(one) : .away(one, Bool.random(using: &randomness))
        }
    }

    private func drawDisturbance(_ one: Int, _ other: Int, using randomness: inout Randomness) -> Interaction {
        switch Int.random(in: 0..<16, using: &randomness) {
        case 0: return .partition(with: (0..<people).filter { _ in Bool.random(using: &randomness) })
        case 1..<3: return .heal
        case 3..<5: return .breakConnections(one, other)
        case 5: return .stopReading(one)
        case 6: return .readAgain(one)
        case 7: return .kill(one)
        case 8: return .leave(one)
        case 9: return .part(one)
        case 10, 11: return .join(one, asTheSame: Bool.random(using: &randomness))
        case 12: return .misdial(one, at: other)
        default: return .start(one, asTheSame: Bool.random(using: &randomness))
        }
    }
}

extension InteractionScript: CustomStringConvertible {
    var description: String {
        let key = stranger.map { "seat \($0) has another key" } ?? "one key"
        let head =
            "seed \(seed): \(people) people, \(key), latency \(latency), loss \(loss), calm \(isCalm), paced \(isPaced)"
        return ([head] + steps.enumerated().map { "  \($0.offset): room \($0.element.room), \($0.element.kind)" })
            .joined(separator: "\n")
    }
}
