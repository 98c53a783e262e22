import Chat
import Noise
import Wire

/// The presences of a roster, in 16 buckets by the first 4 bits of the keys: two equal buckets have equal digests (Protocol.md
/// section 13).
///
/// A digest is the exclusive or of a hash of each presence, so that a change costs one hash.
struct RosterDigests: Hashable, Sendable {
    static let bucketCount = 16

    /// The presences that the digests are of.
    private(set) var count = 0
    private(set) var values = [UInt32](repeating: 0, count: bucketCount)

    init() {}

    /// Digests that a neighbour sent; nil unless there are 16.
    init?(count: Int, values: [UInt32]) {
        guard values.count == RosterDigests.bucketCount else { return nil }
        (self.count, self.values) = (count, values)
    }

    static func bucket(of peer: PeerID) -> Int { Int(peer.bytes[0] >> 4) }

    /// - Parameter isBridged: whether the presence came over a bridge: a roster that has it over links too is another one.
    mutating func insert(_ peer: PeerID, _ clock: AuthorClock, isBridged: Bool = false) {
        count += 1
        toggle(peer, clock, isBridged)
    }

    mutating func remove(_ peer: PeerID, _ clock: AuthorClock, isBridged: Bool = false) {
        count -= 1
        toggle(peer, clock, isBridged)
    }

    /// The buckets in which two rosters differ, bit 0 for the first.
    func differences(from other: RosterDigests) -> UInt16 {
        zip(values, other.values).enumerated().reduce(0) { mask, pair in
            pair.element.0 == pair.element.1 ? mask : mask | 1 << UInt16(pair.offset)
        }
    }

    private mutating func toggle(_ peer: PeerID, _ clock: AuthorClock, _ isBridged: Bool) {
        values[RosterDigests.bucket(of: peer)] ^= RosterDigests.hash(peer, clock, isBridged)
    }

    private static let purpose: BLAKE2b.Purpose = "earshot/3 rost"

    private static func hash(_ peer: PeerID, _ clock: AuthorClock, _ isBridged: Bool) -> UInt32 {
        var writer = ByteWriter(capacity: PeerID.byteCount + 17)
        writer.write(peer.bytes)
        writer.write(clock.epoch)
        writer.write(clock.sequence)
        if isBridged { writer.write(UInt8(1)) }
        return UInt32(truncatingIfNeeded: BLAKE2b.words(purpose, writer.bytes.span).0 >> 32)
    }
}

/// The body and the frame 14 of digests (Protocol.md section 13).
extension RosterDigests {
    init?(_ body: Span<UInt8>) {
        guard let frame = RosterFrame(body) else { return nil }
        self.init(count: Int(frame.count), values: frame.digests)
    }

    var frame: [UInt8] { RosterFrame(count: UInt16(clamping: count), digests: values).bytes }
}
