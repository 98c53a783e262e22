import Testing
import Wire

@testable import LineEditor

/// A second editor, as simple as can be: all scalars in one array, and where in it the cursor is.
struct NaiveEditor {
    private(set) var scalars: [Unicode.Scalar] = []
    private(set) var cursor = 0

    var text: String { NaiveEditor.string(scalars[...]) }
    var left: String { NaiveEditor.string(scalars[..<cursor]) }

    mutating func take(_ key: Key) {
        switch key {
        case .text(let text):
            scalars.insert(contentsOf: text.unicodeScalars, at: cursor)
            cursor += text.unicodeScalars.count
            settle()
        case .left: cursor = boundaries.last { $0 < cursor } ?? cursor
        case .right: cursor = boundaries.first { $0 > cursor } ?? cursor
        case .start: cursor = 0
        case .end: cursor = scalars.count
        case .backspace: remove(from: boundaries.last { $0 < cursor } ?? cursor, to: cursor)
        case .delete: remove(from: cursor, to: boundaries.first { $0 > cursor } ?? cursor)
        case .killToStart: remove(from: 0, to: cursor)
        case .killToEnd: remove(from: cursor, to: scalars.count)
        default: break
        }
    }

    private var boundaries: [Int] {
        text.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.unicodeScalars.count) }
    }

    private mutating func remove(from first: Int, to last: Int) {
        scalars.removeSubrange(first..<last)
        cursor = first
        settle()
    }

    private mutating func settle() { cursor = boundaries.first { $0 >= cursor } ?? cursor }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}

@Suite struct EditorModelTests {
    static let pieces = [
        "a", "b ", ", ", "한", "\u{1112}", "\u{1161}", "\u{11ab}", "e", "\u{301}", "\u{300}", "👩", "\u{200d}", "👧",
        "\u{fe0f}",
        "\u{1f3fd}", "\u{1f1f0}", "\u{1f1f7}", "ש", "\u{5b8}", "न", "\u{94d}", "ि", "\u{200c}", "क", "1", "\u{20e3}",
        "🏴",
        "\u{e0067}", "\u{e007f}", "\u{600}", "\u{e33}",
    ]

    static func randomKey(_ random: inout SeededRandom) -> Key {
        let moves: [Key] = [.left, .left, .right, .right, .start, .end, .backspace, .delete]
        switch Int.random(in: 0..<100, using: &random) {
        case ..<60: return .text(pieces[Int.random(in: 0..<pieces.count, using: &random)])
        case ..<98: return moves[Int.random(in: 0..<moves.count, using: &random)]
        case 98: return .killToStart
        default: return .killToEnd
        }
    }

    @Test(arguments: 0..<24)
    func `the text and the cursor are those of an editor as simple as can be`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var editor = EditorState()
        var naive = NaiveEditor()
        for step in 0..<150 {
            let key = Self.randomKey(&random)
            _ = editor.take(key)
            naive.take(key)
            // As scalars: equal strings may be different ones.
            let isSame =
                Array(editor.text.unicodeScalars) == naive.scalars
                && editor.left.unicodeScalars.count == naive.cursor
            #expect(isSame, "seed \(seed), step \(step), \(key)")
            guard isSame else { return }
        }
    }

    @Test(arguments: 0..<40)
    func `random bytes never trap an editor, and nothing in it can command a terminal`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var decoder = KeyDecoder()
        var editor = EditorState()
        var now = KeyDecoderTests.start
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in random.byte() }
            now = now + .milliseconds(Int.random(in: 0...200, using: &random))
            for key in decoder.expire(at: now) + decoder.feed(bytes, at: now) {
                let outcome = editor.take(key) { _ in WordCompletion(word: "", candidates: ["a", "b"]) }
                if case .pasted(let lines) = outcome { #expect(lines.allSatisfy { !Self.hasControls($0) }) }
            }
            #expect(!Self.hasControls(editor.text))
            #expect(editor.text.utf8.count <= EditorState.mostBytes)
        }
    }

    static func hasControls(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
