/// The head of the first request of a connection, checked as its bytes come.
///
/// libwebsockets waits for the rest of a line that is no field, takes a NUL for the end of a value, and keeps the first of
/// several fields whose name it does not know.
struct RequestStart: Sendable {
    enum Reading: Hashable, Sendable {
        /// More bytes are needed.
        case unknown
        case whole
        /// The head breaks RFC 9112 section 2.2, 2.3 or 5.1, or repeats a field that comes once.
        case bad
    }

    private enum Place {
        /// In front of the first line, where an empty line may be.
        case start
        case startEnd
        case firstLine
        case lineStart
        case name
        case value
        /// Behind the carriage return of a line.
        case lineEnd
        /// Behind the carriage return of the empty line.
        case headEnd
    }

    /// A longer head is refused by its length.
    static let longest = RequestGate.longestHead

    /// The fields that come once and whose name the library does not know, in lower case.
    private static let single = ["idempotency-key", "last-event-id", "sec-fetch-site"].map { Array($0.utf8) }
    /// The beginning of the last word of the first line.
    private static let version = Array("HTTP/1.".utf8)
    /// No name of `single` is longer.
    private static let longestName = 16

    private var place = Place.start
    /// The beginning of the name of the field, in lower case; in the first line, that of the latest word.
    private var name: [UInt8] = []
    private var seen: Set<[UInt8]> = []

    /// Reads the bytes that follow, up to the end of the head.
    mutating func read(_ bytes: [UInt8]) -> Reading {
        for byte in bytes {
            guard byte != 0, let next = step(byte) else { return .bad }
            if place == .headEnd || place == .lineStart, next == .lineStart { return .whole }
            if next == .value, place == .name, !endName() { return .bad }
            if next == .firstLine { extendWord(byte) }
            if place == .firstLine, next != .firstLine, !endFirstLine() { return .bad }
            place = next
        }
        return .unknown
    }

    /// The place behind a byte; nil for a byte that can not be there.
    private mutating func step(_ byte: UInt8) -> Place? {
        switch (place, byte) {
        case (.start, 0x0d): .startEnd
        case (.startEnd, 0x0a), (.start, 0x0a): .start
        case (.startEnd, _): nil
        case (.start, _), (.firstLine, _), (.value, _):
            byte == 0x0d ? .lineEnd : byte == 0x0a ? .lineStart : place == .value ? .value : .firstLine
        case (.lineEnd, 0x0a), (.headEnd, 0x0a), (.lineStart, 0x0a): .lineStart
        case (.lineEnd, _), (.headEnd, _): nil
        case (.lineStart, 0x0d): .headEnd
        case (.name, UInt8(ascii: ":")): .value
        case (.lineStart, _), (.name, _): extendName(byte) ? .name : nil
        }
    }

    /// - Returns: false for a byte that no name has (RFC 9110 section 5.6.2).
    private mutating func extendName(_ byte: UInt8) -> Bool {
        let isLetter = (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        guard isLetter || (0x30...0x39).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte) else { return false }
        if name.count <= RequestStart.longestName { name.append(isLetter ? byte | 0x20 : byte) }
        return true
    }

    private mutating func extendWord(_ byte: UInt8) {
        if byte == 0x20 { name = [] } else if name.count < RequestStart.version.count { name.append(byte) }
    }

    /// - Returns: false for a line of another protocol, whose client may wait for an answer to it.
    private mutating func endFirstLine() -> Bool {
        defer { name = [] }
        return name == RequestStart.version
    }

    /// - Returns: false for the second field of a name that comes once.
    private mutating func endName() -> Bool {
        defer { name = [] }
        return !RequestStart.single.contains(name) || seen.insert(name).inserted
    }
}
