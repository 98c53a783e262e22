import Chat
import ChatNode
import LineEditor
import Phrases
import TestSupport
import Testing
import Wire

@testable import Commands
@testable import Rendering
@testable import TerminalFace

/// Keys, frames and entered lines.
@Suite struct TerminalSessionTests {
    static func line(_ text: String, isPaced: Bool = false) -> InputLine {
        InputLine(content: .text(text), isPaced: isPaced)
    }

    @Test func `a key shows at once, and messages above it`() throws {
        var user = TerminalUser()
        #expect(user.shown() == "1 here > ")
        user.type("안")
        #expect(user.shown() == "1 here > 안")
        try user.hear("hi")
        #expect(user.shown() == "00:00:00 <quiet-otter#4821> hi\nkitchen · 1 here > 안")
        #expect(user.shown() == "")
    }

    @Test func `messages wait for the next frame, keys do not`() throws {
        var user = TerminalUser()
        _ = user.shown()
        try user.hear("one")
        #expect(user.shown().contains("one"))
        user.advance(.milliseconds(5))
        try user.hear("two")
        #expect(user.shown() == "")
        #expect(user.session.deadline == TerminalUser.start + TerminalSession.frameTime)
        user.type("x")
        #expect(user.shown() == "kitchen · 1 here > x")
        try user.hear("three")
        user.advance(TerminalSession.frameTime)
        let frame = user.shown()
        #expect(frame.contains("two\n"))
        #expect(frame.contains("three\n"))
        #expect(user.session.deadline == nil)
    }

    @Test func `2,000 messages a second are 30 updates of the screen`() throws {
        var user = TerminalUser()
        _ = user.shown()
        var updates = 0
        var shown = ""
        for number in 0..<2_000 {
            user.advance(.microseconds(500))
            try user.hear("message \(number).")
            let text = user.shown()
            updates += text.isEmpty ? 0 : 1
            shown += text
        }
        user.advance(.seconds(1))
        shown += user.shown()
        #expect((25...32).contains(updates))
        for number in 0..<2_000 where !shown.contains("message \(number).") {
            Issue.record("message \(number) was not shown")
        }
    }

    @Test func `an entered line is handed out once, and one to be mended returns to the editor`() {
        var user = TerminalUser()
        user.type("hello\r")
        #expect(user.session.nextLine() == Self.line("hello"))
        #expect(user.session.nextLine() == nil)
        #expect(user.shown() == "1 here > ")
        user.session.settle(Self.line("hello"), .mendable)
        user.show([.error(ChatError(.rateLimited, .tooFast, "2"))])
        #expect(
            user.shown() == "! too fast: 2 messages a second is the most\n"
                + "refused: Enter sends it again, an arrow mends it, typing begins another line\n1 here > hello")
        user.type("\u{15}/whois nobody\r")
        user.session.settle(Self.line("/whois nobody"), .refused)
        #expect(user.session.editor.text == "")
        // It is there, when the user asks for it.
        user.type("\u{1b}[A")
        #expect(user.session.editor.text == "/whois nobody")
    }

    @Test func `a command leaves a trace before what comes of it`() {
        var user = TerminalUser()
        user.show([.entered("/who\u{1b}[2J"), .answer(.peers([], isWhole: false))])
        #expect(user.shown() == "> /who\u{fffd}[2J\n00:00:00 * nobody else is here\n1 here > ")
    }

    @Test func `a paste of many lines is asked about, and then waits for its turn`() {
        var user = TerminalUser()
        user.type("\u{1b}[200~a\nb\nc\n\u{1b}[201~")
        #expect(user.shown().hasPrefix("send 3 messages? y: yes, j: join them to one, Esc: no\n"))
        #expect(user.session.nextLine() == nil)
        user.type("y")
        #expect(user.session.nextLine() == Self.line("a", isPaced: true))
        #expect(user.shown().hasPrefix("2 lines wait, Esc drops them\n"))
        user.type("\u{1b}")
        user.advance(.seconds(1))
        #expect(user.session.nextLine() == nil)
        #expect(user.shown().contains("2 pasted lines not sent\n"))
    }

    @Test func `a line typed while a paste drains waits behind it, and stays when the paste is dropped`() {
        var user = TerminalUser()
        user.type("\u{1b}[200~a\nb\n\u{1b}[201~y")
        #expect(user.session.nextLine() == Self.line("a", isPaced: true))
        user.type("typed\r")
        #expect(user.session.nextLine() == Self.line("b", isPaced: true))
        #expect(user.session.nextLine() == Self.line("typed", isPaced: true))
        // After that the rate is the user's own again: a line that is too fast returns to the editor.
        user.type("later\r")
        #expect(user.session.nextLine() == Self.line("later"))
        user.type("\u{1b}[200~a\nb\n\u{1b}[201~y")
        user.type("kept\r\u{1b}")
        user.advance(.seconds(1))
        #expect(user.session.nextLine() == Self.line("kept", isPaced: true))
        #expect(user.session.nextLine() == nil)
    }

    @Test func `lines that no reader takes are bounded, and the last one is not lost`() {
        var user = TerminalUser()
        for number in 0...TerminalSession.mostWaiting { user.type("\(number)\r") }
        #expect(user.session.editor.text == "\(TerminalSession.mostWaiting)")
        user.type("typed on")
        #expect(user.session.editor.text == "typed on")
        user.type("\u{1b}[A")
        #expect(user.session.editor.text == "\(TerminalSession.mostWaiting)")
        var count = 0
        while user.session.nextLine() != nil { count += 1 }
        #expect(count == TerminalSession.mostWaiting)
    }

    @Test func `typing is sent for messages alone`() {
        var user = TerminalUser()
        user.type("h")
        #expect(user.session.takeRequests() == [.typing(true)])
        user.type("\u{1b}[D")
        #expect(user.session.takeRequests() == [])
        user.type("\u{1b}[C\u{7f}")
        #expect(user.session.takeRequests() == [.typing(false)])
        user.type("/who")
        #expect(user.session.takeRequests() == [.typing(false)])
        user.type("\u{15}//x")
        #expect(user.session.takeRequests() == [.typing(false), .typing(true)])
        // A sent message ends the typing by itself.
        user.type("\r")
        #expect(user.session.takeRequests() == [])
    }

    @Test func `Ctrl-C clears a line that has text, and leaves on an empty one after saying so`() {
        var user = TerminalUser()
        user.type("a draft\u{3}")
        #expect(user.session.editor.isEmpty)
        #expect(user.session.takeRequests() == [.typing(true), .typing(false)])
        user.type("\u{3}")
        #expect(user.session.takeRequests() == [.interrupt])
        #expect(user.rows().contains("leaving"))
    }

    @Test func `Ctrl-R finds the newest entered line that has the typed text`() {
        var user = TerminalUser()
        for text in ["first of all", "second", "first of none"] { user.type("\(text)\r") }
        user.type("draft\u{12}first")
        #expect(user.session.editor.text == "first of none")
        #expect(user.shown().contains("search: first\n"))
        user.type("\u{12}")
        #expect(user.session.editor.text == "first of all")
        user.type("\u{12}")
        #expect(user.shown().contains("search: first (not found)\n"))
        user.type("\u{7}")
        #expect(user.session.editor.text == "draft")
        user.type("\u{12}SEC\u{5}!")
        #expect(user.session.editor.text == "second!")
    }

    @Test func `a wipe is asked about, and only the word wipe confirms it`() {
        var user = TerminalUser()
        user.type("/wipe\r")
        #expect(user.session.nextLine() == nil)
        #expect(user.shown().contains("type wipe to confirm"))
        user.type("no, wait\r")
        #expect(user.session.nextLine() == nil)
        #expect(user.rows().contains("nothing was erased"))
        for key in ["\u{7}", "\u{3}"] {
            user.type("/wipe\r" + key)
            #expect(user.rows().contains("nothing was erased"))
            #expect(user.session.takeRequests().contains(.interrupt) == false)
        }
        user.type("/wipe\rwipe\r")
        #expect(user.command() == "/wipe yes")
    }

    @Test func `a wipe leaves nothing of prompt, names, entered lines, screen and scrollback`() throws {
        var user = try TerminalUser.ready()
        let who = try Sample.who("quiet-otter")
        user.type("secret one\r/msg qui\u{17}")
        user.tell(.peer(.here, who, online: 1))
        user.show([.answer(.active(command: "open", .direct(with: who), recent: []))])
        user.advance(.seconds(1))
        // The line that was begun stays with the room.
        #expect(user.shown().hasSuffix("→ quiet-otter#4821 > "))
        user.type("/msg ")
        let lost = MemoryUsage(conversations: 2, messages: 1, peers: 1)
        user.show([.answer(.wiped(lost, files: []))])
        // Tab, then the last line that was cut out, then the line before.
        user.type("qui\t\u{19}")
        user.advance(.seconds(1))
        let written = user.session.writing(at: user.now)
        #expect(written.contains("\u{1b}[H\u{1b}[2J\u{1b}[3J"))
        #expect(written.contains("their copies can not be reached"))
        #expect(user.prompt == "1 here > ")
        user.type("\u{1b}[A")
        #expect(user.session.editor.text == "qui")
    }

    @Test func `a line that a wipe finds under way or waiting comes to no new identity`() throws {
        var user = try TerminalUser.ready()
        user.type("too long\r/msg fox and more\r")
        let taken = user.session.nextLine()
        let line = try #require(taken)
        user.type("begun")
        user.show([.answer(.wiped(MemoryUsage(conversations: 1, messages: 1, peers: 1), files: []))])
        #expect(user.session.nextLine() == nil)
        user.session.settle(line, .mendable)
        #expect(user.session.editor.text == "")
        user.type("in the pause\r")
        let away = user.session.nextLine()
        user.session.settle(try #require(away), .refused)
        #expect(user.session.editor.text == "")
        user.type("being ty")
        user.tell(.ready(me: try Sample.who("new", number: 1, byte: 3), port: 1, room: "kitchen", discovery: .none))
        #expect(user.session.editor.text == "being ty")
        user.type("\u{1b}[A")
        #expect(user.session.editor.text == "being ty")
    }

    @Test func `a line behind a wipe is handed out no more, even before the wipe is reported`() throws {
        var user = try TerminalUser.ready()
        user.type("/wipe now\rsaid by the old one\r/quit\r")
        let wipe = user.session.nextLine()
        user.type("/wh")
        user.session.settle(try #require(wipe), .done)
        user.show([.answer(.wiped(MemoryUsage(conversations: 1, messages: 1, peers: 1), files: []))])
        #expect(user.session.editor.text == "/wh")
        user.type("\u{15}")
        #expect(user.command() == "/quit")
        #expect(user.session.nextLine() == nil)
        user.type("\u{1b}[A")
        #expect(user.session.editor.text == "")
    }

    @Test func `a deleted message and the lines of a room that was left can not be recalled`() throws {
        var user = try TerminalUser.ready()
        let me = try Sample.who("me", number: 1_234, byte: 1)
        user.type("a secret\r")
        user.type("hello\r")
        user.tell(.message(try Sample.said("a secret", by: me, own: true)))
        user.tell(.deleted(try Sample.said("a secret", by: me, own: true)))
        user.type("\u{1b}[A\u{1b}[A\u{1b}[A")
        #expect(user.session.editor.text == "hello")
        user.type("\u{15}")
        user.show([.answer(.parted(.kitchen, .publicRoom, recent: []))])
        user.type("\u{1b}[A")
        #expect(user.session.editor.text == "")
    }

    @Test func `a wipe, a block and a deletion end the page that is read back`() throws {
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        for event in [NodeEvent.blocked(fox, isOn: true), .deleted(try Sample.said("to be read", by: fox))] {
            var user = try TerminalUser.ready()
            user.tell(.message(try Sample.said("to be read", by: fox)))
            user.type("\u{1b}[5~")
            #expect(user.session.isPaging)
            user.tell(event)
            #expect(!user.session.isPaging)
        }
    }

    @Test func `the terminal performs set and clear itself, and leaves the settings of the program to it`() {
        var user = TerminalUser()
        user.type("/clear\r")
        #expect(user.session.writing(at: user.now).contains("\u{1b}[2J"))
        user.type("/set joins off\r/set\r/set joins perhaps\r/set cover on\r/set joins\r/set STREAM\r")
        for line in ["/set", "/set joins perhaps", "/set cover on"] {
            #expect(user.session.nextLine() == Self.line(line))
        }
        #expect(user.session.nextLine() == nil)
        #expect(user.rows() == ["joins is off", "joins is off", "stream is one", "joins is off", "stream is one"])
    }

    @Test func `a flood of mentions rings once a second`() throws {
        var user = try TerminalUser.ready()
        var bells = 0
        for _ in 0..<300 {
            user.advance(.milliseconds(10))
            try user.hear("me!", mention: true)
            bells += user.session.writing(at: user.now).count { $0 == "\u{7}" }
        }
        #expect(bells == 3)
    }

    @Test func `out of the foreground nothing is written, and lines wait`() throws {
        var user = TerminalUser()
        _ = user.shown()
        let hiding = user.session.hide()
        #expect(hiding.hasSuffix("\u{1b}[J\r"))
        try user.hear("hi")
        user.advance(.seconds(1))
        #expect(user.shown() == "")
        user.session.reveal()
        #expect(user.shown() == "00:00:00 <quiet-otter#4821> hi\nkitchen · 1 here > ")
        user.session.stepBack()
        for _ in 0..<1_100 { try user.hear("again") }
        #expect(user.session.deadline.map { $0 > user.now } ?? true)
        user.session.reveal()
        #expect(user.rows().count == 1_000)
    }

    @Test(arguments: 0..<20)
    func `random keys, messages and sizes never trap`(seed: UInt64) throws {
        var random = Seeded(state: seed)
        var user = try TerminalUser.ready(depth: .full)
        for _ in 0..<200 {
            user.advance(.milliseconds(Int.random(in: 0...60, using: &random)))
            let keys = (0..<Int.random(in: 0...12, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            user.session.take(keys, at: user.now, wallClock: user.wallClock)
            let text = Sample.hostile[Int.random(in: 0..<Sample.hostile.count, using: &random)]
            let who = try Sample.who(text, byte: UInt8.random(in: 2...9, using: &random))
            let place: ConversationView = Bool.random(using: &random) ? .publicRoom : .direct(with: who)
            user.tell(
                .message(try Sample.said(text, by: who, in: place, history: Bool.random(using: &random))),
                .peer(Bool.random(using: &random) ? .here : .left, who, online: 1), .request(from: who, text: text))
            if Bool.random(using: &random) {
                user.type(["\u{1b}[5~", "\u{1b}1", "\u{1b}2", "\u{1b}a", "\u{12}"].randomElement(using: &random) ?? "")
            }
            if let line = user.session.nextLine() {
                user.session.settle(line, [.done, .refused, .mendable].randomElement(using: &random) ?? .done)
            }
            if Int.random(in: 0..<9, using: &random) == 0 {
                user.session.resize(
                    columns: Int.random(in: 0...90, using: &random), rows: Int.random(in: 0...30, using: &random))
            }
            _ = user.session.writing(at: user.now)
            _ = user.session.takeRequests()
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
