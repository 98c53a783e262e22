import Chat
import ChatNode
import Model
import Phrases
package import Commands
package import LineEditor
package import Rendering
package import Wire

/// A request of a session to the terminal's owner, besides writing.
package enum TerminalRequest: Hashable, Sendable {
    /// The others may see that a message is being written, or no longer.
    case typing(Bool)
    /// Ctrl-C on an empty line.
    case interrupt
}

/// A user at a terminal, as a value: takes the bytes of keys, reports and the time; gives the bytes to write, the lines
/// entered, and its next deadline.
package struct TerminalSession: Sendable {
    /// However many messages come, they change the screen no more often than this. Keys do not wait for it.
    static let frameTime = Duration.milliseconds(33)
    /// Messages ring no more often than this.
    private static let ringTime = Duration.seconds(1)
    /// Entered lines that are not yet taken.
    package static let mostWaiting = 1_024
    /// For so long a user may not have seen that a conversation was not opened.
    private static let readingTime = Duration.seconds(2)
    /// Lines that wait while another process has the terminal.
    private static let mostHidden = 1_000

    private var decoder = KeyDecoder()
    package var editor = EditorState { CommandEntry.isSecret($0) }
    var screen: Screen
    var view: ChatView
    private var bell: Bell

    /// To be shown above the prompt, with the next frame.
    var lines: [ChatLine] = []
    var drawn = MessageRows()
    var drafts = Drafts()
    /// The entered lines that open conversations, and have not yet.
    var moves = 0
    /// Why the line that is typed may be for another conversation than the open one: Enter says it only when it was shown where it would
    /// go. Nil for a line that was begun in sight of it.
    var held: Phrase?
    /// Why a line that is begun until this time may be for another conversation than the open one.
    private var suspicion: (reason: Phrase, until: Instant)?
    /// The time of the latest input.
    private var latest = Instant(nanoseconds: 0)
    /// Whether the identity whose line is being done is still there: the next one gets no text of it.
    private var mayPutBack = true
    /// Whether the user has entered a wipe: the line that is typed behind it is for the next identity.
    private var hasEnteredWipe = false
    /// Whether the old identity is erased and the next one not there yet.
    private var isBetweenIdentities = false
    /// Whether the prompt is on the screen; not while the process is in the background, or about to end.
    private var isShown = true
    private var isEchoDue = true
    private var isFrameDue = false
    private var clearing: Clearing?
    /// Bells to be written behind the next frame.
    private var ringing = ""
    private var lastFrame: Instant?
    private var lastRing: Instant?
    private var pager: Pager?
    private var hasAskedForBackground = false
    /// Whether the question about the background is to be written.
    private var isAskDue = false

    private var waiting: [WaitingLine] = []
    private var wasPasted = false
    private var requests: [TerminalRequest] = []
    /// Whether the next entered line confirms or refuses a wipe.
    private var isWipeAsked = false
    package private(set) var hasEnded = false

    /// An entered line that is not yet taken.
    struct WaitingLine: Hashable, Sendable {
        let line: InputLine
        let isPasted: Bool

        var text: String { if case .text(let text) = line.content { text } else { "" } }
        var opens: Bool { CommandEntry.typed(in: text)?.opensConversation ?? false }
        /// Whether it is for the conversation that is open when it is done.
        var isForOpen: Bool { line.room == nil && CommandEntry.isForOpenConversation(text) }
    }

    enum Clearing { case screen, all }

    package init(columns: Int, rows: Int, view: ChatView, bell: Bell) {
        screen = Screen(columns: columns, rows: rows, safe: DisplayGuard.safe)
        self.view = view
        self.bell = bell
    }

    var language: Language { view.language }

    /// When to call `wake`; nil for never.
    package var deadline: Instant? {
        let frame = isFrameDue && isShown && pager == nil ? nextFrame : nil
        return [decoder.deadline, view.deadline, frame].compactMap(\.self).min()
    }

    /// Keys that were typed.
    package mutating func take(_ bytes: some Sequence<UInt8>, at now: Instant, wallClock: Timestamp) {
        latest = now
        for key in decoder.feed(bytes, at: now) { take(key, at: now, wallClock: wallClock) }
    }

    /// The next `writing` does what is due.
    package mutating func wake(at now: Instant, wallClock: Timestamp) {
        for key in decoder.expire(at: now) { take(key, at: now, wallClock: wallClock) }
        view.wake(at: now, wallClock: wallClock)
        gatherLines()
    }

    /// Shows reports with the next frame.
    package mutating func show(_ reports: [RoomReport], at now: Instant, wallClock: Timestamp) {
        latest = now
        for report in reports {
            let open = view.open
            view.show(report, at: now, wallClock: wallClock)
            followOpening(in: report, before: open)
            follow(report, at: now, wallClock: wallClock)
            gatherLines()
        }
        if !reports.isEmpty { isFrameDue = true }
    }

    /// The terminal has this size now; nothing happens if it had it before.
    package mutating func resize(columns: Int, rows: Int) {
        guard columns != screen.columns || rows != screen.rows else { return }
        screen.resize(columns: columns, rows: rows)
        pager = nil
        isEchoDue = true
    }

    /// The next line to do; nil if there is none.
    package mutating func nextLine() -> InputLine? {
        guard !waiting.isEmpty else { return nil }
        isEchoDue = isEchoDue || waiting.count > 1
        let next = waiting.removeFirst()
        wasPasted = next.isPasted
        mayPutBack = true
        if CommandEntry.typed(in: next.text)?.isDangerous ?? false { hasEnteredWipe = true }
        return next.line
    }

    /// The result of a line: one whose text is to be mended returns to the editor.
    package mutating func settle(_ line: InputLine, _ outcome: LineOutcome) {
        guard case .text(let text) = line.content else { return }
        let entry = CommandEntry.typed(in: text)
        let isWipe = entry?.isDangerous ?? false
        if outcome == .done {
            // The next line is handed out at once, and the report of the wipe may be on its way yet.
            if isWipe { forgetEntered() }
            return
        }
        if isWipe { hasEnteredWipe = false }
        guard mayPutBack else { return }
        if entry?.opensConversation ?? false { refuseMove() }
        if outcome == .mendable { putBack(text) }
    }

    /// Puts a refused line into the editor, unless another one is being typed there: Up has it then.
    private mutating func putBack(_ line: String) {
        if !editor.putBack(line) { tell(language(.refusedIsKept)) }
        isEchoDue = true
    }

    /// A line that opens a conversation was refused: the texts behind it are said in no other one.
    private mutating func refuseMove() {
        let end = waiting.firstIndex { $0.line.room != nil || !$0.isForOpen && $0.opens } ?? waiting.endIndex
        let unsaid = waiting[..<end].filter(\.isForOpen)
        waiting = waiting[..<end].filter { !$0.isForOpen } + waiting[end...]
        moves = max(0, moves - unsaid.count(where: \.opens))
        for line in unsaid where line.isPasted { editor.keep(line.text) }
        if !unsaid.isEmpty { tell(language(.heldBack, "\(unsaid.count)")) }
        held = endMove(isRefused: true) && !editor.isEmpty ? .lineIsHeld : nil
        holdBegun(.lineIsHeld)
    }

    /// The user has to read first why a line may be for another conversation.
    private mutating func holdBegun(_ reason: Phrase) { suspicion = (reason, latest + TerminalSession.readingTime) }

    /// Forgets every line that was begun, entered or cut out.
    private mutating func forgetEntered() {
        if hasEnteredWipe { editor.forget() } else { editor.forgetAll() }
        (drafts, moves) = (Drafts(), 0)
        waiting.removeAll { !(CommandEntry.typed(in: $0.text)?.endsPause ?? false) }
        (held, suspicion) = (nil, nil)
        (isWipeAsked, mayPutBack) = (false, false)
        isEchoDue = true
    }

    /// No line comes any more.
    package mutating func end() { hasEnded = true }

    package mutating func tell(_ line: String) {
        view.tell(line)
        gatherLines()
    }

    private mutating func gatherLines() {
        let new = view.takeLines()
        guard !new.isEmpty else { return }
        lines += new
        if !isShown, lines.count > TerminalSession.mostHidden {
            lines.removeFirst(lines.count - TerminalSession.mostHidden)
        }
        isFrameDue = true
    }

    package mutating func echo() { isEchoDue = true }

    mutating func clearScreen(_ clearing: Clearing = .screen) {
        self.clearing = clearing
        isEchoDue = true
    }

    /// Draws deliveries, forgets what the chat has forgotten, and rings.
    private mutating func follow(_ report: RoomReport, at now: Instant, wallClock: Timestamp) {
        if isBetweenIdentities, case .event(.ready) = report.report {
            // The lines of the pause were refused, and were not for the new identity.
            (isBetweenIdentities, hasEnteredWipe) = (false, false)
            editor.forget()
        }
        showDeliveries(at: wallClock)
        showChanges(by: report, at: wallClock)
        showReactions(by: report, at: now, wallClock: wallClock)
        showQuotes(in: report.room)
        for case .changed(let room) in view.changes where view.model.room(room.number)?.isLeaving ?? false {
            forget(.room(room.number))
        }
        for case .removed(_, let message, at: _) in view.changes where message.isFromCurrentUser {
            editor.forget(text: message.text)
        }
        for case .erased(let erasure) in view.changes { forget(erasure) }
        let mayRing = lastRing.map { $0 + TerminalSession.ringTime <= now } ?? true
        if let call = bell.call(in: report), mayRing, isShown {
            ringing = bell.sequence(for: call)
            lastRing = now
        }
    }

    /// A page that is read back, rows that could be drawn again and entered lines are copies of texts that are gone.
    private mutating func forget(_ erasure: Erasure) {
        switch erasure {
        case .everything:
            (drawn, lines, isBetweenIdentities) = (MessageRows(), [], true)
            forgetEntered()
            clearScreen(.all)
        case .room(let number):
            drawn = MessageRows()
            drafts.forget { $0.room == number }
            editor.forget(place: number)
        case .author(let peer, in: let room):
            drawn = MessageRows()
            drafts.forget { $0.room == room && $0.peer == peer }
        case .message(_, let id): drawn.remove(id)
        case .request: return
        }
        pager = nil
        echo()
    }
}

/// Output.
extension TerminalSession {
    private var nextFrame: Instant { lastFrame.map { $0 + TerminalSession.frameTime } ?? Instant(nanoseconds: .min) }

    /// Whether the terminal's second screen is shown.
    package var isPaging: Bool { pager != nil }

    /// The bytes to write now; empty for none.
    package mutating func writing(at now: Instant) -> String {
        guard isShown else { return "" }
        if let pager { return writing(pager) }
        let isFrame = isFrameDue && nextFrame <= now
        guard isFrame || isEchoDue else { return "" }
        isEchoDue = false
        var text = screen.endPage()
        if let clearing = clearing.take() { text += screen.clear(withScrollback: clearing == .all) }
        var above: [ChatRow] = []
        if isFrame {
            above = takeRows()
            lastFrame = now
            isFrameDue = false
        }
        text += screen.show(picture, below: above)
        if exchange(&isAskDue, with: false) {
            text += TerminalColor.backgroundQuestion
            decoder.expectAnswer(at: now)
        }
        return text + exchange(&ringing, with: "")
    }

    private mutating func writing(_ pager: Pager) -> String {
        guard isEchoDue else { return exchange(&ringing, with: "") }
        isEchoDue = false
        let height = screen.rows - 1
        let (first, last, count) = pager.position(height: height)
        let note = language(.pagePosition, "\(first)–\(last)", "\(count)")
        return screen.page(pager.page(height: height), note: StyledText(note, view.rendering.theme.own))
    }

    /// The bytes to write before another process has the terminal: waiting lines, and no prompt.
    package mutating func hide() -> String {
        pager = nil
        let text = screen.endPage() + screen.erase() + takeRows().map { $0.text.drawn + "\r\n" }.joined()
        isShown = false
        return text
    }

    /// Another process has the terminal already: nothing is written, and lines wait, of which the last ones are kept.
    package mutating func stepBack() {
        pager = nil
        _ = screen.endPage()
        screen.forget()
        isShown = false
    }

    /// The terminal is ours again, and nothing of what was drawn is there any more.
    package mutating func reveal() {
        screen.forget()
        isShown = true
        isEchoDue = true
        isFrameDue = isFrameDue || !lines.isEmpty
        if !hasAskedForBackground, view.rendering.theme.depth == .full {
            (hasAskedForBackground, isAskDue) = (true, true)
        }
    }

    /// The waiting lines as rows. Those of a message get keys.
    private mutating func takeRows() -> [ChatRow] {
        exchange(&lines, with: []).flatMap { line -> [ChatRow] in
            let rows = line.rows(columns: screen.columns)
            guard let message = line.message else { return rows.map { ChatRow($0) } }
            return zip(rows, drawn.add(message, line, rows: rows)).map { ChatRow($0, key: $1) }
        }
    }

    private var picture: Picture {
        Picture(
            status: status, prompt: view.prompt.text(columns: screen.columns), left: editor.left, right: editor.right)
    }

    private var status: String {
        if isWipeAsked { return language(.confirmWipe) }
        if let count = editor.askedLines { return language(.askPaste, "\(count)") }
        if editor.isPutBack { return language(.refusedIsBack) }
        if let (text, hasFailed) = editor.searched {
            return language(hasFailed ? .searchNothing : .searchPrompt, DisplayGuard.safe(text))
        }
        let paced = waiting.count(where: \.isPasted)
        let nickname = view.open.flatMap { view.model.room($0.room)?.me?.nickname } ?? ""
        let parts = [
            LengthHint.note(on: editor.text, nickname: nickname, in: language),
            view.meant(by: editor.text)?.text,
            paced == 0 ? nil : language(.linesWait, "\(paced)"),
            view.typing,
        ]
        return parts.compactMap(\.self).joined(separator: " · ")
    }
}

/// The effects of keys and of the lines that are entered.
extension TerminalSession {
    package mutating func take(_ key: Key, at now: Instant, wallClock: Timestamp) {
        echo()
        if case .background(let color) = key {
            view.rendering.theme = Theme(view.rendering.theme.depth, on: color)
            return
        }
        if pager != nil, page(with: key) { return }
        editor.place = view.open?.room ?? 0
        let before = editor.text
        // Text begins another line where a refused one is back.
        let begins = before.isEmpty || editor.isPutBack && key.isText
        let (model, open, announced) = (view.model, view.open, view.announced)
        switch editor.take(
            key, completing: { KnownNames(model, open: open, announced: announced).completion(of: $0) })
        {
        case .changed, .refused:
            recordTyping(before: before)
            // A line that the user gives up was read.
            if editor.isEmpty, held != nil { (held, suspicion) = (nil, nil) }
            if begins, !editor.isEmpty, let (reason, end) = suspicion, now < end { held = reason }
            if editor.text != before, view.recordTyping(at: now, wallClock: wallClock) { gatherLines() }
        case .entered(let line): enter(line)
        case .pasted(let lines): enter(pasted: lines)
        case .pasteRefused(let line): tell(language(.pasteHasCommand, "\(line)"))
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

    private mutating func recordTyping(before: String) {
        let text = editor.text
        // An answer to this program is no message.
        guard text != before, !isWipeAsked else { return }
        // By bytes, because a mark behind a slash is one character with it.
        let isMessage = !text.isEmpty && (!text.utf8.starts(with: "/".utf8) || text.utf8.starts(with: "//".utf8))
        requests.append(.typing(isMessage))
    }

    private mutating func enter(_ line: String) {
        guard !performHere(line) else { return }
        // Behind a paste a line waits for its turn, and is not refused as too fast.
        let isPaced = wasPasted || waiting.contains { $0.isPasted }
        guard waiting.count < TerminalSession.mostWaiting else {
            putBack(line)
            return tell(language(.tooManyLines, "1"))
        }
        let entered = WaitingLine(line: InputLine(content: .text(line), isPaced: isPaced), isPasted: false)
        if let reason = exchange(&held, with: nil), entered.isForOpen {
            putBack(line)
            holdBegun(reason)
            return tell(language(reason))
        }
        if entered.isForOpen { suspicion = nil }
        waiting.append(entered)
        if entered.opens { beginMove() }
    }

    private mutating func enter(pasted lines: [String]) {
        if exchange(&held, with: nil) != nil {
            for line in lines { editor.keep(line) }
            return tell(language(.heldBack, "\(lines.count)"))
        }
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
            guard let target = view.model.conversation(numbered: number) else {
                holdBegun(.lineIsHeld)
                return tell(language(.noConversation, "\(number)"))
            }
            open(target)
        } else if key == .nextUnread {
            guard let target = view.model.next(besides: view.open) else {
                holdBegun(.lineIsHeld)
                return tell(language(.nothingUnread))
            }
            open(target)
        } else if key == .pageUp, !view.log.isEmpty {
            var pager = Pager(view.logLines(), columns: screen.columns)
            pager.back(height: screen.rows - 1)
            self.pager = pager
        }
    }

    private mutating func open(_ target: ModelConversation) {
        let command =
            switch target.view {
            case .publicRoom: "/close"
            case .direct(let who): "/open \(who.numberText)"
            }
        guard let room = view.model.room(target.id.room)?.label else { return }
        let line = InputLine(content: .text(command), isPaced: false, room: room)
        guard waiting.count < TerminalSession.mostWaiting else { return }
        waiting.append(WaitingLine(line: line, isPasted: false))
        beginMove()
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
            guard line[...].withoutBlankEnds() == "wipe" else { return keepAll() }
            isWipeAsked = false
            let wipe = InputLine(content: .text("/wipe yes"), isPaced: false)
            waiting.append(WaitingLine(line: wipe, isPasted: false))
            return true
        }
        let words = line.split(separator: " ")
        switch words.first?.lowercased() {
        case "/wipe" where words.count == 1: isWipeAsked = true
        case "/clear" where words.count == 1: clearScreen()
        case "/set": return set(words.dropFirst().map { $0.lowercased() })
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

    /// - Returns: false for a setting of the program, which the line is left to.
    private mutating func set(_ words: [String]) -> Bool {
        switch words {
        case ["joins", "on"], ["joins", "off"]: view.showsJoins = words[1] == "on"
        case ["stream", "one"], ["stream", "all"]: view.showsAll = words[1] == "all"
        case [], ["joins"], ["stream"]: break
        default: return false
        }
        // Without a name, the line goes on to the program, which tells of its own.
        if words.first != "stream" { tell(language(.setShown, "joins", view.showsJoins ? "on" : "off")) }
        if words.first != "joins" { tell(language(.setShown, "stream", view.showsAll ? "all" : "one")) }
        return !words.isEmpty
    }
}
