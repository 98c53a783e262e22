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
    private var editor = EditorState()
    private var screen: Screen
    private var now = Instant(nanoseconds: 0)

    static func seeds() -> [[UInt8]] {
        let typed = [
            "hello \u{1b}[D\u{1b}[1;5C\u{1}\u{b}\u{19}\u{1b}y\r", "안녕e\u{301}👩‍👧\u{7f}\u{8}\u{17}\u{14}",
            "\u{1b}[200~one\ntwo\n\u{1b}[201~y", "\u{1b}OA\u{1b}OB\u{1b}[3~\u{1b}]0;t\u{7}\u{1b}[[A\u{3}\u{4}",
        ]
        return typed.map { text in
            let bytes = Array(text.utf8)
            return [3, 1, 9, 2, 5, 60, 1, 1, 0, UInt8(bytes.count)] + bytes + [78, 20]
                + bytes.flatMap { [0, 1, $0] }
        }
    }

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
        switch choices.below(8) {
        case 0...4: feed(choices.bytes(choices.below(32)))
        case 5: wait(.milliseconds(choices.below(256) * 20))
        case 6: screen.resize(columns: choices.below(90), rows: choices.below(30))
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
