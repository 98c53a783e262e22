internal import Noise
package import Wire

/// The label that people call a peer by: computed from its key, never sent, and no identity (Protocol.md section 2).
package struct SenderNumber: Hashable, Sendable {
    /// 1000 to 9999.
    package let number: Int
    /// 1000 to 9999; shown only where two known peers share `number`.
    package let suffix: Int

    package init(of peer: PeerID) {
        let digest = SHA256.hash("earshot/1 number\0", peer.bytes.span)
        let word = digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        number = SenderNumber.label(word)
        suffix = SenderNumber.label(word / SenderNumber.labels)
    }

    private static let labels: UInt64 = 9_000

    private static func label(_ word: UInt64) -> Int { Int(word % labels) + 1_000 }
}
