import Chat
import Noise
import Phrases
import Simulator
import Testing
import Wire

@testable import ChatNode

/// Frames 2 and 8 from a member that sends whatever it likes (Protocol.md sections 5 and 9).
@Suite struct CertificateFrameTests {
    private let simulation = Simulation(seed: 41)
    private let alice: SimulatedPeer
    private let bob: SimulatedPeer
    private let rude: RudeMember
    private let aliceSeed: UInt64 = 8

    init() throws {
        alice = simulation.node("alice", identitySeed: aliceSeed)
        bob = simulation.node("bob")
        epoch = alice.with { $0.epoch }
        rude = RudeMember(simulation: simulation, seed: 77)
        try #require(simulation.meet(alice, bob))
        try #require(rude.enter(by: alice, in: simulation))
        simulation.advance(by: .seconds(20))
    }

    private let epoch: UInt64

    private func send(_ frames: [UInt8]...) {
        simulation.timeline.perform { for frame in frames { rude.send(frame) } }
        simulation.advance(by: .seconds(1))
    }

    private func best(_ id: PeerID, at peer: SimulatedPeer) -> Certificate? {
        peer.with { node in node.parts.intake.certificate(of: id, now: node.scheduler.now) }
    }

    @Test(arguments: [FrameType.certificate, .superseded])
    func `a replayed certificate of an earlier run signs no session out`(type: FrameType) throws {
        var runs = Runs(identitySeed: aliceSeed)
        let own = try #require(rude.peersCertificate)
        for certificate in [own, runs.certificate(epoch: epoch - 1), runs.certificate(epoch: 0)] {
            send(type.frame(certificate))
        }
        #expect(alice.stopReason == nil && alice.notices(.signedOut).isEmpty)
        #expect(alice.with { $0.epoch } == epoch)
        #expect(!rude.isClosed)
        #expect(alice.isOnline(bob))
    }

    @Test(arguments: [FrameType.certificate, .superseded])
    func `a forged certificate signs no session out and bans its sender`(type: FrameType) {
        var runs = Runs(identitySeed: aliceSeed)
        var frame = type.frame(runs.certificate(epoch: epoch + 1))
        frame[frame.count - 1] ^= 1
        send(frame)
        #expect(alice.stopReason == nil)
        #expect(rude.isClosed)
        #expect(alice.counter("bans") == 1)
        #expect(alice.isOnline(bob))
    }

    @Test(arguments: [FrameType.certificate, .superseded])
    func `a better certificate of our identity, which only the key can make, signs out`(type: FrameType) {
        var runs = Runs(identitySeed: aliceSeed)
        send(type.frame(runs.certificate(epoch: epoch + 1)))
        #expect(simulation.run(atMost: .seconds(5)) { alice.hasStopped })
        #expect(alice.stopReason == .signedOut)
        #expect(alice.notices(.signedOut).count == 1)
    }

    @Test func `superseded with another peer's certificate is ignored`() {
        var third = Runs(identitySeed: 9)
        send(FrameType.superseded.frame(third.certificate(epoch: .max)))
        #expect(alice.stopReason == nil && !rude.isClosed)
        #expect(alice.counter("unexpected_frames") == 1)
        #expect(best(third.id, at: alice) == nil)
    }

    @Test func `certificates cut short, too long or of another version change nothing`() {
        var third = Runs(identitySeed: 9)
        let frame = FrameType.certificate.frame(third.certificate(epoch: 1))
        for count in [1, 2, 3, 40, 177, 178] { send(Array(frame.prefix(count))) }
        send(frame + [0])
        var other = frame
        other[1] = 2
        send(other)
        #expect(alice.counter("unexpected_frames") == 8)
        #expect(best(third.id, at: alice) == nil && !rude.isClosed)
    }

    @Test func `a certificate that arrives first is kept and not passed on`() {
        var third = Runs(identitySeed: 9)
        let certificate = third.certificate(epoch: 1)
        send(FrameType.certificate.frame(certificate))
        #expect(best(third.id, at: alice) == certificate)
        #expect(best(third.id, at: bob) == nil)
    }

    @Test func `a better certificate is passed on once, a worse one answered with the better`() {
        var third = Runs(identitySeed: 9)
        let (worse, better) = (third.certificate(epoch: 1), third.certificate(epoch: 2))
        send(FrameType.certificate.frame(worse))
        send(FrameType.certificate.frame(better))
        #expect(best(third.id, at: bob) == better)
        let received = simulation.network.bytesReceived(by: bob.host)
        send(FrameType.certificate.frame(better))
        #expect(simulation.network.bytesReceived(by: bob.host) == received)
        #expect(rude.frames(.certificate).isEmpty)
        send(FrameType.certificate.frame(worse))
        #expect(rude.frames(.certificate) == [better.bytes])
    }

    @Test func `no more than five better certificates at once are passed on from a link`() {
        var third = Runs(identitySeed: 9)
        for epoch in 1...40 as ClosedRange<UInt64> {
            simulation.timeline.perform { rude.send(FrameType.certificate.frame(third.certificate(epoch: epoch))) }
        }
        simulation.advance(by: .milliseconds(500))
        #expect(best(third.id, at: alice)?.epoch == 6)
        #expect(best(third.id, at: bob)?.epoch == 6)
        #expect(alice.counter("certificates_refused") == 34)
        #expect(!rude.isClosed)
    }

    @Test func `no more than five identities at once are heard of from a link`() {
        let ids = (100..<120 as Range<UInt64>).map { seed in
            var runs = Runs(identitySeed: seed)
            simulation.timeline.perform { rude.send(FrameType.certificate.frame(runs.certificate(epoch: 1))) }
            return runs.id
        }
        simulation.advance(by: .seconds(1))
        #expect(ids.count { best($0, at: alice) != nil } == 5)
    }

    @Test func `a better certificate of a linked peer ends its link, and says why`() throws {
        let bobs = try #require(best(bob.key, at: alice))
        let later = RudeMember(simulation: simulation, seed: 77, epoch: Timeline.epoch.milliseconds + 5)
        let first = try #require(best(rude.key, at: alice))
        #expect(later.key == rude.key && bobs.identity == bob.key)
        simulation.timeline.perform { later.dial(alice) }
        simulation.advance(by: .seconds(3))
        let second = try #require(best(rude.key, at: alice))
        #expect(second.isBetter(than: first))
        #expect(rude.isClosed && !later.isClosed)
        #expect(rude.frames(.superseded) == [second.bytes])
        #expect(rude.frames(.goodbye) == [[2]])
    }

    @Test func `a link with a worse certificate receives the better one and is closed`() throws {
        let earlier = RudeMember(simulation: simulation, seed: 77, epoch: epoch - 5)
        let known = try #require(best(rude.key, at: alice))
        simulation.timeline.perform { earlier.dial(alice) }
        simulation.advance(by: .seconds(3))
        #expect(earlier.isClosed && !rude.isClosed)
        #expect(earlier.frames(.superseded) == [known.bytes])
        #expect(alice.counter("superseded") == 1)
    }

    @Test func `a certificate for a peer is sent once, and again with a new key`() throws {
        let bobKey = bob.key
        func sendCertificate() {
            alice.with { node in
                for connection in node.connections.active {
                    node.act { $2.append(.sendCertificate(of: bobKey, to: .link(connection.id))) }
                }
            }
            simulation.advance(by: .seconds(1))
        }
        sendCertificate()
        sendCertificate()
        let first = try #require(best(bob.key, at: alice))
        #expect(rude.frames(.certificate) == [first.bytes])
        try #require(simulation.run(atMost: .seconds(3_700)) { best(bob.key, at: alice) != first })
        sendCertificate()
        let second = try #require(best(bob.key, at: alice))
        #expect(second.isRenewal(of: first) && second.dm != first.dm)
        #expect(rude.frames(.certificate).contains(second.bytes))
        #expect(alice.isOnline(bob) && alice.counter("dropped_wrong_epoch") == 0)
    }
}
