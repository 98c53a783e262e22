import DiceBot
import Earshot
import EarshotTesting
import Testing

struct DiceBotTests {
    /// Counts up.
    struct Counting: RandomNumberGenerator {
        var number: UInt64 = 0

        mutating func next() -> UInt64 {
            number &+= 0x2000_0000_0000_0000
            return number
        }
    }

    /// A room with a bot and a user, two seconds after they have met.
    private func room() async throws -> (SimulatedNetwork, Room) {
        let network = try SimulatedNetwork(seed: 1)
        let ada = try await network.join("lobby", as: "ada")
        try await network.join("lobby", as: "dice") { room in
            var bot = DiceBot(Counting())
            try await bot.run(in: room)
        }
        try await network.run(for: .seconds(5))
        return (network, ada)
    }

    @Test func rollsWhatIsAskedFor() async throws {
        let (network, ada) = try await room()
        let question = try await ada.send("roll 2d6")
        try await network.run(for: .seconds(1))
        let answer = try #require(await ada.messages.last)
        #expect(answer.author.nickname == "dice")
        #expect(answer.replyTo == question.id)
        #expect(answer.text == "1 + 2 = 3")
    }

    @Test(arguments: ["roll", "roll d6", "roll 2d", "roll 11d6", "roll 2d1", "enroll 2d6", "roll 2d6d6"])
    func leavesOtherTextsAlone(text: String) async throws {
        let (network, ada) = try await room()
        try await ada.send(text)
        try await network.run(for: .seconds(2))
        #expect(await ada.messages.map(\.text) == [text])
    }

    @Test func answersAllOfACrowdThatAsksAtOnce() async throws {
        let (network, ada) = try await room()
        let bob = try await network.join("lobby", as: "bob")
        for _ in 1...20 {
            try await ada.send("roll 1d6")
            try await bob.send("roll 1d6")
        }
        try await network.run(for: .seconds(60))
        #expect(await ada.messages.count { $0.author.nickname == "dice" } == 40)
    }

    @Test func answersOnceTheNetworkIsWhole() async throws {
        let network = try SimulatedNetwork(seed: 2, latency: .milliseconds(50)...(.milliseconds(400)), loss: 0.3)
        let ada = try await network.join("lobby", as: "ada")
        try await network.join("lobby", as: "dice") { room in
            var bot = DiceBot(Counting())
            try await bot.run(in: room)
        }
        try await network.run(for: .seconds(30))
        await network.partition([ada])
        try await ada.send("roll 2d6")
        try await network.run(for: .seconds(10))
        #expect(await ada.messages.count == 1)
        await network.heal()
        try await network.run(for: .seconds(120))
        #expect(await ada.messages.count == 2)
    }
}
