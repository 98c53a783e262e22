import Wire

/// An X25519 public key, 32 bytes (RFC 7748). Ordered by those bytes.
package struct PublicKey: Hashable, Comparable, Sendable {
    package static let byteCount = 32

    private let storage: InlineArray<32, UInt8>

    /// Nil unless there are exactly 32 bytes.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == PublicKey.byteCount else { return nil }
        storage = InlineArray { bytes[$0] }
    }

    package var span: Span<UInt8> {
        @_lifetime(borrow self)
        get { storage.span }
    }

    package var bytes: [UInt8] { [UInt8](copying: span) }

    package static func == (left: PublicKey, right: PublicKey) -> Bool {
        left.storage.indices.allSatisfy { left.storage[$0] == right.storage[$0] }
    }

    package static func < (left: PublicKey, right: PublicKey) -> Bool {
        for index in left.storage.indices where left.storage[index] != right.storage[index] {
            return left.storage[index] < right.storage[index]
        }
        return false
    }

    package func hash(into hasher: inout Hasher) {
        for index in storage.indices { hasher.combine(storage[index]) }
    }
}
