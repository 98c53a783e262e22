import Chat
import Noise
import Testing
import Wire

@testable import ChatNode

@Suite struct RelayKeysTests {
    private let start = Instant(nanoseconds: 0)
    private let bob = Runs(identitySeed: 4).id

    /// The body of a frame 9 for bob.
    private func sealed(to key: PublicKey) throws -> [UInt8] {
        var randomness = Randomness.seeded(5)
        let alice = Identity.generate(using: &randomness)
        var runs = Runs(identitySeed: 4)
        var session = UserSession(
            identity: alice, room: Room.lobby.id, epoch: 1, nickname: "alice")
        let certificate = session.certify(noise: key, dm: key, serial: 1)
        let payload = session.sign(.dmAccept(target: bob), at: Timestamp(milliseconds: 1))
        let target = runs.certificate(epoch: 1, dm: key)
        let frame = SealedMessage.frame(sealing: payload, with: certificate, to: target, using: &randomness)
        return Array(try #require(frame).dropFirst())
    }

    @Test(arguments: 1...20) func `a key lasts 50 to 60 minutes`(seed: UInt64) {
        var randomness = Randomness.seeded(seed)
        var keys = RelayKeys(now: start, using: &randomness)
        let first = keys.publicKey
        let end = keys.nextDeadline
        #expect(end - start > .seconds(3_000) - .seconds(1) && end - start <= .seconds(3_600))
        let early = keys.tick(now: Instant(nanoseconds: end.nanoseconds - 1), using: &randomness)
        #expect(!early)
        let inTime = keys.tick(now: end, using: &randomness)
        #expect(inTime)
        let second = keys.publicKey
        #expect(second != first)
    }

    @Test func `the key before is kept for five minutes, and no longer`() throws {
        var randomness = Randomness.seeded(9)
        var keys = RelayKeys(now: start, using: &randomness)
        let body = try sealed(to: keys.publicKey)
        let rotation = keys.nextDeadline
        _ = keys.tick(now: rotation, using: &randomness)
        let next = try sealed(to: keys.publicKey)
        let opened = [keys.open(body.span, for: bob) != nil, keys.open(next.span, for: bob) != nil]
        #expect(opened == [true, true])
        let forgetting = keys.nextDeadline
        #expect(forgetting == rotation + .seconds(300))
        let isNew = keys.tick(now: forgetting, using: &randomness)
        let still = [keys.open(body.span, for: bob) != nil, keys.open(next.span, for: bob) != nil]
        #expect(!isNew)
        #expect(still == [false, true])
    }

    @Test func `nothing can be opened once the keys are forgotten`() throws {
        var randomness = Randomness.seeded(9)
        var keys = RelayKeys(now: start, using: &randomness)
        let body = try sealed(to: keys.publicKey)
        keys.forget()
        let opened = keys.open(body.span, for: bob)
        #expect(opened == nil)
    }

    @Test func `a message sealed for bob is opened by no other peer, even with his key`() throws {
        var randomness = Randomness.seeded(9)
        let keys = RelayKeys(now: start, using: &randomness)
        let body = try sealed(to: keys.publicKey)
        let opened = keys.open(body.span, for: Runs(identitySeed: 6).id)
        #expect(opened == nil)
    }
}

@Suite struct SealedRelayTests {
    private let me = Runs(identitySeed: 4).id

    private func frame(for peer: PeerID, _ filling: UInt8) -> [UInt8] {
        SealedMessage.address(of: peer) + [UInt8](repeating: filling, count: SealedMessage.bodySizes[0] - 16)
    }

    @Test func `a frame is for us or for others, and looked at once`() {
        var relay = SealedRelay(me: me)
        let mine = frame(for: me, 1)
        let other = frame(for: Runs(identitySeed: 5).id, 1)
        let courses = [mine, other, mine, other].map { relay.course(of: $0) }
        #expect(courses == [.forUs, .forOthers, .repeated, .repeated])
    }

    @Test func `an altered copy that comes first does not stop the frame`() {
        var relay = SealedRelay(me: me)
        let mine = frame(for: me, 1)
        var altered = mine
        altered[altered.count - 1] ^= 1
        let courses = [altered, mine].map { relay.course(of: $0) }
        #expect(courses == [.forUs, .forUs])
    }
}
