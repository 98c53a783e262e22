import Chat
import Noise
import Wire

/// The dm key in our certificate and, for five minutes, the previous one (Protocol.md sections 1 and 8).
struct RelayKeys: ~Copyable {
    private var current: KeyPair
    private var previous: KeyPair?
    private var rotatesAt: Instant
    private var forgetsAt: Instant?

    init(now: Instant, using randomness: inout Randomness) {
        current = KeyPair.generate(using: &randomness)
        rotatesAt = now + RelayKeys.drawLifetime(using: &randomness)
    }

    var publicKey: PublicKey { current.publicKey }

    /// When `tick` is due next.
    var nextDeadline: Instant { forgetsAt.map { min($0, rotatesAt) } ?? rotatesAt }

    /// Replaces the key, or wipes the previous one, if due.
    ///
    /// - Returns: true if the key was replaced.
    mutating func tick(now: Instant, using randomness: inout Randomness) -> Bool {
        if let forgetsAt, now >= forgetsAt {
            previous = nil
            self.forgetsAt = nil
        }
        guard now >= rotatesAt else { return false }
        var next = KeyPair.generate(using: &randomness)
        swap(&current, &next)
        previous = consume next
        forgetsAt = now + Limits.relayKeyGrace
        rotatesAt = now + RelayKeys.drawLifetime(using: &randomness)
        return true
    }

    /// Opens the body of a frame 9. Nil if it was not sealed for this node, or was sealed for a wiped key.
    func open(_ body: Span<UInt8>, for me: PeerID) -> [UInt8]? {
        if let opened = try? SealedMessage.open(body, for: me, with: current) { return opened }
        switch previous {
        case .some(let key): return try? SealedMessage.open(body, for: me, with: key)
        case .none: return nil
        }
    }

    /// Zeroes all secret halves.
    mutating func forget() {
        current.forget()
        previous = nil
    }

    private static func drawLifetime(using randomness: inout Randomness) -> Duration {
        Limits.relayKeyLifetime - .random(in: .zero...Limits.relayKeyJitter, using: &randomness)
    }
}

extension Limits {
    /// The longest that a key for sealed messages is the one in the certificate: a recording of one can be opened with
    /// what a machine holds for no longer than this and the grace. A shorter one floods the room with certificates.
    static let relayKeyLifetime = Duration.seconds(3_600)
    /// Taken off the lifetime at random. A larger one replaces keys more often; a smaller one lets an observer
    /// recognise nodes by their rhythm.
    static let relayKeyJitter = Duration.seconds(600)
    /// How long a replaced key still opens messages that were sealed before their authors had heard of the new one. A
    /// longer one keeps recordings open for longer; a shorter one loses messages.
    static let relayKeyGrace = Duration.seconds(300)
}
