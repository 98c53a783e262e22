@_spi(_Unicode) internal import Swift

/// The skeletons of names: two names with one skeleton look alike (UTS #39).
///
/// Beside what the standard decomposes, look-alikes of ASCII letters and digits alone are known: names imitate such.
enum Skeleton {
    static func of(_ name: String) -> String {
        var skeleton = String.UnicodeScalarView()
        for scalar in name._nfd { append(scalar, to: &skeleton) }
        return String(skeleton)
    }

    private static func append(_ scalar: Unicode.Scalar, to skeleton: inout String.UnicodeScalarView) {
        switch DisplayClass.of(scalar) {
        // They may be in a name and change nothing to be seen.
        case .joiner, .selector: return
        case .visible, .mark, .hidden: break
        }
        let plain = scalar.isASCII ? scalar : asciiScalar(lookingLike: scalar)
        switch plain {
        case "I", "1", "|": skeleton.append("l")
        case "0": skeleton.append("O")
        case "m": skeleton.append(contentsOf: ["r", "n"])
        default: skeleton.append(plain)
        }
    }

    /// The ASCII letter or digit that a scalar looks like; the scalar itself if it looks like none.
    private static func asciiScalar(lookingLike scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0xff01...0xff5e: return Unicode.Scalar(UInt8(scalar.value - 0xfee0))
        case 0x1d400...0x1d6a3:
            let letter = UInt8((scalar.value - 0x1d400) % 52)
            return Unicode.Scalar(letter < 26 ? 0x41 + letter : 0x61 + letter - 26)
        case 0x1d7ce...0x1d7ff: return Unicode.Scalar(0x30 + UInt8((scalar.value - 0x1d7ce) % 10))
        default: return lookAlikes[scalar] ?? scalar
        }
    }

    private static let lookAlikes: [Unicode.Scalar: Unicode.Scalar] = {
        var table: [Unicode.Scalar: Unicode.Scalar] = [:]
        for word in Confusables.table.split(whereSeparator: \.isWhitespace) {
            guard let letter = word.unicodeScalars.first else { continue }
            for scalar in word.unicodeScalars.dropFirst() { table[scalar] = letter }
        }
        return table
    }()
}
