import Settings

/// A line of JSON as the control socket writes them: an object, of which one wants a member or two.
struct JSONLine {
    private let bytes: [UInt8]

    init(_ line: String) {
        bytes = Array(line.utf8)
    }

    /// The value of a member of the object itself that is a string; nil without one, and for what is no object.
    package func string(_ name: String) -> String? {
        value(name).flatMap { bytes[$0] == UInt8(ascii: "\"") ? JSONLine.unescaped(bytes[$0...]) : nil }
    }

    /// The value of a member of the object itself that is a whole number.
    package func number(_ name: String) -> Int? {
        value(name).flatMap { start in
            Int(decimal: String(decoding: bytes[start...].prefix { $0 >= 48 && $0 <= 57 }, as: UTF8.self))
        }
    }

    /// Where the value of a member begins.
    private func value(_ name: String) -> Int? {
        guard bytes.first == UInt8(ascii: "{") else { return nil }
        var position = 1
        while position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
            let key = JSONLine.unescaped(bytes[position...])
            position = endOfString(from: position)
            guard position < bytes.count - 1, bytes[position] == UInt8(ascii: ":") else { return nil }
            if key == name { return position + 1 }
            position = endOfValue(from: position + 1) + 1
        }
        return nil
    }

    /// Behind the quote that ends a string.
    private func endOfString(from start: Int) -> Int {
        var position = start + 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(position + 1, bytes.count)
    }

    /// The comma or the bracket behind a value.
    private func endOfValue(from start: Int) -> Int {
        var position = start
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position = endOfString(from: position)
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return position }
                depth -= 1
            case UInt8(ascii: ","): if depth == 0 { return position }
            case _: break
            }
            position += 1
        }
        return position
    }

    /// The string that begins with the quote at the start of `bytes`; nil if it does not end or is not well formed.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String? {
        var units: [UInt16] = []
        var text = ""
        var rest = bytes.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "u") {
                guard let unit = UInt16(String(decoding: rest.dropFirst().prefix(4), as: UTF8.self), radix: 16) else {
                    return nil
                }
                units.append(unit)
                rest = rest.dropFirst(5)
                continue
            }
            text += String(decoding: units, as: UTF16.self)
            units = []
            if byte == UInt8(ascii: "\"") { return text }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst().flatMap(character) else { return nil }
                text.unicodeScalars.append(escaped)
            } else {
                let plain = [byte] + rest.prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
                rest = rest.dropFirst(plain.count - 1)
                text += String(decoding: plain, as: UTF8.self)
            }
        }
        return nil
    }

    private static func character(_ escape: UInt8) -> Unicode.Scalar? {
        switch Unicode.Scalar(escape) {
        case "\"", "\\", "/": Unicode.Scalar(escape)
        case "n": "\n"
        case "r": "\r"
        case "t": "\t"
        case "b": "\u{8}"
        case "f": "\u{c}"
        case _: nil
        }
    }
}
