/// The bytes end before the value that was asked for.
@usableFromInline package struct TruncatedInput: Error, Equatable {
    @inlinable package init() {}
}

/// A bounds-checked cursor over bytes that somebody else sent. All integers are big-endian (Protocol.md).
///
/// Inlinable: the header of each payload is read by it, in another module.
@usableFromInline package struct ByteReader: ~Escapable {
    @usableFromInline let bytes: Span<UInt8>
    @usableFromInline var offset = 0

    /// The offset of the next unread byte.
    @inlinable package var position: Int { offset }

    @_lifetime(copy bytes)
    @inlinable package init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
    }

    /// How many bytes are still unread.
    @inlinable package var remaining: Int { bytes.count - offset }

    @inlinable package mutating func readUInt8() throws(TruncatedInput) -> UInt8 {
        guard remaining >= 1 else { throw TruncatedInput() }
        defer { offset += 1 }
        return bytes[offset]
    }

    @inlinable package mutating func readUInt16() throws(TruncatedInput) -> UInt16 {
        let two = bytes.extracting(try readRange(2))
        return UInt16(two[0]) << 8 | UInt16(two[1])
    }

    @inlinable package mutating func readUInt64() throws(TruncatedInput) -> UInt64 {
        let eight = bytes.extracting(try readRange(8))
        // Written out, so that it becomes one load.
        let high = UInt64(eight[0]) << 56 | UInt64(eight[1]) << 48 | UInt64(eight[2]) << 40 | UInt64(eight[3]) << 32
        let low = UInt64(eight[4]) << 24 | UInt64(eight[5]) << 16 | UInt64(eight[6]) << 8 | UInt64(eight[7])
        return high | low
    }

    /// A copy of the next `count` bytes.
    @inlinable package mutating func readBytes(_ count: Int) throws(TruncatedInput) -> [UInt8] {
        let range = try readRange(count)
        return [UInt8](copying: bytes.extracting(range))
    }

    /// Skips `count` bytes and tells where in the input they are.
    @inlinable package mutating func readRange(_ count: Int) throws(TruncatedInput) -> Range<Int> {
        guard count >= 0, remaining >= count else { throw TruncatedInput() }
        defer { offset += count }
        return offset..<offset + count
    }

    @inlinable package mutating func readPeerID() throws(TruncatedInput) -> PeerID {
        PeerID(
            try readUInt64(), try readUInt64(), try readUInt64(), try readUInt64())
    }

    @inlinable package mutating func readMessageID() throws(TruncatedInput) -> MessageID {
        MessageID(try readUInt64(), try readUInt64())
    }
}

extension Array where Element == UInt8 {
    /// A copy of the bytes of a span.
    @inlinable package init(copying span: Span<UInt8>) {
        // Room first: the initializer that takes a capacity goes through code for any element.
        self = []
        reserveCapacity(span.count)
        append(copying: span)
    }

    /// Puts a copy of the bytes of a span at the end.
    @inlinable package mutating func append(copying span: Span<UInt8>) {
        append(addingCapacity: span.count) { output in
            for index in span.indices { output.append(span[index]) }
        }
    }
}
