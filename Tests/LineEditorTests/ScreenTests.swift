import Testing

@testable import LineEditor

@Suite struct ScreenTests {
    static func picture(_ left: String, _ right: String = "", prompt: String = "> ", status: String = "") -> Picture {
        Picture(status: status, prompt: StyledText(prompt), left: left, right: right)
    }

    static func screen(_ columns: Int, _ rows: Int) -> Screen { Screen(columns: columns, rows: rows) { $0 } }

    @Test func `the prompt and the line stand below the lines, with the cursor in them`() {
        var screen = Self.screen(20, 5)
        var terminal = Terminal(columns: 20, rows: 5)
        terminal.write(screen.show(Self.picture("안녕", "하세요"), below: ["one", "two"]))
        #expect(terminal.lines == ["one", "two", "> 안녕하세요"])
        #expect(terminal.row == 2)
        #expect(terminal.column == 6)
        terminal.write(screen.show(Self.picture("안녕", "하세요"), below: ["three", "four", "five"]))
        #expect(terminal.lines == ["one", "two", "three", "four", "five", "> 안녕하세요"])
        #expect(terminal.scrollback == ["one"])
    }

    @Test func `a line is wrapped at the edge, a wide character as a whole`() {
        var screen = Self.screen(8, 6)
        var terminal = Terminal(columns: 8, rows: 6)
        terminal.write(screen.show(Self.picture("abcde한글", "")))
        #expect(terminal.lines == ["> abcde", "한글"])
        terminal.write(screen.show(Self.picture("abcdef", "")))
        // The row is full, so that the next character, and the cursor, begin another.
        #expect(terminal.lines == ["> abcdef"])
        #expect(terminal.row == 1)
        #expect(terminal.column == 0)
        terminal.write(screen.show(Self.picture("abcdef", "g"), below: ["x"]))
        #expect(terminal.lines == ["x", "> abcdef", "g"])
    }

    @Test func `lines arriving over a wrapped line leave no rests of it`() {
        var screen = Self.screen(10, 4)
        var terminal = Terminal(columns: 10, rows: 4)
        let picture = Self.picture("a long line that", " wraps")
        for number in 0..<20 {
            terminal.write(screen.show(picture, below: [ChatRow(StyledText("message \(number), wrapped"))]))
        }
        let chat = (0..<20).flatMap { number in
            let text = "message \(number), wrapped"
            return [String(text.prefix(10)), String(text.dropFirst(10))].map(Self.trimmed)
        }
        #expect(terminal.lines == chat + ["> a long l", "ine that w", "raps"])
    }

    static func trimmed(_ text: String) -> String {
        var text = text
        while text.last == " " { text.removeLast() }
        return text
    }

    @Test func `a line of more rows than the screen has shows those around the cursor`() {
        var screen = Self.screen(10, 5)
        var terminal = Terminal(columns: 10, rows: 5)
        let text = String((0..<100).map { Character(String($0 % 10)) })
        terminal.write(screen.show(Self.picture(text), below: ["chat"]))
        #expect(terminal.text(0) == "chat")
        #expect(terminal.text(4) == "89")
        terminal.write(screen.show(Self.picture("", text)))
        #expect(terminal.text(1) == "> 01234567")
        #expect(terminal.row == 1)
        #expect(terminal.column == 2)
        terminal.write(screen.show(Self.picture(""), below: ["more"]))
        #expect(terminal.lines == ["chat", "more", ">"])
    }

    @Test func `notes stand above the prompt, and the prompt does not jump when they go`() {
        var screen = Self.screen(30, 6)
        var terminal = Terminal(columns: 30, rows: 6)
        terminal.write(screen.show(Self.picture("", status: "somebody is typing"), below: ["chat"]))
        #expect(terminal.lines == ["chat", "somebody is typing", ">"])
        terminal.write(screen.show(Self.picture("")))
        #expect(terminal.lines == ["chat", "", ">"])
        terminal.write(screen.show(Self.picture(""), below: ["hello"]))
        #expect(terminal.lines == ["chat", "hello", ">"])
        #expect(terminal.row == 2)
    }

    @Test func `notes are cut at the edge, and left out where there is no room`() {
        var narrow = Self.screen(6, 6)
        var terminal = Terminal(columns: 6, rows: 6)
        terminal.write(narrow.show(Self.picture("x", status: "한국어로")))
        #expect(terminal.lines == ["한국…", "> x"])
        var low = Self.screen(20, 3)
        var small = Terminal(columns: 20, rows: 3)
        small.write(low.show(Self.picture("x", status: "typing")))
        #expect(small.lines == ["> x"])
    }

    @Test func `a narrower terminal has cut what was drawn into more rows, all of which are erased`() {
        var screen = Self.screen(20, 9)
        // Rows of 20 and 12 cells, with the cursor at the end of the second.
        _ = screen.show(Self.picture(String(repeating: "x", count: 30)))
        screen.resize(columns: 8, rows: 9)
        // 20 cells are 3 rows of 8, and 12 are 2.
        let narrow = screen.show(Self.picture("y"))
        #expect(narrow.hasPrefix("\u{1b}[?2026h\r\u{1b}[4A\u{1b}[K"))
        screen.resize(columns: 80, rows: 9)
        let wide = screen.show(Self.picture("z"))
        #expect(wide.hasPrefix("\u{1b}[?2026h\r\u{1b}[K"))
    }

    @Test func `a terminal that keeps what is erased from its first cell on keeps nothing of the prompt`() {
        var screen = Self.screen(10, 5)
        var terminal = Terminal(columns: 10, rows: 5)
        for text in ["a", "ab", "a line that wraps", ""] { terminal.write(screen.show(Self.picture(text))) }
        #expect(terminal.lines == [">"])
        terminal.write(screen.clear())
        #expect(terminal.lines == [])
    }

    @Test func `a wide character that a narrower terminal does not cut is counted to the next row`() {
        var screen = Self.screen(20, 9)
        // 2 cells of the prompt and 18 of text, then 4; where 5 fit, the 20 are `> 한`, and 8 rows of two characters.
        _ = screen.show(Self.picture(String(repeating: "한", count: 11)))
        screen.resize(columns: 5, rows: 9)
        #expect(screen.show(Self.picture("")).hasPrefix("\u{1b}[?2026h\r\u{1b}[5A\u{1b}[K"))
    }

    @Test func `erasing leaves the chat alone`() {
        var screen = Self.screen(10, 5)
        var terminal = Terminal(columns: 10, rows: 5)
        terminal.write(screen.show(Self.picture("a line that wraps"), below: ["chat"]))
        terminal.write(screen.erase())
        #expect(terminal.lines == ["chat"])
        #expect(terminal.row == 1)
        #expect(screen.erase() == "")
    }

    @Test func `text that is there already is not written again`() {
        var screen = Self.screen(10, 5)
        #expect(screen.show(Self.picture("a")) != "")
        #expect(screen.show(Self.picture("a")) == "")
        screen.forget()
        #expect(screen.show(Self.picture("a")) != "")
    }

    @Test func `typed text passes the guard before it is shown`() {
        var screen = Screen(columns: 20, rows: 5) { $0 == "\u{202e}" ? "\u{fffd}" : $0 }
        var terminal = Terminal(columns: 20, rows: 5)
        terminal.write(screen.show(Self.picture("a\u{202e}b", "\u{202e}")))
        #expect(terminal.lines == ["> a\u{fffd}b\u{fffd}"])
    }

    @Test(arguments: [(1, 1), (0, 0), (2, 1), (-3, -3), (1, 5)])
    func `no size is too small`(columns: Int, rows: Int) {
        var screen = Self.screen(columns, rows)
        #expect(screen.show(Self.picture("한글 text", "👩‍👩‍👧", status: "x"), below: ["한"]) != "")
        screen.resize(columns: rows, rows: columns)
        #expect(screen.show(Self.picture("한글 text", "👩‍👩‍👧", status: "x"), below: ["한"]) != "")
    }
}
