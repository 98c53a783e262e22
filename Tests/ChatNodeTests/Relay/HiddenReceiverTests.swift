import Chat
import Simulator
import Testing
import Wire

@testable import ChatNode

/// The records of private payloads and of those that hide them, as an observer of all links counts them (Protocol.md
/// section 8).
@Suite struct HiddenReceiverTests {
    private let simulation = Simulation(seed: 71)
    private let alice: SimulatedPeer
    private let others: [SimulatedPeer]
    private var bob: SimulatedPeer { others[0] }

    init() throws {
        let simulation = simulation
        alice = simulation.node("alice") { $0.readReceipts = true }
        others = ["bob", "carol", "dora", "emil"].map { simulation.node($0) { $0.readReceipts = true } }
        let all = [alice] + others
        try #require(
            simulation.run(atMost: .seconds(60)) {
                all.allSatisfy { peer in all.allSatisfy { $0 === peer || peer.isOnline($0) } }
            })
        try alice.say("may I?", to: bob)
        simulation.advance(by: .seconds(3))
        try bob.accept(alice)
        simulation.advance(by: .seconds(90))
    }

    /// Of Alice's last message to Bob.
    private var lastDelivery: DeliveryState? {
        let key = bob.key
        return alice.with { $0.chat.messages(in: .direct(key)) }.last?.delivery
    }

    /// Bytes that each of the peers was given while `act` and some time passed.
    private func bytes(to peers: [SimulatedPeer], within time: Duration, after act: () throws -> Void) rethrows -> [Int]
    {
        let before = peers.map { simulation.network.bytesReceived(by: $0.host) }
        try act()
        simulation.advance(by: time)
        return zip(peers, before).map { simulation.network.bytesReceived(by: $0.host) - $1 }
    }

    @Test func `a whisper, its edit, and typing put equal records on all links at once`() throws {
        let acts: [() throws -> Void] = [
            { try alice.say("hello", to: bob) }, { try alice.say(String(repeating: "long ", count: 40), to: bob) },
            { try alice.say(String(repeating: "\u{1F468}\u{200D}\u{1F469}", count: 80), to: bob) },
            { alice.with { [key = bob.key] node in node.change(.typing(true, in: .direct(key))) } },
        ]
        for act in acts {
            let counts = try bytes(to: others, within: .milliseconds(150), after: act)
            #expect(Set(counts).count == 1 && counts[0] >= 530, "\(counts)")
            simulation.advance(by: .seconds(5))
        }
        #expect(bob.texts(.direct(alice.key)).count == 4)
    }

    @Test func `each receiver of such a record answers once, by a record of the smallest size`() throws {
        let count = try bytes(to: [alice], within: .milliseconds(2_200)) { try alice.say("hello", to: bob) }
        #expect(count == [4 * 530])
        #expect(lastDelivery == .delivered)
        #expect(others.map { $0.counter("cover_answers") }.min() ?? 0 >= 1)
    }

    @Test func `in a quiet room a message is delivered within 2.5 s`() throws {
        for number in 1...20 {
            try alice.say("number \(number)", to: bob)
            #expect(simulation.run(atMost: .milliseconds(2_500)) { lastDelivery == .delivered })
            simulation.advance(by: .seconds(1))
        }
    }

    @Test func `the receipt for a message that is read later goes with equal records, once a minute`() throws {
        try alice.say("one", to: bob)
        simulation.advance(by: .seconds(3))
        func received() -> [Int] { others.dropFirst().map { $0.counter("chaff_received") } }
        let before = received()
        bob.open(.direct(alice.key))
        simulation.advance(by: .milliseconds(2_500))
        #expect(lastDelivery == .read)
        #expect(received() == before.map { $0 + 1 })
        bob.open(.publicRoom)
        try alice.say("two", to: bob)
        simulation.advance(by: .seconds(3))
        bob.open(.direct(alice.key))
        simulation.advance(by: .seconds(40))
        #expect(lastDelivery == .delivered)
        // The record that hides the second message, and none for its receipt.
        #expect(received() == before.map { $0 + 2 })
        simulation.advance(by: .seconds(20))
        #expect(lastDelivery == .read)
        #expect(received() == before.map { $0 + 3 })
    }

    @Test func `slots begin with the first link, before any private act`() {
        let peers = ["gina", "hugo"].map { simulation.node($0) { $0.sendsCover = true } }
        #expect(simulation.run(atMost: .seconds(60)) { peers.allSatisfy { $0.isOnline(alice) } })
        let before = peers.map { $0.counter("cover_slots") }
        simulation.advance(by: .seconds(20))
        for (peer, count) in zip(peers, before) { #expect((11...60).contains(peer.counter("cover_slots") - count)) }
    }

    @Test func `a receiver without cover does not act by its receipt for a message of a slot`() throws {
        alice.with { $0.turnCover(on: true) }
        simulation.advance(by: .seconds(5))
        func received() -> [Int] { others.map { $0.counter("chaff_received") } }
        let (before, slots) = (received(), alice.counter("cover_slots"))
        try alice.say("hidden", to: bob)
        simulation.advance(by: .seconds(20))
        #expect(lastDelivery == .delivered)
        // Each frame is of a slot of Alice: nothing came of Bob.
        let sent = alice.counter("cover_slots") - slots
        for (now, then) in zip(received(), before) { #expect(now - then == sent) }
    }

    @Test func `all peers answer a goodbye by one record of the smallest size`() throws {
        for text in ["one", "two"] {
            try alice.say(text, to: bob)
            simulation.advance(by: .seconds(3))
            // The second is read soon after the first: its receipt waits.
            bob.open(.direct(alice.key))
            simulation.advance(by: .seconds(3))
            bob.open(.publicRoom)
        }
        #expect(lastDelivery == .delivered)
        // A link that was used is not pinged soon.
        for peer in [alice] + others { try peer.say("hello") }
        simulation.advance(by: .seconds(1))
        let before = others.map { $0.counter("bytes_sent") }
        alice.leave()
        simulation.advance(by: .milliseconds(150))
        #expect(zip(others, before).map { $0.counter("bytes_sent") - $1 } == [530, 530, 530, 530])
    }

    @Test(arguments: [false, true])
    func `the last record of a receiver that leaves is as long as that of any other`(cover: Bool) throws {
        if cover { for peer in others { peer.with { $0.turnCover(on: true) } } }
        simulation.advance(by: .seconds(5))
        let before = others.map { $0.counter("bytes_sent") }
        try alice.say("soon gone?", to: bob)
        // Before the receiver's answer is due.
        simulation.advance(by: .milliseconds(30))
        let slots = zip(others, before).map { $0.counter("bytes_sent") - $1 }
        for peer in others { peer.leave() }
        simulation.advance(by: .milliseconds(20))
        let left = zip(others, before).map { $0.counter("bytes_sent") - $1 }
        #expect(Set(zip(left, slots).map(-)).count == 1, "\(left) \(slots)")
        #expect(lastDelivery == .delivered)
    }

    @Test func `the link of a receiver ends no later than the others where an author leaves at once`() throws {
        try alice.say("bye", to: bob)
        alice.leave()
        // Nothing ends before the receipt.
        simulation.advance(by: .milliseconds(1))
        let open = alice.with { node in node.parts.links.connections.all.count { !$0.isFinishing } }
        #expect(open == others.count)
        var last = open
        _ = simulation.run(atMost: .seconds(3)) {
            let now = alice.with { node in node.parts.links.connections.all.count { !$0.isFinishing } }
            #expect(now == last || now == 0)
            last = now
            return now == 0
        }
        #expect(last == 0)
    }

    @Test func `with cover the times and lengths of records tell nothing of private messages`() throws {
        for peer in [alice] + others { peer.with { $0.turnCover(on: true) } }
        simulation.advance(by: .seconds(5))
        let before = alice.counter("cover_slots")
        try alice.say("hidden", to: bob)
        let counts = bytes(to: others, within: .seconds(20)) {}
        let slots = alice.counter("cover_slots") - before
        #expect((11...60).contains(slots))
        #expect(bob.texts(.direct(alice.key)).last == "hidden")
        #expect(lastDelivery == .delivered)
        // Nothing but whole records of a slot.
        for count in counts { #expect(count % 1_298 == 0, "\(count)") }
        alice.with { $0.turnCover(on: false) }
        let end = alice.counter("cover_slots")
        simulation.advance(by: .seconds(10))
        #expect(alice.counter("cover_slots") == end)
    }
}
