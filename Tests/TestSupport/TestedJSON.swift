/// A JSON text, read as strictly as RFC 8259 allows: members keep their order and may not repeat.
package indirect enum TestedJSON: Equatable, Sendable {
    case null
    case bool(Bool)
    /// As it is written.
    case number(String)
    case string(String)
    case array([TestedJSON])
    case object([Member])

    package struct Member: Equatable, Sendable {
        package let name: String
        package let value: TestedJSON
    }

    package struct Malformed: Error, Equatable {
        package let reason: String
        package let position: Int
    }

    /// Reads a whole text; nothing may stand before or behind the value.
    package init(parsing bytes: [UInt8]) throws(Malformed) {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw Malformed(reason: "UTF-8", position: 0) }
        var parser = JSONParser(bytes: bytes)
        self = try parser.value()
        guard parser.position == bytes.count else { throw parser.malformed("something behind the value") }
    }

    package init(_ text: String) throws(Malformed) { try self.init(parsing: Array(text.utf8)) }

    package subscript(name: String) -> TestedJSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    package subscript(index: Int) -> TestedJSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The names of an object's members, in their order.
    package var names: [String] {
        guard case .object(let members) = self else { return [] }
        return members.map(\.name)
    }

    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    package var integer: Int? {
        guard case .number(let text) = self else { return nil }
        return Int(text)
    }

    package var elements: [TestedJSON] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }
}

private struct JSONParser {
    let bytes: [UInt8]
    var position = 0

    func malformed(_ reason: String) -> TestedJSON.Malformed {
        TestedJSON.Malformed(reason: reason, position: position)
    }

    mutating func value() throws(TestedJSON.Malformed) -> TestedJSON {
        switch peek {
        case UInt8(ascii: "{"): return .object(try members())
        case UInt8(ascii: "["): return .array(try elements())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) throws(TestedJSON.Malformed) {
        guard peek == UInt8(ascii: character) else { throw malformed("no \(character)") }
        position += 1
    }

    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func word(_ text: String, _ value: TestedJSON) throws(TestedJSON.Malformed) -> TestedJSON {
        guard bytes[position...].starts(with: text.utf8) else { throw malformed("no \(text)") }
        position += text.utf8.count
        return value
    }

    private mutating func members() throws(TestedJSON.Malformed) -> [TestedJSON.Member] {
        try take("{")
        var members: [TestedJSON.Member] = []
        if takes("}") { return members }
        repeat {
            let name = try string()
            guard !members.contains(where: { $0.name == name }) else { throw malformed("\(name) again") }
            try take(":")
            members.append(TestedJSON.Member(name: name, value: try value()))
        } while takes(",")
        try take("}")
        return members
    }

    private mutating func elements() throws(TestedJSON.Malformed) -> [TestedJSON] {
        try take("[")
        var elements: [TestedJSON] = []
        if takes("]") { return elements }
        repeat { elements.append(try value()) } while takes(",")
        try take("]")
        return elements
    }

    private mutating func number() throws(TestedJSON.Malformed) -> String {
        let start = position
        _ = takes("-")
        if !takes("0") { try digits() }
        if takes(".") { try digits() }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() throws(TestedJSON.Malformed) {
        let start = position
        while let digit = peek, (48...57).contains(digit) { position += 1 }
        guard position > start else { throw malformed("no digit") }
    }

    private mutating func string() throws(TestedJSON.Malformed) -> String {
        try take("\"")
        var units: [UInt16] = []
        var plain: [UInt8] = []
        while let byte = peek, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw malformed("a control character") }
            position += 1
            guard byte == UInt8(ascii: "\\") else {
                plain.append(byte)
                continue
            }
            units += String(decoding: plain, as: UTF8.self).utf16
            plain = []
            units.append(try escape())
        }
        try take("\"")
        units += String(decoding: plain, as: UTF8.self).utf16
        guard let text = String(validating: units, as: UTF16.self) else { throw malformed("a lone surrogate") }
        return text
    }

    private mutating func escape() throws(TestedJSON.Malformed) -> UInt16 {
        guard let kind = peek else { throw malformed("an open escape") }
        position += 1
        let simple: [Unicode.Scalar: UInt16] = [
            "\"": 0x22, "\\": 0x5c, "/": 0x2f, "b": 0x08, "f": 0x0c, "n": 0x0a, "r": 0x0d, "t": 0x09,
        ]
        if let unit = simple[Unicode.Scalar(kind)] { return unit }
        guard kind == UInt8(ascii: "u"), bytes.count - position >= 4 else { throw malformed("an unknown escape") }
        let digits = bytes[position..<position + 4]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw malformed("no hexadecimal digits") }
        position += 4
        return unit
    }
}
