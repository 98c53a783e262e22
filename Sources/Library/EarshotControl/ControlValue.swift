internal import Rendering

/// A value of JSON (RFC 8259).
public enum ControlValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, as it was written.
    case number(String)
    /// A text; that of a peer is not safe to show where Docs/JSON.md says so.
    case string(String)
    /// A list.
    case array([ControlValue])
    /// An object.
    case object([String: ControlValue])

    /// The text of a string; nil for another value.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// A number without fraction that fits; nil for another value.
    public var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }

    /// Nil for another value than `true` and `false`.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The elements of a list; none for another value.
    public var elements: [ControlValue] { if case .array(let elements) = self { elements } else { [] } }

    /// A member of an object; nil for another value, and without that member.
    public subscript(name: String) -> ControlValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let text): self = .number(text)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { ControlValue($0) })
        case .object(let members):
            let named = members.map { ($0.key.text, ControlValue($0.value)) }
            self = .object(Dictionary(named) { first, _ in first })
        }
    }
}

/// A line of a node: an event, or a part of an answer.
public struct ControlLine: Sendable, Hashable {
    /// The line as it came, without its end.
    public let text: String
    private let value: ControlValue

    /// The name of the event, as `message` or `result`.
    public var event: String { self["event"]?.string ?? "" }

    /// A member of the line; nil if it has none of that name.
    public subscript(name: String) -> ControlValue? { value[name] }

    /// Nil for a text that is no JSON.
    init?(_ text: String) {
        guard let value = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
        (self.text, self.value) = (text, ControlValue(value))
    }
}
