import Commands
import LineEditor

@testable import Chat
@testable import Rendering

extension FuzzTarget {
    /// Every text can be displayed: no character of it controls a terminal or ends a line of JSON. Composing a valid text
    /// twice has one result.
    static let text = FuzzTarget(
        name: "text", seeds: { TextRules.seeds.map { Array($0.utf8) } }
    ) { input in
        let text = String(decoding: input, as: UTF8.self)
        TextRules.checkShown(text)
        TextRules.checkJSON(text)
        TextRules.checkComposed(text)
        let isValid = String(validating: input, as: UTF8.self) != nil
        let isDecoded = (try? Text.decode(input.span)) != nil
        demand(isValid == isDecoded, "UTF-8 is judged in two ways")
    }
}

private enum TextRules {
    static let seeds = [
        "hello\u{1b}[31m", "  a\r\nb\tc ", "👩‍👩‍👧 🏴\u{e0067}\u{e0062}\u{e0065}\u{e007f}", "ש\u{5b8}\u{202e}abc",
        "न\u{94d}\u{200d}य\u{200c}", "e\u{301}\u{302}\u{303}\u{304}", "<mallory> [x] #1*", "\u{1112}\u{1161}\u{11ab}",
        "1\u{fe0f}\u{20e3}", "❤", "🏳️‍🌈", "🇰🇷", "👍🏽", "a", String(repeating: "x", count: 4_500),
        String(repeating: "👩‍👩‍👧", count: 300),
        "a" + String(repeating: "\u{301}", count: 40), "\u{feff}\u{2066}\u{85}\u{2028}\u{e000}\u{fe0f}",
        "é\u{fe0f}\u{20e3}",
    ]

    static func checkShown(_ text: String) {
        let shown = DisplayGuard.safe(text)
        demand(scalars(DisplayGuard.safe(shown)) == scalars(shown), "made safe twice it is another text")
        demand(shown.unicodeScalars.count <= text.unicodeScalars.count, "made safe it is longer")
        for scalar in shown.unicodeScalars {
            demand(!PayloadRules.isControl(scalar), "a control character is shown")
            demand(!isDirection(scalar), "a change of direction is shown")
        }
        let name = DisplayGuard.safeName(text)
        demand(!name.unicodeScalars.contains { "<>[]#*".unicodeScalars.contains($0) }, "a name has a mark of its own")
        for character in shown {
            let width = DisplayWidth.of(character)
            demand((0...2 * character.unicodeScalars.count).contains(width), "a character of \(width) cells")
        }
    }

    static func checkJSON(_ text: String) {
        var writer = JSONWriter()
        writer.string(text)
        demand(writer.bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f }, "a control byte in JSON")
        demand(JSONText.read(writer.bytes) == scalars(text), "JSON says another text")
    }

    static func checkComposed(_ text: String) {
        if let emoji = try? Emoji.compose(text) {
            let accepted = try? Emoji.accept(Array(emoji.utf8).span)
            demand(accepted.map(scalars) == scalars(emoji), "an emoji that was composed is not accepted")
        }
        if let composed = try? Text.compose(text) {
            PayloadRules.check(text: composed)
            let again = try? Text.compose(composed)
            demand(again.map(scalars) == scalars(composed), "composed twice it is another text")
            let accepted = try? Text.accept(Array(composed.utf8).span)
            demand(accepted.map(scalars) == scalars(composed), "what was composed is not accepted")
        }
        if let composed = try? Nickname.compose(text) {
            PayloadRules.check(nickname: composed)
            let again = try? Nickname.compose(composed)
            demand(again.map(scalars) == scalars(composed), "composed twice it is another nickname")
            let accepted = try? Nickname.accept(Array(composed.utf8).span)
            demand(accepted.map(scalars) == scalars(composed), "a nickname that was composed is not accepted")
        }
    }

    private static func isDirection(_ scalar: Unicode.Scalar) -> Bool {
        (0x202a...0x202e).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
            || [0x200e, 0x200f, 0x61c].contains(scalar.value)
    }

    private static func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }
}

/// Reads a JSON string (RFC 8259 section 7).
private enum JSONText {
    static func read(_ bytes: [UInt8]) -> [Unicode.Scalar]? {
        guard bytes.first == 0x22, bytes.count >= 2, bytes.last == 0x22 else { return nil }
        var units: [UInt16] = []
        var rest = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self).unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                units += UTF16.encode(scalar).map(Array.init) ?? []
                continue
            }
            guard let unit = escaped(&rest) else { return nil }
            units.append(unit)
        }
        return Array(String(decoding: units, as: UTF16.self).unicodeScalars)
    }

    private static func escaped(_ rest: inout String.UnicodeScalarView.SubSequence) -> UInt16? {
        switch rest.popFirst() {
        case "\"": return 0x22
        case "\\": return 0x5c
        case "n": return 0x0a
        case "r": return 0x0d
        case "t": return 0x09
        case "u":
            let digits = String(String.UnicodeScalarView(rest.prefix(4)))
            rest = rest.dropFirst(4)
            return digits.utf8.count == 4 ? UInt16(digits, radix: 16) : nil
        default: return nil
        }
    }
}
