import Earshot

/// Rolls dice for a room: `roll 2d6` is answered with two numbers and their sum.
public struct DiceBot<Randomness: RandomNumberGenerator & Sendable>: Sendable {
    private var randomness: Randomness

    /// A bot that draws from these numbers.
    public init(_ randomness: Randomness) { self.randomness = randomness }

    /// Answers until the room is left.
    public mutating func run(in room: Room) async throws {
        for await event in room.events {
            guard case .message(let message) = event, !message.isFromCurrentUser,
                let (count, sides) = Self.dice(message.text)
            else { continue }
            let rolls = (0..<count).map { _ in Int.random(in: 1...sides, using: &randomness) }
            let list = rolls.map(String.init).joined(separator: " + ")
            try await message.reply("\(list) = \(rolls.reduce(0, +))")
        }
    }

    /// The number of dice and of their sides in `roll 2d6`; nil for another text.
    static func dice(_ text: String) -> (count: Int, sides: Int)? {
        guard text.hasPrefix("roll ") else { return nil }
        let parts = text.dropFirst(5).split(separator: "d", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let count = parts[0], let sides = parts[1], (1...10).contains(count),
            (2...100).contains(sides)
        else { return nil }
        return (count, sides)
    }
}
