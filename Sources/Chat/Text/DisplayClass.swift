/// The behaviour of a scalar on a screen, as far as safety depends on it (Unicode properties, UAX #44).
enum DisplayClass {
    /// It has cells of its own.
    case visible
    /// It combines with the character before it, and needs one.
    case mark
    /// ZWJ and ZWNJ: part of some scripts and of emoji, invisible elsewhere.
    case joiner
    /// Selects a form of the scalar before it.
    case selector
    /// Invisible, a control, or unassigned.
    case hidden

    static func of(_ scalar: Unicode.Scalar) -> DisplayClass {
        switch scalar.value {
        case 0x200c, 0x200d: return .joiner
        case 0xfe00...0xfe0f, 0x180b...0x180d, 0x180f: return .selector
        // Arabic number signs and others that are visible although their category is "format".
        case 0x600...0x605, 0x6dd, 0x70f, 0x890...0x891, 0x8e2, 0x110bd, 0x110cd: return .visible
        default: break
        }
        let properties = scalar.properties
        guard !properties.isDefaultIgnorableCodePoint else { return .hidden }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
            return .hidden
        case .nonspacingMark, .spacingMark, .enclosingMark:
            return .mark
        default:
            return .visible
        }
    }

    /// True if a scalar of this class is shown unchanged between these neighbours.
    func isShown(between before: Unicode.Scalar?, and after: Unicode.Scalar?) -> Bool {
        switch self {
        case .visible: true
        case .hidden: false
        case .mark: before != nil
        case .joiner: DisplayClass.joins(before, after)
        case .selector: before.map(DisplayClass.hasForms) ?? false
        }
    }

    private static func joins(_ before: Unicode.Scalar?, _ after: Unicode.Scalar?) -> Bool {
        guard let before else { return false }
        if usesJoiners(before) { return true }
        guard let after, after.value > 0x7f, after.properties.isEmoji else { return false }
        return before == "\u{fe0f}" || (before.value > 0x7f && before.properties.isEmoji)
    }

    /// True if a selector may follow: a visible scalar that is not a selector.
    private static func hasForms(_ scalar: Unicode.Scalar) -> Bool {
        switch of(scalar) {
        case .visible, .mark: true
        case .joiner, .selector, .hidden: false
        }
    }

    /// Letters and marks of the scripts from Arabic to Malayalam and Sinhala, Myanmar, Khmer and Mongolian.
    private static func usesJoiners(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x600...0x8ff, 0x900...0xdff, 0x1000...0x109f, 0x1780...0x18af:
            switch of(scalar) {
            case .visible, .mark: true
            case .joiner, .selector, .hidden: false
            }
        default: false
        }
    }
}
