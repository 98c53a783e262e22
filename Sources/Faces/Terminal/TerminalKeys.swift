import Chat
import ChatNode
import Commands
package import LineEditor
import Phrases
package import Wire

/// The effects of keys and of the lines that are entered.
extension TerminalSession {
    package mutating func take(_ key: Key, at now: Instant, wallClock: Timestamp) {
        echo()
        if pager != nil, page(with: key) { return }
        editor.place = view.prompt.open?.room.number ?? 0
        let before = editor.text
        let names = names
        switch editor.take(key, completing: { names.completion(of: $0) }) {
        case .changed, .refused:
            noteTyping(before: before)
            if editor.text != before, view.noteTyping(at: now, wallClock: wallClock) { gatherLines() }
        case .entered(let line): enter(line)
        case .pasted(let lines): enter(pasted: lines)
        case .choices(let words): tell("  " + words.prefix(100).joined(separator: "  "))
        case .escaped: if !keepAll() { dropPaste() }
        case .clearScreen: clearScreen()
        case .endOfInput: end()
        case .interrupted:
            if keepAll() { return }
            tell(language(.leaving))
            requests.append(.interrupt)
        case .unbound(let key): perform(key)
        }
    }

    /// The requests since the last call.
    package mutating func takeRequests() -> [TerminalRequest] { exchange(&requests, with: []) }

    private mutating func noteTyping(before: String) {
        let text = editor.text
        // An answer to this program is no message.
        guard text != before, !isWipeAsked else { return }
        let isMessage = !text.isEmpty && (!text.hasPrefix("/") || text.hasPrefix("//"))
        requests.append(.typing(isMessage))
    }

    private mutating func enter(_ line: String) {
        guard !performHere(line) else { return }
        // Behind a paste a line waits for its turn, and is not refused as too fast.
        let isPaced = wasPasted || waiting.contains { $0.isPasted }
        guard waiting.count < TerminalSession.mostWaiting else {
            editor.putBack(line)
            return tell(language(.tooManyLines, "1"))
        }
        waiting.append(WaitingLine(line: InputLine(content: .text(line), isPaced: isPaced), isPasted: false))
    }

    private mutating func enter(pasted lines: [String]) {
        let room = TerminalSession.mostWaiting - waiting.count
        waiting += lines.prefix(room).map {
            WaitingLine(line: InputLine(content: .text($0), isPaced: true), isPasted: true)
        }
        if lines.count > room { tell(language(.tooManyLines, "\(lines.count - room)")) }
    }

    private mutating func dropPaste() {
        let count = waiting.count(where: \.isPasted)
        guard count > 0 else { return }
        waiting.removeAll(where: \.isPasted)
        tell(language(.pastedDropped, "\(count)"))
    }
}

/// Keys that have nothing to do with the line.
extension TerminalSession {
    private mutating func perform(_ key: Key) {
        if case .conversation(let number) = key {
            guard let target = view.prompt.conversations.conversation(number) else {
                return tell(language(.noConversation, "\(number)"))
            }
            open(target)
        } else if key == .nextUnread {
            guard let target = view.prompt.conversations.next(besides: view.prompt.open?.place) else {
                return tell(language(.nothingUnread))
            }
            open(target)
        } else if key == .pageUp, !view.log.isEmpty {
            var pager = Pager(view.logLines(), columns: screen.columns)
            pager.back(height: screen.rows - 1)
            self.pager = pager
        }
    }

    private mutating func open(_ target: RoomConversation) {
        let command =
            switch target.conversation {
            case .publicRoom: "/close"
            case .direct(let who): "/open \(who.numberText)"
            }
        let line = InputLine(content: .text(command), isPaced: false, room: target.room)
        if waiting.count < TerminalSession.mostWaiting { waiting.append(WaitingLine(line: line, isPasted: false)) }
    }

    /// Moves on the second screen; false for a key that ends reading and then does what it always does.
    private mutating func page(with key: Key) -> Bool {
        let height = screen.rows - 1
        if key == .pageUp {
            pager?.back(height: height)
            return true
        }
        if key == .pageDown, pager?.forward(height: height) == true { return true }
        pager = nil
        return key == .pageDown || key == .escape
    }
}

/// Commands that the terminal performs itself.
extension TerminalSession {
    /// Performs a line if it is the terminal's own; false for all others.
    private mutating func performHere(_ line: String) -> Bool {
        if isWipeAsked {
            guard line[...].trimmed() == "wipe" else { return keepAll() }
            isWipeAsked = false
            let wipe = InputLine(content: .text("/wipe yes"), isPaced: false)
            waiting.append(WaitingLine(line: wipe, isPasted: false))
            return true
        }
        let words = line.split(separator: " ")
        switch words.first?.lowercased() {
        case "/wipe" where words.count == 1: isWipeAsked = true
        case "/clear" where words.count == 1: clearScreen()
        case "/set": set(words.dropFirst().map { $0.lowercased() })
        default: return false
        }
        return true
    }

    /// Answers the question about a wipe with no; false if there is none.
    private mutating func keepAll() -> Bool {
        guard isWipeAsked else { return false }
        isWipeAsked = false
        tell(language(.wipeKept))
        return true
    }

    private mutating func set(_ words: [String]) {
        switch words {
        case ["joins", "on"], ["joins", "off"]: view.showsJoins = words[1] == "on"
        case ["stream", "one"], ["stream", "all"]: view.showsAll = words[1] == "all"
        case []:
            tell(language(.setShown, "joins", view.showsJoins ? "on" : "off"))
            return tell(language(.setShown, "stream", view.showsAll ? "all" : "one"))
        default: return tell("! " + language(.setUnknown))
        }
        tell(language(.setShown, words[0], words[1]))
    }
}
