/// Where every random number and every key of a node comes from.
///
/// `system` is libsodium's generator. `seeded` makes a simulated run repeat itself, keys included; it keeps no secrets.
package struct Randomness: RandomNumberGenerator, Sendable {
    private enum Source: Sendable {
        case system
        case seeded(SplitMix)
    }

    private var source: Source

    package static var system: Randomness { Randomness(source: .system) }

    /// Whether the system offers randomness; without it no key can be made, and libsodium does not start.
    package static var isAvailable: Bool { Sodium.isReady }

    /// Equal seeds give equal numbers, on every machine.
    package static func seeded(_ seed: UInt64) -> Randomness {
        Randomness(source: .seeded(SplitMix(state: seed)))
    }

    /// Another sequence of numbers, so that a part of the node can draw without a change to what others draw.
    package func branch(_ number: UInt64) -> Randomness {
        switch source {
        case .system: self
        case .seeded(var generator): .seeded(generator.next() ^ number &* 0xd1b5_4a32_d192_ed03)
        }
    }

    package mutating func next() -> UInt64 {
        switch source {
        case .system:
            return Randomness.systemWord()
        case .seeded(var generator):
            defer { source = .seeded(generator) }
            return generator.next()
        }
    }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        fill(&span)
        return bytes
    }

    mutating func fill(_ bytes: inout MutableSpan<UInt8>) {
        switch source {
        case .system:
            Sodium.randomize(&bytes)
        case .seeded(var generator):
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: generator.next() >> 56) }
            source = .seeded(generator)
        }
    }

    private static func systemWord() -> UInt64 {
        var bytes = InlineArray<8, UInt8>(repeating: 0)
        var span = bytes.mutableSpan
        Sodium.randomize(&span)
        var word: UInt64 = 0
        for index in bytes.indices { word = word << 8 | UInt64(bytes[index]) }
        return word
    }
}

/// Steele, Lea and Flood's SplitMix64: one addition and a finaliser a number, any seed as good as another.
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }
}
