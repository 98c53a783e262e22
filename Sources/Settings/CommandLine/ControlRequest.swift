/// A client's request at the control socket, one line (Docs/Control.md).
package struct ControlRequest: Hashable, Sendable {
    /// The form of answers and events: members of `--json`, or the lines of `--plain`.
    package enum Format: Hashable, Sendable { case json, plain }

    package enum Action: Hashable, Sendable {
        /// A message to the room; nothing in it is a command.
        case say(String)
        /// A line of input that begins with a slash.
        case command(String)
        /// Every event from now on; before them, what is kept of the room.
        case tail(withHistory: Bool)
        /// Every counter, as Prometheus takes them.
        case prometheus
    }

    package var format = Format.json
    package let action: Action

    package init(_ action: Action, as format: Format = .json) {
        self.action = action
        self.format = format
    }

    /// Words stand apart by one space; what is behind that of `say` and `command` is taken as it is.
    package init(line: String) throws(ControlFault) {
        let (first, behind) = ControlRequest.cut(line)
        if first == "plain", let behind {
            format = .plain
            action = try ControlRequest.action(behind)
        } else {
            action = try ControlRequest.action(line)
        }
    }

    /// The line that asks for it, without its end.
    package var line: String {
        let words =
            switch action {
            case .say(let text): "say \(text)"
            case .command(let line): "command \(line)"
            case .tail(let withHistory): withHistory ? "tail history" : "tail"
            case .prometheus: "prometheus"
            }
        return format == .plain ? "plain \(words)" : words
    }

    private static func action(_ line: String) throws(ControlFault) -> Action {
        let (verb, behind) = cut(line)
        switch (verb, behind) {
        case ("say", let text?): return .say(text)
        case ("command", let line?) where line.utf8.first == UInt8(ascii: "/"): return .command(line)
        case ("tail", nil): return .tail(withHistory: false)
        case ("tail", "history"): return .tail(withHistory: true)
        case ("prometheus", nil): return .prometheus
        case _:
            throw ControlFault(
                .badRequest, "no such request; write say TEXT, command /COMMAND, tail, tail history or prometheus")
        }
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

    package static let leaving = ControlFault(.leaving, "the node leaves and does nothing more")
}
