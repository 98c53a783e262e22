import Chat
import Wire

@testable import LineEditor

extension FuzzTarget {
    /// For all bytes from a terminal, the edited line has no control characters, a key takes effect at once, and the output
    /// uses only the known control sequences.
    static let editor = FuzzTarget(name: "editor", seeds: EditorRun.seeds) { input in
        var choices = Choices(input)
        EditorRun.checkCuts(choices.bytes(8), choices.bytes(choices.below(1_024)))
        var run = EditorRun(columns: 2 + choices.below(90), rows: 1 + choices.below(30))
        while !choices.isOver { run.step(&choices) }
    }
}

private struct EditorRun {
    private var decoder = KeyDecoder()
    private var editor = EditorState { $0.hasPrefix("/key") }
    private var screen: Screen
    private var now = Instant(nanoseconds: 0)

    static func seeds() -> [[UInt8]] {
        typed.map { keys in
            let bytes = Array(keys.joined().utf8)
            return [3, 1, 9, 2, 5, 60, 1, 1, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes + [78, 20]
                + keys.flatMap { key in key == wait ? [5, 200, 0] : [0, UInt8(key.utf8.count)] + Array(key.utf8) + [1] }
        } + [
            start + asked + [0, 3] + Array("]11".utf8) + [0, 0, 2, 59, 120, 0],
            start + asked + [0, 20] + Array("]11;rgb:1e1e/1e1e/1e".utf8) + [0, 0, 3, 49, 101, 7, 0],
            start + asked + [0, 2, 93, 49, 0, 5, 255, 0], start + asked + [0, 2, 93, 49, 0, 0, 2, 27, 91, 0],
            start + [8, 0, 0, 25] + Array("\u{1b}]11;rgb:1e1e/1e1e/1e1e\u{7}".utf8) + [0],
            start + [10, 28] + Array("abcdefghijklmnopqrstuvwx안0".utf8) + [255, 0, 10, 1, 98, 255, 0],
            start + [7, 2, 97, 98, 0, 0, 1, 120, 0, 7, 1, 99, 0] + forgotten,
        ]
    }

    /// An Escape alone while an answer is awaited.
    private static let asked: [UInt8] = [8, 0, 0, 1, 27, 0, 5, 255, 0]
    private static let forgotten: [UInt8] = [9, 4, 1, 121, 0, 9, 3, 1, 97, 0, 9, 2, 0, 0, 9, 1, 0, 0, 9, 0, 0, 0]

    /// Nothing to be cut, and the size of the screen.
    private static let start = [UInt8](repeating: 0, count: 10) + [78, 20]

    /// Stands for a pause in what is typed.
    private static let wait = "(wait)"

    /// Typed lines, key by key.
    private static let typed: [[String]] = [
        ["hello w", "\u{1b}[D", "\u{1b}[1;5C", "\u{1}", "\u{b}", "\u{19}", "\u{1b}y", "\r", "\r"],
        ["안녕e\u{301}👩‍👧", "\u{7f}", "\u{8}", "\u{17}", "ab", "\u{2}", "\u{14}", "\u{6}", "\u{15}", "\u{19}", "\u{4}"],
        ["\u{1b}[200~one\ntwo\n\u{1b}[201~", "x", "\u{c}", "y", "\u{1b}[200~a\n/b\n\u{1b}[201~", "Y", "n"],
        [
            "\u{1b}[200~one\n\u{1b}[201~", "/x", "\u{1b}[200~a\nb\u{1b}[201~", "\u{3}", "\u{1b}[200~a\nb\u{1b}[201~",
            "j", "\u{3}", "\u{3}",
        ],
        [
            "one", "\r", "two", "\r", "\u{1b}OA", "\u{1b}OA", "\u{1b}OA", "\u{1b}OB", "\u{1b}OB", "\u{1b}OB",
            "\u{1b}[3~", "\u{4}",
        ],
        [
            "one", "\r", "two", "\r", "\u{12}", "o", "\u{12}", "x", "\u{7f}", "\u{7f}", "\u{7f}", "\u{1b}", wait,
            "\u{12}", "t", "\r",
        ],
        [
            "o", "\t", "\t", "\u{1b}[Z", "\t", "h", "\t", "\u{1b}b", "\u{1b}f", "\u{1b}d", "\u{1b}\u{7f}", "\u{1b}1",
            "\u{1b}a",
        ],
        [
            "\u{1b}]0;t\u{7}", "\u{1b}[[A", "\u{1b}P1\u{1b}\\", "\u{1b}OM", "\u{1b}O5C", "\u{1b}O\u{1}", "\u{1b}\u{1b}",
            "\u{1b}é",
        ],
        [
            "\u{1b}[1~", "\u{1b}[4~", "\u{1b}[5~", "\u{1b}[6~", "\u{1b}[3;5~", "\u{1b}[9~", "\u{1b}[?1c", "\u{1b}[1;3D",
            "\u{1b}[H", "\u{1b}[F",
        ],
        [
            "\u{1b}", wait, "\u{1b}[", wait, "\u{1b}[200~cut", wait, "\u{1b}]x", wait, "\u{1b}[1\u{1}", "\u{5}",
            "\u{10}", "\u{e}", "\u{0}",
        ],
        ["\u{1b}[\(String(repeating: "1", count: 40))A", "a b_c d", "\u{1b}[1;5D", "\u{1b}[1;5D", "\u{1b}d", "\u{7}"],
    ]

    init(columns: Int, rows: Int) {
        screen = Screen(columns: columns, rows: rows, safe: DisplayGuard.safe)
    }

    /// The keys do not depend on the pieces of the input, and no complete character waits for more bytes.
    static func checkCuts(_ cuts: [UInt8], _ bytes: [UInt8]) {
        var choices = Choices(cuts)
        let pieces = choices.pieces(of: bytes)
        demand(joined(keys(pieces)) == joined(keys([bytes])), "keys hang on how the bytes were cut")
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return }
        let typed = joined(keys(pieces)).first
        let whole = KeyDecoder.decoded(bytes)
        let shown = if case .text(let text) = typed { text } else { "" }
        demand(Array(shown.unicodeScalars) == Array(whole.unicodeScalars), "something typed is not shown yet")
    }

    mutating func step(_ choices: inout Choices) {
        switch choices.below(11) {
        case 0...4: feed(choices.bytes(choices.below(32)))
        case 5: wait(.milliseconds(choices.below(256) * 20))
        case 6: screen.resize(columns: choices.below(90), rows: choices.below(30))
        case 8: decoder.expectAnswer(at: now)
        case 9: forget(choices.below(5), choices.text())
        case 10:
            let piece = choices.bytes(choices.below(32))
            for _ in 0..<choices.below(256) { feed(piece) }
        default: _ = editor.putBack(EditorState.typeable(choices.text()))
        }
        draw(choices.flag() ? ["a line"] : [])
    }

    private static func keys(_ pieces: [[UInt8]]) -> [Key] {
        var decoder = KeyDecoder()
        let now = Instant(nanoseconds: 0)
        return pieces.flatMap { decoder.feed($0, at: now) }
    }

    /// The keys, with adjacent texts joined.
    private static func joined(_ keys: [Key]) -> [Key] {
        keys.reduce(into: []) { joined, key in
            if case .text(let more) = key, case .text(let text) = joined.last {
                joined[joined.count - 1] = .text(text + more)
            } else {
                joined.append(key)
            }
        }
    }

    private mutating func feed(_ bytes: [UInt8]) {
        for key in decoder.feed(bytes, at: now) { take(key) }
    }

    /// The editor forgets, or exchanges its line, as the faces ask it to.
    private mutating func forget(_ which: Int, _ text: String) {
        switch which {
        case 0: editor.forgetAll()
        case 1: editor.forget()
        case 2: editor.forget(place: editor.place)
        case 3: editor.forget(text: text)
        default:
            editor.place += 1
            let before = editor.exchangeLine(with: EditorState.typeable(text))
            demand(!EditorRun.hasControls(before), "a control character was in the line")
        }
        demand(which > 1 || editor.searched == nil, "what is forgotten is searched")
        demand(which != 0 || editor.isEmpty && editor.askedLines == nil, "what is forgotten is still there")
    }

    private mutating func wait(_ time: Duration) {
        now = now + time
        for key in decoder.expire(at: now) { take(key) }
    }

    private mutating func take(_ key: Key) {
        let outcome = editor.take(key) { left in
            WordCompletion(word: String(left.suffix(1)), candidates: ["otter", "heron"])
        }
        switch outcome {
        case .entered(let line): demand(!line.allSatisfy(\.isWhitespace), "an empty line is entered")
        case .pasted(let lines):
            for line in lines { demand(!EditorRun.hasControls(line), "a control character is pasted") }
        case .changed, .refused, .pasteRefused, .choices, .escaped, .clearScreen, .endOfInput, .interrupted, .unbound:
            break
        }
        demand(!EditorRun.hasControls(editor.text), "a control character is in the line")
        demand(editor.text.utf8.count <= EditorState.mostBytes, "\(editor.text.utf8.count) bytes in the line")
    }

    private mutating func draw(_ lines: [String]) {
        let picture = Picture(
            status: "typing", prompt: StyledText("me > ", Style(isBold: true)), left: editor.left, right: editor.right)
        let drawn =
            screen.show(picture, below: lines.map { ChatRow(StyledText($0)) }) + (lines.isEmpty ? "" : screen.erase())
        var rest = drawn.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\u{1b}" else {
                demand(!PayloadRules.isControl(scalar) || scalar == "\r" || scalar == "\n", "a control is drawn")
                continue
            }
            let sequence = rest.prefix { !(0x41...0x7a).contains($0.value) || $0 == "[" }
            rest = rest.dropFirst(sequence.count)
            guard let last = rest.popFirst() else { fatalError("a sequence does not end") }
            demand(sequence.first == "[" && "ABJKCHhlm".unicodeScalars.contains(last), "a sequence nobody knows")
        }
    }

    private static func hasControls(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
