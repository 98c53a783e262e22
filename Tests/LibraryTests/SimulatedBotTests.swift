import Earshot
import EarshotTesting
import Testing

/// Bots on a network in memory, and peers that return.
@Suite(.timeLimit(.minutes(1))) struct SimulatedBotTests {
    private struct Fault: Error, Equatable {
        var number = 1
    }

    @Test func `An error of a bot reaches the test that lets time pass, once`() async throws {
        let network = try SimulatedNetwork(seed: 31)
        let ada = try await network.join("lobby", as: "ada")
        for number in 1...2 {
            try await network.join("lobby", as: "bot") { room in
                for await event in room.events { if case .message = event { throw Fault(number: number) } }
            }
        }
        try await network.run(for: .seconds(5))
        try await ada.send("go")
        let first = await #expect(throws: Fault.self) { try await network.run(for: .seconds(5)) }
        let second = await #expect(throws: Fault.self) { try await network.run(for: .seconds(5)) }
        #expect(Set([first?.number, second?.number]) == [1, 2])
        try await network.run(for: .seconds(5))
        #expect(await ada.people.isEmpty)
    }

    @Test func `An error of a bot reaches the test that waits for its end, and no other call`() async throws {
        let network = try SimulatedNetwork(seed: 32)
        let bot = try await network.join("lobby", as: "bot") { room in
            try await network.run(for: .seconds(20))
            throw Fault()
        }
        await #expect(throws: Fault()) { try await bot.waitForEnd() }
        #expect(network.elapsed >= .seconds(20))
        try await network.run(for: .seconds(5))
    }

    @Test func `A bot that does not end is cancelled when a test has waited long enough`() async throws {
        let network = try SimulatedNetwork(seed: 33)
        let bot = try await network.join("lobby", as: "bot") { room in
            for await _ in room.events {}
            try Task.checkCancellation()
        }
        await #expect(throws: CancellationError.self) { try await bot.waitForEnd() }
        #expect(network.elapsed >= SimulatedNetwork.callTimeout)
        try await network.run(for: .seconds(5))
    }

    @Test func `A test can see that a bot did not end by itself`() async throws {
        let network = try SimulatedNetwork(seed: 36)
        let bot = try await network.join("lobby", as: "bot") { room in for await _ in room.events {} }
        await #expect(throws: CancellationError.self) { try await bot.waitForEnd() }
    }

    @Test func `A peer that returns with its identity is the same person, in the same conversations`() async throws {
        let network = try SimulatedNetwork(seed: 34)
        let ada = try await network.join("lobby", as: "ada")
        let me = network.makeIdentity()
        // The epoch of a run is drawn: each return has to be a later run than the one before.
        for visit in 1...6 {
            let bob = try await network.join("lobby", as: visit == 1 ? "bob" : nil, identity: me)
            try await network.run(for: .seconds(5))
            let person = try #require(await ada.people.first)
            #expect(person.id == me.id && person.nickname == "bob")
            if visit == 1 {
                let request = try await ada.conversation(with: person).send("may I?")
                let asked = try #require(await bob.events.firstRequest)
                try await asked.accept()
                #expect(request.text == asked.text)
            }
            try await network.run(for: .seconds(5))
            #expect(await bob.conversations.map(\.person?.nickname) == ["ada"])
            try await bob.send("visit \(visit)")
            await network.leave(bob)
            try await network.run(for: .seconds(30))
        }
        #expect(await ada.messages.map(\.text) == (1...6).map { "visit \($0)" })
        #expect(network.makeIdentity().id != me.id)
    }

    @Test func `A peer that shares no history gives none and gets none`() async throws {
        let network = try SimulatedNetwork(seed: 35)
        let ada = try await network.join("lobby", as: "ada")
        try await ada.send("before")
        let bob = try await network.join("lobby", as: "bob", sharesHistory: false)
        let eve = try await network.join("lobby", as: "eve")
        try await network.run(for: .seconds(30))
        #expect(await bob.messages.isEmpty)
        #expect(await eve.messages.map(\.text) == ["before"])
    }
}
