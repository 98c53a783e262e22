/// Writes JSON (RFC 8259) as UTF-8, on one line, safe to show in a terminal: whatever could steer one is escaped.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func object(_ members: (inout JSONWriter) -> Void) { nest("{", "}", members) }

    mutating func array(_ elements: (inout JSONWriter) -> Void) { nest("[", "]", elements) }

    mutating func member(_ name: String, _ value: (inout JSONWriter) -> Void) {
        separate()
        write(quoted: name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
        value(&self)
        needsComma = true
    }

    mutating func member(_ name: String, _ value: String) { member(name) { $0.string(value) } }

    mutating func member(_ name: String, _ value: Int) { member(name) { $0.literal("\(value)") } }

    mutating func member(_ name: String, _ value: Bool) { member(name) { $0.literal(value ? "true" : "false") } }

    mutating func member(_ name: String, _ value: Int?) {
        member(name) { $0.literal(value.map { "\($0)" } ?? "null") }
    }

    mutating func string(_ value: String) {
        separate()
        write(quoted: value)
        needsComma = true
    }

    /// A number, `true`, `false` or `null` as it stands.
    mutating func literal(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    /// Ends the line.
    mutating func endLine() {
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
        bytes.append(escaping: text)
        bytes.append(UInt8(ascii: "\""))
    }
}
