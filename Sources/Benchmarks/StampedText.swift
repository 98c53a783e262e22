import Wire

/// A text of 240 characters that says who sent it, when, and as which: `PB1 SENDER EPOCH SEQUENCE TIME `, in hexadecimal
/// digits (4, 4, 8 and 16), then letters, then a full stop.
struct StampedText: Hashable {
    static let size = 240

    let sender: Int
    /// Which measurement it belongs to.
    let epoch: Int
    let sequence: Int
    /// The monotonic clock, in nanoseconds.
    let sentAt: UInt64

    init(sender: Int, epoch: Int, sequence: Int, sentAt: UInt64) {
        self.sender = sender
        self.epoch = epoch
        self.sequence = sequence
        self.sentAt = sentAt
    }

    /// Nil for anything else that was said.
    init?(_ text: String) {
        let bytes = text.utf8.span
        guard bytes.count == StampedText.size, bytes[StampedText.size - 1] == UInt8(ascii: "."),
            bytes[0] == UInt8(ascii: "P"), bytes[1] == UInt8(ascii: "B"), bytes[2] == UInt8(ascii: "1"),
            let sender = StampedText.number(bytes, 4..<8), let epoch = StampedText.number(bytes, 9..<13),
            let sequence = StampedText.number(bytes, 14..<22), let sentAt = StampedText.number(bytes, 23..<39)
        else { return nil }
        self.init(sender: Int(sender), epoch: Int(epoch), sequence: Int(sequence), sentAt: sentAt)
    }

    var text: String {
        var bytes = Array("PB1 ".utf8)
        bytes.reserveCapacity(StampedText.size)
        StampedText.append(UInt64(sender), digits: 4, to: &bytes)
        StampedText.append(UInt64(epoch), digits: 4, to: &bytes)
        StampedText.append(UInt64(sequence), digits: 8, to: &bytes)
        StampedText.append(sentAt, digits: 16, to: &bytes)
        var letter = UInt8(ascii: "a") + UInt8((bytes.count + sequence) % 26)
        while bytes.count < StampedText.size - 1 {
            bytes.append(letter)
            letter = letter == UInt8(ascii: "z") ? UInt8(ascii: "a") : letter + 1
        }
        bytes.append(UInt8(ascii: "."))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func number(_ bytes: Span<UInt8>, _ digits: Range<Int>) -> UInt64? {
        var number: UInt64 = 0
        for index in digits {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(byte &- UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(byte &- UInt8(ascii: "a") &+ 10)
            default: return nil
            }
        }
        return number
    }

    /// The lowest digits of a number, and a space.
    private static func append(_ number: UInt64, digits: Int, to bytes: inout [UInt8]) {
        for place in stride(from: (digits - 1) * 4, through: 0, by: -4) {
            bytes.append(Hexadecimal.digit(of: UInt8(number >> UInt64(place) & 15)))
        }
        bytes.append(UInt8(ascii: " "))
    }
}
