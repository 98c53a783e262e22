import Testing

@testable import LineEditor

@Suite struct EditorCompletionTests {
    static let names = ["quiet-otter", "quiet-owl", "민수", "민지", "Zoë"]

    static func complete(_ left: String) -> WordCompletion? {
        let word = String(left.split(separator: " ", omittingEmptySubsequences: false).last ?? "")
        return WordCompletion(word: word, candidates: names.filter { $0.lowercased().hasPrefix(word.lowercased()) })
    }

    static func pressingTab(_ text: String, right: String = "") -> (outcome: EditorOutcome, left: String) {
        var editor = EditorState()
        _ = editor.take(.text(text + right))
        for _ in right { _ = editor.take(.left) }
        let outcome = editor.take(.tab, completing: complete)
        return (outcome, editor.left)
    }

    @Test func `the only candidate is filled in, with a space behind it`() {
        #expect(Self.pressingTab("hi quiet-ot") == (.changed, "hi quiet-otter "))
        #expect(Self.pressingTab("hi z", right: " there") == (.changed, "hi Zoë "))
    }

    @Test func `of several, what they share is filled in, and they are shown`() {
        #expect(Self.pressingTab("qu") == (.choices(["quiet-otter", "quiet-owl"]), "quiet-o"))
        #expect(Self.pressingTab("quiet-o") == (.choices(["quiet-otter", "quiet-owl"]), "quiet-o"))
        #expect(Self.pressingTab("민") == (.choices(["민수", "민지"]), "민"))
    }

    @Test func `of a ranking the first is filled in at once, and the next ones by further Tabs`() {
        var editor = EditorState()
        _ = editor.take(.text("/re "))
        for wanted in ["b1", "a2", "b1"] {
            let outcome = editor.take(.tab) { _ in
                WordCompletion(word: "", candidates: ["b1", "a2"], isRanked: true)
            }
            #expect(outcome == .changed && editor.left == "/re \(wanted) ")
        }
        let before = editor.take(.backTab)
        #expect(before == .changed && editor.left == "/re a2 ")
    }

    @Test func `a mark behind white space is no blank line`() {
        var editor = EditorState()
        _ = editor.take(.text(" \u{1F3FB}"))
        #expect(editor.take(.enter) == .entered(" \u{1F3FB}"))
    }

    @Test func `where nothing fits, nothing happens`() {
        #expect(Self.pressingTab("xyz") == (.refused, "xyz"))
        var editor = EditorState()
        #expect(editor.take(.tab) == .refused)
    }

    @Test func `the letters of the candidate win over those that were typed`() {
        #expect(Self.pressingTab("QUIET-OT") == (.changed, "quiet-otter "))
        #expect(Self.pressingTab("QU") == (.choices(["quiet-otter", "quiet-owl"]), "quiet-o"))
    }

    @Test func `Tab goes on through several and begins again, Shift-Tab goes back, and another key ends that`() {
        var editor = EditorState()
        _ = editor.take(.text("hi qu, there"))
        for _ in ", there" { _ = editor.take(.left) }
        var seen: [String] = []
        for key in [Key.tab, .tab, .tab, .tab, .backTab, .backTab] {
            _ = editor.take(key, completing: Self.complete)
            seen.append(editor.left)
        }
        #expect(
            seen == [
                "hi quiet-o", "hi quiet-otter ", "hi quiet-owl ", "hi quiet-otter ", "hi quiet-owl ", "hi quiet-otter ",
            ])
        #expect(editor.right == ", there")
        _ = editor.take(.text("z"))
        #expect(editor.take(.tab, completing: Self.complete) == .changed)
        #expect(editor.left == "hi quiet-otter Zoë ")
        #expect(editor.take(.backTab) == .refused)
    }

    @Test func `another line takes the place of the one that is typed, whatever is asked`() {
        var editor = EditorState()
        _ = editor.take(.text("a draft"))
        _ = editor.take(.searchHistory)
        _ = editor.take(.text("x"))
        #expect(editor.exchangeLine(with: "other") == "a draft")
        #expect((editor.left, editor.right) == ("other", ""))
        #expect(editor.searched == nil)
    }
}
