import Testing

@testable import LineEditor

@Suite struct EditorPasteTests {
    static func asked(_ text: String, left: String = "", right: String = "") -> EditorState {
        var editor = EditorState()
        _ = editor.take(.text(left + right))
        for _ in right { _ = editor.take(.left) }
        _ = editor.take(.paste(text))
        return editor
    }

    @Test(arguments: ["one line", "one line\n", "\r\none line\r\n", "one line\n  \n"])
    func `one pasted line goes into the line that is typed, without its line end`(paste: String) {
        let editor = Self.asked(paste, left: "<", right: ">")
        #expect(editor.askedLines == nil)
        #expect(editor.left == "<one line")
        #expect(editor.right == ">")
    }

    @Test(arguments: ["a\nb\nc", "a\r\nb\r\nc\r\n", "a\rb\rc", "a\n\n\nb\n \nc\n"])
    func `many pasted lines are asked about before they are many messages`(paste: String) {
        var editor = Self.asked(paste)
        #expect(editor.askedLines == 3)
        #expect(editor.take(.text("y")) == .pasted(["a", "b", "c"]))
        #expect(editor.isEmpty)
        #expect(editor.askedLines == nil)
    }

    @Test func `the first and the last line join what was typed already`() {
        var editor = Self.asked("a\nb", left: "<", right: ">")
        #expect(editor.take(.text("y")) == .pasted(["<a", "b>"]))
    }

    @Test func `a paste can be joined to one line, or dropped`() {
        var joined = Self.asked("a\nb", left: "<", right: ">")
        #expect(joined.take(.text("j")) == .changed)
        #expect(joined.left == "<a b")
        for key in [Key.escape, .text("n")] {
            var dropped = Self.asked("a\nb", left: "<", right: ">")
            #expect(dropped.take(key) == .changed)
            #expect(dropped.askedLines == nil)
            #expect(dropped.text == "<>")
        }
    }

    @Test func `no other key answers the question, Enter least of all`() {
        var editor = Self.asked("a\nb")
        for key in [Key.enter, .text("yes"), .text("x"), .backspace, .paste("c\nd"), .tab, .endOfInput, .up] {
            #expect(editor.take(key) == .refused)
        }
        #expect(editor.askedLines == 2)
        #expect(editor.putBack("refused") == false)
        #expect(editor.isEmpty)
        #expect(editor.take(.interrupt) == .changed)
        #expect(editor.askedLines == nil)
    }

    @Test func `no pasted line is a command, and none that looks like one is sent`() {
        var editor = Self.asked("//x\nhi\n/nick y")
        #expect(editor.take(.text("y")) == .pasteRefused(3))
        #expect(editor.askedLines == 3)
        _ = editor.take(.escape)
        var said = Self.asked("//x\nhi")
        #expect(said.take(.text("y")) == .pasted(["///x", "hi"]))
        var joined = Self.asked("/join attic\nSECRET")
        _ = joined.take(.text("j"))
        #expect(joined.text == "//join attic SECRET")
        // The first one is behind a text.
        var behind = Self.asked("/quit\nhi", left: "so ")
        #expect(behind.take(.text("y")) == .pasted(["so /quit", "hi"]))
    }

    @Test func `behind a command many lines are joined: none goes elsewhere than the first`() {
        let command = Self.asked("a\nb", left: "/msg 4821 ")
        #expect(command.askedLines == nil)
        #expect(command.text == "/msg 4821 a b")
        #expect(Self.asked("a\nb", left: "//shrug ").askedLines == 2)
    }

    @Test func `pasted control characters are not sent`() {
        var editor = Self.asked("a\u{1b}b\nc\td")
        #expect(editor.take(.text("y")) == .pasted(["ab", "c d"]))
    }
}
