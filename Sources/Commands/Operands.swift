package import Chat
import Phrases
import Wire

/// The text behind a command's name.
package struct Operands: Sendable {
    package let command: String
    package let usage: String
    /// Without the white space around it.
    package let rest: Substring

    func requireNone() throws(ChatError) {
        guard !rest.isEmpty else { return }
        throw ChatError(.unknownCommand, .takesNothing, command, usage)
    }

    /// True for `all`, false for nothing.
    func isAll() throws(ChatError) -> Bool {
        guard rest.isEmpty || rest == "all" else {
            throw ChatError(.unknownCommand, .takesNothing, command, usage)
        }
        return rest == "all"
    }

    /// Requires `yes`, so that a slip of the hand erases nothing.
    func requireYes() throws(ChatError) {
        guard rest == "yes" else { throw ChatError(.unknownCommand, .wipeNeedsYes) }
    }

    func optionalText() -> String? { rest.isEmpty ? nil : String(rest) }

    /// Whether something is to begin, which is said by nothing, or to end: `off`.
    package func isOn() throws(ChatError) -> Bool {
        guard rest.isEmpty || rest == "off" else {
            throw ChatError(.unknownCommand, .takesOff, command, usage)
        }
        return rest.isEmpty
    }

    /// All of the rest names a peer, spaces of a nickname included.
    package func who() throws(ChatError) -> String {
        guard let who = optionalWho() else {
            throw ChatError(.unknownPeer, .noPeerGiven, command, usage)
        }
        return who
    }

    func optionalWho() -> String? {
        let who = Operands.splitWho(rest).who
        guard rest.hasPrefix("\""), !who.isEmpty else { return rest.isEmpty ? nil : String(rest) }
        return who
    }

    /// The first word, or the text in double quotes, names a peer; the rest is the text.
    func whoAndText() throws(ChatError) -> (who: String, text: String) {
        let (who, text) = Operands.splitWho(rest)
        guard !who.isEmpty else {
            throw ChatError(.unknownPeer, .noPeerGiven, command, usage)
        }
        guard !text.isEmpty else { throw missingText }
        return (who, text)
    }

    /// The first word, or the text in double quotes, names a room; the rest is its key. `--as me` may stand at the end.
    func roomRequest() throws(ChatError) -> RoomRequest {
        var rest = rest
        let asKept = "--as me"
        let isAsKept = rest.hasSuffix(asKept) && rest.dropLast(asKept.count).last?.isWhitespace ?? false
        if isAsKept { rest = rest.dropLast(asKept.count).trimmed() }
        let (name, key) = Operands.splitWho(rest)
        guard !name.isEmpty else { throw ChatError(.unknownRoom, .noRoomGiven, command, usage) }
        return RoomRequest(name: try RoomName.compose(name), key: key.isEmpty ? nil : key, isAsKept: isAsKept)
    }

    /// All but a last word `ok` or `no` names a peer.
    func whoAndVerdict() throws(ChatError) -> (who: String, isVerified: Bool?) {
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
        guard !rest.isEmpty else { throw missingText }
        return String(rest)
    }

    /// A first word that can be a message id is one, if a text follows it.
    func targetAndText() throws(ChatError) -> (target: String?, text: String) {
        let (word, text) = Operands.splitWord(rest)
        guard !word.isEmpty else { throw missingText }
        guard Operands.canBeMessageID(word), !text.isEmpty else { return (nil, String(rest)) }
        return (word.lowercased(), text)
    }

    func optionalTarget() throws(ChatError) -> String? {
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
        guard text.hasPrefix("\""), let end = text.dropFirst().firstIndex(of: "\"") else {
            let (word, rest) = splitWord(text)
            return (String(word), rest)
        }
        return (String(text[..<end].dropFirst()), trimmed(text[text.index(after: end)...]))
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
