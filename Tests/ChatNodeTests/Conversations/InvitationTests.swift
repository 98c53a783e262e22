import Chat
import Noise
import Simulator
import Testing
import Wire

@testable import ChatNode

/// Invitations to rooms, and what a presence says besides name and state.
@Suite struct InvitationTests {
    private let simulation = Simulation(seed: 83)
    private let alice: SimulatedPeer
    private let bob: SimulatedPeer

    init() throws {
        alice = simulation.node("alice", identitySeed: 7)
        bob = simulation.node("bob", identitySeed: 8)
        try #require(simulation.meet(alice, bob))
        simulation.advance(by: .seconds(1))
    }

    private static func attic() throws -> Room {
        let key = Array("a pass phrase of ours".utf8)
        let text = Secret(count: key.count, protection: .transient) { text in
            for index in key.indices { text[index] = key[index] }
        }
        return Room("attic", key: try RoomKey(reading: text, forRoomNamed: "attic"))
    }

    private func pass(_ seconds: Double = 1) { simulation.advance(by: .seconds(seconds)) }

    private func befriend() throws {
        try alice.say("may I?", to: bob)
        pass()
        try bob.accept(alice)
        pass()
    }

    private func invite(_ peer: SimulatedPeer, _ other: SimulatedPeer, to room: Room) throws(ChatError) {
        try peer.with { [key = other.key] node throws(ChatError) in try node.perform(.invite(key, to: room)) }
    }

    private func invitations(of peer: SimulatedPeer) -> [Room] {
        peer.events.compactMap { if case .invitation(_, let room, isThere: _) = $0 { room } else { nil } }
    }

    private func awaitsReceipts(from peer: SimulatedPeer) -> Bool {
        alice.with { [key = peer.key] node in node.chat.awaitsReceipts(from: key) }
    }

    @Test func `an invited peer gets the room with its secret, once, and no message`() throws {
        try befriend()
        let attic = try Self.attic()
        try invite(alice, bob, to: attic)
        try invite(bob, alice, to: .lobby)
        pass(120)
        let told = invitations(of: bob)
        #expect(told.map(\.name) == ["attic"])
        #expect(told.allSatisfy { $0.isPrivate && $0.isSame(as: attic) && $0.tag == attic.tag })
        #expect(invitations(of: alice).allSatisfy { !$0.isPrivate && $0.isSame(as: .lobby) })
        #expect(invitations(of: alice).count == 1)
        for (peer, other) in [(alice, bob), (bob, alice)] { #expect(peer.texts(.direct(other.key)) == ["may I?"]) }
    }

    @Test func `an invitation waits for a peer that is away, until it acknowledges`() throws {
        try befriend()
        let accepted = bob.accepted
        bob.kill()
        simulation.forget(bob)
        pass(5)
        try invite(alice, bob, to: .lobby)
        let again = simulation.node("bob", identitySeed: 8, accepted: accepted, minimumEpoch: 1)
        try #require(simulation.meet(again, alice))
        pass(2)
        #expect(invitations(of: again).count == 1)
        #expect(!awaitsReceipts(from: again))
    }

    @Test func `none is sent before acceptance, nor to a blocked peer, and of a stranger none is shown`() throws {
        #expect(throws: ChatError.self) { try invite(alice, bob, to: .lobby) }
        try befriend()
        try alice.with { [key = bob.key] node throws(ChatError) in try node.perform(.leave(key)) }
        pass()
        #expect(throws: ChatError.self) { try invite(alice, bob, to: .lobby) }
        // Bob has not noticed: the invitation is answered by another departure.
        alice.block(bob)
        #expect(throws: ChatError.self) { try invite(alice, bob, to: .lobby) }
        pass()
        #expect(invitations(of: bob).isEmpty)
    }

    @Test func `of a muted peer it is acknowledged and not shown`() throws {
        try befriend()
        bob.mute(alice)
        try invite(alice, bob, to: .lobby)
        pass(2)
        #expect(invitations(of: bob).isEmpty)
        #expect(!awaitsReceipts(from: bob))
    }

    @Test func `a profile is seen by those who ask, and a muted peer's is not`() throws {
        let profile = Profile(about: "빨간 모자", rooms: ["kitchen", "차고"])
        alice.with { $0.change(.profile(profile)) }
        pass()
        #expect(bob.row(of: alice)?.profile == profile)
        #expect(bob.with { node in node.chat.roster.announcedRooms } == ["kitchen": 1, "차고": 1])
        #expect(bob.presence(of: alice) == ["alice here"])
        bob.mute(alice)
        #expect(bob.row(of: alice)?.profile == Profile())
        #expect(bob.with { node in node.chat.roster.announcedRooms }.isEmpty)
        bob.mute(alice, false)
        alice.leave()
        pass(5)
        #expect(bob.with { node in node.chat.roster.announcedRooms }.isEmpty)
    }

    @Test func `a later peer learns the profile with the first presence`() throws {
        alice.with { $0.change(.profile(Profile(about: "here since noon"))) }
        pass()
        let carol = simulation.node("carol")
        try #require(simulation.meet(carol, alice))
        pass()
        #expect(carol.row(of: alice)?.profile.about == "here since noon")
    }
}

/// The user's own names for peers, and marks from another room.
@Suite struct ContactTests {
    private let simulation = Simulation(seed: 84)
    private let alice: SimulatedPeer
    private let bob: SimulatedPeer

    init() throws {
        alice = simulation.node("alice")
        bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        simulation.advance(by: .seconds(1))
    }

    @Test func `a contact is found by the user's name before any nickname`() throws {
        let carol = simulation.node("Robert")
        try #require(simulation.meet(alice, bob, carol))
        alice.with { [key = bob.key] in $0.change(.contacts([key: "Robert"])) }
        #expect(alice.find("Robert") == bob.key)
        #expect(alice.find("bob") == bob.key)
        #expect(alice.row(of: bob)?.who.contact == "Robert")
        try bob.say("hello")
        simulation.advance(by: .seconds(1))
        #expect(alice.messages.last?.from.contact == "Robert")
        alice.with { $0.change(.contacts([:])) }
        #expect(alice.find("Robert") == carol.key)
    }

    @Test func `a block that is adopted ends the link, and one that is taken back lets the peer in again`() throws {
        alice.with { [key = bob.key] in $0.change(.marks(PeerMarks(blocked: MarkedPeers([key])))) }
        simulation.advance(by: .seconds(2))
        #expect(!alice.isOnline(bob))
        #expect(!bob.isOnline(alice))
        alice.with { [key = bob.key] in $0.change(.marks(PeerMarks(verified: MarkedPeers([key])))) }
        simulation.advance(by: .seconds(120))
        #expect(alice.isOnline(bob))
        #expect(alice.row(of: bob)?.isVerified == true)
    }
}
