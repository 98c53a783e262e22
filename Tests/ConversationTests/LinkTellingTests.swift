import ChatNode
import Testing

/// The links that a node reports to its discovery.
@Suite struct LinkTellingTests {
    @Test func `discovery knows the instance of each linked peer while the link is up`()
        async throws
    {
        let world = TCPWorld()
        let alice = try await world.person("alice") { _ in }
        let bob = try await world.person("bob") { _ in }
        let carol = try await world.person("carol") { _ in }
        let people = [alice, bob, carol]
        #expect(
            await world.wait(atMost: .seconds(20)) { people.allSatisfy { $0 === alice || $0.told.hasSeen(alice) } })
        @Sendable func owners(_ number: Int) -> Int {
            guard let name = world.discoveries[number].name else { return 0 }
            return world.discoveries[0].linked.count { $0.owns(name) }
        }
        #expect(await world.wait(atMost: .seconds(20)) { owners(1) == 1 && owners(2) == 1 })
        #expect(owners(0) == 0)
        await bob.leave()
        #expect(await world.wait(atMost: .seconds(20)) { owners(1) == 0 })
        #expect(owners(2) == 1)
        await world.close()
        #expect(world.discoveries[0].linked.isEmpty)
    }
}
