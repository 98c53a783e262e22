/// The line that is being typed: a value that takes a key and tells what came of it.
///
/// The text is in two strings, before and behind the cursor, so that a combining scalar joins its character by itself
/// and the last character of a string is what one Backspace takes away.
package struct EditorState: Sendable {
    /// In bytes of UTF-8; what does not fit is not taken. Some times what a message may have, so that one can cut it down.
    package static let mostBytes = 16_384

    /// The place that lines are entered in: a number of the caller's.
    package var place = 0
    package internal(set) var left = ""
    package internal(set) var right = ""
    /// The paste that waits for an answer.
    var question: PastedLines?
    var kills = KillRing()
    var history = LineHistory()
    var last = LastKey.other
    /// The search of the history that is under way.
    var search: HistorySearch?

    /// The effect of the previous key, as far as it matters for the next one.
    enum LastKey: Hashable, Sendable {
        case other
        case kill
        /// With how much was inserted, in scalars.
        case yank(Int)
    }

    /// Whether a line is not to be kept in the history, because it has a secret in it.
    private let isSecret: @Sendable (String) -> Bool

    package init(isSecret: @escaping @Sendable (String) -> Bool = { _ in false }) { self.isSecret = isSecret }

    package var text: String { left + right }
    package var isEmpty: Bool { left.isEmpty && right.isEmpty }

    /// How many messages the paste would be that waits for `y`, `j` or Escape.
    package var askedLines: Int? { question?.lines.count }

    /// Puts back a line that was entered and refused. If another one is being typed already, it is the newest of the
    /// history.
    package mutating func putBack(_ line: String) {
        if isEmpty, search == nil, question == nil { set(line) } else { history.add(line, in: place) }
    }

    /// Forgets what was entered and cut out; what is being typed stays.
    package mutating func forget() {
        (kills, history, last, search) = (KillRing(), LineHistory(), .other, nil)
    }

    /// Forgets the lines that were entered in a place, and what was cut out.
    package mutating func forget(place: Int) {
        history.forget(place: place)
        (kills, last, search) = (KillRing(), .other, nil)
    }

    /// Forgets the entered lines that end with a text, and what was cut out.
    package mutating func forget(text: String) {
        history.forget(text: text)
        (kills, last, search) = (KillRing(), .other, nil)
    }

    /// Does what a key asks for.
    ///
    /// - Parameter completing: what the text before the cursor may become; asked on Tab.
    package mutating func take(_ key: Key, completing: (String) -> WordCompletion? = { _ in nil }) -> EditorOutcome {
        guard question == nil else { return answer(key) }
        if search != nil, let outcome = continueSearch(key) { return outcome }
        let before = exchange(&last, with: .other)
        switch key {
        case .text(let text): return insert(EditorState.typeable(text))
        case .paste(let text): return insertPaste(text)
        case .enter: return enter()
        case .tab: return complete(completing(left))
        case .escape: return .escaped
        case .left: return move(back: left.suffix(1))
        case .wordLeft: return move(back: EditorState.wordEnd(of: left))
        case .start: return move(back: left[...])
        case .right: return move(forward: right.prefix(1))
        case .wordRight: return move(forward: EditorState.wordStart(of: right))
        case .end: return move(forward: right[...])
        case .up: return recall(history.older(than: text))
        case .down: return recall(history.newer())
        case .backspace: return remove(left.popLast())
        case .delete: return removeNext()
        case .killBlankLeft: return kill(back: EditorState.blankEnd(of: left), continues: before == .kill)
        case .killWordLeft: return kill(back: EditorState.wordEnd(of: left), continues: before == .kill)
        case .killToStart: return kill(back: left[...], continues: before == .kill)
        case .killWordRight: return kill(forward: EditorState.wordStart(of: right), continues: before == .kill)
        case .killToEnd: return kill(forward: right[...], continues: before == .kill)
        case .yank: return yank()
        case .yankPop: return yankPop(before)
        case .transpose: return transpose()
        case .clearScreen: return .clearScreen
        case .endOfInput: return isEmpty ? .endOfInput : removeNext()
        case .interrupt: return clear() ? .changed : .interrupted
        case .searchHistory: return startSearch()
        case .pageUp, .pageDown, .conversation, .nextUnread: return .unbound(key)
        }
    }

    private mutating func enter() -> EditorOutcome {
        let line = text
        guard !line.allSatisfy(\.isWhitespace) else { return clear() ? .changed : .refused }
        if !isSecret(line) { history.add(line, in: place) }
        clear()
        return .entered(line)
    }

    @discardableResult
    mutating func clear() -> Bool {
        let hadText = !isEmpty
        left = ""
        right = ""
        return hadText
    }

    mutating func set(_ line: String) {
        left = line
        right = ""
    }

    private mutating func recall(_ line: String?) -> EditorOutcome {
        guard let line else { return .refused }
        set(line)
        return .changed
    }

    private mutating func complete(_ completion: WordCompletion?) -> EditorOutcome {
        guard let completion, !completion.candidates.isEmpty else { return .refused }
        guard let replacement = completion.replacement, left.hasSuffix(completion.word) else {
            return .choices(completion.candidates)
        }
        left.removeLast(completion.word.count)
        return insert(replacement)
    }

    private mutating func insertPaste(_ text: String) -> EditorOutcome {
        let pasted = PastedLines(text)
        // Behind a command the lines can only be one: the others would go elsewhere than the first, to the public room.
        guard pasted.areMany, !PastedLines.isCommand(left) else { return insert(EditorState.typeable(pasted.joined)) }
        question = pasted
        return .changed
    }

    /// `y` sends a paste as many messages, `j` joins it to one line, Escape and `n` drop it.
    private mutating func answer(_ key: Key) -> EditorOutcome {
        guard let pasted = question else { return .refused }
        if key == .text("y") || key == .text("Y") {
            question = nil
            let lines = pasted.entered(between: left, and: right).map(EditorState.typeable)
            clear()
            return .pasted(lines)
        }
        if key == .text("j") || key == .text("J") {
            question = nil
            return insert(EditorState.typeable(pasted.joined))
        }
        if [.text("n"), .text("N"), .escape, .interrupt].contains(key) {
            question = nil
            return .changed
        }
        return key == .clearScreen ? .clearScreen : .refused
    }
}

/// The result of a key.
package enum EditorOutcome: Hashable, Sendable {
    /// The text, the cursor or the question is another one.
    case changed
    /// The key can do nothing here: the terminal may ring.
    case refused
    /// A line was entered, and is no longer in the editor.
    case entered(String)
    /// A paste was confirmed: its lines in order.
    case pasted([String])
    /// Several words may be meant.
    case choices([String])
    /// Escape, where there was nothing to get out of.
    case escaped
    case clearScreen
    case endOfInput
    /// Ctrl-C on an empty line.
    case interrupted
    /// A key that has nothing to do with the line.
    case unbound(Key)
}
