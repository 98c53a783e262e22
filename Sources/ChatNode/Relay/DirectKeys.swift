import Chat
import Noise
import Wire

/// The dm key in our certificate and, for five minutes, the previous one; and what they authenticate direct payloads by
/// (Protocol.md sections 1 and 8).
struct DirectKeys: ~Copyable {
    private struct Pair: Hashable {
        let ours: Certificate
        let theirs: Certificate
    }

    private static let ownCertificates = 4

    private var current: KeyPair
    private var previous: KeyPair?
    /// Ours that name these keys, the present one last: a peer may not have heard of it yet.
    private var certificates: [Certificate] = []
    /// Derived of these keys, and wiped with the first of them that is; nil for a peer whose dm key is invalid.
    private var derived = RecentTable<Pair, DirectKey?>(capacity: 2 * Limits.links)
    private var rotatesAt: Instant
    private var forgetsAt: Instant?

    init(now: Instant, using randomness: inout Randomness) {
        current = KeyPair.generate(using: &randomness)
        rotatesAt = now + DirectKeys.drawLifetime(using: &randomness)
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
            dropCertificates()
        }
        guard now >= rotatesAt else { return false }
        var next = KeyPair.generate(using: &randomness)
        swap(&current, &next)
        previous = consume next
        forgetsAt = now + Limits.relayKeyGrace
        rotatesAt = now + DirectKeys.drawLifetime(using: &randomness)
        return true
    }

    /// Records a certificate that was issued for the current key.
    mutating func record(_ certificate: Certificate) {
        certificates = certificates.suffix(DirectKeys.ownCertificates - 1) + [certificate]
    }

    private mutating func dropCertificates() {
        let key = current.publicKey
        certificates.removeAll { $0.dm != key }
        derived = RecentTable(capacity: 2 * Limits.links)
    }

    /// The key for a payload to a peer.
    ///
    /// - Parameters:
    ///   - ours: our present certificate.
    ///   - theirs: the peer's, as far as it is known.
    /// - Returns: nil if the peer's dm key is invalid.
    mutating func key(of ours: Certificate, with theirs: Certificate) -> DirectKey? {
        let pair = Pair(ours: ours, theirs: theirs)
        if let known = derived[pair] { return known }
        let key = derive(pair)
        derived.set(key, for: pair)
        return key
    }

    /// The key of a payload that came from a peer; nil if it is of a certificate that neither side has any more, or has not yet.
    mutating func key(of frame: borrowing PayloadFrame, from theirs: Certificate) -> DirectKey? {
        let serials = frame.serials
        guard UInt8(truncatingIfNeeded: theirs.serial) == serials.author,
            let ours = certificates.last(where: { UInt8(truncatingIfNeeded: $0.serial) == serials.target })
        else { return nil }
        return key(of: ours, with: theirs)
    }

    private func derive(_ pair: Pair) -> DirectKey? {
        if pair.ours.dm == current.publicKey { return DirectKey(of: current, pair.ours, with: pair.theirs) }
        switch previous {
        case .some(let key):
            return pair.ours.dm == key.publicKey ? DirectKey(of: key, pair.ours, with: pair.theirs) : nil
        case .none: return nil
        }
    }

    /// Opens the body of a frame 9. Nil if it was not sealed for this node, or was sealed for a wiped key.
    func open(_ body: Span<UInt8>, for me: PeerID) -> [UInt8]? {
        if let opened = try? SealedMessage.open(body, for: me, with: current) { return opened }
        switch previous {
        case .some(let key): return try? SealedMessage.open(body, for: me, with: key)
        case .none: return nil
        }
    }

    /// Zeroes all secret halves, and what was derived of them.
    mutating func forget() {
        current.forget()
        previous = nil
        certificates = []
        derived = RecentTable(capacity: 2 * Limits.links)
    }

    private static func drawLifetime(using randomness: inout Randomness) -> Duration {
        Limits.relayKeyLifetime - .random(in: .zero...Limits.relayKeyJitter, using: &randomness)
    }
}

extension Limits {
    /// The longest that a dm key is the one in the certificate: with what a machine holds, a recording of a sealed message
    /// can be opened, and a direct message forged, for no longer than this and the grace. A shorter one floods the room
    /// with certificates.
    static let relayKeyLifetime = Duration.seconds(3_600)
    /// Taken off the lifetime at random. A larger one replaces keys more often; a smaller one lets an observer
    /// recognise nodes by their rhythm.
    static let relayKeyJitter = Duration.seconds(600)
    /// How long a replaced key still opens and authenticates messages of authors that had not heard of the new one. A
    /// longer one keeps recordings open for longer; a shorter one loses messages.
    static let relayKeyGrace = Duration.seconds(300)
}
