/// A message of IRC (RFC 1459 section 2.3; RFC 2812 section 2.3; IRCv3 "Message Tags").
struct IRCMessage: Hashable, Sendable {
    struct Tag: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// Bytes of the tags that a client may send, without `@` and the space behind them.
    static let longestTags = 4_094
    /// Bytes of the rest, without its end: a text of the node has up to 3,072.
    static let longestRest = 4_096
    static let mostParameters = 32

    var tags: [Tag] = []
    /// The server, or a user as `nick!user@host`; nil in a message of a client.
    var source: String?
    /// In capital letters.
    var command: String
    var parameters: [String]

    init(_ source: String?, _ command: String, _ parameters: [String], tags: [(String, String?)] = []) {
        (self.source, self.command, self.parameters) = (source, command, parameters)
        self.tags = tags.compactMap { name, value in value.map { Tag(name: name, value: $0) } }
    }

    /// The value of a tag; of repeated ones the last counts.
    subscript(tag name: String) -> String? { tags.last { $0.name == name }?.value }

    /// A parameter; nil behind the last one.
    subscript(position: Int) -> String? { parameters.indices.contains(position) ? parameters[position] : nil }

    /// Reads a line without its end.
    ///
    /// - Returns: nil for one that is not UTF-8, has NUL or CR, or has no command.
    init?(line: [UInt8]) {
        guard !line.contains(0), !line.contains(0x0d), let text = String(validating: line, as: UTF8.self) else {
            return nil
        }
        var rest = Substring(text).utf8[...]
        func word() -> Substring {
            rest = rest.drop { $0 == 0x20 }
            let word = rest.prefix { $0 != 0x20 }
            rest = rest[word.endIndex...]
            return Substring(word)
        }
        if rest.first == UInt8(ascii: "@") {
            rest.removeFirst()
            let list = rest.first == 0x20 ? "" : word()
            tags = list.utf8.split(separator: UInt8(ascii: ";")).map { IRCMessage.tag(Substring($0)) }
        }
        rest = rest.drop { $0 == 0x20 }
        // A client may send its own source, which says nothing.
        if rest.first == UInt8(ascii: ":") { _ = word() }
        command = word().uppercased()
        // These begin tags and a source.
        guard let first = command.utf8.first, first != UInt8(ascii: "@"), first != UInt8(ascii: ":"),
            command.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            return nil
        }
        parameters = []
        while true {
            rest = rest.drop { $0 == 0x20 }
            guard let first = rest.first, parameters.count < IRCMessage.mostParameters else { break }
            if first == UInt8(ascii: ":") {
                parameters.append(String(Substring(rest.dropFirst())))
                break
            }
            parameters.append(String(word()))
        }
    }

    /// The bytes without a line end. Nothing in them ends the line early, and only the last parameter may have spaces.
    var bytes: [UInt8] {
        var text = ""
        if !tags.isEmpty {
            text =
                "@"
                + tags.map { $0.value.isEmpty ? $0.name : "\($0.name)=\(IRCMessage.escaped($0.value))" }
                .joined(separator: ";") + " "
        }
        if let source { text += ":\(IRCMessage.word(source)) " }
        text += command
        for (index, parameter) in parameters.enumerated() {
            guard index == parameters.count - 1 else {
                text += " \(IRCMessage.word(parameter))"
                continue
            }
            let last = IRCMessage.onOneLine(parameter)
            // Clients such as ii look for the colon in front of a new nick.
            let isPlain = !last.isEmpty && !last.utf8.contains(0x20) && last.utf8.first != 0x3a && command != "NICK"
            text += isPlain ? " \(last)" : " :\(last)"
        }
        return Array(text.utf8)
    }

    private static func onOneLine(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 == 0 || $0 == 0x0a || $0 == 0x0d ? 0x20 : $0 }, as: UTF8.self)
    }

    private static func word(_ text: String) -> String {
        let safe = onOneLine(text).utf8.map { $0 == 0x20 ? UInt8(ascii: "_") : $0 }
        guard let first = safe.first else { return "*" }
        return (first == UInt8(ascii: ":") ? "_" : "") + String(decoding: safe, as: UTF8.self)
    }

    /// The escapes of values: scalar and letter.
    private static let escapes: [(Unicode.Scalar, Unicode.Scalar)] = [
        (";", ":"), (" ", "s"), ("\\", "\\"), ("\r", "r"), ("\n", "n"),
    ]

    private static func escaped(_ value: String) -> String {
        value.unicodeScalars.reduce(into: "") { result, scalar in
            if let letter = escapes.first(where: { $0.0 == scalar })?.1 {
                result += "\\\(letter)"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func tag(_ text: Substring) -> Tag {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            return Tag(name: String(text), value: "")
        }
        var value = ""
        var rest = text[text.utf8.index(after: equals)...].unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                value.unicodeScalars.append(scalar)
                continue
            }
            guard let letter = rest.popFirst() else { break }
            value.unicodeScalars.append(escapes.first { $0.1 == letter }?.0 ?? letter)
        }
        return Tag(name: String(text[..<equals]), value: value)
    }
}
