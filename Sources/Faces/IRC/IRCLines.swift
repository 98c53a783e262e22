/// Cuts lines out of bytes, in any pieces. Bounded: bytes of a line that is too long are not kept.
struct IRCLines: Sendable {
    enum Line: Hashable, Sendable {
        case line([UInt8])
        case tooLong
    }

    private static let longest = IRCMessage.longestTags + IRCMessage.longestRest + 3

    private var bytes: [UInt8] = []
    private var start = 0
    /// The bytes in front of it have no line end.
    private var searched = 0
    private var isSkipping = false

    /// Bytes of which no line was made yet.
    var waiting: Int { bytes.count - start }

    mutating func feed(_ input: [UInt8]) {
        if start > 0 {
            bytes.removeFirst(start)
            (searched, start) = (searched - start, 0)
        }
        bytes += input
    }

    /// The next line that is not empty; nil if it is not whole yet.
    mutating func next() -> Line? {
        while true {
            guard let end = bytes[searched...].firstIndex(of: 0x0a) else {
                searched = bytes.count
                guard waiting > IRCLines.longest else { return nil }
                (start, isSkipping) = (bytes.count, true)
                return nil
            }
            var line = Array(bytes[start..<end])
            if line.last == 0x0d { line.removeLast() }
            (start, searched) = (end + 1, end + 1)
            let wasSkipping = isSkipping
            isSkipping = false
            if wasSkipping || IRCLines.isTooLong(line) { return .tooLong }
            if !line.isEmpty { return .line(line) }
        }
    }

    private static func isTooLong(_ line: [UInt8]) -> Bool {
        guard line.first == UInt8(ascii: "@") else { return line.count > IRCMessage.longestRest }
        let tags = (line.firstIndex(of: 0x20) ?? line.count) - 1
        return tags > IRCMessage.longestTags || line.count - tags - 2 > IRCMessage.longestRest
    }
}
