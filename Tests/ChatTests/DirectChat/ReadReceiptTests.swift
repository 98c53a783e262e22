import Testing
import Wire

@testable import Chat

/// Read receipts between two users.
struct ReadReceiptTests {
    @Test(arguments: [true, false], [true, false])
    func `read receipts are sent and shown only if both users want them`(aliceDoes: Bool, bobDoes: Bool) throws {
        let telling = Set((aliceDoes ? ["alice"] : []) + (bobDoes ? ["bob"] : []))
        let people = room("alice", "bob", tellingReading: telling)
        let (alice, bob) = (people[0], people[1])
        try befriend(alice, bob)
        bob.reply(to: alice)
        try alice.does(to: bob) { me throws(ChatError) in try me.direct("1", to: bob) }
        #expect(alice.deliveries(to: bob).last == .delivered)
        bob.router.open(.direct(alice.id))
        let told = bob.replies().map(\.payload)
        #expect(told.map(\.payload.type) == (bobDoes ? [.read] : []))
        for payload in told { alice.receive(payload) }
        try alice.does(to: bob) { me throws(ChatError) in try me.direct("2", to: bob) }
        let expected: DeliveryState = aliceDoes && bobDoes ? .read : .delivered
        #expect(alice.deliveries(to: bob) == [expected, expected, expected])
        let isTold = alice.events.contains { if case .read = $0 { true } else { false } }
        #expect(isTold == (aliceDoes && bobDoes))
    }

    @Test func `a message read while its author was away is reported on its return`() throws {
        let people = room("alice", "bob", tellingReading: ["alice", "bob"])
        let (alice, bob) = (people[0], people[1])
        try befriend(alice, bob)
        try alice.does(to: bob) { me throws(ChatError) in try me.direct("1", to: bob) }
        _ = bob.unlink(from: alice, .lost)
        bob.router.open(.direct(alice.id))
        #expect(bob.replies().isEmpty)
        _ = bob.link(to: alice)
        bob.reply(to: alice)
        #expect(alice.deliveries(to: bob).last == .read)
    }
}
