package import Chat
import Phrases
import Wire

/// The text behind a command's name.
package struct Operands: Sendable {
    package let command: String
    package let usage: String
    /// Without the white space around it.
    package let rest: Substring
    /// Nil for a line.
    private let given: GivenOperands?

    package init(command: String, usage: String, rest: Substring) {
        (self.command, self.usage, self.rest, given) = (command, usage, rest, nil)
    }

    init(_ command: String, _ usage: String, given: GivenOperands) {
        (self.command, self.usage, rest, self.given) = (command, usage, "", given)
    }

    func requireNone() throws(ChatError) {
        try given?.only()
        guard !rest.isEmpty else { return }
        throw ChatError(.unknownCommand, .takesNothing, command, usage)
    }

    /// True for `all`, false without an operand.
    func isAll() throws(ChatError) -> Bool {
        if let given {
            try given.only("all")
            return try given.flag("all") ?? false
        }
        guard rest.isEmpty || rest == "all" else {
            throw ChatError(.unknownCommand, .takesNothing, command, usage)
        }
        return rest == "all"
    }

    /// Requires `yes`, so that a slip of the hand erases nothing.
    func requireYes() throws(ChatError) {
        if let given {
            try given.only("yes")
            if try given.flag("yes") == true { return }
        }
        guard rest == "yes" else { throw ChatError(.unknownCommand, .wipeNeedsYes) }
    }

    /// - Parameter name: of the operand, as programs give it.
    func optionalText(_ name: String) throws(ChatError) -> String? {
        guard let given else { return rest.isEmpty ? nil : String(rest) }
        try given.only(name)
        return try given.text(name)
    }

    /// True without an operand, false for `off`.
    package func isOn() throws(ChatError) -> Bool {
        if let given {
            try given.only("on")
            return try given.flag("on") ?? true
        }
        guard rest.isEmpty || rest == "off" else {
            throw ChatError(.unknownCommand, .takesOff, command, usage)
        }
        return rest.isEmpty
    }

    /// True for `on`, false for `off`, nil without an operand.
    func onOrOff() throws(ChatError) -> Bool? {
        if let given {
            try given.only("on")
            return try given.flag("on")
        }
        switch rest {
        case "": return nil
        case "on": return true
        case "off": return false
        default: throw ChatError(.unknownCommand, .takesNothing, command, usage)
        }
    }

    /// All of the rest names a peer, spaces of a nickname included.
    package func who() throws(ChatError) -> String {
        if let given {
            try given.only("who")
            return try given.needed("who")
        }
        guard let who = try optionalWho("who") else {
            throw ChatError(.unknownPeer, .noPeerGiven, command, usage)
        }
        return who
    }

    /// A name without the signs of speaking to a peer, which completion writes, too: `ben:` or `@ben,`. A name with such a
    /// sign of its own is put in quotation marks.
    private static func address(_ word: String) -> String {
        var name = Substring(word)
        if let last = name.last, last == ":" || last == "," { name.removeLast() }
        if name.first == "@" { name.removeFirst() }
        return name.isEmpty ? word : String(name)
    }

    /// - Parameter name: of the operand, as programs give it.
    func optionalWho(_ name: String) throws(ChatError) -> String? {
        if let given {
            try given.only(name)
            return try given.text(name)
        }
        let who = Operands.splitWho(rest).who
        guard rest.hasPrefix("\""), !who.isEmpty else { return rest.isEmpty ? nil : String(rest) }
        return who
    }

    /// The first word, or the text in double quotes, names a peer; the rest is the text.
    func whoAndText() throws(ChatError) -> (who: String, text: String) {
        if let given {
            try given.only("who", "text")
            return (try given.needed("who"), try given.needed("text"))
        }
        let (word, text) = Operands.splitWho(rest)
        let who = rest.hasPrefix("\"") ? word : Operands.address(word)
        guard !who.isEmpty else {
            throw ChatError(.unknownPeer, .noPeerGiven, command, usage)
        }
        guard !text.isEmpty else { throw missingText }
        return (who, text)
    }

    /// The first word, or the text in double quotes, names a room; the rest is its key, or `--open`. `--as me` may stand at
    /// the end.
    func roomRequest() throws(ChatError) -> RoomRequest {
        if let given { return try Operands.roomRequest(given) }
        var rest = rest
        let isAsKept = Operands.drop("--as me", from: &rest)
        let isOpen = Operands.drop("--open", from: &rest)
        let (name, key) = Operands.splitWho(rest)
        guard !name.isEmpty else { throw ChatError(.unknownRoom, .noRoomGiven, command, usage) }
        guard !isOpen || key.isEmpty else { throw ChatError(.invalidKey, .keyOfOpenRoom) }
        return RoomRequest(
            name: try RoomName.compose(name), key: key.isEmpty ? nil : key, isAsKept: isAsKept, isOpen: isOpen)
    }

    private static func roomRequest(_ given: GivenOperands) throws(ChatError) -> RoomRequest {
        try given.only("room", "key", "open", "asKept")
        let (key, isOpen) = (try given.text("key"), try given.flag("open") ?? false)
        guard !isOpen || key == nil else { throw ChatError(.invalidKey, .keyOfOpenRoom) }
        return RoomRequest(
            name: try RoomName.compose(try given.text("room") ?? ""), key: key,
            isAsKept: try given.flag("asKept") ?? false, isOpen: isOpen)
    }

    /// The room or the direct conversation to open: of a line that is found when it is opened, of a program one or the other.
    func opening() throws(ChatError) -> Command {
        guard let given else {
            let who = try who()
            return who == "public" ? .openPublic : .open(who: who)
        }
        try given.only("who", "room")
        let room = try given.text("room")
        if let room, try given.text("who") == nil { return .openRoom(room) }
        guard room == nil else { throw ChatError(.unknownCommand, .badOperand, command, "room") }
        return .openDirect(who: try given.needed("who"))
    }

    /// `new` and the name of a room, which may be in double quotes.
    func newRoom() throws(ChatError) -> String {
        if let given {
            try given.only("room")
            return try RoomName.compose(try given.text("room") ?? "")
        }
        let (word, rest) = Operands.splitWord(rest)
        let (name, more) = Operands.splitWho(rest[...])
        guard word == "new", !name.isEmpty, more.isEmpty else {
            throw ChatError(.unknownCommand, .takesNewRoom, command, usage)
        }
        return try RoomName.compose(name)
    }

    /// Removes the last words of a text; false if they are others.
    private static func drop(_ words: String, from text: inout Substring) -> Bool {
        guard text.hasSuffix(words), text.dropLast(words.count).last?.isWhitespace ?? false else { return false }
        text = text.dropLast(words.count).trimmed()
        return true
    }

    /// The first word, or the text in double quotes, names a peer; the rest, if there is any, is a name.
    ///
    /// - Parameter name: of the operand of the name, as programs give it.
    func whoAndName(_ name: String) throws(ChatError) -> (who: String, name: String?) {
        if let given {
            try given.only("who", name)
            return (try given.needed("who"), try given.text(name))
        }
        let (who, rest) = Operands.splitWho(rest)
        guard !who.isEmpty else { throw ChatError(.unknownPeer, .noPeerGiven, command, usage) }
        let name = Operands.splitWho(rest[...]).who
        return (who, rest.isEmpty ? nil : rest.hasPrefix("\"") && !name.isEmpty ? name : rest)
    }

    /// Names of rooms, each a word or a text in double quotes; nil for `off`.
    func roomNames() throws(ChatError) -> [String]? {
        if let given {
            try given.only("rooms", "off")
            return try given.flag("off") ?? false ? nil : given.list("rooms") ?? []
        }
        guard rest != "off" else { return nil }
        var names: [String] = []
        var left = String(rest)
        while !left.isEmpty {
            let (name, more) = Operands.splitWho(left[...])
            names.append(name)
            left = more
        }
        return names
    }

    /// All but a last word `ok` or `no` names a peer.
    func whoAndVerdict() throws(ChatError) -> (who: String, isVerified: Bool?) {
        if let given {
            try given.only("who", "verified")
            return (try given.needed("who"), try given.flag("verified"))
        }
        let verdicts = ["ok": true, "no": false]
        let whole = try who()
        if rest.hasPrefix("\""), whole != rest {
            let behind = Operands.splitWho(rest).text
            guard behind.isEmpty || verdicts[behind] != nil else { throw unclearVerdict }
            return (whole, verdicts[behind])
        }
        guard let space = rest.lastIndex(where: \.isWhitespace) else { return (whole, nil) }
        let last = String(rest[rest.index(after: space)...])
        guard let isVerified = verdicts[last] else { return (whole, nil) }
        return (Operands.trimmedEnd(rest[..<space]), isVerified)
    }

    private var unclearVerdict: ChatError {
        ChatError(.unknownCommand, .unclearVerdict, command, usage)
    }

    package func text() throws(ChatError) -> String {
        if let given {
            try given.only("text")
            return try given.needed("text")
        }
        guard !rest.isEmpty else { throw missingText }
        return String(rest)
    }

    /// A first word that can be a message id is one, if a text follows it.
    func targetAndText() throws(ChatError) -> (target: String?, text: String) {
        if let given {
            try given.only("id", "text")
            return (try given.text("id"), try given.needed("text"))
        }
        let (word, text) = Operands.splitWord(rest)
        guard !word.isEmpty else { throw missingText }
        guard Operands.canBeMessageID(word), !text.isEmpty else { return (nil, String(rest)) }
        return (word.lowercased(), text)
    }

    func optionalTarget() throws(ChatError) -> String? {
        if let given {
            try given.only("id")
            return try given.text("id")
        }
        guard !rest.isEmpty else { return nil }
        guard Operands.canBeMessageID(rest) else {
            throw ChatError(.unknownMessage, .badMessageID)
        }
        return rest.lowercased()
    }

    private var missingText: ChatError { ChatError(.empty, .emptyText, usage) }

    private static func canBeMessageID(_ word: Substring) -> Bool {
        let digits = word.utf8
        return (6...2 * MessageID.byteCount).contains(digits.count)
            && digits.allSatisfy { (48...57).contains($0) || (65...70).contains($0) || (97...102).contains($0) }
    }

    private static func splitWho(_ text: Substring) -> (who: String, text: String) {
        guard let (quoted, rest) = QuotedName.split(text) else {
            let (word, rest) = splitWord(text)
            return (String(word), rest)
        }
        return (quoted, trimmed(rest))
    }

    private static func splitWord(_ text: Substring) -> (word: Substring, rest: String) {
        let end = text.firstIndex(where: \.isWhitespace) ?? text.endIndex
        return (text[..<end], trimmed(text[end...]))
    }

    private static func trimmedEnd(_ text: Substring) -> String {
        String(text.reversed().drop(while: \.isWhitespace).reversed())
    }

    private static func trimmed(_ text: Substring) -> String { String(text.drop(while: \.isWhitespace)) }
}
