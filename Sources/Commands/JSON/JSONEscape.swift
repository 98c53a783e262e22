import Wire

extension [UInt8] {
    /// Appends a JSON string without its quotes: scalars stand as themselves, but for those that are escaped.
    package mutating func append(escaping text: String, _ escaping: JSONEscaping = .forTerminals) {
        if escaping == .forPrograms { return append(escapingControlsOf: text) }
        var isBase = false
        for scalar in text.unicodeScalars {
            isBase = append(escaping: scalar, after: isBase)
        }
    }

    private mutating func append(escapingControlsOf text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\", "\0"..."\u{7e}": _ = append(escaping: scalar, after: true)
            case "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}": append(unicodeEscape: scalar)
            default: append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }

    /// - Returns: whether a combining mark may follow.
    private mutating func append(escaping scalar: Unicode.Scalar, after isBase: Bool) -> Bool {
        switch scalar {
        case " "..."!", "#"..."[", "]"..."~":
            self.append(UInt8(scalar.value))
            return true
        case "\"": append(contentsOf: [0x5c, 0x22])
        case "\\": append(contentsOf: [0x5c, 0x5c])
        case "\n": append(contentsOf: [0x5c, 0x6e])
        case "\r": append(contentsOf: [0x5c, 0x72])
        case "\t": append(contentsOf: [0x5c, 0x74])
        default:
            guard scalar.isPlainlyVisible, isBase || !scalar.properties.generalCategory.isMark else {
                append(unicodeEscape: scalar)
                return false
            }
            append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            return true
        }
        return false
    }

    private mutating func append(unicodeEscape scalar: Unicode.Scalar) {
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
            append(contentsOf: [0x5c, 0x75])
            append(contentsOf: Hexadecimal.encode([UInt8(unit >> 8), UInt8(unit & 0xff)]).utf8)
        }
    }
}

extension Unicode.Scalar {
    /// False for controls, formats, separators of lines, private use, unassigned, and the letters that show as nothing.
    fileprivate var isPlainlyVisible: Bool {
        guard !properties.isDefaultIgnorableCodePoint else { return isVariationSelector }
        return switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// Chooses how the character before it looks, and shows nothing of its own.
    private var isVariationSelector: Bool { (0xfe00...0xfe0f).contains(value) }
}

extension Unicode.GeneralCategory {
    fileprivate var isMark: Bool { self == .nonspacingMark || self == .spacingMark || self == .enclosingMark }
}
