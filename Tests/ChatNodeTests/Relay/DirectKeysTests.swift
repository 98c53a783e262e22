import Noise
import Testing
import Wire

@testable import Chat
@testable import ChatNode

@Suite struct DirectKeysTests {
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
        let pair = KeyPair.generate(using: &randomness)
        let direct = DirectKey(of: pair, certificate, with: target)
        let frame = SealedMessage.frame(
            sealing: payload, under: try #require(direct), with: certificate, to: target, using: &randomness)
        return Array(try #require(frame).dropFirst())
    }

    @Test(arguments: 1...20) func `a key lasts 50 to 60 minutes`(seed: UInt64) {
        var randomness = Randomness.seeded(seed)
        var keys = DirectKeys(now: start, using: &randomness)
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
        var keys = DirectKeys(now: start, using: &randomness)
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
        var keys = DirectKeys(now: start, using: &randomness)
        let body = try sealed(to: keys.publicKey)
        keys.forget()
        let opened = keys.open(body.span, for: bob)
        #expect(opened == nil)
    }

    @Test func `a message sealed for bob is opened by no other peer, even with his key`() throws {
        var randomness = Randomness.seeded(9)
        let keys = DirectKeys(now: start, using: &randomness)
        let body = try sealed(to: keys.publicKey)
        let opened = keys.open(body.span, for: Runs(identitySeed: 6).id)
        #expect(opened == nil)
    }
}

/// The keys of direct payloads while the dm keys of both sides change (Protocol.md section 8).
@Suite struct DirectKeyRotationTests {
    private final class Side {
        let id: PeerID
        var keys: DirectKeys
        var randomness: Randomness
        private var session: UserSession
        private var serial: UInt64 = 254
        private(set) var certificate: Certificate

        init(seed: UInt64) {
            randomness = .seeded(seed)
            let identity = Identity.generate(using: &randomness)
            id = identity.id
            keys = DirectKeys(now: Instant(nanoseconds: 0), using: &randomness)
            session = UserSession(identity: identity, room: Room.lobby.id, epoch: 1, nickname: "n")
            certificate = session.certify(noise: keys.publicKey, dm: keys.publicKey, serial: serial)
            keys.record(certificate)
        }

        /// Certifies the present key again.
        func issue() {
            serial += 1
            certificate = session.certify(noise: certificate.noise, dm: keys.publicKey, serial: serial)
            keys.record(certificate)
        }

        /// Takes a new dm key.
        func rotate() -> Instant {
            let time = keys.nextDeadline
            _ = keys.tick(now: time, using: &randomness)
            issue()
            return time
        }

        func frame(to other: Side, _ theirs: Certificate) throws -> [UInt8] {
            let payload = session.sign(.dmAccept(target: other.id), at: Timestamp(milliseconds: 1))
            let key = keys.key(of: certificate, with: theirs)
            return payload.signed.directFrame(under: try #require(key), from: certificate, to: theirs)
        }

        /// Whether a frame is authentic, by the author's certificate that this side knows.
        func takes(_ frame: [UInt8], from theirs: Certificate) throws -> Bool {
            let body = Array(frame.dropFirst())
            let parsed = try PayloadFrame(direct: body.span)
            let key = keys.key(of: parsed, from: theirs)
            return (try? VerifiedPayload(authenticating: parsed, under: key)) != nil
        }
    }

    private let alice = Side(seed: 71)
    private let bob = Side(seed: 72)

    @Test func `both sides have one key, in either direction`() throws {
        #expect(try bob.takes(alice.frame(to: bob, bob.certificate), from: alice.certificate))
        #expect(try alice.takes(bob.frame(to: alice, alice.certificate), from: bob.certificate))
        #expect(try !alice.takes(bob.frame(to: alice, alice.certificate), from: alice.certificate))
    }

    @Test func `a payload that crosses a new key of its receiver is taken for five minutes`() throws {
        let before = bob.certificate
        let frame = try alice.frame(to: bob, before)
        let time = bob.rotate()
        #expect(try bob.takes(frame, from: alice.certificate))
        #expect(try bob.takes(alice.frame(to: bob, bob.certificate), from: alice.certificate))
        _ = bob.keys.tick(now: time + Limits.relayKeyGrace, using: &bob.randomness)
        #expect(try !bob.takes(frame, from: alice.certificate))
        #expect(try bob.takes(alice.frame(to: bob, bob.certificate), from: alice.certificate))
    }

    @Test func `a payload under a replaced key of its author is of that certificate alone`() throws {
        let before = alice.certificate
        let frame = try alice.frame(to: bob, bob.certificate)
        _ = alice.rotate()
        #expect(try bob.takes(frame, from: before))
        #expect(try !bob.takes(frame, from: alice.certificate))
        #expect(try bob.takes(alice.frame(to: bob, bob.certificate), from: alice.certificate))
    }

    @Test func `both may have new keys, and another certificate for one key`() throws {
        let (one, other) = (alice.certificate, bob.certificate)
        let crossing = [try alice.frame(to: bob, other), try bob.frame(to: alice, one)]
        _ = (alice.rotate(), bob.rotate())
        #expect(try bob.takes(crossing[0], from: one) && alice.takes(crossing[1], from: other))
        let renewed = bob.certificate
        let late = try alice.frame(to: bob, renewed)
        bob.issue()
        #expect(try bob.takes(late, from: alice.certificate))
        #expect(try bob.takes(alice.frame(to: bob, bob.certificate), from: alice.certificate))
    }

    @Test func `of many certificates the last four count`() throws {
        let first = try alice.frame(to: bob, bob.certificate)
        for _ in 0..<3 { bob.issue() }
        #expect(try bob.takes(first, from: alice.certificate))
        bob.issue()
        #expect(try !bob.takes(first, from: alice.certificate))
    }

    @Test func `forgotten keys authenticate nothing`() throws {
        let frame = try alice.frame(to: bob, bob.certificate)
        #expect(try bob.takes(frame, from: alice.certificate))
        bob.keys.forget()
        #expect(try !bob.takes(frame, from: alice.certificate))
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
