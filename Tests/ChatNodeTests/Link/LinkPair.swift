import Chat
import Noise
import Wire

@testable import ChatNode

/// One end of a link without a network: what it wants to send is kept until the test hands it on.
final class LinkSide {
    let context: LinkContext
    var link: Link
    var now = Instant(nanoseconds: 0)
    private(set) var established: Certificate?
    private(set) var frames: [[UInt8]] = []
    private(set) var failure: LinkError?
    private var randomness: Randomness
    private var plaintext: [UInt8] = []

    init(_ role: Link.Role, context: LinkContext, seed: UInt64) {
        self.context = context
        var randomness = Randomness.seeded(seed)
        link = Link(role: role, context: context, now: now, using: &randomness)
        self.randomness = randomness
    }

    /// The secrets behind a peer: an identity, a static key and a certificate, from a seed.
    static func context(seed: UInt64, room: Room = .lobby) -> LinkContext {
        var randomness = Randomness.seeded(seed)
        let identity = Identity.generate(using: &randomness)
        let staticKey = StaticKey(KeyPair.generate(using: &randomness))
        let dm = KeyPair.generate(using: &randomness)
        let certificate = Certificate.issue(
            by: identity, noise: staticKey.publicKey, dm: dm.publicKey, epoch: 1, serial: 1)
        return LinkContext(certificate: certificate, staticKey: staticKey, room: room)
    }

    var isDead: Bool { link.isDead }
    var unknownFrames: Int { link.unknownFrames }
    /// The records under the present keys; 0 if the link is not open.
    var records: (sealed: UInt64, opened: UInt64) {
        switch link.state {
        case .open(let session): (session.recordsSealed, session.recordsOpened)
        case .handshaking: (0, 0)
        case .dead: (0, 0)
        }
    }
    var roundTrip: Duration? { link.roundTrip }
    var padding: Int { link.padding }

    /// Everything that waits to be sent.
    func output() -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(LinkError) {
            try link.flush { span in
                bytes += [UInt8](copying: span)
                return span.count
            }
        } catch {
            failure = error
        }
        return bytes
    }

    /// Offers the output to a network that takes `count` bytes of it and loses them.
    func offer(taking count: Int) {
        do throws(LinkError) { try link.flush { min(count, $0.count) } } catch { failure = error }
    }

    func receive(_ bytes: [UInt8]) {
        var position = 0
        while let event = link.next(
            in: bytes.span, from: &position, plaintext: &plaintext, context: context, now: now, using: &randomness)
        {
            switch event {
            case .established(let certificate): established = certificate
            case .frame(let type, let body): frames.append([type.rawValue] + plaintext[body])
            case .failed(let error): failure = error
            }
        }
    }

    func tick() {
        do throws(LinkError) { try link.tick(context, now: now, using: &randomness) } catch { failure = error }
    }

    /// Begins to replace the keys before their time.
    func beginRenewal() {
        do throws(LinkError) { try link.beginRenewal(context, using: &randomness) } catch { failure = error }
    }

    func probe() {
        link.probe(now: now, using: &randomness)
    }

    func ping() {
        link.ping(now: now, using: &randomness)
    }
}

/// Two ends that are joined by hand.
struct LinkPair {
    let alice: LinkSide
    let bob: LinkSide

    init(aliceRoom: Room = .lobby, bobRoom: Room = .lobby, seed: UInt64 = 1) {
        alice = LinkSide(.initiator, context: LinkSide.context(seed: seed, room: aliceRoom), seed: seed + 100)
        bob = LinkSide(.responder, context: LinkSide.context(seed: seed + 1, room: bobRoom), seed: seed + 200)
    }

    /// Hands bytes to and fro, `chunk` at a time, until both are quiet.
    func shuttle(chunk: Int = .max) {
        while true {
            let fromAlice = alice.output()
            let fromBob = bob.output()
            guard !fromAlice.isEmpty || !fromBob.isEmpty else { return }
            LinkPair.feed(fromAlice, to: bob, chunk: chunk)
            LinkPair.feed(fromBob, to: alice, chunk: chunk)
        }
    }

    static func feed(_ bytes: [UInt8], to end: LinkSide, chunk: Int = .max) {
        var rest = bytes[...]
        while !rest.isEmpty {
            end.receive(Array(rest.prefix(chunk)))
            rest = rest.dropFirst(chunk)
        }
    }
}
