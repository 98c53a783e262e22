import Chat
import Phrases
import Wire

/// The operands of a command as values, by their names. They keep the rules of its entry.
package struct Operands: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case text(String)
        case flag(Bool)
        case list([String])
    }

    private(set) var values: [String: Value]

    /// - Parameter values: those that a program made; they keep the entry's rules.
    init(_ values: [String: Value]) { self.values = values }

    /// A name or a text; nil if it was not given.
    package subscript(name: String) -> String? {
        guard case .text(let text) = values[name] else { return nil }
        return text
    }

    package func flag(_ name: String) -> Bool? {
        guard case .flag(let flag) = values[name] else { return nil }
        return flag
    }

    func list(_ name: String) -> [String]? {
        guard case .list(let list) = values[name] else { return nil }
        return list
    }

    /// The operand `text` of a command that needs it.
    var text: String { self["text"] ?? "" }

    /// The operand `who` of a command that needs it.
    var who: String { self["who"] ?? "" }
}

/// Operands that a program gives. They are not parsed as a line, so a name may have quotes and spaces.
extension Operands {
    /// - Throws: `unknown_command` for an operand that the command does not take, lacks, or that is of another type.
    init(given values: [String: Value], to entry: CommandEntry) throws(ChatError) {
        let names = Set(entry.operands.flatMap(\.names))
        if let other = values.keys.sorted().first(where: { !names.contains($0) }) {
            throw Operands.fault(other, of: entry)
        }
        try Operands.requirePerformable(entry)
        self.init(values)
        for operand in entry.operands { try check(operand, of: entry) }
        try complete(for: entry)
    }

    private func check(_ operand: Operand, of entry: CommandEntry) throws(ChatError) {
        if values[Operand.removal.name] != nil, operand.kind != .removal { return try checkAlone(operand, of: entry) }
        let given = operand.names.filter { values[$0] != nil }
        let first = operand.names.first ?? operand.name
        if let name = given.first(where: { !operand.takes(values[$0], as: $0) }) {
            throw Operands.fault(name, of: entry)
        }
        switch operand.kind {
        case .confirmation: if flag(first) != true { throw operand.error(in: entry) }
        // One that is missing is no name of a room either.
        case .room, .word, .rooms, .flag, .ending: break
        case .who, .name, .place, .text, .message, .reference, .color, .title, .removal, .key:
            if given.count > 1 { throw Operands.fault(given[1], of: entry) }
            let isThere = given.contains { self[$0]?.isEmpty == false }
            if operand.isNeeded, !isThere { throw Operands.fault(first, of: entry) }
        }
    }

    /// A removal has no other operand.
    private func checkAlone(_ operand: Operand, of entry: CommandEntry) throws(ChatError) {
        if let name = operand.names.first(where: { values[$0] != nil }) { throw Operands.fault(name, of: entry) }
    }

    private static func requirePerformable(_ entry: CommandEntry) throws(ChatError) {
        if case .inTerminal = entry.action { throw ChatError(.unknownCommand, .onlyInTerminal, entry.name) }
    }

    private static func fault(_ name: String, of entry: CommandEntry) -> ChatError {
        ChatError(.unknownCommand, .badOperand, entry.name, DisplayGuard.safe(String(name.prefix(32))))
    }

    /// Rules that hold for a line and for a program: the form of a room's name, and that of two operands one excludes the other.
    private mutating func complete(for entry: CommandEntry) throws(ChatError) {
        for operand in entry.operands {
            guard case .room = operand.kind else { continue }
            guard self["key"] == nil || flag("open") != true else { throw ChatError(.invalidKey, .keyOfOpenRoom) }
            values[operand.name] = .text(try RoomName.compose(self[operand.name] ?? ""))
        }
    }
}

/// Operands of a line.
extension Operands {
    /// - Parameter text: behind the command's name, without the white space around it.
    init(_ text: Substring, of entry: CommandEntry) throws(ChatError) {
        try Operands.requirePerformable(entry)
        var reader = OperandReader(entry: entry, rest: text)
        try reader.read()
        self.init(reader.values)
        try complete(for: entry)
    }
}

extension Operand {
    /// Whether a value has the type that one of the names stands for.
    fileprivate func takes(_ value: Operands.Value?, as name: String) -> Bool {
        switch (kind, value) {
        case (.rooms, .list): name != "off"
        case (.rooms, .flag): name == "off"
        case (.flag, .flag), (.ending, .flag), (.confirmation, .flag): true
        case (.who, .text), (.name, .text), (.room, .text), (.place, .text), (.text, .text), (.message, .text),
            (.reference, .text), (.color, .text), (.title, .text), (.removal, .text), (.key, .text):
            true
        case (_, _): false
        }
    }

    fileprivate func error(in entry: CommandEntry) -> ChatError {
        // The phrase of a text that is missing has no place for the command's name.
        fault.code == .empty
            ? ChatError(fault.code, fault.phrase, entry.usage)
            : ChatError(fault.code, fault.phrase, entry.name, entry.usage)
    }
}

/// Reads the operands of a line, from its beginning; those that only its end shows, before.
private struct OperandReader {
    let entry: CommandEntry
    /// Without the white space around it.
    var rest: Substring
    var values: [String: Operands.Value] = [:]

    mutating func read() throws(ChatError) {
        let operands = entry.operands
        for (index, operand) in operands.enumerated().reversed() { try readEnd(operand, isFirst: index == 0) }
        for (index, operand) in operands.enumerated()
        where values[operand.name] == nil && values[Operand.removal.name] == nil {
            let next = operands[(index + 1)...].first { !$0.kind.isAtEnd }
            try read(operand, before: next)
        }
        guard rest.isEmpty else { throw ChatError(.unknownCommand, .takesNothing, entry.name, entry.usage) }
    }

    /// Reads an operand of the end of the line, if it is there.
    private mutating func readEnd(_ operand: Operand, isFirst: Bool) throws(ChatError) {
        switch operand.kind {
        case .ending(let words):
            guard rest.utf8.suffix(words.utf8.count).elementsEqual(words.utf8) else { return }
            let front = rest.unicodeScalars.dropLast(words.unicodeScalars.count)
            // Alone, it is the confirmation too.
            guard front.last?.properties.isWhitespace ?? entry.isDangerous else { return }
            rest = Substring(front).withoutBlankEnds()
            values[operand.name] = .flag(true)
        case .flag(let words) where !isFirst: try readVerdict(operand, words)
        case .who, .name, .room, .place, .text, .message, .reference, .color, .title, .removal, .key, .rooms, .flag,
            .confirmation, .word:
            break
        }
    }

    /// Reads the last word of a line if it is one of these. Behind a name in quotes there is no other.
    private mutating func readVerdict(_ operand: Operand, _ words: [String: Bool]) throws(ChatError) {
        let (name, behind) = OperandReader.splitName(rest)
        if isQuoted, !name.isEmpty {
            guard !behind.isEmpty else { return }
            guard let value = words[behind] else { throw operand.error(in: entry) }
            values[operand.name] = .flag(value)
            rest = Substring(QuotedName.text(of: name))
        } else if let space = rest.unicodeScalars.lastIndex(where: { $0.properties.isWhitespace }),
            let value = words[String(rest.unicodeScalars[space...].dropFirst())]
        {
            values[operand.name] = .flag(value)
            rest = Substring(rest.unicodeScalars[..<space]).withoutBlankEnds()
        }
    }

    private mutating func read(_ operand: Operand, before next: Operand?) throws(ChatError) {
        switch operand.kind {
        case .who, .name, .place: try readName(operand, before: next)
        case .room(let isNew):
            let (name, more) = OperandReader.splitName(rest)
            guard !name.isEmpty, !isNew || more.isEmpty else { throw operand.error(in: entry) }
            take(operand, .text(name), leaving: more)
        case .text, .key:
            guard !rest.isEmpty else { return try miss(operand) }
            take(operand, .text(String(rest)))
        case .message: try readMessage(operand, isLast: next == nil)
        case .reference: break
        case .color: try readColor(operand)
        case .title:
            let scalars = rest.unicodeScalars
            guard let bar = scalars.firstIndex(of: "|") else { throw operand.error(in: entry) }
            take(
                operand, .text(String(Substring(scalars[..<bar]).withoutBlankEnds())),
                leaving: String(Substring(scalars[bar...].dropFirst()).withoutBlankEnds()))
        case .removal: try readRemoval(operand)
        case .rooms: readRooms(operand)
        case .flag(let words):
            guard !rest.isEmpty else { return }
            guard let value = words[String(rest)] else { throw operand.error(in: entry) }
            take(operand, .flag(value))
        case .confirmation:
            guard rest == operand.name || rest.isEmpty && values["now"] != nil else {
                throw operand.error(in: entry)
            }
            take(operand, .flag(true))
        case .word:
            let (word, more) = OperandReader.splitWord(rest)
            guard word == operand.name else { throw operand.error(in: entry) }
            rest = more[...]
        case .ending: break
        }
    }

    /// Whether the rest begins with a quotation mark: as a scalar, as a mark behind it is one character with it.
    private var isQuoted: Bool { rest.utf8.first == UInt8(ascii: "\"") }

    private func miss(_ operand: Operand) throws(ChatError) {
        if operand.isNeeded { throw operand.error(in: entry) }
    }

    private mutating func take(_ operand: Operand, _ value: Operands.Value, leaving rest: String = "") {
        values[operand.name] = value
        self.rest = rest[...]
    }

    /// The first word or the text in double quotes; at the end of the line all of it, spaces of a nickname included.
    private mutating func readName(_ operand: Operand, before next: Operand?) throws(ChatError) {
        var (name, more) = OperandReader.splitName(rest)
        let isQuoted = self.isQuoted && !name.isEmpty
        if next == nil {
            (name, more) = (isQuoted ? name : String(rest), "")
        } else if next?.kind == .text, !isQuoted {
            name = OperandReader.addressed(name)
        }
        guard !name.isEmpty else { return try miss(operand) }
        take(operand, .text(name), leaving: more)
    }

    private mutating func readColor(_ operand: Operand) throws(ChatError) {
        let (option, more) = OperandReader.splitWord(rest)
        guard option == "--color" else { return }
        let (name, behind) = OperandReader.splitWord(more[...])
        guard !name.isEmpty else { throw operand.error(in: entry) }
        take(operand, .text(String(name)), leaving: behind)
    }

    private mutating func readRemoval(_ operand: Operand) throws(ChatError) {
        let (word, id) = OperandReader.splitWord(rest)
        guard word == operand.name, !id.unicodeScalars.contains("|") else { return }
        guard id.isEmpty || OperandReader.canBeMessageID(id[...]) else {
            throw ChatError(.unknownCard, .badMessageID, entry.name, entry.usage)
        }
        take(operand, .text(id.lowercased()))
    }

    /// A first word that can be a message id is one, if a text follows it; one that is needed has to be one.
    private mutating func readMessage(_ operand: Operand, isLast: Bool) throws(ChatError) {
        if operand.isNeeded {
            let (word, more) = OperandReader.splitWord(rest)
            guard OperandReader.canBeMessageID(word) else {
                throw OperandReader.lengthFault(of: word) ?? operand.error(in: entry)
            }
            return take(operand, .text(word.lowercased()), leaving: more)
        }
        let (word, more) = isLast ? (rest, "") : OperandReader.splitWord(rest)
        guard !word.isEmpty, isLast || !more.isEmpty else { return }
        guard OperandReader.canBeMessageID(word) else {
            if isLast { throw operand.error(in: entry) }
            return
        }
        take(operand, .text(word.lowercased()), leaving: more)
    }

    private mutating func readRooms(_ operand: Operand) {
        if rest == "off" {
            values["off"] = .flag(true)
            rest = ""
            return
        }
        var names: [String] = []
        while !rest.isEmpty {
            let (name, more) = OperandReader.splitName(rest)
            names.append(name)
            rest = more[...]
        }
        values[operand.name] = .list(names)
    }

    /// A name without the signs of speaking to a peer, which completion writes, too: `ben:` or `@ben,`. A name with such a
    /// sign of its own is put in quotation marks.
    private static func addressed(_ word: String) -> String {
        var name = Substring(word)
        if let last = name.last, last == ":" || last == "," { name.removeLast() }
        if name.first == "@" { name.removeFirst() }
        return name.isEmpty ? word : String(name)
    }

    private static func canBeMessageID(_ word: Substring) -> Bool {
        (shortestID...2 * MessageID.byteCount).contains(word.utf8.count) && isHexadecimal(word)
    }

    /// In digits, of the beginning of an id.
    private static let shortestID = 6

    private static func isHexadecimal(_ word: Substring) -> Bool {
        word.utf8.allSatisfy { (48...57).contains($0) || (65...70).contains($0) || (97...102).contains($0) }
    }

    /// The error for digits that are too few or too many for an id; nil for other words.
    private static func lengthFault(of word: Substring) -> ChatError? {
        guard !word.isEmpty, isHexadecimal(word) else { return nil }
        let phrase: Phrase = word.utf8.count < shortestID ? .shortMessageID : .badMessageID
        return ChatError(.unknownMessage, phrase)
    }

    private static func splitName(_ text: Substring) -> (name: String, rest: String) {
        guard let (quoted, rest) = QuotedName.split(text) else {
            let (word, rest) = splitWord(text)
            return (String(word), rest)
        }
        return (quoted, String(Substring(rest.unicodeScalars.drop(while: { $0.properties.isWhitespace }))))
    }

    private static func splitWord(_ text: Substring) -> (word: Substring, rest: String) {
        let (word, rest) = text.firstWord()
        return (word, String(rest))
    }
}
