internal import Synchronization
import Wire

/// The signatures that were found valid, for a simulation: its many nodes check the same ones, and each check costs more than all
/// else that a node does with a payload. No other program uses it.
package enum SignatureMemory {
    /// The digest of a signature with all that it is checked against.
    private struct Key: Hashable {
        let high: UInt64
        let low: UInt64
    }

    private static let used = Atomic(false)
    private static let valid = Mutex<Set<Key>>([])
    /// Above it the table begins anew.
    private static let most = 1 << 20

    /// From now on valid signatures are remembered in this process.
    package static func use() { used.store(true, ordering: .relaxed) }

    static var isUsed: Bool { used.load(ordering: .relaxed) }

    /// As `Identity.verify`, which asks it where it is used.
    static func verify(_ signature: Span<UInt8>, _ domain: Domain, _ message: Span<UInt8>, by signer: PeerID) -> Bool {
        guard signature.count == Identity.signatureBytes else { return false }
        var input = signer.bytes
        input.append(copying: signature)
        domain.withBytes { domain in input.append(copying: domain) }
        input.append(copying: message)
        let (high, low) = BLAKE2b.words("valid signature", input.span)
        let key = Key(high: high, low: low)
        if valid.withLock({ $0.contains(key) }) { return true }
        guard Sodium.verify(signature, domain, message, by: signer.bytes) else { return false }
        valid.withLock { valid in
            if valid.count >= most { valid = [] }
            valid.insert(key)
        }
        return true
    }
}
