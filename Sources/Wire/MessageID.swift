/// Which message: 16 bytes computed from what was signed, never sent on their own authority (Protocol.md section 6).
@usableFromInline package struct MessageID: Hashable, Sendable {
    package static let byteCount = 16

    /// The id as two big-endian words.
    @inlinable package var words: (UInt64, UInt64) { (first, second) }

    @usableFromInline let first: UInt64
    @usableFromInline let second: UInt64

    @inlinable package init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// Nil unless there are exactly 16 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == MessageID.byteCount else { return nil }
        var reader = ByteReader(bytes.span)
        guard let id = try? reader.readMessageID() else { return nil }
        self = id
    }

    /// Nil unless there are exactly 32 hexadecimal digits.
    package init?(hexadecimal text: some StringProtocol) {
        guard let bytes = Hexadecimal.decode(text), let id = MessageID(bytes) else { return nil }
        self = id
    }

    /// All of it is a digest: its first half spreads as well as the whole.
    @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(first) }

    @inlinable package static func == (left: MessageID, right: MessageID) -> Bool { left.words == right.words }

    /// The first 8 bytes, as `have` and `want` name a message (Protocol.md section 5).
    @inlinable package var prefix: UInt64 { first }

    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: MessageID.byteCount)
        writer.write(self)
        return writer.bytes
    }

    package var hexadecimal: String { Hexadecimal.encode(bytes) }
}
