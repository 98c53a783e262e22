/// A JSON text that was read (RFC 8259).
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// As it was written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The deepest nesting of arrays and objects that is read.
    package static let depth = 16

    /// Reads a text: one value, with white space around it at most.
    ///
    /// - Throws: `JSONFault` if it breaks a rule of RFC 8259, is not UTF-8, has two members of one name in an object, or is
    ///   nested deeper than `depth`.
    package init(parsing bytes: [UInt8]) throws(JSONFault) {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .invalidUTF8 }
        var reader = JSONReader(bytes)
        self = try reader.document()
    }

    /// A member of an object; nil for another value, and without that member.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
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

/// The reason why a text is no JSON that is read.
package enum JSONFault: String, Error, Hashable, Sendable {
    case syntax = "no JSON"
    case invalidUTF8 = "not UTF-8"
    case repeatedMember = "a member is there twice"
    case tooDeep = "nested deeper than 16 levels"
}
