import Testing
import Wire

@testable import Noise

@Suite(.serialized) struct MemoryTests {
    @Test(arguments: [Secret.Protection.transient, .guarded])
    func `a secret is in memory once while it lives and not at all afterwards`(protection: Secret.Protection) throws {
        var randomness = Randomness.system
        let secret = Secret(random: 32, protection: protection, using: &randomness)
        let needle = Needle(secret)
        #expect(try needle.occurrences() == 1)
        discard(secret)
        #expect(try needle.occurrences() == 0)
    }

    @Test func `the search finds a copy that the test made`() throws {
        var randomness = Randomness.system
        let secret = Secret(random: 32, protection: .guarded, using: &randomness)
        let needle = Needle(secret)
        let copy = [UInt8](copying: secret.span)
        #expect(try needle.occurrences() == 2)
        #expect(copy.count == 32)
    }

    @Test func `an identity leaves nothing behind`() throws {
        var randomness = Randomness.system
        let seed = Secret(random: 32, protection: .transient, using: &randomness)
        let needle = Needle(seed)
        let identity = Identity(seed: seed)
        let message: [UInt8] = [1, 2, 3]
        #expect(identity.sign(domain: "earshot/3 payload\0", message: message.span).count == 64)
        #expect(try needle.occurrences() == 1)
        discard(identity)
        #expect(try needle.occurrences() == 0)
    }

    @Test func `a handshake's secrets are there once until its end`() throws {
        var randomness = Randomness.system
        let fixed = Secret(random: 32, protection: .guarded, using: &randomness)
        let passing = Secret(random: 32, protection: .transient, using: &randomness)
        let needles = [Needle(fixed), Needle(passing)]
        var alice = Handshake(
            role: .initiator, prologue: [], room: Duo.room, key: StaticKey(KeyPair(secret: fixed)),
            ephemeral: KeyPair(secret: passing))
        let key = StaticKey(KeyPair.generate(using: &randomness))
        var bob = Handshake(role: .responder, prologue: [], room: Duo.room, key: key, using: &randomness)
        try bob.read(alice.write())
        try alice.read(bob.write())
        #expect(try needles.map { try $0.occurrences() } == [1, 1])
        try bob.read(alice.write())
        discard(try alice.finish())
        #expect(try needles.map { try $0.occurrences() } == [0, 0])
    }

    @Test func `a session's keys are there once, a replaced key and those of a dead session not at all`() throws {
        var randomness = Randomness.system
        var duo = Duo(seed: randomness.next())
        #expect(duo.shake() == nil)
        var line = try duo.finish()
        let first = needles(line.alice)
        #expect(try first.map { try $0.occurrences() } == [2, 2])
        for _ in 0..<256 { try line.bob.open(line.alice.seal([1])) }
        let second = needles(line.alice)
        #expect(try first.map { try $0.occurrences() } == [0, 2])
        #expect(try second.map { try $0.occurrences() } == [2, 2])
        // An error wipes Alice's keys; Bob has his still.
        #expect(refusal { () throws(NoiseError) in try line.alice.open([UInt8](repeating: 0, count: 16)) } != nil)
        #expect(try second.map { try $0.occurrences() } == [1, 1])
        discard(line)
        #expect(try second.map { try $0.occurrences() } == [0, 0])
    }

    private func needles(_ session: borrowing Session) -> [Needle] {
        switch session.directions {
        case .some(let directions): [Needle(directions.sending.key), Needle(directions.receiving.key)]
        case .none: []
        }
    }

    private func discard(_ secret: consuming Secret) {}
    private func discard(_ identity: consuming Identity) {}
    private func discard(_ session: consuming Session) {}
    private func discard(_ line: consuming Line) {}
}
