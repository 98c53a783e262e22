import Commands

/// A client's request at the control socket, one line (Docs/Control.md).
package struct ControlRequest: Hashable, Sendable {
    /// The form of answers and events: members of `--json`, or the lines of `--plain`.
    package enum Format: Hashable, Sendable { case json, plain }

    package enum Action: Hashable, Sendable {
        /// A message to the room, or to one peer of it; nothing in it is a command.
        case say(String, to: String? = nil)
        /// A line of input that begins with a slash.
        case command(String)
        /// Every event from now on; before them, what is kept of the room.
        case tail(withHistory: Bool)
        /// Every counter, as Prometheus takes them.
        case prometheus
    }

    package let action: Action
    package let format: Format
    /// The name of the room; nil for the open one.
    package let room: String?

    package init(_ action: Action, as format: Format = .json, in room: String? = nil) {
        (self.action, self.format, self.room) = (action, format, room)
    }

    /// One space separates words; the rest of the line behind `say` and `command` is taken as it is.
    package init(line: String) throws(ControlFault) {
        var (format, rest) = (Format.json, line)
        if let behind = ControlRequest.behind("plain", of: rest) { (format, rest) = (.plain, behind) }
        let room = try ControlRequest.takeName(behind: "in", from: &rest)
        let who = try ControlRequest.takeName(behind: "to", from: &rest)
        let action = try ControlRequest.action(rest, to: who)
        switch action {
        case .say, .command: break
        case .tail, .prometheus: guard room == nil else { throw .malformed }
        }
        self.init(action, as: format, in: room)
    }

    /// The line that asks for it, without its end.
    package var line: String {
        let words =
            switch action {
            case .say(let text, to: nil): "say \(text)"
            case .say(let text, to: let who?): "to \(QuotedName.text(of: who)) say \(text)"
            case .command(let line): "command \(line)"
            case .tail(let withHistory): withHistory ? "tail history" : "tail"
            case .prometheus: "prometheus"
            }
        let place = room.map { "in \(QuotedName.text(of: $0)) " } ?? ""
        return "\(format == .plain ? "plain " : "")\(place)\(words)"
    }

    private static func action(_ line: String, to who: String?) throws(ControlFault) -> Action {
        let (verb, behind) = cut(line)
        switch (verb, behind, who) {
        case ("say", let text?, _): return .say(text, to: who)
        case ("command", let line?, nil) where line.utf8.first == UInt8(ascii: "/"): return .command(line)
        case ("tail", nil, nil): return .tail(withHistory: false)
        case ("tail", "history", nil): return .tail(withHistory: true)
        case ("prometheus", nil, nil): return .prometheus
        case _: throw .malformed
        }
    }

    /// The text behind a word and its space; nil if a line begins otherwise.
    private static func behind(_ word: String, of line: String) -> String? {
        let (first, behind) = cut(line)
        return first == word ? behind : nil
    }

    /// Removes a word from the beginning of a line, with the name behind it; nil if the line begins otherwise.
    private static func takeName(behind word: String, from line: inout String) throws(ControlFault) -> String? {
        guard let text = behind(word, of: line) else { return nil }
        let (name, rest): (String, String?)
        if text.utf8.first == UInt8(ascii: "\"") {
            guard let (quoted, more) = QuotedName.split(text[...]) else { throw .malformed }
            // Nothing but a space is behind the quotes.
            let (gap, behind) = cut(String(more))
            (name, rest) = (quoted, gap.isEmpty ? behind : nil)
        } else {
            (name, rest) = cut(text)
        }
        guard !name.isEmpty, let rest else { throw .malformed }
        line = rest
        return name
    }

    private static func cut(_ line: String) -> (first: String, behind: String?) {
        guard let space = line.utf8.firstIndex(of: UInt8(ascii: " ")) else { return (line, nil) }
        return (String(line[..<space]), String(line[line.utf8.index(after: space)...]))
    }
}

/// Why the control socket does not do what a client asks for, besides what a command can be refused for.
package struct ControlFault: Error, Hashable, Sendable {
    package enum Code: String, Sendable, CaseIterable {
        case badRequest = "bad_request"
        /// As many clients as there may be are connected.
        case busy
        /// The node leaves, and does nothing more.
        case leaving
    }

    package let code: Code
    /// One lower-case sentence.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package static let malformed = ControlFault(
        .badRequest,
        "no such request; write say TEXT or command /COMMAND, in ROOM and to WHO in front; tail, tail history or prometheus"
    )
    package static let leaving = ControlFault(.leaving, "the node leaves and does nothing more")
}
