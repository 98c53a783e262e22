package import Chat
import Phrases

/// Operands by their names, as programs give them. They are not parsed as a line, so a name may have quotes and spaces.
package struct GivenOperands: Sendable {
    package enum Value: Hashable, Sendable {
        case text(String)
        case flag(Bool)
        case list([String])
    }

    private let command: String
    private let values: [String: Value]

    package init(_ command: String, _ values: [String: Value]) { (self.command, self.values) = (command, values) }

    /// Refuses other operands than these.
    func only(_ names: String...) throws(ChatError) {
        if let other = values.keys.sorted().first(where: { !names.contains($0) }) { throw fault(other) }
    }

    func text(_ name: String) throws(ChatError) -> String? {
        guard let value = values[name] else { return nil }
        guard case .text(let text) = value else { throw fault(name) }
        return text
    }

    /// - Throws: an error for an operand that is missing or empty.
    func needed(_ name: String) throws(ChatError) -> String {
        guard let text = try text(name), !text.isEmpty else { throw fault(name) }
        return text
    }

    func flag(_ name: String) throws(ChatError) -> Bool? {
        guard let value = values[name] else { return nil }
        guard case .flag(let flag) = value else { throw fault(name) }
        return flag
    }

    func list(_ name: String) throws(ChatError) -> [String]? {
        guard let value = values[name] else { return nil }
        guard case .list(let list) = value else { throw fault(name) }
        return list
    }

    private func fault(_ name: String) -> ChatError {
        ChatError(.unknownCommand, .badOperand, command, DisplayGuard.safe(String(name.prefix(32))))
    }
}

extension Command {
    /// A command of the table, with or without the slash, or `say`: a text to the room.
    ///
    /// - Throws: `unknown_command` for another name, and for an operand that the command does not take.
    package init(named name: String, _ values: [String: GivenOperands.Value]) throws(ChatError) {
        guard name != "say" else {
            let given = GivenOperands(name, values)
            try given.only("text")
            self = .sayToRoom(try given.needed("text"))
            return
        }
        let entry = try CommandEntry.named(name)
        self = try entry.make(Operands(entry.name, entry.usage, given: GivenOperands(entry.name, values)))
    }
}
