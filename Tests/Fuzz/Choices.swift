/// Draws a story out of an input, byte by byte. What is drawn beyond its end is zero.
struct Choices {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isOver: Bool { position >= bytes.count }

    mutating func byte() -> UInt8 {
        guard !isOver else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    /// 0 to `bound` - 1.
    mutating func below(_ bound: Int) -> Int {
        let drawn = bound > 256 ? Int(byte()) << 8 | Int(byte()) : Int(byte())
        return drawn % bound
    }

    mutating func word() -> UInt64 {
        (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) }
    }

    /// At most `count`: fewer at the end of the input.
    mutating func bytes(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, position + max(0, count))
        defer { position = max(position, end) }
        return position < end ? Array(bytes[position..<end]) : []
    }

    /// All that is left.
    mutating func rest() -> [UInt8] { bytes(bytes.count) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// A text of up to 255 bytes, repaired where it is no UTF-8.
    mutating func text() -> String {
        let count = Int(byte())
        return String(decoding: bytes(count), as: UTF8.self)
    }

    /// Changes, removes or repeats some of the bytes; empty stays empty.
    ///
    /// - Parameter times: changes at most; how many there are is drawn.
    mutating func mutate(_ bytes: inout [UInt8], times: Int) {
        for _ in 0..<below(times + 1) where !bytes.isEmpty {
            let place = below(bytes.count)
            switch below(4) {
            case 0, 1: bytes[place] ^= byte()
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(8)))
            default: bytes.insert(byte(), at: place)
            }
        }
    }

    /// The bytes in pieces of 1 to 64 bytes, or all at once.
    mutating func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let drawn = isOver ? bytes.count : 1 + below(64)
            let end = min(bytes.count, start + drawn)
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }
}
