/// The type of a frame: its first byte (Protocol.md section 5). Other values are counted and ignored.
package enum FrameType: UInt8, Sendable, CaseIterable {
    case payload = 1
    case certificate = 2
    case ping = 3
    case pong = 4
    case have = 5
    case want = 6
    case goodbye = 7
    case superseded = 8
    case sealed = 9
    case tree = 10
    case latest = 11
    case news = 12
    case contacts = 13
    case roster = 14
    case clock = 15
    case direct = 16
    case chaff = 17
    case handshake = 18
}

/// The plaintext of a record is not a sequence of frames followed by zeros.
package enum FramingError: Error, Equatable {
    case frameBeyondRecord
    case paddingNotZero
}

/// Walks the frames of a record's plaintext: `(n u16 | frame[n])* | zeros` (Protocol.md section 4).
package struct FrameCursor: ~Escapable {
    private let plaintext: Span<UInt8>

    /// The offset behind the last frame, from where another cursor can go on.
    package private(set) var position: Int

    @_lifetime(copy plaintext)
    package init(_ plaintext: Span<UInt8>, from position: Int = 0) {
        self.plaintext = plaintext
        self.position = position
    }

    /// Where the next frame lies in the plaintext, type byte included; nil after the last.
    package mutating func next() throws(FramingError) -> Range<Int>? {
        guard plaintext.count - position >= Limits.lengthPrefix else {
            try requireZeros()
            return nil
        }
        let length = Int(plaintext[position]) << 8 | Int(plaintext[position + 1])
        guard length > 0 else {
            try requireZeros()
            return nil
        }
        let start = position + Limits.lengthPrefix
        guard plaintext.count - start >= length else { throw .frameBeyondRecord }
        position = start + length
        return start..<position
    }

    private mutating func requireZeros() throws(FramingError) {
        // Without a way out of the loop, many bytes are looked at in one step.
        var sum: UInt8 = 0
        for index in position..<plaintext.count { sum |= plaintext[index] }
        guard sum == 0 else { throw .paddingNotZero }
        position = plaintext.count
    }
}

/// Gathers frames that wait together into one record's plaintext (Protocol.md section 4).
package struct FramePacker {
    /// The frames so far, each behind its length, without padding.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package var isEmpty: Bool { bytes.isEmpty }

    /// The largest frame that fits into a record.
    package static var largestFrame: Int { largestPlaintext - Limits.lengthPrefix }

    private static var largestPlaintext: Int { Limits.recordPlaintexts[Limits.recordPlaintexts.count - 1] }

    /// False, and nothing is added, if the frame does not fit behind those that already wait.
    package mutating func append(_ frame: [UInt8]) -> Bool {
        let needed = bytes.count + Limits.lengthPrefix + frame.count
        guard !frame.isEmpty, needed <= FramePacker.largestPlaintext else { return false }
        // Where one frame waits behind another, more will: a single step to the whole record's room.
        if needed > bytes.capacity {
            bytes.reserveCapacity(
                bytes.isEmpty ? max(needed, Limits.recordPlaintexts[0]) : FramePacker.largestPlaintext)
        }
        bytes.append(UInt8(truncatingIfNeeded: frame.count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: frame.count))
        bytes.append(contentsOf: frame)
        return true
    }

    /// The size of the record that the waiting frames need.
    package var plaintextSize: Int {
        Limits.recordPlaintexts.first { $0 >= bytes.count } ?? FramePacker.largestPlaintext
    }

    /// Pads what waits with zeros to a legal size; `bytes` is then a record's plaintext.
    ///
    /// - Parameter least: the least size, a legal one: an observer does not see that less was needed.
    package mutating func pad(to least: Int = 0) {
        bytes.append(contentsOf: repeatElement(0, count: max(least, plaintextSize) - bytes.count))
    }

    /// Forgets what was packed. No room is kept for more: there are many links, most of them idle.
    package mutating func clear() {
        bytes = []
    }
}
