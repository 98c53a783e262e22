/// SplitMix64: the same numbers for the same seed.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// Any byte, but more often one that begins or goes on with something.
    mutating func byte() -> UInt8 {
        let common: [UInt8] = [0x1b, 0x5b, 0x4f, 0x32, 0x30, 0x31, 0x7e, 0x3b, 0x43, 0xed, 0x95, 0x9c, 0x61, 0x7f]
        return Bool.random(using: &self)
            ? common[Int.random(in: 0..<common.count, using: &self)] : UInt8.random(in: 0...255, using: &self)
    }
}
