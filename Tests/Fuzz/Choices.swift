import Noise

/// Turns an input into decisions, byte by byte. Decisions beyond the end of the input are zero.
struct Choices {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isOver: Bool { position >= bytes.count }

    /// Long random inputs behind true beginnings, each in turn; alike in every process. As seeds they reach in a second what fuzzing
    /// reaches in minutes, and take no room in the repository.
    static func stories(_ count: Int, behind starts: [[UInt8]], bytes: Int) -> [[UInt8]] {
        (0..<count).map { number in
            var randomness = Randomness.seeded(UInt64(number))
            return starts[number % starts.count] + randomness.bytes(bytes)
        }
    }

    mutating func byte() -> UInt8 {
        guard !isOver else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    /// A number from 0 to `bound` - 1.
    mutating func below(_ bound: Int) -> Int {
        let drawn = bound > 256 ? Int(byte()) << 8 | Int(byte()) : Int(byte())
        return drawn % bound
    }

    mutating func word() -> UInt64 {
        (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) }
    }

    /// The next `count` bytes, or fewer at the end of the input.
    mutating func bytes(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, position + max(0, count))
        defer { position = max(position, end) }
        return position < end ? Array(bytes[position..<end]) : []
    }

    /// All remaining bytes.
    mutating func rest() -> [UInt8] { bytes(bytes.count) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// A text of up to 255 bytes; invalid UTF-8 is repaired.
    mutating func text() -> String {
        let count = Int(byte())
        return String(decoding: bytes(count), as: UTF8.self)
    }

    /// Changes, removes or repeats some of the bytes. An empty array stays empty.
    ///
    /// - Parameter times: the maximum number of changes; the input decides how many.
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

    /// The bytes in pieces of 1 to 64 bytes, or in one piece.
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
