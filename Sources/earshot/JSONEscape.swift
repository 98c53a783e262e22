import Wire

extension [UInt8] {
    /// Appends a scalar of a JSON string: as itself, or as an escape where it must be (RFC 8259 section 7) or where it
    /// would act on a terminal or hide there.
    mutating func append(escaping scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": append(contentsOf: [0x5c, 0x22])
        case "\\": append(contentsOf: [0x5c, 0x5c])
        case "\n": append(contentsOf: [0x5c, 0x6e])
        case "\r": append(contentsOf: [0x5c, 0x72])
        case "\t": append(contentsOf: [0x5c, 0x74])
        case " "..."~": append(UInt8(scalar.value))
        default:
            guard scalar.isPlainlyVisible else { return append(unicodeEscape: scalar) }
            append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
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
