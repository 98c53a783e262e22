/// A record announces a length that no record has (Protocol.md section 4).
package struct IllegalRecordLength: Error, Equatable {
    package let length: Int

    package init(length: Int) {
        self.length = length
    }
}

/// Cuts a byte stream into records, `length u16 | ciphertext`, however the bytes arrive.
///
/// A length other than the legal three, and in a handshake other than that of its messages, is refused before a byte of
/// the record is stored, so the decoder never holds more than one record (4,114 bytes, 530 in a handshake).
package struct RecordDecoder {
    /// Where the ciphertext of a complete record is.
    package enum Location: Equatable {
        /// In the bytes handed in: the common case, not copied.
        case input(Range<Int>)
        /// Gathered from several inputs; the length prefix is not part of it.
        case gathered(ArraySlice<UInt8>)
    }

    private var pending: [UInt8] = []
    /// Nothing is proven yet, and each record is a message of the handshake.
    private var isHandshaking: Bool

    package init(isHandshaking: Bool = false) { self.isHandshaking = isHandshaking }

    /// From the next record on each legal length is accepted.
    package mutating func endHandshake() { isHandshaking = false }

    /// True while a record has begun and is not complete.
    package var isMidRecord: Bool { !pending.isEmpty }

    /// The next complete record in `bytes` from `position` on, which moves past what was used; nil when all is used.
    ///
    /// - Throws: `IllegalRecordLength`; the stream can not be read further.
    package mutating func next(
        in bytes: Span<UInt8>, from position: inout Int
    ) throws(IllegalRecordLength) -> Location? {
        if pending.isEmpty, let range = try wholeRecord(in: bytes, at: position) {
            position = range.upperBound
            return .input(range)
        }
        // Two rounds at most: the length prefix, then the rest of the record it announces.
        while position < bytes.count {
            let wanted = try wantedCount()
            pending.reserveCapacity(wanted)
            let end = min(bytes.count, position + wanted - pending.count)
            pending.append(copying: bytes.extracting(position..<end))
            position = end
            if pending.count > Limits.lengthPrefix, pending.count == wanted {
                defer { pending = [] }
                return .gathered(pending.dropFirst(Limits.lengthPrefix))
            }
        }
        // A bad length is reported as soon as it is known, before the first byte of the record.
        _ = try wantedCount()
        return nil
    }

    /// Each message of the handshake fills a record of the smallest size.
    private static let handshakeLength = Limits.recordPlaintexts[0] + Limits.sealOverhead

    /// Ciphertext lengths that exist: each plaintext size and the seal's 16 bytes.
    package static func isLegal(_ length: Int) -> Bool {
        Limits.recordPlaintexts.contains(length - Limits.sealOverhead)
    }

    /// How many bytes `pending` must hold before something can be said about it.
    private func wantedCount() throws(IllegalRecordLength) -> Int {
        guard pending.count >= Limits.lengthPrefix else { return Limits.lengthPrefix }
        return try Limits.lengthPrefix + length(pending[0], pending[1])
    }

    private func wholeRecord(
        in bytes: Span<UInt8>, at position: Int
    ) throws(IllegalRecordLength) -> Range<Int>? {
        let start = position + Limits.lengthPrefix
        guard bytes.count >= start else { return nil }
        let end = start + (try length(bytes[position], bytes[position + 1]))
        return bytes.count >= end ? start..<end : nil
    }

    private func length(_ high: UInt8, _ low: UInt8) throws(IllegalRecordLength) -> Int {
        let length = Int(high) << 8 | Int(low)
        guard isHandshaking ? length == RecordDecoder.handshakeLength : RecordDecoder.isLegal(length) else {
            throw IllegalRecordLength(length: length)
        }
        return length
    }
}

extension Limits {
    /// Bytes of the only plaintexts that records have, so that an observer learns no lengths. More sizes waste less
    /// padding and tell more; 512 suits the cipher's strides. A larger last size lets one record carry more, and each
    /// link hold more memory.
    package static let recordPlaintexts = [512, 1_280, 4_096]
    /// Bytes that the cipher adds to a plaintext: the tag of ChaCha20-Poly1305, which no other number fits.
    package static let sealOverhead = 16
    /// Bytes of the length before a record, and before a frame in it. One byte could not count the bytes of the largest
    /// record; more are not needed.
    package static let lengthPrefix = 2
}
