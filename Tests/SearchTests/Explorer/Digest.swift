import Noise
import Wire

/// The content of a state as bytes, in one form for equal states.
struct Digest {
    private var bytes: [UInt8] = []

    /// 128 bits of BLAKE2b of the whole content: of a million states, two share a key by chance once in 10^26 searches.
    var key: StateKey {
        let (high, low) = BLAKE2b.words("earshot search", bytes.span)
        return StateKey(high: high, low: low)
    }

    /// The content, to compare what two states that are equal differ in.
    var content: [UInt8] { bytes }

    mutating func write(_ value: UInt8) { bytes.append(value) }

    mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

    mutating func write(_ value: Int) { withInteger(UInt64(bitPattern: Int64(value))) }

    mutating func write(_ value: UInt64) { withInteger(value) }

    /// The length goes before the text, so that no two texts run together.
    mutating func write(_ text: String) {
        write(text.utf8.count)
        bytes += Array(text.utf8)
    }

    mutating func write(_ list: [UInt8]) {
        write(list.count)
        bytes += list
    }

    private mutating func withInteger(_ value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}

/// A state in the set of those that were visited.
struct StateKey: Hashable, Sendable {
    let high: UInt64
    let low: UInt64
}
