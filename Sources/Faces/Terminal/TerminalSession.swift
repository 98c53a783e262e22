package import Commands
package import Rendering
import Chat
import ChatNode
import LineEditor
package import Wire

/// A user at a terminal, as a value: takes the bytes of keys, reports and the time; gives the bytes to write, the lines
/// entered, and its next deadline.
package struct TerminalSession: Sendable {
    /// However many messages come, they change the screen no more often than this. Keys do not wait for it.
    static let frameTime = Duration.milliseconds(33)
    /// Messages ring no more often than this.
    static let ringTime = Duration.seconds(1)
    /// Entered lines that are not yet taken.
    package static let mostWaiting = 1_024

    var decoder = KeyDecoder()
    var editor = EditorState()
    var screen: Screen
    var prompt = PromptState()
    package var names = KnownNames()
    package var output: TerminalOutput
    private var bell: Bell
    private var nickname = ""

    /// To be shown above the prompt, with the next frame.
    package var lines: [String] = []
    /// Whether the prompt is on the screen; not while the process is in the background, or about to end.
    private var isShown = true
    private var isEchoDue = true
    private var isFrameDue = false
    private var isClearing = false
    /// Bells to be written behind the next frame.
    private var ringing = ""
    private var lastFrame: Instant?
    private var lastRing: Instant?

    package var waiting: [InputLine] = []
    package var requests: [TerminalRequest] = []
    private(set) var hasEnded = false

    package init(columns: Int, rows: Int, output: TerminalOutput, bell: Bell) {
        screen = Screen(columns: columns, rows: rows, safe: DisplayGuard.safe)
        self.output = output
        self.bell = bell
    }

    /// When to call `wake`; nil for never.
    var deadline: Instant? {
        let frame = isFrameDue ? nextFrame : nil
        return [decoder.deadline, frame].compactMap(\.self).min()
    }

    /// Keys that were typed.
    package mutating func take(_ bytes: some Sequence<UInt8>, at now: Instant) {
        for key in decoder.feed(bytes, at: now) { take(key) }
    }

    /// The next `writing` does what is due.
    mutating func wake(at now: Instant) {
        for key in decoder.expire(at: now) { take(key) }
    }

    /// Shows reports with the next frame.
    package mutating func show(_ reports: [Report], at now: Instant, wallClock: Timestamp) {
        for report in reports {
            note(report, at: now)
            lines += output.lines(of: report, at: wallClock)
        }
        if !reports.isEmpty { isFrameDue = true }
    }

    /// The terminal has this size now; nothing happens if it had it before.
    mutating func resize(columns: Int, rows: Int) {
        guard columns != screen.columns || rows != screen.rows else { return }
        screen.resize(columns: columns, rows: rows)
        isEchoDue = true
    }

    /// The next line to do; nil if there is none.
    mutating func nextLine() -> InputLine? {
        guard !waiting.isEmpty else { return nil }
        isEchoDue = isEchoDue || waiting.count > 1
        return waiting.removeFirst()
    }

    /// The result of a line: a refused one returns to the editor.
    package mutating func settle(_ line: InputLine, isAccepted: Bool) {
        guard !isAccepted, case .text(let text) = line.content else { return }
        editor.putBack(text)
        isEchoDue = true
    }

    /// No line comes any more.
    package mutating func end() { hasEnded = true }

    package mutating func tell(_ line: String) {
        lines.append(line)
        isFrameDue = true
    }

    mutating func echo() { isEchoDue = true }

    mutating func clearScreen() {
        isClearing = true
        isEchoDue = true
    }

    private mutating func note(_ report: Report, at now: Instant) {
        prompt.note(report)
        names.note(report)
        switch report {
        case .event(.ready(let me, port: _, room: _, discovery: _)), .answer(.done(command: "nick", let me)):
            nickname = me.nickname
        case .answer(.wiped):
            (prompt, names) = (PromptState(), KnownNames())
            editor.forget()
        case .event, .answer, .error, .entered: break
        }
        let mayRing = lastRing.map { $0 + TerminalSession.ringTime <= now } ?? true
        if let call = bell.call(in: report), mayRing {
            ringing = bell.sequence(for: call)
            lastRing = now
        }
    }
}

/// Output.
extension TerminalSession {
    private var nextFrame: Instant { lastFrame.map { $0 + TerminalSession.frameTime } ?? Instant(nanoseconds: .min) }

    /// The bytes to write now; empty for none.
    mutating func writing(at now: Instant) -> String {
        let isFrame = isFrameDue && nextFrame <= now
        guard isFrame || isEchoDue else { return "" }
        isEchoDue = false
        var text = isClearing ? screen.clear() : ""
        isClearing = false
        var above: [String] = []
        if isFrame {
            above = exchange(&lines, with: [])
            lastFrame = now
            isFrameDue = false
        }
        text += isShown ? screen.show(picture, below: above) : above.map { $0 + "\r\n" }.joined()
        return text + exchange(&ringing, with: "")
    }

    /// The bytes to write before another process has the terminal: waiting lines, and no prompt.
    mutating func hide() -> String {
        let text = screen.erase() + lines.map { $0 + "\r\n" }.joined()
        lines = []
        isShown = false
        return text
    }

    /// The terminal is ours again, and nothing of what was drawn is there any more.
    mutating func reveal() {
        screen.forget()
        isShown = true
        isEchoDue = true
    }

    private var picture: Picture {
        Picture(
            status: status, prompt: prompt.text(columns: screen.columns), left: editor.left, right: editor.right)
    }

    private var status: String {
        if let count = editor.askedLines {
            return "send \(count) messages? y: yes, j: join them to one, Esc: no"
        }
        let paced = waiting.count(where: \.isPaced)
        let parts = [
            LengthHint.note(on: editor.text, nickname: nickname),
            paced == 0
                ? nil : "\(paced) \(paced == 1 ? "line waits" : "lines wait"), Esc drops \(paced == 1 ? "it" : "them")",
            prompt.typists,
        ]
        return parts.compactMap(\.self).joined(separator: " · ")
    }
}
