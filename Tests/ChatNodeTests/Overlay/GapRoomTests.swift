import Chat
import Noise
import Simulator
import Testing
import Wire

@testable import ChatNode

/// Small rooms in which not each node has a link with each other (Protocol.md section 13).
@Suite struct GapRoomTests {
    @Test(arguments: [2, 3, 5], [Star.Passage.open, .oneWay, .closed])
    func `the leaves of a star hear each other live and in order`(leaves: Int, passage: Star.Passage) throws {
        let star = Star(leaves: leaves, passage)
        #expect(star.simulation.run(atMost: .seconds(15)) { star.isGathered })
        star.simulation.advance(by: .seconds(3))
        #expect(star.isComplete == (passage != .closed))
        #expect(star.modes == [passage == .closed ? .relaying : .mesh])
        let texts = try star.talk(6)
        for peer in star.nodes {
            let (shown, history) = OverlayRoom.shown(peer)
            #expect(shown == texts && history == 0, "\(history) of \(shown.count) as history")
        }
    }

    @Test(arguments: [Star.Passage.open, .oneWay])
    func `leaves that can dial each other have links within seconds, and the centre may leave`(
        passage: Star.Passage
    ) throws {
        let star = Star(leaves: 4, passage)
        #expect(star.simulation.run(atMost: .seconds(15)) { star.isComplete })
        star.centre.leave()
        star.simulation.advance(by: .seconds(20))
        for leaf in star.leaves { #expect(star.leaves.allSatisfy { $0 === leaf || leaf.isOnline($0) }) }
        try star.leaves[0].say("without a centre")
        star.simulation.advance(by: .milliseconds(100))
        for leaf in star.leaves { #expect(leaf.texts() == ["without a centre"]) }
        #expect(star.leaves.allSatisfy { OverlayRoom.shown($0).history == 0 })
    }

    @Test func `leaves without a link request, accept and answer`() throws {
        let star = Star(leaves: 3, .closed)
        #expect(star.simulation.run(atMost: .seconds(15)) { star.isGathered })
        let (alice, bob) = (star.leaves[0], star.leaves[2])
        try alice.say("may I?", to: bob)
        star.simulation.advance(by: .milliseconds(100))
        try bob.accept(alice)
        star.simulation.advance(by: .milliseconds(100))
        try bob.say("of course", to: alice)
        star.simulation.advance(by: .milliseconds(100))
        for (peer, other) in [(alice, bob), (bob, alice)] {
            #expect(peer.texts(.direct(other.key)) == ["may I?", "of course"])
        }
        #expect(!alice.isOnline(bob) && star.leaves[1].texts(.direct(alice.key)).isEmpty)
        // The texts are of use to neither side as endpoints: a dial is known to fail.
        #expect(alice.guestCount + bob.guestCount == 0)
    }

    @Test func `edits, deletions, names and absences pass the centre`() throws {
        let star = Star(leaves: 2, .closed)
        #expect(star.simulation.run(atMost: .seconds(15)) { star.isGathered })
        let (alice, bob) = (star.leaves[0], star.leaves[1])
        try alice.say("frist")
        star.simulation.advance(by: .milliseconds(100))
        try alice.with { node throws(ChatError) in try node.perform(.edit(nil, "first")) }
        try alice.say("second")
        star.simulation.advance(by: .milliseconds(100))
        try alice.with { node throws(ChatError) in try node.perform(.delete(nil)) }
        try alice.rename("alicia")
        alice.setAway(true, reason: "tea")
        star.simulation.advance(by: .seconds(1))
        for peer in [star.centre, bob] {
            #expect(peer.texts() == ["first"] && OverlayRoom.shown(peer).history == 0)
            #expect(peer.row(of: alice)?.reason == "tea" && peer.row(of: alice)?.who.nickname == "alicia")
        }
        // Typing is sent over links, and no further.
        bob.type()
        star.simulation.advance(by: .milliseconds(100))
        #expect(star.centre.counter("sent_typing") == 0 && bob.counter("sent_typing") == 1)
    }

    @Test func `each arrival and departure is reported once`() throws {
        let star = Star(leaves: 3, .closed)
        #expect(star.simulation.run(atMost: .seconds(15)) { star.isGathered })
        let (alice, bob, carol) = (star.leaves[0], star.leaves[1], star.leaves[2])
        star.simulation.advance(by: .seconds(120))
        bob.leave()
        star.simulation.advance(by: .seconds(2))
        #expect(alice.presence(of: bob) == ["leaf-1 here", "leaf-1 left"])
        carol.kill()
        star.simulation.advance(by: .seconds(2))
        #expect(star.centre.presence(of: carol) == ["leaf-2 here", "leaf-2 left"])
        star.simulation.advance(by: .seconds(110))
        #expect(alice.presence(of: carol) == ["leaf-2 here", "leaf-2 left"])
        #expect(star.centre.presence(of: carol) == ["leaf-2 here", "leaf-2 left"])
    }

    @Test func `the departure of the last leaf but one is passed on, though it ends the gap`() throws {
        let star = Star(leaves: 2, .closed)
        #expect(star.simulation.run(atMost: .seconds(15)) { star.isGathered })
        star.leaves[1].leave()
        star.simulation.advance(by: .seconds(2))
        #expect(star.leaves[0].presence(of: star.leaves[1]) == ["leaf-1 here", "leaf-1 left"])
        #expect(star.centre.with { $0.parts.spread.mode } == .mesh)
    }

    @Test func `a leaf that comes later is heard live within seconds, and the mode ends with the gaps`() throws {
        let star = Star(leaves: 2, .closed)
        star.simulation.advance(by: .seconds(60))
        let late = star.join()
        #expect(star.simulation.run(atMost: .seconds(8)) { star.isGathered })
        _ = try star.talk(2)
        #expect(star.nodes.allSatisfy { $0.texts().count == 8 && OverlayRoom.shown($0).history == 0 })
        for leaf in [late, star.leaves[0]] {
            leaf.leave()
            star.remove(leaf)
        }
        star.simulation.advance(by: .seconds(100))
        #expect(star.modes == [.mesh] && star.isComplete)
    }

    @Test func `a leaf whose link breaks for a moment has not gone`() {
        let star = Star(leaves: 3, .closed)
        #expect(star.simulation.run(atMost: .seconds(15)) { star.isGathered })
        star.simulation.network.breakConnections(between: star.centre.host, and: star.leaves[1].host)
        star.simulation.advance(by: .seconds(30))
        #expect(star.leaves[0].presence(of: star.leaves[1]) == ["leaf-1 here"])
        #expect(star.centre.presence(of: star.leaves[1]) == ["leaf-1 here"])
    }

    @Test func `a room with mDNS and two nodes that can not reach each other closes the gap after a message`() throws {
        let simulation = Simulation(seed: 5, latency: .milliseconds(1)...(.milliseconds(9)))
        let peers = (0..<5).map { simulation.node("node-\($0)") }
        simulation.part(peers[0], peers[1])
        simulation.advance(by: .seconds(30))
        #expect(peers.allSatisfy { $0.with { node in node.parts.spread.mode } == .mesh })
        try peers[0].say("first")
        simulation.advance(by: .seconds(15))
        #expect(peers[0].knows(peers[1]) && peers[1].knows(peers[0]))
        for (number, peer) in peers.enumerated() {
            try peer.say("later \(number)")
            simulation.advance(by: .milliseconds(600))
        }
        for peer in peers {
            #expect(peer.texts() == ["first"] + (0..<5).map { "later \($0)" })
            #expect(OverlayRoom.shown(peer).history == (peer === peers[1] ? 1 : 0))
        }
    }

    @Test func `a complete room with named peers is a mesh, and quiet`() {
        let star = Star(leaves: 6, .open)
        star.simulation.advance(by: .seconds(60))
        #expect(star.isComplete && star.modes == [.mesh])
        let sent = star.nodes.map { $0.counter("bytes_sent") }.reduce(0, +)
        star.simulation.advance(by: .seconds(40))
        // A ping and a pong in each direction of each of 21 links.
        #expect(star.nodes.map { $0.counter("bytes_sent") }.reduce(0, +) - sent <= 21 * 4 * 530)
    }
}

/// A member that tells of peers that do not exist.
@Suite struct HostileGapTests {
    private let star = Star(leaves: 3, .open)

    private func invented(_ count: Int, port: UInt16 = 40_000) -> [ContactsFrame.NodeContact] {
        (0..<count).map { number in
            ContactsFrame.NodeContact(
                peer: ChoiceTown.peer(1_000 + number),
                endpoint: Endpoint(address: [10, 9, 0, UInt8(number + 1)], port: port))
        }
    }

    /// A node sends a frame to another, as an altered program can.
    private func send(_ frame: [UInt8], from sender: SimulatedPeer, to receiver: SimulatedPeer) {
        let key = receiver.key
        sender.with { node in
            guard let connection = node.connections.sendingLink(of: key) else { return }
            node.parts.links.enqueue(frame, on: connection)
            node.askForTurnEnd()
        }
        star.simulation.advance(by: .milliseconds(100))
    }

    @Test func `invented peers make no crowd, and cost no link`() {
        #expect(star.simulation.run(atMost: .seconds(15)) { star.isComplete })
        star.simulation.advance(by: .seconds(60))
        let (liar, victim) = (star.leaves[0], star.leaves[1])
        for part in 0..<6 {
            let named = (0..<9).map { ChoiceTown.peer(2_000 + part * 9 + $0) }
            send(ContactsFrame(contacts: [], named: named).bytes, from: liar, to: victim)
        }
        star.simulation.advance(by: .seconds(5))
        let (mode, lacks) = victim.with {
            ($0.parts.spread.mode, Examination.tableSizes(of: $0)["finder.gaps.sightings"])
        }
        // Four frames at once are read.
        #expect(mode == .relaying && lacks == 36)
        #expect(star.centre.with { $0.parts.spread.mode } == .mesh, "one that lacks links is no reason for others")
        #expect(star.isComplete)
        try? victim.say("all the same")
        star.simulation.advance(by: .milliseconds(100))
        #expect(star.nodes.allSatisfy { $0.texts() == ["all the same"] })
        star.simulation.advance(by: .seconds(80))
        #expect(star.modes == [.mesh])
    }

    @Test func `a node dials what a member tells in its own subnet only, and no port of the system`() {
        #expect(star.simulation.run(atMost: .seconds(15)) { star.isComplete })
        star.simulation.advance(by: .seconds(60))
        let (liar, victim) = (star.leaves[0], star.leaves[1])
        let before = victim.counter("dials")
        let addresses: [[UInt8]] = [
            [127, 0, 0, 1], [8, 8, 8, 8], [192, 168, 77, 1], [169, 254, 169, 254], [10, 255, 255, 255],
            star.simulation.network.endpoints(of: victim.host)[0].address,
        ]
        let others = addresses.enumerated().map { number, address in
            ContactsFrame.NodeContact(
                peer: ChoiceTown.peer(3_000 + number), endpoint: Endpoint(address: address, port: 40_000))
        }
        send(ContactsFrame(contacts: others + invented(2, port: 1_023)).bytes, from: liar, to: victim)
        star.simulation.advance(by: .seconds(5))
        #expect(victim.counter("dials") == before)
        send(ContactsFrame(contacts: invented(2, port: 1_024)).bytes, from: liar, to: victim)
        star.simulation.advance(by: .seconds(3))
        #expect(victim.counter("dials") >= before + 2)
    }

    @Test func `an author that a neighbour invents counts among the few that it may introduce`() throws {
        #expect(star.simulation.run(atMost: .seconds(15)) { star.isComplete })
        star.simulation.advance(by: .seconds(60))
        let (liar, victim) = (star.leaves[0], star.leaves[1])
        send(ContactsFrame(contacts: [], named: [ChoiceTown.peer(1)]).bytes, from: liar, to: victim)
        star.simulation.advance(by: .seconds(3))
        var randomness = Randomness.seeded(7)
        for _ in 0..<100 {
            let author = Identity.generate(using: &randomness)
            let payload = VerifiedPayload(
                signing: .publicMessage(stage: .newcomer, nickname: "nil", text: "x"), by: author,
                in: Room.lobby.id, epoch: 1, sequence: 1, timestamp: star.simulation.timeline.wallClock)
            send(payload.frame(hops: 1), from: liar, to: victim)
        }
        #expect(victim.counter("dropped_new_author_rate") >= 60)
        #expect(victim.with { $0.parts.spread.mode } == .relaying && star.isComplete)
    }
}
