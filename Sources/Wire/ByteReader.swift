/// The bytes end before the value that was asked for.
@usableFromInline package struct TruncatedInput: Error, Equatable {
    @inlinable package init() {}
}

/// A bounds-checked cursor over hostile bytes. All integers are big-endian (Protocol.md).
///
/// Inlinable: the header of each payload is read by it, in another module.
@usableFromInline package struct ByteReader: ~Escapable {
    @usableFromInline let count: Int
    /// The unread bytes: numbers are taken from their beginning, so that one comparison covers all bytes of a number.
    @usableFromInline var rest: Span<UInt8>

    /// The offset of the next unread byte.
    @inlinable package var position: Int { count - rest.count }

    @_lifetime(copy bytes)
    @inlinable package init(_ bytes: Span<UInt8>) {
        count = bytes.count
        rest = bytes
    }

    /// How many bytes are still unread.
    @inlinable package var remaining: Int { rest.count }

    @inlinable package mutating func readUInt8() throws(TruncatedInput) -> UInt8 {
        guard rest.count >= 1 else { throw TruncatedInput() }
        defer { rest = rest.extracting(droppingFirst: 1) }
        return rest[0]
    }

    @inlinable package mutating func readUInt16() throws(TruncatedInput) -> UInt16 {
        guard rest.count >= 2 else { throw TruncatedInput() }
        defer { rest = rest.extracting(droppingFirst: 2) }
        return UInt16(rest[0]) << 8 | UInt16(rest[1])
    }

    @inlinable package mutating func readUInt64() throws(TruncatedInput) -> UInt64 {
        guard rest.count >= 8 else { throw TruncatedInput() }
        defer { rest = rest.extracting(droppingFirst: 8) }
        // Written out, so that it becomes one load.
        let high = UInt64(rest[0]) << 56 | UInt64(rest[1]) << 48 | UInt64(rest[2]) << 40 | UInt64(rest[3]) << 32
        let low = UInt64(rest[4]) << 24 | UInt64(rest[5]) << 16 | UInt64(rest[6]) << 8 | UInt64(rest[7])
        return high | low
    }

    /// A copy of the next `count` bytes.
    @inlinable package mutating func readBytes(_ count: Int) throws(TruncatedInput) -> [UInt8] {
        guard count >= 0, rest.count >= count else { throw TruncatedInput() }
        defer { rest = rest.extracting(droppingFirst: count) }
        return [UInt8](copying: rest.extracting(first: count))
    }

    /// Skips `count` bytes.
    ///
    /// - Returns: their range in the input.
    @inlinable package mutating func readRange(_ count: Int) throws(TruncatedInput) -> Range<Int> {
        guard count >= 0, rest.count >= count else { throw TruncatedInput() }
        let start = position
        rest = rest.extracting(droppingFirst: count)
        return start..<start + count
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
