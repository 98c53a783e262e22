internal import Synchronization
internal import Wire

/// The key that two identities share for as long as their certificates are the present ones: it authenticates the payloads of
/// either to the other (Protocol.md section 8).
///
/// Both have it, so that a MAC under it proves nothing to a third peer.
package final class DirectKey: Sendable {
    /// Of a MAC.
    package static let macBytes = Sodium.digestBytes
    private static let domain: Domain = "earshot/3 direct\0"

    /// Never changed: the lock lets threads share it.
    private let key: Mutex<Secret>

    /// The key of the owner of a dm key and a peer; nil if the peer's dm key has low order.
    ///
    /// - Parameters:
    ///   - pair: the one that `ours` names.
    ///   - ours: the owner's certificate.
    package init?(of pair: borrowing KeyPair, _ ours: Certificate, with theirs: Certificate) {
        guard let shared = try? pair.agree(with: theirs.dm) else { return nil }
        let certificates = ours.identity < theirs.identity ? [ours, theirs] : [theirs, ours]
        let domain = DirectKey.domain.withBytes { [UInt8](copying: $0) }
        let context = domain + certificates.flatMap(\.bytes)
        key = Mutex(Sodium.blake2b(context.span, key: shared).prefix(Sodium.keyBytes))
    }

    /// The MAC of a message, 32 bytes: BLAKE2b with the key.
    package func mac(of message: Span<UInt8>) -> [UInt8] {
        key.withLock { key in
            let mac = Sodium.blake2b(message, key: key)
            return [UInt8](copying: mac.span)
        }
    }

    /// Whether `mac` is that of a message; takes the same time wherever it differs.
    package func isMAC(_ mac: Span<UInt8>, of message: Span<UInt8>) -> Bool {
        guard mac.count == DirectKey.macBytes else { return false }
        let expected = self.mac(of: message)
        return expected.indices.reduce(UInt8(0)) { $0 | (expected[$1] ^ mac[$1]) } == 0
    }
}
