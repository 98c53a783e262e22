package import Chat
package import Phrases
package import Wire

/// The answer of a command: its content renders itself, as lines and as JSON.
package struct Answer: Sendable {
    /// The name that JSON gives it: the command's own.
    package let command: String
    package let content: any AnswerContent

    package init(_ command: String, _ content: any AnswerContent) { (self.command, self.content) = (command, content) }
}

/// The content of an answer. `Sentences` and `AnswerRows` are enough for most commands; a face looks into a few others.
package protocol AnswerContent: Sendable {
    /// Its lines for people, each a notice.
    func lines(_ wording: Wording, at now: Timestamp) -> [String]

    /// Adds its members to the object of the answer. Members are only ever added.
    func write(to json: inout JSONWriter)

    /// The texts of peers in it.
    ///
    /// - Parameter room: that of the answer.
    func texts(in room: RoomLabel) -> [AnswerText]
}

extension AnswerContent {
    package func texts(in _: RoomLabel) -> [AnswerText] { [] }
}

extension Report {
    /// The content of an answer; nil for another kind of content and of report.
    package func content<Content: AnswerContent>(_: Content.Type) -> Content? {
        guard case .answer(let answer) = self else { return nil }
        return answer.content as? Content
    }
}

/// Sentences for people, and members for programs.
package struct Sentences: AnswerContent {
    private let sentences: [Sentence]
    private let members: @Sendable (inout JSONWriter) -> Void

    /// - Parameter sentences: with arguments that are safe for display.
    package init(_ sentences: Sentence..., members: @escaping @Sendable (inout JSONWriter) -> Void) {
        self.init(sentences, members: members)
    }

    package init(_ sentences: [Sentence], members: @escaping @Sendable (inout JSONWriter) -> Void) {
        (self.sentences, self.members) = (sentences, members)
    }

    package func lines(_ wording: Wording, at _: Timestamp) -> [String] {
        sentences.map { $0.text(in: wording.language) }
    }

    package func write(to json: inout JSONWriter) { members(&json) }
}

/// A row of an answer: a line for people, and an object for programs.
package struct AnswerRow: Sendable {
    fileprivate let line: @Sendable (Wording, Timestamp) -> String
    fileprivate let members: @Sendable (inout JSONWriter) -> Void

    package init(
        _ line: @escaping @Sendable (Wording, Timestamp) -> String,
        members: @escaping @Sendable (inout JSONWriter) -> Void
    ) {
        (self.line, self.members) = (line, members)
    }

    /// - Parameter sentence: with arguments that are safe for display.
    package init(_ sentence: Sentence, members: @escaping @Sendable (inout JSONWriter) -> Void) {
        self.init({ wording, _ in sentence.text(in: wording.language) }, members: members)
    }
}

/// A list under one name.
package struct AnswerRows: AnswerContent {
    private let name: String
    private let rows: [AnswerRow]
    private let none: Phrase
    private let requesters: [PeerName]

    /// - Parameters:
    ///   - name: of the array in JSON.
    ///   - none: the line where there is no row.
    ///   - requesters: the peers whose requests it has.
    package init(_ name: String, _ rows: [AnswerRow], none: Phrase, requesters: [PeerName] = []) {
        (self.name, self.rows, self.none, self.requesters) = (name, rows, none, requesters)
    }

    package func texts(in room: RoomLabel) -> [AnswerText] {
        requesters.map { AnswerText(of: $0.key, in: .direct(with: $0), room) }
    }

    package func lines(_ wording: Wording, at now: Timestamp) -> [String] {
        rows.isEmpty ? [wording.language(none)] : rows.map { $0.line(wording, now) }
    }

    package func write(to json: inout JSONWriter) { json.list(name, rows) { $1.members(&$0) } }
}
