import Chat
import ChatNode
import LineEditor
import Testing
import Wire

@testable import Commands
@testable import Rendering
@testable import TerminalFace

@Suite struct TerminalSessionTests {
    static let start = Instant(nanoseconds: 1_000_000_000)

    static func session(hasColors: Bool = false) -> TerminalSession {
        TerminalSession(
            columns: 80, rows: 24, output: TerminalOutput(plain: ProgramPlainTests.output(), hasColors: hasColors),
            bell: Bell(isQuiet: false))
    }

    /// The output of a session, without the sequences that place it.
    static func shown(_ session: inout TerminalSession, at now: Instant = start) -> String {
        let text = session.writing(at: now).replacing(/\u{1b}\[[?0-9;]*[A-Za-z]/, with: "")
        // By scalars: a carriage return and a line feed are one character.
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\r" }))
    }

    static func type(_ text: String, into session: inout TerminalSession, at now: Instant = start) {
        session.take(Array(text.utf8), at: now)
    }

    static func hear(_ text: String, in session: inout TerminalSession, at now: Instant = start) throws {
        let message = try Sample.said(text, by: try Sample.who())
        session.show([.event(.message(message))], at: now, wallClock: Sample.time)
    }

    static func line(_ text: String, isPaced: Bool = false) -> InputLine {
        InputLine(content: .text(text), isPaced: isPaced)
    }

    @Test func `a wipe leaves nothing of what was in the prompt, of names to complete, or of entered lines`() throws {
        var session = Self.session()
        let who = try Sample.who("quiet-otter")
        Self.type("secret one\r/msg qui\u{17}", into: &session)
        session.show(
            [.event(.peer(.here, who, online: 1)), .answer(.active(command: "open", .direct(with: who)))],
            at: Self.start, wallClock: Sample.time)
        #expect(Self.shown(&session).hasSuffix("#4821 · 1 peer > /msg "))
        let lost = MemoryUsage(conversations: 2, messages: 1, peers: 1)
        session.show([.answer(.wiped(lost, files: []))], at: Self.start, wallClock: Sample.time)
        // Tab, then the last line that was cut out, then the line before.
        Self.type("qui\t\u{19}", into: &session)
        let later = Self.start + .seconds(1)
        #expect(Self.shown(&session, at: later).hasSuffix("public · 0 peers > /msg qui"))
        Self.type("\u{1b}[A", into: &session, at: later)
        #expect(session.editor.text == "/msg qui")
    }

    @Test func `a key shows at once, and messages above it`() throws {
        var session = Self.session()
        #expect(Self.shown(&session) == "public · 0 peers > ")
        Self.type("안", into: &session)
        #expect(Self.shown(&session) == "public · 0 peers > 안")
        try Self.hear("hi", in: &session)
        #expect(Self.shown(&session) == "00:00:00 <quiet-otter#4821> hi\npublic · 0 peers > 안")
        #expect(Self.shown(&session) == "")
    }

    @Test func `messages wait for the next frame, keys do not`() throws {
        var session = Self.session()
        _ = session.writing(at: Self.start)
        try Self.hear("one", in: &session)
        let first = Self.shown(&session)
        #expect(first.contains("one"))
        let later = Self.start + .milliseconds(5)
        try Self.hear("two", in: &session, at: later)
        #expect(Self.shown(&session, at: later) == "")
        #expect(session.deadline == Self.start + TerminalSession.frameTime)
        Self.type("x", into: &session, at: later)
        #expect(Self.shown(&session, at: later) == "public · 0 peers > x")
        try Self.hear("three", in: &session, at: later)
        let frame = Self.shown(&session, at: Self.start + TerminalSession.frameTime)
        #expect(frame.contains("two\n"))
        #expect(frame.contains("three\n"))
        #expect(session.deadline == nil)
    }

    @Test func `2,000 messages a second are 30 updates of the screen`() throws {
        var session = Self.session()
        _ = session.writing(at: Self.start)
        var updates = 0
        var shown = ""
        for number in 0..<2_000 {
            let now = Self.start + .microseconds(500 * number)
            session.wake(at: now)
            try Self.hear("message \(number).", in: &session, at: now)
            let text = session.writing(at: now)
            updates += text.isEmpty ? 0 : 1
            shown += text
        }
        shown += session.writing(at: Self.start + .seconds(2))
        #expect((25...32).contains(updates))
        for number in 0..<2_000 where !shown.contains("message \(number).") {
            Issue.record("message \(number) was not shown")
        }
    }

    @Test func `an entered line is handed out once, and a refused one returns to the editor`() {
        var session = Self.session()
        Self.type("hello\r", into: &session)
        let line = session.nextLine()
        #expect(line == Self.line("hello"))
        #expect(session.nextLine() == nil)
        #expect(Self.shown(&session) == "public · 0 peers > ")
        session.settle(Self.line("hello"), isAccepted: false)
        session.show([.error(ChatError(.rateLimited, "too fast"))], at: Self.start, wallClock: Sample.time)
        #expect(Self.shown(&session) == "earshot: too fast\npublic · 0 peers > hello")
    }

    @Test func `a command leaves a trace before what comes of it`() {
        var session = Self.session()
        session.show([.entered("/who\u{1b}[2J"), .answer(.peers([]))], at: Self.start, wallClock: Sample.time)
        #expect(Self.shown(&session) == "> /who\u{fffd}[2J\n23:59:59 * nobody else is here\npublic · 0 peers > ")
    }

    @Test func `a paste of many lines is asked about, and then waits for its turn`() {
        var session = Self.session()
        Self.type("\u{1b}[200~a\nb\nc\n\u{1b}[201~", into: &session)
        let question = Self.shown(&session)
        #expect(question.hasPrefix("send 3 messages? y: yes, j: join them to one, Esc: no\n"))
        #expect(session.nextLine() == nil)
        Self.type("y", into: &session)
        #expect(session.nextLine() == Self.line("a", isPaced: true))
        let waiting = Self.shown(&session)
        #expect(waiting.hasPrefix("2 lines wait, Esc drops them\n"))
        Self.type("\u{1b}", into: &session)
        session.wake(at: Self.start + .seconds(1))
        #expect(session.nextLine() == nil)
        let dropped = Self.shown(&session, at: Self.start + .seconds(1))
        #expect(dropped.contains("earshot: 2 pasted lines not sent\n"))
    }

    @Test func `lines that no reader takes are bounded, and the last one is not lost`() {
        var session = Self.session()
        for number in 0...TerminalSession.mostWaiting { Self.type("\(number)\r", into: &session) }
        #expect(session.editor.text == "\(TerminalSession.mostWaiting)")
        var count = 0
        while session.nextLine() != nil { count += 1 }
        #expect(count == TerminalSession.mostWaiting)
    }

    @Test func `typing is sent for messages alone`() {
        var session = Self.session()
        Self.type("h", into: &session)
        #expect(session.takeRequests() == [.typing(true)])
        Self.type("\u{1b}[D", into: &session)
        #expect(session.takeRequests() == [])
        Self.type("\u{1b}[C\u{7f}", into: &session)
        #expect(session.takeRequests() == [.typing(false)])
        Self.type("/who", into: &session)
        #expect(session.takeRequests() == [.typing(false)])
        Self.type("\u{15}//x", into: &session)
        #expect(session.takeRequests() == [.typing(false), .typing(true)])
        // A sent message ends the typing by itself.
        Self.type("\r", into: &session)
        #expect(session.takeRequests() == [])
        Self.type("\u{3}", into: &session)
        #expect(session.takeRequests() == [.interrupt])
    }

    @Test func `a flood of mentions rings once a second`() throws {
        var session = Self.session()
        let me = try Sample.who("me", number: 1_234, byte: 1)
        session.show(
            [.event(.ready(me: me, port: 1, room: "r", discovery: .none))], at: Self.start, wallClock: Sample.time)
        var bells = 0
        for step in 0..<300 {
            let now = Self.start + .milliseconds(10 * step)
            try Self.hear("me!", in: &session, at: now)
            bells += session.writing(at: now).count { $0 == "\u{7}" }
        }
        #expect(bells == 3)
    }

    @Test func `authors are coloured, what they say is not, and a name can not end its colour`() throws {
        var output = TerminalOutput(plain: ProgramPlainTests.output(), hasColors: true)
        let who = try Sample.who("a>b]c")
        let color = "\u{1b}[38;5;\(AuthorColor.of(who.key))m"
        let message = try Sample.said("<x> \u{1b}[31m]", by: who)
        let lines = output.lines(of: .event(.message(message)), at: Sample.time)
        let mark = "\u{fffd}"
        #expect(lines == ["00:00:00 \(color)<a\(mark)b\(mark)c#4821>\u{1b}[m <x> \(mark)[31m]"])
        let history = output.lines(of: .answer(.history(.publicRoom, [message, message])), at: Sample.time)
        #expect(history.map { $0.contains(color) } == [false, true, true])
        let notice = output.lines(of: .event(.peer(.here, who, online: 1)), at: Sample.time)
        #expect(notice.map { $0.contains("\u{1b}") } == [false])
    }

    @Test func `without colours nothing that is shown has a colour`() throws {
        var output = TerminalOutput(plain: ProgramPlainTests.output(), hasColors: false)
        for text in Sample.hostile {
            let message = try Sample.said(text, by: try Sample.who(text))
            let reports = [Report.event(.message(message)), .entered(text)]
            let line = reports.flatMap { output.lines(of: $0, at: Sample.time) }.joined()
            #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
        }
    }

    @Test func `out of the foreground lines are shown without a prompt`() throws {
        var session = Self.session()
        _ = session.writing(at: Self.start)
        let hiding = session.hide()
        #expect(hiding.hasSuffix("\u{1b}[J\r"))
        try Self.hear("hi", in: &session)
        #expect(Self.shown(&session) == "00:00:00 <quiet-otter#4821> hi\n")
        session.reveal()
        #expect(Self.shown(&session) == "public · 0 peers > ")
    }

    @Test(arguments: 0..<20)
    func `random keys, messages and sizes never trap`(seed: UInt64) throws {
        var random = Seeded(state: seed)
        var session = Self.session(hasColors: true)
        var now = Self.start
        for _ in 0..<200 {
            now = now + .milliseconds(Int.random(in: 0...60, using: &random))
            session.take(
                (0..<Int.random(in: 0...12, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) },
                at: now)
            session.wake(at: now)
            try Self.hear(
                Sample.hostile[Int.random(in: 0..<Sample.hostile.count, using: &random)], in: &session, at: now)
            if let line = session.nextLine() { session.settle(line, isAccepted: Bool.random(using: &random)) }
            if Int.random(in: 0..<9, using: &random) == 0 {
                session.resize(
                    columns: Int.random(in: 0...90, using: &random), rows: Int.random(in: 0...30, using: &random))
            }
            _ = session.writing(at: now)
            _ = session.takeRequests()
        }
    }

    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state ^ (state >> 33)) &* 0xff51_afd7_ed55_8ccd
        }
    }
}
