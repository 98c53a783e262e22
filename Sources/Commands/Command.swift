package import Chat
package import Wire

/// The request of a line of input or of a program: an entry of the table with its operands.
package struct Command: Hashable, Sendable {
    package let entry: CommandEntry
    package let operands: Operands

    /// - Parameter values: operands that keep the rules of the entry.
    init(_ entry: CommandEntry, _ values: [String: Operands.Value] = [:]) {
        (self.entry, operands) = (entry, Operands(values))
    }

    /// Reads a line: a message, or after a `/` a command; `//` begins a message that begins with `/`.
    package init(line: String) throws(ChatError) {
        switch SlashRule.Reading(line) {
        case .said(let text): self = .say(text)
        case .command(let typed):
            let (name, rest) = typed.firstWord()
            entry = try CommandEntry.named(name)
            operands = try Operands(rest.withoutBlankEnds(), of: entry)
        }
    }

    /// A command of the table, with or without the slash, or `say`: a text to the room.
    ///
    /// - Throws: `unknown_command` for another name, and for an operand that the command does not take.
    package init(named name: String, _ values: [String: Operands.Value] = [:]) throws(ChatError) {
        entry = try name == CommandEntry.sayToRoom.name ? .sayToRoom : .named(name)
        operands = try Operands(given: values, to: entry)
    }

    /// A message to the conversation that is open, read from a line by `SlashRule`; not yet checked against the text rules.
    package static func say(_ text: String) -> Command { Command(.say, ["text": .text(text)]) }

    /// A message to the room, even while a direct conversation is open. No line of input asks for it; faces with structured
    /// texts do. `SlashRule` holds for this text, and for those of other commands, when the command is performed.
    ///
    /// - Parameter target: the id of the message that it answers; nil for none.
    package static func sayToRoom(_ text: String, replyTo target: MessageID? = nil) -> Command {
        Command(.sayToRoom, ["text": text, "replyTo": target?.hexadecimal].compactMapValues { $0.map { .text($0) } })
    }

    package static func message(who: String, text: String, replyTo target: MessageID? = nil) -> Command {
        let given = ["who": who, "text": text, "replyTo": target?.hexadecimal]
        return Command(.msg, given.compactMapValues { $0.map { .text($0) } })
    }

    /// A card for the notice board of the room, even while a direct conversation is open, as `sayToRoom`. Its texts and the name of its
    /// colour are checked when the command is performed.
    ///
    /// - Parameter color: nil for the usual one.
    package static func card(title: String, text: String, color: String? = nil) -> Command {
        let given = ["title": title, "text": text, "color": color]
        return Command(.cardToRoom, given.compactMapValues { $0.map { .text($0) } })
    }

    package static let board = Command(.board)

    package static func who(all: Bool) -> Command { Command(.who, ["all": .flag(all)]) }

    package static func rename(_ nickname: String) -> Command { Command(.nick, ["name": .text(nickname)]) }

    package static func typing(_ isOn: Bool) -> Command { Command(.typing, ["on": .flag(isOn)]) }

    package static let whoami = Command(.whoami)
    package static let statistics = Command(.stats)

    /// The line of the command as it may be shown and kept: without a room's key.
    package func shown(as line: String) -> String {
        guard let secret = entry.secret, operands[secret.name] != nil, let first = entry.operands.first else {
            return line
        }
        return "/\(entry.name) \(operands[first.name] ?? "") …"
    }

    /// A line as it may be shown and kept, whether it can be performed or not. Behind the name of no command a key may stand too.
    package static func shown(_ line: String) -> String {
        if let command = try? Command(line: line) { return command.shown(as: line) }
        guard case .command(let typed) = SlashRule.Reading(line) else { return line }
        let words = typed.words(maxSplits: 2)
        guard let name = words.first, words.count > 2 else { return line }
        let entry = CommandEntry.find(name)
        return entry == nil || entry?.secret != nil ? "/\(name) …" : line
    }

    /// The text that it says; nil for a command that says nothing.
    ///
    /// - Parameter nickname: the user's own, with which `/me` begins.
    package func saidText(by nickname: String) -> String? {
        guard entry.pace == .messages(1), let text = operands["text"] else { return nil }
        return entry == .me ? ActionText.text(text, by: nickname) : text
    }

    /// Whether a text of the user is said by it, which is lost if the command is refused and the line forgotten.
    var saysText: Bool { entry.isPaced && operands["text"] != nil }

    /// The peer whose request the command answers, as the user named it; nil for none and for another command.
    var requester: String? {
        entry.operands.contains { $0.kind == .who(.requesting) } ? operands["who"] : nil
    }
}
