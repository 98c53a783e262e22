import Wire

/// A short name for a set of message ids, to see whether two sets are the same. Nothing rests on it but a measurement.
enum RingDigest {
    /// 16 hexadecimal digits: FNV-1a, 64 bits, over the ids in order.
    static func text(of ids: [String]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in ids.sorted().joined().utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        return Hexadecimal.encode((0..<8).reversed().map { UInt8(truncatingIfNeeded: hash >> ($0 * 8)) })
    }
}
