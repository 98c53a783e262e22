/// A frame of STOMP (version 1.2 of the specification, section "STOMP Frames").
struct STOMPFrame: Hashable, Sendable {
    var command: String
    /// In their order. Of repeated headers the first one counts.
    var headers: [Header]
    var body: [UInt8] = []

    struct Header: Hashable, Sendable {
        let name: String
        let value: String
    }

    init(_ command: String, _ headers: [(String, String?)] = [], body: [UInt8] = []) {
        self.command = command
        self.headers = headers.compactMap { name, value in value.map { Header(name: name, value: $0) } }
        self.body = body
    }

    subscript(name: String) -> String? { headers.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

    /// The bytes of the frame; nothing is behind its NUL, as some clients would take it for a part of the body.
    var bytes: [UInt8] {
        let escapes = command != "CONNECTED"
        var text = command + "\n"
        for header in headers {
            text += (escapes ? STOMPFrame.escaped(header.name) : header.name) + ":"
            text += (escapes ? STOMPFrame.escaped(header.value) : header.value) + "\n"
        }
        return Array(text.utf8) + [0x0a] + body + [0]
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\\": result += "\\\\"
            case ":": result += "\\c"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}

/// The reason why a frame is refused.
struct STOMPFault: Error, Hashable, Sendable {
    let message: String

    init(_ message: String) { self.message = message }
}

/// Cuts frames out of bytes, in any pieces.
struct STOMPDecoder: Sendable {
    static let longestHead = 8_192
    static let mostHeaders = 64
    static let longestBody = 16_384

    /// The need of the next frame, so that a frame in small pieces is not read again for each of them. Numbers are of
    /// bytes, from the frame's first one.
    private enum Missing {
        case nothing
        /// A byte; a frame that lacks it within so many bytes is refused.
        case byte(UInt8, within: Int)
        case bytes(upTo: Int)
    }

    private var bytes: [UInt8] = []
    private var start = 0
    private var missing = Missing.nothing

    /// Bytes of which no frame was made yet.
    var waiting: Int { bytes.count - start }

    mutating func feed(_ input: [UInt8]) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += input
        let isThere =
            switch missing {
            case .nothing: true
            case .byte(let byte, let most): input.contains(byte) || bytes.count > most
            case .bytes(let count): bytes.count >= count
            }
        if isThere { missing = .nothing }
    }

    /// The next frame; nil if it is not whole yet. Line ends between frames, which are heart-beats, are skipped.
    mutating func next() throws(STOMPFault) -> STOMPFrame? {
        guard case .nothing = missing else { return nil }
        while start < bytes.count, bytes[start] == 0x0a || bytes[start] == 0x0d { start += 1 }
        var position = start
        guard let command = try line(&position) else { return nil }
        guard command.utf8.allSatisfy({ $0 < 0x80 }) else { throw STOMPFault("there is no command of this name") }
        var frame = STOMPFrame(command)
        // The first frame is not escaped, as versions are not known before it.
        let escapes = command != "CONNECT" && command != "STOMP"
        while true {
            guard let line = try line(&position) else { return nil }
            if line.utf8.isEmpty { break }
            guard frame.headers.count < STOMPDecoder.mostHeaders else { throw STOMPFault("too many headers") }
            frame.headers.append(try STOMPDecoder.header(line, escapes: escapes))
        }
        guard let body = try body(of: frame, from: &position) else { return nil }
        frame.body = body
        start = position
        return frame
    }

    /// A line without its end; nil if it is not whole yet.
    private mutating func line(_ position: inout Int) throws(STOMPFault) -> String? {
        let end = bytes[position...].firstIndex(of: 0x0a)
        guard (end ?? bytes.count) - start <= STOMPDecoder.longestHead else {
            throw STOMPFault("the head of a frame has \(STOMPDecoder.longestHead) bytes at most")
        }
        guard let end else {
            missing = .byte(0x0a, within: STOMPDecoder.longestHead)
            return nil
        }
        var line = bytes[position..<end]
        if line.last == 0x0d { line.removeLast() }
        position = end + 1
        guard let text = String(validating: line, as: UTF8.self), !line.contains(0) else {
            throw STOMPFault("a head is UTF-8 without NUL")
        }
        return text
    }

    private mutating func body(of frame: STOMPFrame, from position: inout Int) throws(STOMPFault) -> [UInt8]? {
        if let text = frame["content-length"] {
            guard text.utf8.allSatisfy({ (48...57).contains($0) }), let length = Int(text) else {
                throw STOMPFault("a content-length is a number")
            }
            guard length <= STOMPDecoder.longestBody else { throw STOMPDecoder.tooLong }
            guard bytes.count - position > length else {
                missing = .bytes(upTo: position + length + 1 - start)
                return nil
            }
            guard bytes[position + length] == 0 else { throw STOMPFault("no NUL behind the body") }
            defer { position += length + 1 }
            return Array(bytes[position..<position + length])
        }
        guard let end = bytes[position...].firstIndex(of: 0) else {
            guard bytes.count - position <= STOMPDecoder.longestBody else { throw STOMPDecoder.tooLong }
            missing = .byte(0, within: position - start + STOMPDecoder.longestBody)
            return nil
        }
        guard end - position <= STOMPDecoder.longestBody else { throw STOMPDecoder.tooLong }
        defer { position = end + 1 }
        return Array(bytes[position..<end])
    }

    private static let tooLong = STOMPFault("a body has \(longestBody) bytes at most")

    private static func header(_ line: String, escapes: Bool) throws(STOMPFault) -> STOMPFrame.Header {
        // By bytes: a combining mark behind the colon begins the value.
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw STOMPFault("a header without a colon")
        }
        let (name, value) = (String(line[..<colon]), String(line[line.utf8.index(after: colon)...]))
        guard escapes else { return STOMPFrame.Header(name: name, value: value) }
        return STOMPFrame.Header(name: try unescaped(name), value: try unescaped(value))
    }

    private static func unescaped(_ text: String) throws(STOMPFault) -> String {
        var result = ""
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "n": result += "\n"
            case "r": result += "\r"
            case "c": result += ":"
            case "\\": result += "\\"
            case _: throw STOMPFault("an unknown escape in a header")
            }
        }
        return result
    }
}
