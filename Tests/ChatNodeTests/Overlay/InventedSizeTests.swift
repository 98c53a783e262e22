import Chat
import Noise
import Simulator
import Testing
import Wire

@testable import ChatNode

/// Statements of one machine about the size of a room (Threats.md).
@Suite struct InventedSizeTests {
    private let simulation = Simulation(seed: 49)
    private let alice: SimulatedPeer
    private let bob: SimulatedPeer

    init() throws {
        (alice, bob) = (simulation.node("alice"), simulation.node("bob"))
        try #require(simulation.meet(alice, bob))
    }

    /// Members that are all on one machine, and have a link with alice each.
    private func machine(of count: UInt64, seed: UInt64) throws -> [RudeMember] {
        var members: [RudeMember] = []
        for number in 0..<count {
            let member = RudeMember(simulation: simulation, seed: seed + number, on: members.first?.host)
            try #require(member.enter(by: alice, in: simulation))
            members.append(member)
        }
        return members
    }

    private func send(_ frame: [UInt8], by members: [RudeMember]) {
        simulation.timeline.perform { for member in members { member.send(frame) } }
        simulation.advance(by: .seconds(1))
    }

    private var isCrowd: Bool { alice.with { node in node.parts.finder.isOverlay } }

    private var hello: [UInt8] {
        var hello = Hello(isOverlay: true)
        hello.known = 200
        return TreeFrame.hello(hello).bytes
    }

    @Test func `four links of one machine make no crowd of a room of two`() throws {
        let members = try machine(of: 4, seed: 820)
        send(hello, by: members)
        simulation.advance(by: .seconds(10))
        #expect(!isCrowd && members.allSatisfy { !$0.isClosed })
    }

    @Test func `nor do contacts that one machine tells of, or its links`() throws {
        let members = try machine(of: 5, seed: 830)
        for (number, member) in members.enumerated() {
            let contacts = (0..<8).map { place in
                ContactsFrame.NodeContact(
                    peer: ChoiceTown.peer(2_000 + number * 8 + place),
                    endpoint: Endpoint(address: [10, 1, UInt8(number), UInt8(place + 1)], port: 5_000))
            }
            send(ContactsFrame(contacts: contacts).bytes, by: [member])
        }
        simulation.advance(by: .seconds(10))
        #expect(!isCrowd && members.allSatisfy { !$0.isClosed })
    }

    @Test func `three machines that say so make one, as in a room that mDNS shows a part of`() throws {
        let members = try ([840, 850, 860] as [UInt64]).flatMap { try machine(of: 1, seed: $0) }
        send(hello, by: members)
        simulation.advance(by: .seconds(10))
        #expect(isCrowd && members.allSatisfy { !$0.isClosed })
    }

    @Test func `one host with many addresses keeps no node alone among neighbours that give it the room`() {
        let room = CrowdRoom(14, links: 6, seed: 57)
        #expect(room.gather(within: .seconds(30)))
        let peer = room.people[0]
        let (size, isAlone) = peer.with { node in
            for number in 0..<60 {
                let address = [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [UInt8(number)]
                let endpoint = Endpoint(address: address, port: 5_000, scope: 2)
                node.discovered(.found(instance: "host-\(number)", endpoint: endpoint, weight: 128))
            }
            let isAlone = node.parts.finder.isAlone(
                node.parts.spread.neighbours, online: node.chat.roster.online, now: node.scheduler.now)
            return (node.parts.finder.roomSize, isAlone)
        }
        #expect(size >= 60 * 128 && !isAlone)
    }
}
