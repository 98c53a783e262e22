import ChatNode
import Noise
import Wire

/// Two ends that come together, without a network.
enum HandshakeMeasurement {
    static func run(_ stopwatch: inout Stopwatch) {
        stopwatch.time("Noise XXpsk0 with new keys, both ends") { keep(NoiseLine.open()) }
        let (alice, bob) = (context(seed: 4), context(seed: 5))
        stopwatch.time("link with certificates, both ends") { meet(alice, bob) }
    }

    private static func context(seed: UInt64) -> LinkContext {
        var randomness = Randomness.seeded(seed)
        let key = StaticKey(KeyPair.generate(using: &randomness))
        let dm = KeyPair.generate(using: &randomness)
        let certificate = Certificate.issue(
            by: Identity.generate(using: &randomness), noise: key.publicKey, dm: dm.publicKey, epoch: Speaker.epoch,
            serial: 1)
        return LinkContext(certificate: certificate, staticKey: key, room: Speaker.room)
    }

    private static func meet(_ alice: LinkContext, _ bob: LinkContext) {
        var randomness = Randomness.seeded(6)
        let now = Instant(nanoseconds: 0)
        var initiator = Link(role: .initiator, context: alice, now: now, using: &randomness)
        var responder = Link(role: .responder, context: bob, now: now, using: &randomness)
        for _ in 0..<2 {
            pass(from: &initiator, to: &responder, bob, &randomness)
            pass(from: &responder, to: &initiator, alice, &randomness)
        }
        let isOpen = initiator.isOpen && responder.isOpen
        precondition(isOpen, "two honest links did not come together")
    }

    private static func pass(
        from sender: inout Link, to receiver: inout Link, _ context: LinkContext, _ randomness: inout Randomness
    ) {
        var bytes: [UInt8] = []
        try? sender.flush { span in
            bytes = [UInt8](copying: span)
            return span.count
        }
        var position = 0
        var plaintext: [UInt8] = []
        while let event = receiver.next(
            in: bytes.span, from: &position, plaintext: &plaintext, context: context, now: Instant(nanoseconds: 0),
            using: &randomness)
        {
            keep(event)
        }
    }
}
