/// The script of a letter, as far as names in texts need it: a change of script ends a name.
enum Script: Hashable, Sendable {
    /// Of no letter, or of one whose script is not distinguished.
    case none
    case latin, greek, cyrillic, hebrew, arabic, thai, hangul, hiragana, katakana, han
    /// Consonants and vowels alone, as in laughter behind a name.
    case jamo

    init(_ character: Character) {
        let value = character.unicodeScalars.first?.value ?? 0
        self = Script.ranges.first { $0.range.contains(value) }?.script ?? .none
    }

    /// Whether two letters side by side are of two scripts.
    static func change(between first: Character, and second: Character) -> Bool {
        let (one, other) = (Script(first), Script(second))
        return one != other || (one == .none && !first.isLetter)
    }

    private static let ranges: [(range: ClosedRange<UInt32>, script: Script)] = [
        (0x41...0x7a, .latin), (0xaa...0x24f, .latin), (0x1e00...0x1eff, .latin), (0x370...0x3ff, .greek),
        (0x1f00...0x1fff, .greek), (0x400...0x52f, .cyrillic), (0x590...0x5ff, .hebrew), (0x600...0x77f, .arabic),
        (0xe00...0xe7f, .thai), (0xac00...0xd7a3, .hangul), (0x1100...0x11ff, .hangul), (0x3130...0x318f, .jamo),
        (0x3041...0x309f, .hiragana), (0x30a0...0x30ff, .katakana), (0x31f0...0x31ff, .katakana),
        (0xff66...0xff9f, .katakana), (0x4e00...0x9fff, .han), (0x3400...0x4dbf, .han), (0x3005...0x3007, .han),
        (0xf900...0xfaff, .han), (0x20000...0x3fffd, .han),
    ]
}
