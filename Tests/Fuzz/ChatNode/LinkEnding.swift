import Chat
import Noise
import Wire

@testable import ChatNode

/// One end of a link without a network.
final class LinkEnding {
    let context: LinkContext
    let dm: KeyPair
    var link: Link
    private(set) var now = Instant(nanoseconds: 0)
    private(set) var established: Certificate?
    private(set) var failure: LinkError?
    private(set) var said: [[UInt8]] = []
    private(set) var heard: [[UInt8]] = []
    private var randomness: Randomness
    private var plaintext: [UInt8] = []

    /// - Parameter epoch: ends with one seed and different epochs are runs of one identity.
    init(_ role: Link.Role, seed: UInt64, room: String, epoch: UInt64 = 1) {
        var randomness = Randomness.seeded(seed)
        let identity = Identity.generate(using: &randomness)
        randomness = .seeded(seed ^ epoch)
        let staticKey = StaticKey(KeyPair.generate(using: &randomness, protection: .transient))
        dm = KeyPair.generate(using: &randomness, protection: .transient)
        let certificate = Certificate.issue(
            by: identity, noise: staticKey.publicKey, dm: dm.publicKey, epoch: epoch, serial: 1)
        context = LinkContext(certificate: certificate, staticKey: staticKey, room: Room(openNamed: room))
        link = Link(role: role, context: context, now: now, using: &randomness)
        self.randomness = randomness
    }

    /// Sends frames of any type and length.
    func say(_ type: UInt8, _ body: [UInt8], times: Int) {
        let frame = [type] + (0..<times).flatMap { _ in body }
        guard link.isOpen, frame.count <= FramePacker.largestFrame else { return }
        link.enqueue(frame)
        note(frame)
    }

    /// - Returns: whether the record is valid.
    func say(record plaintext: [UInt8]) -> Bool {
        guard link.isOpen else { return true }
        link.send(record: plaintext)
        var rest = plaintext[...]
        while rest.count >= Limits.lengthPrefix {
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            guard length > 0 else { break }
            rest = rest.dropFirst(Limits.lengthPrefix)
            guard length <= rest.count else { return false }
            note(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return rest.allSatisfy { $0 == 0 }
    }

    /// The link answers some frames itself and ignores unknown types.
    private func note(_ frame: [UInt8]) {
        switch FrameType(rawValue: frame[0]) {
        case nil, .ping, .pong, .handshake: break
        case .payload, .certificate, .have, .want, .goodbye, .superseded, .sealed, .tree, .latest, .news, .contacts,
            .clock, .roster, .direct, .chaff:
            said.append(frame)
        }
    }

    /// - Parameter most: the bytes that the network takes.
    func output(most: Int = .max) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(LinkError) {
            try link.flush { span in
                let taken = min(span.count, most - bytes.count)
                bytes += [UInt8](copying: span.extracting(first: taken))
                return taken
            }
        } catch {
            failure = error
        }
        return bytes
    }

    func receive(_ bytes: [UInt8]) {
        var position = 0
        while let event = link.next(
            in: bytes.span, from: &position, plaintext: &plaintext, context: context, now: now, using: &randomness)
        {
            demand(failure == nil, "a dead link tells something")
            switch event {
            case .established(let certificate):
                demand(established == nil, "a link is established twice")
                established = certificate
            case .frame(let type, let body):
                demand(established != nil, "a frame comes before the handshake is over")
                heard.append([type.rawValue] + plaintext[body])
            case .failed(let error): failure = error
            }
        }
    }

    /// Begins to replace the keys, as the initiator does in time.
    func renew() {
        do throws(LinkError) { try link.beginRenewal(context, using: &randomness) } catch { failure = error }
    }

    func ping() {
        if link.isOpen { link.ping(now: now, using: &randomness) }
    }

    func probe() { link.probe(now: now, using: &randomness) }

    /// - Parameter unacknowledged: the bytes that the other machine has not acknowledged.
    func review(unacknowledged: Int) {
        _ = link.reviewDeadlines(now: now, unacknowledged: unacknowledged)
    }

    func pass(_ time: Duration) {
        now = now + time
        do throws(LinkError) { try link.tick(context, now: now, using: &randomness) } catch { failure = error }
    }
}

extension Link {
    /// Seals a plaintext that `enqueue` never produces.
    mutating func send(record plaintext: [UInt8]) {
        try? outbox.seal(plaintext.span, with: &state)
    }
}
