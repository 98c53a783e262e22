import Wire

/// A paste cut into the lines that it would be sent as.
struct PastedLines: Hashable, Sendable {
    /// Without line ends; blank lines are left out.
    let lines: [String]

    init(_ text: String) {
        lines = text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.isBlank }
    }

    /// Whether one has to ask before they are sent.
    var areMany: Bool { lines.count > 1 }

    /// Whether a line, or its beginning, is a command: `/`, but not `//`.
    static func isCommand(_ line: String) -> Bool { line.hasPrefix("/") && !line.hasPrefix("//") }

    /// All of it as one line, behind the text before the cursor: it is no command either.
    func joined(behind left: String) -> String {
        let line = lines.joined(separator: " ")
        return left.isEmpty && areMany && line.hasPrefix("/") ? "/" + line : line
    }

    /// The number of the first line that would be a command if it were typed, from 1; nil for none.
    ///
    /// - Parameter left: the text before the cursor.
    func firstCommand(behind left: String) -> Int? {
        lines.indices.first { ($0 > 0 || left.isEmpty) && PastedLines.isCommand(lines[$0]) }.map { $0 + 1 }
    }

    /// The lines to enter, between the text before the cursor and the text behind it.
    ///
    /// A pasted line is never a command: it begins with a second slash.
    func entered(between left: String, and right: String) -> [String] {
        var result = lines.enumerated().map { index, line in
            (index > 0 || left.isEmpty) && line.utf8.first == UInt8(ascii: "/") ? "/" + line : line
        }
        guard !result.isEmpty else { return [] }
        result[0] = left + result[0]
        result[result.count - 1] += right
        return result
    }
}
