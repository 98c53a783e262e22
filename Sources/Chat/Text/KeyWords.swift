import Noise
import Wire

/// The words in the text of a room's key, and the bits that eight of them stand for (Protocol.md section 3).
struct KeyWords {
    static let count = 8
    /// 80 random bits.
    static let randomBytes = 10
    private static let bitsPerWord = 11

    /// Where the words are in the text: between white space, hyphens and what else `EditedText` takes for a separator.
    let ranges: [Range<Int>]

    init(_ text: Span<UInt8>) {
        var ranges: [Range<Int>] = []
        var start: Int?
        var index = 0
        while index < text.count {
            let length = EditedText.wordSeparator(in: text, at: index)
            if length > 0 {
                if let first = start.take() { ranges.append(first..<index) }
            } else if start == nil {
                start = index
            }
            index += max(1, length)
        }
        if let start { ranges.append(start..<text.count) }
        self.ranges = ranges
    }

    /// The place of a word in the list; nil for another word.
    static func index(of range: Range<Int>, in text: Span<UInt8>) -> Int? {
        packed(range, text).flatMap(RoomKeyWords.index(of:))
    }

    /// The nearest word of the list; nil if none is near.
    static func nearest(to range: Range<Int>, in text: Span<UInt8>) -> String? {
        packed(range, text).flatMap(RoomKeyWords.nearest(to:))
    }

    /// The random bits of eight words of the list, 10 bytes.
    func bits(in text: Span<UInt8>) throws(RoomKeyError) -> Secret {
        let whole = Secret(count: KeyWords.randomBytes + 1, protection: .guarded) { bytes in
            for (number, range) in ranges.enumerated() {
                let index = KeyWords.index(of: range, in: text) ?? 0
                for bit in 0..<KeyWords.bitsPerWord where index >> (KeyWords.bitsPerWord - 1 - bit) & 1 == 1 {
                    let place = number * KeyWords.bitsPerWord + bit
                    bytes[place / 8] |= 0x80 >> UInt8(place % 8)
                }
            }
        }
        let bits = whole.prefix(KeyWords.randomBytes)
        guard KeyWords.checksum(of: bits) == whole.span[KeyWords.randomBytes] else { throw .checksum }
        return bits
    }

    /// The words of 80 bits and their checksum, joined by hyphens.
    static func text(of bits: borrowing Secret) -> Secret {
        let checksum = checksum(of: bits)
        var length = 0
        let text = Secret(count: count * (RoomKeyWords.longest + 1), protection: .guarded) { text in
            for number in 0..<count {
                var index = 0
                for place in number * bitsPerWord..<(number + 1) * bitsPerWord {
                    let byte = place / 8 < randomBytes ? bits.span[place / 8] : checksum
                    index = index << 1 | Int(byte >> UInt8(7 - place % 8) & 1)
                }
                let word = RoomKeyWords.packed[index]
                for shift in stride(from: UInt64(56), through: 0, by: -8) where word >> shift & 255 > 0 {
                    text[length] = UInt8(word >> shift & 255)
                    length += 1
                }
                text[length] = UInt8(ascii: "-")
                length += 1
            }
        }
        return text.prefix(length - 1)
    }

    /// The first 8 bits of a hash of the random bits: of 256 wrong keys it passes one.
    private static func checksum(of bits: borrowing Secret) -> UInt8 {
        SHA256.hash("earshot/3 checksum\0", bits.span)[0]
    }

    /// A word in lower case in the high bytes of an integer; nil for one of over 8 bytes, or with a zero, which no integer
    /// would show.
    private static func packed(_ range: Range<Int>, _ text: Span<UInt8>) -> UInt64? {
        guard range.count <= 8, range.allSatisfy({ text[$0] != 0 }) else { return nil }
        let word = range.reduce(UInt64(0)) { $0 << 8 | UInt64(lowercase(text[$1])) }
        return word << UInt64(8 * (8 - range.count))
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }
}
