import Chat
import Noise
import Wire

/// The dm keys: the one that the certificate names, and for five minutes the one before (Protocol.md sections 1 and 8).
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

    /// When `tick` has something to do.
    var nextDeadline: Instant { forgetsAt.map { min($0, rotatesAt) } ?? rotatesAt }

    /// Replaces the key, or forgets the one before, as is due.
    ///
    /// - Returns: whether there is a new key.
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

    /// What was sealed for us in the body of a frame 9; nil if it was not, or to a key that is forgotten.
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
