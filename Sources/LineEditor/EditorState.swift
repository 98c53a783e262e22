import Wire

/// The line that is being typed: a value that takes a key and tells what came of it.
///
/// The text is in two strings, before and behind the cursor, so that a combining scalar joins its character by itself
/// and the last character of a string is what one Backspace takes away.
package struct EditorState: Sendable {
    /// In bytes of UTF-8; characters beyond it are refused. Some times the limit of a message, so that one can cut it down.
    package static let mostBytes = 16_384

    /// The place that lines are entered in: a number of the caller's.
    package var place = 0
    package internal(set) var left = ""
    package internal(set) var right = ""
    /// The paste that waits for an answer.
    private var question: PastedLines?
    private var kills = KillRing()
    private var history = LineHistory()
    private var last = LastKey.other
    /// The search of the history that is under way.
    private var search: HistorySearch?
    /// Whether the line is a refused one, and no key was pressed since it came back: a text begins another line then, as the
    /// user may be typing that already.
    package private(set) var isPutBack = false

    /// The effect of the previous key, as far as it matters for the next one.
    enum LastKey: Hashable, Sendable {
        case other
        case kill
        /// With how much was inserted, in scalars.
        case yank(Int)
        case completion(CompletionCycle)
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
    ///
    /// - Returns: whether it is in the editor.
    package mutating func putBack(_ line: String) -> Bool {
        guard isEmpty, search == nil, question == nil else {
            keep(line)
            return false
        }
        set(line)
        isPutBack = true
        return true
    }

    /// Makes a line the newest of the history, unless it has a secret in it.
    package mutating func keep(_ line: String) {
        if !line.isBlank, !isSecret(line) { history.add(line, in: place) }
    }

    /// Puts a text in the place of the line that is being typed, with the cursor at its end; a question and a search are over.
    ///
    /// - Returns: the line that was being typed.
    package mutating func exchangeLine(with text: String) -> String {
        let before = search?.draft ?? self.text
        (search, question, last, isPutBack) = (nil, nil, .other, false)
        set(text)
        return before
    }

    /// Forgets all, the current input too.
    package mutating func forgetAll() {
        forget()
        (question, isPutBack) = (nil, false)
        clear()
    }

    /// Forgets the lines that were entered and the text that was cut out; the current input stays.
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
    /// - Parameter completing: the completion of the text before the cursor; called on Tab.
    package mutating func take(_ key: Key, completing: (String) -> WordCompletion? = { _ in nil }) -> EditorOutcome {
        guard question == nil else { return answer(key) }
        if search != nil, let outcome = continueSearch(key) { return outcome }
        let before = exchange(&last, with: .other)
        leavePutBack(by: key)
        switch key {
        case .text(let text): return insert(EditorState.typeable(text))
        case .paste(let text): return insertPaste(text)
        case .enter: return enter()
        case .tab: return complete(completing(left), before, by: 1)
        case .backTab: return complete(nil, before, by: -1)
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
        case .pageUp, .pageDown, .conversation, .nextUnread, .background: return .unbound(key)
        }
    }

    /// The first key behind a refused line mends it, or begins another one, behind which Up has it.
    private mutating func leavePutBack(by key: Key) {
        guard exchange(&isPutBack, with: false) else { return }
        guard key.isText else { return }
        keep(text)
        clear()
    }

    private mutating func enter() -> EditorOutcome {
        let line = text
        guard !line.isBlank else { return clear() ? .changed : .refused }
        keep(line)
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

    /// Fills in the only candidate, the first one of a ranking, or the common beginning of several, which are shown. Each further Tab fills in the next one of
    /// them, and Shift-Tab the one before.
    private mutating func complete(_ completion: WordCompletion?, _ before: LastKey, by step: Int) -> EditorOutcome {
        if case .completion(let cycle) = before, left.hasSuffix(cycle.inserted) { return fillIn(cycle, by: step) }
        guard let completion, !completion.candidates.isEmpty, left.hasSuffix(completion.word) else { return .refused }
        if completion.isRanked, completion.candidates.count > 1 {
            return fillIn(CompletionCycle(completion, inserted: completion.word), by: step)
        }
        let replacement = completion.replacement
        if let replacement {
            left.removeLast(completion.word.count)
            let outcome = insert(replacement)
            guard completion.candidates.count > 1, outcome == .changed else { return outcome }
        }
        last = .completion(CompletionCycle(completion, inserted: replacement ?? completion.word))
        return .choices(completion.candidates)
    }

    /// Puts the next candidate in the place of the text that the cycle has inserted.
    private mutating func fillIn(_ before: CompletionCycle, by step: Int) -> EditorOutcome {
        var cycle = before
        left.removeLast(cycle.inserted.count)
        let outcome = insert(cycle.next(by: step))
        last = .completion(cycle)
        return outcome
    }

    private mutating func insertPaste(_ text: String) -> EditorOutcome {
        let pasted = PastedLines(text)
        // Behind a command the lines can only be one: the others would go elsewhere than the first, to the public room.
        guard pasted.areMany, !PastedLines.isCommand(left) else {
            return insert(EditorState.typeable(pasted.joined(behind: left)))
        }
        question = pasted
        return .changed
    }

    /// `y` sends a paste as many messages, unless a command is among them; `j` joins it to one line, Escape and `n` drop it.
    private mutating func answer(_ key: Key) -> EditorOutcome {
        guard let pasted = question else { return .refused }
        if key == .text("y") || key == .text("Y") {
            // Sent as a text, it could show the key of a room to all.
            if let command = pasted.firstCommand(behind: left) { return .pasteRefused(command) }
            question = nil
            let lines = pasted.entered(between: left, and: right).map(EditorState.typeable)
            clear()
            return .pasted(lines)
        }
        if key == .text("j") || key == .text("J") {
            question = nil
            return insert(EditorState.typeable(pasted.joined(behind: left)))
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
    /// The line of this number in the paste is a command: nothing is sent, and the question stays.
    case pasteRefused(Int)
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

/// Inserting, moving and killing, by characters and words.
extension EditorState {
    /// The text as it may stand in a line: tabs and line ends are a space, other control characters nothing.
    static func typeable(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\t", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": result.append(" ")
            case _ where scalar.properties.generalCategory == .control: continue
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Inserts at the cursor, as much as there is room for.
    mutating func insert(_ text: String) -> EditorOutcome {
        let room = EditorState.mostBytes - left.utf8.count - right.utf8.count
        guard text.utf8.count > room else {
            left += text
            settle()
            return text.isEmpty ? .refused : .changed
        }
        var size = 0
        for character in text {
            size += character.utf8.count
            guard size <= room else { break }
            left.append(character)
        }
        settle()
        return .refused
    }

    /// Keeps the cursor between two characters: where a change has made one of the two at it, it goes behind that.
    mutating func settle() {
        guard let before = left.unicodeScalars.last, let after = right.unicodeScalars.first,
            !(before.isASCII && after.isASCII)
        else { return }
        let all = left + right
        var boundary = all.startIndex
        let cursor = all.utf8.index(all.startIndex, offsetBy: left.utf8.count)
        while boundary < cursor { boundary = all.index(after: boundary) }
        guard boundary > cursor else { return }
        left = String(all[..<boundary])
        right = String(all[boundary...])
    }

    mutating func remove(_ character: Character?) -> EditorOutcome {
        guard character != nil else { return .refused }
        settle()
        return .changed
    }

    /// Takes away the character behind the cursor.
    private mutating func removeNext() -> EditorOutcome {
        remove(right.isEmpty ? nil : right.removeFirst())
    }

    /// Moves the cursor to the left, over a part at the end of the text before it.
    mutating func move(back part: Substring) -> EditorOutcome {
        let before = left.utf8.count
        shift(toRight: part)
        settle()
        return left.utf8.count == before ? .refused : .changed
    }

    /// Moves the cursor to the right, over a part at the beginning of the text behind it.
    mutating func move(forward part: Substring) -> EditorOutcome {
        let before = left.utf8.count
        shift(toLeft: part)
        settle()
        return left.utf8.count == before ? .refused : .changed
    }

    /// Removes a part at the end of the text before the cursor.
    mutating func kill(back part: Substring, continues: Bool) -> EditorOutcome {
        left = String(left.dropLast(part.count))
        return keep(killed: String(part), before: true, continues: continues)
    }

    /// Removes a part at the beginning of the text behind the cursor.
    mutating func kill(forward part: Substring, continues: Bool) -> EditorOutcome {
        right = String(right.dropFirst(part.count))
        return keep(killed: String(part), before: false, continues: continues)
    }

    private mutating func keep(killed: String, before isBefore: Bool, continues: Bool) -> EditorOutcome {
        guard !killed.isEmpty else { return .refused }
        kills.add(killed, before: isBefore, continues: continues)
        last = .kill
        settle()
        return .changed
    }

    mutating func yank() -> EditorOutcome {
        kills.lookAtNewest()
        return insertKilled()
    }

    /// Takes back what the yank before this inserted, and inserts what was killed before that.
    mutating func yankPop(_ before: LastKey) -> EditorOutcome {
        guard case .yank(let count) = before, left.unicodeScalars.count >= count else { return .refused }
        left.unicodeScalars.removeLast(count)
        kills.lookFurtherBack()
        return insertKilled()
    }

    private mutating func insertKilled() -> EditorOutcome {
        guard let text = kills.current else { return .refused }
        let before = left.unicodeScalars.count
        let outcome = insert(text)
        // In scalars: characters may have joined.
        last = .yank(left.unicodeScalars.count - before)
        return outcome
    }

    /// Swaps the characters on both sides of the cursor; at the end, the last two.
    mutating func transpose() -> EditorOutcome {
        guard left.count + (right.isEmpty ? 0 : 1) >= 2, !left.isEmpty else { return .refused }
        if right.isEmpty { shift(toRight: left.suffix(1)) }
        guard let before = left.popLast(), let after = right.first else { return .refused }
        right.removeFirst()
        left.append(after)
        left.append(before)
        settle()
        return .changed
    }

    private mutating func shift(toRight part: Substring) {
        let part = String(part)
        left = String(left.dropLast(part.count))
        right = part + right
    }

    private mutating func shift(toLeft part: Substring) {
        let part = String(part)
        right = String(right.dropFirst(part.count))
        left += part
    }
}

/// Where words begin and end.
extension EditorState {
    /// From the beginning of the last word to the end.
    private static func wordEnd(of text: String) -> Substring {
        let gap = text.reversed().prefix { !isInWord($0) }.count
        let word = text.dropLast(gap).reversed().prefix(while: isInWord).count
        return text.suffix(gap + word)
    }

    /// From the beginning to the end of the first word.
    private static func wordStart(of text: String) -> Substring {
        let gap = text.prefix { !isInWord($0) }.count
        return text.prefix(gap + text.dropFirst(gap).prefix(while: isInWord).count)
    }

    /// From behind the last white space that something follows.
    private static func blankEnd(of text: String) -> Substring {
        let gap = text.reversed().prefix(while: \.isWhitespace).count
        return text.suffix(gap + text.dropLast(gap).reversed().prefix { !$0.isWhitespace }.count)
    }

    /// Letters and digits of every script, and whatever is no punctuation besides.
    private static func isInWord(_ character: Character) -> Bool {
        if character.isASCII { return character.isLetter || character.isNumber || character == "_" }
        return !character.isWhitespace && !character.isPunctuation
    }
}

/// An incremental search of the history, from the newest line back.
struct HistorySearch: Hashable, Sendable {
    /// The line to return to.
    let draft: String
    var text = ""
    /// The line that was found last; nil before the first one.
    var found: Int?
    var hasFailed = false

    init(draft: String) { self.draft = draft }
}

extension EditorState {
    /// The text that is searched for, and whether no line has it; nil while nothing is searched.
    package var searched: (text: String, hasFailed: Bool)? { search.map { ($0.text, $0.hasFailed) } }

    private mutating func startSearch() -> EditorOutcome {
        search = HistorySearch(draft: text)
        return .changed
    }

    /// Continues a search with a key; nil for a key that ends it and then does what it always does.
    private mutating func continueSearch(_ key: Key) -> EditorOutcome? {
        guard var current = search else { return nil }
        if case .text(let typed) = key {
            current.text += EditorState.typeable(typed)
            find(&current, before: current.found.map { $0 + 1 })
        } else if key == .searchHistory {
            find(&current, before: current.found)
        } else if key == .backspace {
            guard current.text.popLast() != nil else { return .refused }
            find(&current, before: nil)
        } else {
            search = nil
            guard key == .escape || key == .interrupt else { return nil }
            set(current.draft)
            return .changed
        }
        search = current
        return .changed
    }

    private mutating func find(_ search: inout HistorySearch, before limit: Int?) {
        guard !search.text.isEmpty else { return }
        guard let (index, line) = history.latest(with: search.text, before: limit) else {
            search.hasFailed = true
            return
        }
        (search.found, search.hasFailed) = (index, false)
        set(line)
    }
}
