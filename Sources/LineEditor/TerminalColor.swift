/// A colour as a terminal names it in its answers (xterm, `OSC 11`).
package struct TerminalColor: Hashable, Sendable {
    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

    /// Reads `11;rgb:1e1e/1e1e/1e1e`, with one to four digits a part; nil for another answer.
    package init?(background answer: some Collection<UInt8>) {
        let text = String(decoding: answer, as: UTF8.self)
        guard answer.starts(with: TerminalColor.answerStart) else { return nil }
        let parts = text.dropFirst(TerminalColor.answerStart.count).split(
            separator: "/", omittingEmptySubsequences: false)
        let values = parts.compactMap { part -> UInt8? in
            guard (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit), let value = Int(part, radix: 16)
            else { return nil }
            let most = 1 << (4 * part.utf8.count) - 1
            return UInt8((255 * value + most / 2) / most)
        }
        guard parts.count == 3, values.count == 3 else { return nil }
        self.init(red: values[0], green: values[1], blue: values[2])
    }

    static let answerStart = Array("11;rgb:".utf8)

    /// Whether bytes are the beginning of an answer.
    static func canBegin(_ bytes: [UInt8]) -> Bool {
        let start = bytes.prefix(answerStart.count)
        guard bytes.count <= KeyDecoder.longestAnswer, answerStart.starts(with: start) else { return false }
        return bytes.dropFirst(answerStart.count).allSatisfy {
            $0 == UInt8(ascii: "/") || Character(UnicodeScalar($0)).isHexDigit
        }
    }

    /// The sequence that asks a terminal for its background; one that does not know it answers nothing.
    package static let backgroundQuestion = "\u{1b}]11;?\u{1b}\\"
}
