import Chat
import Noise
import Simulator
import Testing
import Wire

@testable import ChatNode

/// Presence in a crowd (Protocol.md section 13).
struct CrowdTests {
    @Test(arguments: [40, 80]) func `all are in the roster of all a few seconds after they came together`(
        count: Int
    ) {
        let room = CrowdRoom(count, seed: UInt64(count))
        #expect(room.gather(within: .seconds(12)))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `all are in the roster of all a minute after a mesh became a crowd`(seed: UInt64) {
        let simulation = Simulation(seed: seed)
        let people = (0..<40).map { simulation.node("p\($0)") }
        simulation.advance(by: .seconds(75))
        let counts = Set(people.map(\.online))
        #expect(counts == [39])
    }

    @Test func `a newcomer has the whole roster, and is in all rosters, within 5 s`() {
        let room = CrowdRoom(30, seed: 2)
        #expect(room.gather(within: .seconds(20)))
        room.simulation.advance(by: .seconds(100))
        let carol = room.join("carol")
        #expect(room.gather(within: .seconds(5)))
        #expect(carol.rows.count == 30)
        #expect(carol.linkCount <= 8)
    }

    @Test func `one that leaves is gone for all, and does not come back`() {
        let room = CrowdRoom(30, seed: 3)
        #expect(room.gather(within: .seconds(20)))
        let alice = room.people[7]
        alice.leave()
        room.remove(alice)
        #expect(room.gather(within: .seconds(5)))
        room.simulation.advance(by: .seconds(120))
        #expect(room.holders(of: alice) == 0)
    }

    @Test func `one that vanishes is here until its presence lapses, whatever its links say`() {
        let room = CrowdRoom(16, seed: 4)
        #expect(room.gather(within: .seconds(20)))
        let alice = room.people[5]
        alice.kill()
        room.remove(alice)
        room.simulation.advance(by: .seconds(230))
        #expect(room.holders(of: alice) == room.people.count)
        let linked = room.people.filter { $0.isOnline(alice) }
        #expect(linked.isEmpty)
        room.simulation.advance(by: .seconds(690))
        #expect(room.holders(of: alice) == 0)
        // The others have signed again meanwhile.
        let counts = Set(room.people.map(\.online))
        #expect(counts == [room.people.count - 1])
    }

    @Test func `a name and a reason to be away reach all, over links or not`() throws {
        let room = CrowdRoom(30, seed: 5)
        #expect(room.gather(within: .seconds(20)))
        let alice = room.people[9]
        try alice.rename("small-fox")
        alice.setAway(true, reason: "at lunch")
        room.simulation.advance(by: .seconds(5))
        for other in room.people where other !== alice {
            let row = other.person(alice)
            #expect(row?.who.nickname == "small-fox")
            #expect(row?.state == .away)
            #expect(row?.reason == "at lunch")
        }
    }

    @Test func `arrivals and departures are counted, and told of contacts and marked peers alone`() throws {
        let room = CrowdRoom(25, later: 3, seed: 6)
        #expect(room.gather(within: .seconds(20)))
        let bob = room.people[0]
        let (friend, stranger) = (room.people[12], room.people[18])
        let key = friend.key
        bob.with { node in node.change(.verified(key, true)) }
        room.simulation.advance(by: .seconds(60))
        let before = bob.events.count
        friend.leave()
        stranger.leave()
        _ = room.join("newcomer")
        room.simulation.advance(by: .seconds(40))
        #expect(bob.presence(of: friend).last?.hasSuffix("left") == true)
        let told = bob.presence(of: stranger).filter { $0.hasSuffix("left") }
        #expect(told.isEmpty)
        var movements = Movements()
        var online = 0
        for event in bob.events.dropFirst(before) {
            guard case .crowd(let came, let left, let now) = event else { continue }
            movements.came += came
            movements.left += left
            online = now
        }
        #expect(movements == Movements(came: 1, left: 2))
        #expect(online == 23)
        let here = bob.rows.count { $0.state != .left }
        #expect(here == 23)
    }

    @Test func `the list of a crowd has the count and the 64 peers heard last`() throws {
        let room = CrowdRoom(70, seed: 7)
        #expect(room.gather(within: .seconds(20)))
        let bob = room.people[0]
        let speaker = room.people[65]
        try speaker.rename("speaker")
        room.simulation.advance(by: .seconds(5))
        let rows = bob.rows
        #expect(rows.count == 64)
        #expect(bob.online == 69)
        #expect(rows.first?.who.nickname == "speaker")
    }

    @Test func `typing in the room is not sent`() {
        let room = CrowdRoom(16, seed: 8)
        #expect(room.gather(within: .seconds(20)))
        room.people[3].type()
        room.simulation.advance(by: .seconds(2))
        #expect(room.people[3].counter("sent_typing") == 0)
    }

    @Test func `back in a small room the links decide about presence, and each peer has an event`() throws {
        let room = CrowdRoom(12, links: 11, seed: 9)
        #expect(room.gather(within: .seconds(20)))
        for peer in room.people { peer.with { node in node.setMode(.mesh) } }
        let bob = room.people[0]
        let alice = try #require(room.people.dropFirst().first { bob.isOnline($0) })
        let before = bob.events.count
        alice.kill()
        room.simulation.advance(by: .seconds(90))
        let departures = bob.events.dropFirst(before).filter { event in
            if case .peer(.left, let who, _, _, _) = event { who.key == alice.key } else { false }
        }
        #expect(departures.count == 1)
        #expect(!bob.knows(alice))
    }
}
