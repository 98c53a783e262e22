/// The id of a peer: the 32 bytes of its Ed25519 public key (Protocol.md section 1). Ordered by those bytes.
@usableFromInline package struct PeerID: Hashable, Comparable, Sendable {
    package static let byteCount = 32

    /// The key as four big-endian words.
    @inlinable package var words: (UInt64, UInt64, UInt64, UInt64) { (first, second, third, fourth) }

    @usableFromInline let first: UInt64
    @usableFromInline let second: UInt64
    @usableFromInline let third: UInt64
    @usableFromInline let fourth: UInt64

    @inlinable init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
    }

    /// Nil unless there are exactly 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == PeerID.byteCount else { return nil }
        var reader = ByteReader(bytes.span)
        guard let id = try? reader.readPeerID() else { return nil }
        self = id
    }

    /// Nil unless there are exactly 64 hexadecimal digits.
    package init?(hexadecimal text: some StringProtocol) {
        guard let bytes = Hexadecimal.decode(text) else { return nil }
        self.init(bytes)
    }

    /// Keys that have their first 8 bytes in common are as hard to make as 64 bits are to guess.
    @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(first) }

    /// Inlinable, as `hash` is: tables in other modules are searched by keys.
    @inlinable package static func == (left: PeerID, right: PeerID) -> Bool { left.words == right.words }

    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: PeerID.byteCount)
        writer.write(self)
        return writer.bytes
    }

    package var hexadecimal: String { Hexadecimal.encode(bytes) }

    @inlinable package static func < (left: PeerID, right: PeerID) -> Bool { left.words < right.words }
}
