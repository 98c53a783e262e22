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

    @Test func `of several, what they share is filled in first, and then they are shown`() {
        #expect(Self.pressingTab("qu") == (.changed, "quiet-o"))
        #expect(Self.pressingTab("quiet-o") == (.choices(["quiet-otter", "quiet-owl"]), "quiet-o"))
        #expect(Self.pressingTab("민") == (.choices(["민수", "민지"]), "민"))
    }

    @Test func `where nothing fits, nothing happens`() {
        #expect(Self.pressingTab("xyz") == (.refused, "xyz"))
        var editor = EditorState()
        #expect(editor.take(.tab) == .refused)
    }

    @Test func `the letters of the candidate win over those that were typed`() {
        #expect(Self.pressingTab("QUIET-OT") == (.changed, "quiet-otter "))
        #expect(Self.pressingTab("QU") == (.changed, "quiet-o"))
    }
}
