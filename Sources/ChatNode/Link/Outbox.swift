import Wire

/// Sealed bytes that one link has not got rid of yet, bounded (Protocol.md section 11).
package struct Outbox {
    private var bytes: [UInt8] = []
    private var sent = 0
    /// Bytes that the network has taken so far.
    private(set) var taken = 0
    /// The network did not take all that it was offered last.
    private(set) var isHeldUp = false

    package init() {}

    /// A peer that leaves more than this unread is let go: 64 of the largest records, 263,296 bytes.
    package static var capacity: Int {
        let largest = (Limits.recordPlaintexts.last ?? 0) + Limits.sealOverhead + Limits.lengthPrefix
        return Limits.queuedRecords * largest
    }

    /// Bytes that wait.
    package var count: Int { bytes.count - sent }

    package var isEmpty: Bool { count == 0 }

    package var isOverfull: Bool { count > Outbox.capacity }

    mutating func append(_ record: [UInt8]) {
        bytes += record
    }

    /// Seals a record in place at the end.
    mutating func seal(_ plaintext: Span<UInt8>, with state: inout LinkState) throws(LinkError) {
        try state.seal(plaintext, appendingTo: &bytes)
    }

    /// Offers what waits to `write`, which returns how much of it was taken. A link that has nothing to say keeps no room for it,
    /// so that many links cost little memory.
    ///
    /// - Parameter capacity: in bytes, of the largest buffer that is kept.
    package mutating func drain(keepingUpTo capacity: Int = 0, _ write: (Span<UInt8>) -> Int) {
        guard !isEmpty else { return }
        let count = write(bytes.span.extracting(sent..<bytes.count))
        sent += count
        taken += count
        isHeldUp = !isEmpty
        if !isHeldUp {
            bytes.removeAll(keepingCapacity: bytes.capacity <= capacity)
            sent = 0
        } else if sent > bytes.count / 2 {
            // Rarely: only a slow peer leaves a rest, and moving it halves the buffer each time.
            bytes.removeFirst(sent)
            sent = 0
        }
    }

    /// Drains if many bytes wait, unless the network took fewer than it was offered last.
    mutating func drainIfLarge(_ write: (Span<UInt8>) -> Int) {
        if count >= Outbox.spillSize, !isHeldUp { drain(keepingUpTo: 2 * Outbox.spillSize, write) }
    }

    /// A write of so many bytes costs little more for each than a larger one, and they still lie in the cache.
    private static let spillSize = 65_536
}

extension Limits {
    /// Largest records that may wait for a slow peer; then its link ends, so that it slows no other. More cost memory
    /// on each link; with fewer, peers on slow networks lose their links in a burst.
    static let queuedRecords = 64
}
