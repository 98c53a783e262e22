import Chat
import ChatNode
import Noise
import Simulator
import Testing
import Wire

/// Two peers whose keys happen to have the same number (Protocol.md section 2): the number is a label, the key a peer.
@Suite struct SharedNumberTests {
    /// Seeds of identities that share a number, the first two there are.
    private static let seeds: (UInt64, UInt64) = {
        var holders: [Int: UInt64] = [:]
        for seed in UInt64(1)... {
            var randomness = Randomness.seeded(seed)
            let identity = Identity.generate(using: &randomness)
            let number = SenderNumber(of: identity.id).number
            if let first = holders[number] { return (first, seed) }
            holders[number] = seed
        }
        preconditionFailure("no two of all identities share a number")
    }()

    private let simulation = Simulation(seed: 91)
    private let alice: SimulatedPeer
    private let ann: SimulatedPeer

    init() throws {
        alice = simulation.node("alice")
        ann = simulation.node("ann", identitySeed: SharedNumberTests.seeds.0)
        try #require(simulation.meet(alice, ann))
        simulation.advance(by: .seconds(1))
    }

    private var number: Int { SenderNumber(of: ann.key).number }

    private func label(_ peer: SimulatedPeer) -> String {
        let number = SenderNumber(of: peer.key)
        return "#\(number.number)-\(number.suffix)"
    }

    /// The second one of that number comes.
    private func ben() throws -> SimulatedPeer {
        let ben = simulation.node("ben", identitySeed: SharedNumberTests.seeds.1)
        try #require(simulation.meet(alice, ann, ben))
        simulation.advance(by: .seconds(1))
        return ben
    }

    @Test func `alone with its number a peer has no suffix`() {
        #expect(alice.row(of: ann)?.who.displayName == "ann#\(number)")
        #expect(alice.find("\(number)") == ann.key)
    }

    @Test func `both are suffixed in events, messages and lists, and the new name of the first one is reported`() throws
    {
        let ben = try ben()
        #expect(alice.row(of: ann)?.who.displayName == "ann\(label(ann))")
        #expect(alice.row(of: ben)?.who.displayName == "ben\(label(ben))")
        #expect(alice.lastName(of: ben)?.displayName == "ben\(label(ben))")
        #expect(alice.lastName(of: ann)?.displayName == "ann\(label(ann))")
        #expect(alice.presence(of: ann) == ["ann here", "ann here"])
        for peer in [ann, ben] { try peer.say("it is me") }
        simulation.advance(by: .seconds(1))
        #expect(Set(alice.messages.map(\.from.numberText)) == [label(ann), label(ben)])
        #expect(
            Set(alice.with { $0.chat.messages(in: .publicRoom) }.map(\.from.numberText)) == [label(ann), label(ben)])
        try ben.say("may I?", to: alice)
        simulation.advance(by: .seconds(1))
        #expect(alice.with { $0.requests() }.map(\.who.numberText) == [label(ben)])
    }

    @Test func `earlier messages are shown under the suffixed number too`() throws {
        try ann.say("before")
        simulation.advance(by: .seconds(1))
        _ = try ben()
        #expect(alice.messages.map(\.from.numberText) == ["#\(number)"])
        #expect(alice.with { $0.chat.messages(in: .publicRoom) }.map(\.from.numberText) == [label(ann)])
    }

    @Test func `each of the two is suffixed in its own eyes`() throws {
        let ben = try ben()
        #expect(ben.with { $0.chat.ownName }.numberText == label(ben))
        #expect(ben.row(of: ann)?.who.numberText == label(ann))
    }

    @Test func `the bare number is refused with the choices, the suffixed one and the name are taken`() throws {
        let ben = try ben()
        for text in ["\(number)", "#\(number)"] {
            let error = alice.failure(finding: text)
            #expect(error?.code == .ambiguousPeer)
            for peer in [ann, ben] { #expect(error?.message.contains(label(peer)) == true) }
        }
        for peer in [ann, ben] {
            #expect(alice.find(label(peer)) == peer.key)
            #expect(alice.find(String(label(peer).dropFirst())) == peer.key)
        }
        #expect(alice.find("ann") == ann.key)
        #expect(alice.find("ben\(label(ben))") == ben.key)
        #expect(alice.failure(finding: "#\(number)-0000")?.code == .unknownPeer)
    }

    @Test func `the suffix stays when one of them has gone`() throws {
        let ben = try ben()
        ben.leave()
        simulation.advance(by: .seconds(600))
        #expect(alice.row(of: ann)?.who.numberText == label(ann))
        #expect(alice.row(of: ben)?.who.numberText == label(ben))
    }

    @Test func `marks and messages are for the key alone`() throws {
        let ben = try ben()
        alice.mute(ben)
        for peer in [ann, ben] { try peer.say("from \(label(peer))") }
        simulation.advance(by: .seconds(1))
        #expect(alice.texts() == ["from \(label(ann))"])
        #expect(alice.row(of: ann)?.isMuted == false)
        alice.block(ben)
        simulation.advance(by: .seconds(30))
        #expect(alice.isOnline(ann))
        #expect(!alice.isOnline(ben))
        try alice.say("for ann", to: ann)
        simulation.advance(by: .seconds(1))
        #expect(ann.with { $0.requests() }.map(\.text) == ["for ann"])
        #expect(ben.with { $0.requests() }.isEmpty)
    }
}
