package import Chat
package import Phrases

/// One command. The parser, completion, help, the manual page, the documents, pacing and every face read the table of these.
package struct CommandEntry: Sendable {
    /// The part of `/help` that a command is listed in.
    package enum Group: Sendable, CaseIterable {
        case talk, direct, view, people, own, program

        package var title: Phrase {
            switch self {
            case .talk: .groupTalk
            case .direct: .groupDirect
            case .view: .groupView
            case .people: .groupPeople
            case .own: .groupSelf
            case .program: .groupProgram
            }
        }
    }

    /// A part of the chat: that which events tell, all of a room, or all of each room.
    enum Scope: Sendable { case events, room, rooms }

    /// The effect of a command. The operands are checked before. After an error nothing has changed.
    enum Action: Sendable {
        /// In a turn of one room. Nil for an answer where an event reports the effect.
        case inRoom(@Sendable (inout CommandTurn) throws(ChatError) -> Answer?)
        /// In a turn of all rooms.
        case inProgram(@Sendable (inout CommandTurn, CommandExecutor, isolated Program) throws(ChatError) -> Answer?)
        /// For longer than a turn: begins and ends rooms. Nil if the program leaves instead.
        case overTurns(@Sendable (Operands, ViewID?, CommandExecutor, isolated Program) async -> CommandResult?)
        /// The terminal performs it itself.
        case inTerminal
    }

    /// Without the slash; a command that only programs have a word for may be called as one that a user types.
    package let name: String
    /// Whether a line can ask for it.
    package let isTyped: Bool
    package let aliases: [String]
    package let operands: [Operand]
    package let help: Phrase
    /// Nil for commands of front ends, which `/help` does not list.
    package let group: Group?
    /// The sentence of `CommandTurn.done`, with the name of the peer or the user.
    let done: Phrase?
    /// The rate of what it sends of the user's own making; nil if it sends nothing of it.
    package let pace: Pace?
    /// Whether its answer replaces what a terminal shows, which then does not repeat the line.
    package let replacesView: Bool
    /// Whether it opens a conversation where a user types it: the next text is meant for that one.
    package let opensConversation: Bool
    /// Whether it is done in the pause of a wipe too, between two identities: it says nothing, and ends the pause.
    package let endsPause: Bool
    /// The changes that no event tells: faces get snapshots of these rooms.
    let changes: Scope
    let action: Action

    init(
        _ name: String, _ operands: [Operand] = [], _ group: Group?, _ help: Phrase, aliases: [String] = [],
        done: Phrase? = nil, pace: Pace? = nil, replacesView: Bool = false, opensConversation: Bool = false,
        endsPause: Bool = false, isTyped: Bool = true, changes: Scope = .events, _ action: Action
    ) {
        (self.name, self.aliases, self.operands, self.help, self.group) = (name, aliases, operands, help, group)
        (self.done, self.pace, self.replacesView) = (done, pace, replacesView)
        (self.opensConversation, self.endsPause) = (opensConversation, endsPause)
        (self.isTyped, self.changes, self.action) = (isTyped, changes, action)
    }

    /// Whether piped input waits until what it sends may be sent.
    package var isPaced: Bool { pace != nil }

    /// The operands as `/help` shows them; empty for a command without any.
    package var operandsText: String { operands.compactMap(\.shown).joined(separator: " ") }

    package var usage: String { operands.isEmpty ? "/\(name)" : "/\(name) \(operandsText)" }

    /// Whether a name in front of which the user types more is not to be offered: it would erase everything.
    package var isDangerous: Bool { operands.contains { $0.kind == .confirmation } }

    /// Whether a line is for the conversation that is open: it says or changes a text there, or leaves it.
    package static func isForOpenConversation(_ line: String) -> Bool {
        guard case .command(let typed) = SlashRule.Reading(line) else { return true }
        guard let entry = find(typed.firstWord().word) else { return false }
        if entry.opensConversation { return typed.words().count == 1 }
        return entry.isPaced && !entry.operands.contains { if case .who = $0.kind { true } else { false } }
    }

    /// The operand with the key of a room, which is neither shown nor kept; nil for most commands.
    var secret: Operand? { operands.first { $0.kind == .key } }

    /// Every command of this version, in the order of `/help`.
    package static let all: [CommandEntry] = talk + smallTalk + direct + rooms + view + people + own + program

    /// The commands that `/help` lists.
    package static let listed = all.filter { $0.group != nil }

    /// The command with a name or an alias, in any case of letters; nil if there is none.
    package static func find(_ name: some StringProtocol) -> CommandEntry? {
        let typed = name.lowercased()
        return all.first { $0.name == typed || $0.aliases.contains(typed) }
    }

    /// The command that a line begins with; nil for a text and for an unknown one.
    package static func typed(in line: String) -> CommandEntry? {
        guard case .command(let typed) = SlashRule.Reading(line) else { return nil }
        return find(typed.firstWord().word)
    }

    /// Whether a line may have the key of a room in it.
    package static func isSecret(_ line: String) -> Bool {
        line[...].words(maxSplits: 2).count > 2 && typed(in: line)?.secret != nil
    }

    /// The command with a name or an alias, in any case of letters and with or without a slash.
    ///
    /// - Throws: `unknown_command`, with the nearest name if one is near.
    package static func named(_ name: some StringProtocol) throws(ChatError) -> CommandEntry {
        let typed = name.hasPrefix("/") ? String(name.dropFirst()) : String(name)
        if let entry = find(typed) { return entry }
        let shown = DisplayGuard.safe(String(name.prefix(32)))
        guard let hint = Suggestion.nearest(to: typed, among: all.flatMap { [$0.name] + $0.aliases }) else {
            throw ChatError(.unknownCommand, .unknownCommand, shown)
        }
        throw ChatError(.unknownCommand, .unknownCommandHint, shown, hint)
    }
}

extension CommandEntry: Hashable {
    package static func == (one: CommandEntry, other: CommandEntry) -> Bool {
        one.name == other.name && one.isTyped == other.isTyped
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(isTyped)
    }
}
