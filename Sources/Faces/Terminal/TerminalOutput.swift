import Chat
import ChatNode
package import Commands
package import Rendering
package import Wire

/// Reports as the lines of a terminal: the plain lines, with authors in colours.
///
/// Colours are put around what the plain lines have made safe, and end where the author's name does.
package struct TerminalOutput: Sendable {
    private var plain: PlainOutput
    package let hasColors: Bool

    package init(plain: PlainOutput, hasColors: Bool) {
        self.plain = plain
        self.hasColors = hasColors
    }

    /// Lines without their ends.
    package mutating func lines(of report: Report, at time: Timestamp) -> [String] {
        if case .entered(let command) = report { return [echo(of: command)] }
        let rendering = plain.rendering(of: report, at: time)
        let lines = TerminalOutput.split(rendering.diagnostics) + TerminalOutput.split(rendering.output)
        guard hasColors else { return lines }
        switch report {
        case .event(.message(let message)): return lines.map { TerminalOutput.colored($0, by: message.from) }
        case .answer(.history(_, let messages)):
            // The first line is the head.
            let authors = [nil] + messages.map(\.from)
            return zip(lines, authors).map { line, author in author.map { TerminalOutput.colored(line, by: $0) } ?? line
            }
        case .event, .answer, .error, .entered: return lines
        }
    }

    /// A command as it was typed, which leaves no other trace.
    private func echo(of command: String) -> String {
        let text = "> " + DisplayGuard.safe(command)
        return hasColors ? "\u{1b}[2m\(text)\u{1b}[m" : text
    }

    private static func split(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Behind the time is `<author>` or `[author -> you]`: names hold none of these signs.
    private static func colored(_ line: String, by author: PeerName) -> String {
        guard let start = line.firstIndex(where: { $0 == "<" || $0 == "[" }),
            let end = line[start...].firstIndex(where: { $0 == ">" && line[start] == "<" || $0 == "]" })
        else { return line }
        let name = "\u{1b}[38;5;\(AuthorColor.of(author.key))m\(line[start...end])\u{1b}[m"
        return line[..<start] + name + line[line.index(after: end)...]
    }
}

/// The colour that a terminal shows an author's name in: the same for a key at all times and on every machine.
enum AuthorColor {
    /// Of the 256 colours of xterm. Each differs from black and from white by a contrast of 3.8 and more (WCAG 2), so that
    /// it can be read on both; a theme may change the first 16 alone, of which there is none here.
    static let palette = [160, 130, 100, 64, 28, 30, 32, 63, 98, 134, 163, 132]

    package static func of(_ key: PeerID) -> Int { palette[Int(key.words.0 % UInt64(palette.count))] }
}
