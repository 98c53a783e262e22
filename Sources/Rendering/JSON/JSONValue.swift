/// A JSON text that was read (RFC 8259).
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// As it was written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([JSONName: JSONValue])

    /// The deepest nesting of arrays and objects that is read.
    package static let depth = 16

    /// Reads a text: one value, with white space around it at most.
    ///
    /// - Throws: `JSONFault` if it breaks a rule of RFC 8259, is not UTF-8, has two members of one name (`JSONName`) in an object, or is
    ///   nested deeper than `depth`.
    package init(parsing bytes: [UInt8]) throws(JSONFault) {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .invalidUTF8 }
        var reader = JSONReader(bytes)
        self = try reader.document()
    }

    /// A member of an object; nil for another value, and without that member.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[JSONName(name)]
    }

    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// A number without a fraction and exponent that fits; nil for every other value.
    package var integer: Int? {
        guard case .number(let text) = self else { return nil }
        return Int(text)
    }

    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    package var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }
}

/// The name of a member, which is another one if a code unit differs (RFC 8259 section 8.3): `String` takes texts for equal
/// that Unicode calls canonically equivalent.
package struct JSONName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(stringLiteral text: String) { self.init(text) }

    package var description: String { text }

    package static func == (one: JSONName, other: JSONName) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(0xff as UInt8)
    }
}

/// The reason why a text is no JSON that is read.
package enum JSONFault: String, Error, Hashable, Sendable {
    case syntax = "no JSON"
    case invalidUTF8 = "not UTF-8"
    case repeatedMember = "a member is there twice"
    case tooDeep = "nested deeper than 16 levels"
}
