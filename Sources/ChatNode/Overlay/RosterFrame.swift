import Wire

/// A frame 14: digests of the presences that the sender has, by the first 4 bits of their authors' keys (Protocol.md section 13).
package struct RosterFrame: Hashable, Sendable {
    package static let buckets = 16

    /// How many authors the sender knows to be here.
    package let count: UInt16
    /// One for each value of the first 4 bits of a key.
    package let digests: [UInt32]

    package init(count: UInt16, digests: [UInt32]) {
        precondition(digests.count == RosterFrame.buckets, "a roster has \(digests.count) digests")
        self.count = count
        self.digests = digests
    }

    /// Nil for a body of another length.
    package init?(_ body: Span<UInt8>) {
        var reader = ByteReader(body)
        guard let count = try? reader.readUInt16(), reader.remaining == 4 * RosterFrame.buckets else { return nil }
        var digests: [UInt32] = []
        for _ in 0..<RosterFrame.buckets {
            guard let high = try? reader.readUInt16(), let low = try? reader.readUInt16() else { return nil }
            digests.append(UInt32(high) << 16 | UInt32(low))
        }
        self.init(count: count, digests: digests)
    }

    /// The whole frame, its type byte first.
    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 3 + 4 * RosterFrame.buckets)
        writer.write(FrameType.roster.rawValue)
        writer.write(count)
        for digest in digests {
            writer.write(UInt16(truncatingIfNeeded: digest >> 16))
            writer.write(UInt16(truncatingIfNeeded: digest))
        }
        return writer.bytes
    }
}
