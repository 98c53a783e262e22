/// Writes JSON (RFC 8259) as UTF-8, on one line.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false
    private let escaping: JSONEscaping

    /// - Parameter escaping: by default, the line is safe to show in a terminal: characters that could steer one are escaped.
    package init(_ escaping: JSONEscaping = .forTerminals) { self.escaping = escaping }

    package mutating func object(_ members: (inout JSONWriter) -> Void) { nest("{", "}", members) }

    package mutating func array(_ elements: (inout JSONWriter) -> Void) { nest("[", "]", elements) }

    package mutating func member(_ name: String, _ value: (inout JSONWriter) -> Void) {
        separate()
        write(quoted: name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
        value(&self)
        needsComma = true
    }

    package mutating func member(_ name: String, _ value: String) { member(name) { $0.string(value) } }

    package mutating func member(_ name: String, _ value: String?) {
        member(name) { if let value { $0.string(value) } else { $0.literal("null") } }
    }

    package mutating func member(_ name: String, _ value: Int) { member(name) { $0.literal("\(value)") } }

    package mutating func member(_ name: String, _ value: Bool) {
        member(name) { $0.literal(value ? "true" : "false") }
    }

    package mutating func member(_ name: String, _ value: Int?) {
        member(name) { $0.literal(value.map { "\($0)" } ?? "null") }
    }

    package mutating func string(_ value: String) {
        separate()
        write(quoted: value)
        needsComma = true
    }

    /// A number, `true`, `false` or `null`, verbatim.
    package mutating func literal(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    /// A value that is JSON already.
    package mutating func raw(_ value: [UInt8]) {
        separate()
        bytes += value
        needsComma = true
    }

    /// Ends the line.
    package mutating func endLine() {
        bytes.append(0x0a)
        needsComma = false
    }

    private mutating func nest(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: open))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: close))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func write(quoted text: String) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(escaping: text, escaping)
        bytes.append(UInt8(ascii: "\""))
    }
}
