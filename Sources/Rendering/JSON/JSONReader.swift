/// Reads a JSON text of valid UTF-8, byte by byte, each of them once.
struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The only value of the text.
    mutating func document() throws(JSONFault) -> JSONValue {
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw .syntax }
        return value
    }

    private mutating func value() throws(JSONFault) -> JSONValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try nested { reader throws(JSONFault) in try reader.members() })
        case UInt8(ascii: "["): return .array(try nested { reader throws(JSONFault) in try reader.elements() })
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case _: return .number(try number())
        }
    }

    /// Reads what is behind an opening bracket.
    private mutating func nested<Content>(
        _ read: (inout JSONReader) throws(JSONFault) -> Content
    ) throws(JSONFault) -> Content {
        guard depth < JSONValue.depth else { throw .tooDeep }
        depth += 1
        position += 1
        let content = try read(&self)
        depth -= 1
        return content
    }

    private mutating func members() throws(JSONFault) -> [JSONName: JSONValue] {
        var members: [JSONName: JSONValue] = [:]
        skipSpace()
        if take("}") { return members }
        repeat {
            skipSpace()
            let name = JSONName(try string())
            skipSpace()
            guard take(":") else { throw .syntax }
            guard members.updateValue(try value(), forKey: name) == nil else { throw .repeatedMember }
            skipSpace()
        } while take(",")
        guard take("}") else { throw .syntax }
        return members
    }

    private mutating func elements() throws(JSONFault) -> [JSONValue] {
        var elements: [JSONValue] = []
        skipSpace()
        if take("]") { return elements }
        repeat {
            elements.append(try value())
            skipSpace()
        } while take(",")
        guard take("]") else { throw .syntax }
        return elements
    }

    private mutating func string() throws(JSONFault) -> String {
        guard take("\"") else { throw .syntax }
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += Array(UTF8.encode(try escaped()) ?? UTF8.encodedReplacementCharacter)
            case 0..<0x20: throw .syntax
            case _: text.append(byte)
            }
        }
        throw .syntax
    }

    /// The scalar of the escape sequence behind a backslash; U+FFFD for half of a surrogate pair (RFC 8259 section 8.2).
    private mutating func escaped() throws(JSONFault) -> Unicode.Scalar {
        guard let byte = next else { throw .syntax }
        position += 1
        switch Unicode.Scalar(byte) {
        case "\"", "\\", "/": return Unicode.Scalar(byte)
        case "b": return "\u{8}"
        case "f": return "\u{c}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u": return try unicodeEscape()
        case _: throw .syntax
        }
    }

    private mutating func unicodeEscape() throws(JSONFault) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let behind = position
        guard UTF16.isLeadSurrogate(first), take("\\"), take("u") else {
            position = behind
            return "\u{fffd}"
        }
        let second = try unit()
        guard UTF16.isTrailSurrogate(second) else {
            position = behind
            return "\u{fffd}"
        }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private mutating func unit() throws(JSONFault) -> UInt16 {
        guard bytes.count - position >= 4 else { throw .syntax }
        let digits = bytes[position..<position + 4]
        guard digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw .syntax }
        position += 4
        return unit
    }

    private mutating func number() throws(JSONFault) -> String {
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// One digit at least.
    private mutating func digits() throws(JSONFault) {
        let start = position
        while let next, (48...57).contains(next) { position += 1 }
        guard position > start else { throw .syntax }
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONFault) -> JSONValue {
        for byte in "\(text)".utf8 {
            guard next == byte else { throw .syntax }
            position += 1
        }
        return value
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let next, next == 0x20 || next == 0x09 || next == 0x0a || next == 0x0d { position += 1 }
    }
}
