package import Wire

/// Turns the bytes of a terminal into keys, however reads cut them.
///
/// Holds at most one paste. A sequence that it does not know is swallowed whole; one that never ends is given up
/// when its time is over.
package struct KeyDecoder: Sendable {
    /// How long a sequence may wait for its next byte. Escape alone is a key after that time.
    package static let sequenceTime = Duration.milliseconds(50)
    /// How long a paste may wait for its next byte.
    package static let pasteTime = Duration.seconds(2)
    /// In bytes; the rest of a longer paste is skipped.
    package static let longestPaste = 65_536
    static let longestSequence = 32
    static let longestString = 4_096
    /// Of an answer about a colour; a longer one is none.
    static let longestAnswer = 32
    /// How long an answer about a colour is awaited, and how long one that has begun may take.
    package static let answerTime = Duration.seconds(5)

    enum State: Hashable {
        case ground
        case escape
        /// Behind `ESC O`.
        case singleShift
        /// Behind `ESC [`, with what came since.
        case control([UInt8])
        /// Behind `ESC [ [`, as the Linux console begins its function keys.
        case consoleKey
        /// In a terminal's answer, such as `ESC ] ... BEL`; with its length so far.
        case string(Int, isEscaped: Bool)
        case paste
    }

    private var state = State.ground
    private var run: [UInt8] = []
    private var paste = PasteReader()
    /// The beginning of the terminal's answer that is being read, if it may be about a colour.
    private var answer: [UInt8]?
    /// Until when the answer to a question may come; nil if none is awaited.
    private var awaited: Instant?
    /// Whether the last key was an Escape whose time was over: while an answer is awaited, it may have been the beginning of that.
    private var isBehindEscape = false
    /// Whether the answer that is being read had its Escape cut off: it is text if it does not go on as an answer.
    private var isCutOff = false
    private var keys: [Key] = []

    /// When to call `expire`, unless bytes come before.
    package private(set) var deadline: Instant?

    package init() {}

    /// The terminal was asked for a colour: its answer may come in parts, however late each of them is.
    package mutating func expectAnswer(at now: Instant) { awaited = now + KeyDecoder.answerTime }

    /// Takes bytes in.
    ///
    /// - Returns: the keys that are complete with them.
    package mutating func feed(_ bytes: some Sequence<UInt8>, at now: Instant) -> [Key] {
        if let awaited, awaited < now, !isAnswering { self.awaited = nil }
        for byte in bytes { take(byte) }
        endRun(isOver: false)
        switch state {
        case .ground: deadline = nil
        case .paste: deadline = now + KeyDecoder.pasteTime
        case .string where isAnswering: deadline = now + KeyDecoder.answerTime
        case .escape, .singleShift, .control, .consoleKey, .string: deadline = now + KeyDecoder.sequenceTime
        }
        return exchange(&keys, with: [])
    }

    /// Whether what is being read can be the answer that is awaited.
    private var isAnswering: Bool {
        guard awaited != nil, case .string = state, let answer else { return false }
        return TerminalColor.canBegin(answer)
    }

    /// Gives up what has waited too long for its next byte.
    package mutating func expire(at now: Instant) -> [Key] {
        guard let deadline, deadline <= now else { return [] }
        self.deadline = nil
        switch exchange(&state, with: .ground) {
        case .escape:
            keys.append(.escape)
            isBehindEscape = awaited != nil
        case .string where isCutOff: giveBack()
        case .paste: keys.append(.paste(KeyDecoder.decoded(paste.end())))
        case .ground, .singleShift, .control, .consoleKey, .string: break
        }
        return exchange(&keys, with: [])
    }

    private mutating func take(_ byte: UInt8) {
        switch state {
        case .ground: takeGround(byte)
        case .escape: takeEscape(byte)
        case .singleShift: takeSingleShift(byte)
        case .control(let parameters): takeControl(byte, behind: parameters)
        case .consoleKey: state = .ground
        case .string(let length, let isEscaped): takeString(byte, length: length, isEscaped: isEscaped)
        case .paste:
            guard paste.take(byte) else { return }
            keys.append(.paste(KeyDecoder.decoded(paste.end())))
            state = .ground
        }
    }

    private mutating func takeGround(_ byte: UInt8) {
        if exchange(&isBehindEscape, with: false), awaited != nil, byte == UInt8(ascii: "]") {
            (state, answer, isCutOff) = (.string(0, isEscaped: false), [], true)
            return
        }
        guard byte < 0x20 || byte == 0x7f else {
            run.append(byte)
            return
        }
        endRun(isOver: true)
        if byte == 0x1b { state = .escape } else if let key = Key(control: byte) { keys.append(key) }
    }

    private mutating func takeEscape(_ byte: UInt8) {
        switch byte {
        case 0x1b: keys.append(.escape)
        case UInt8(ascii: "["): state = .control([])
        case UInt8(ascii: "O"): state = .singleShift
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            state = .string(0, isEscaped: false)
            answer = byte == UInt8(ascii: "]") ? [] : nil
        case 0x80...:
            state = .ground
            takeGround(byte)
        default:
            state = .ground
            if let key = Key(alt: byte) { keys.append(key) }
        }
    }

    private mutating func takeSingleShift(_ byte: UInt8) {
        // Some terminals put the modifiers here too, as in ESC O 5 C.
        if (0x30...0x3b).contains(byte) { return }
        state = .ground
        if byte < 0x20 {
            takeGround(byte)
        } else if let key = byte == UInt8(ascii: "M") ? .enter : Key(cursor: byte, isByWord: false) {
            keys.append(key)
        }
    }

    private mutating func takeControl(_ byte: UInt8, behind parameters: [UInt8]) {
        switch byte {
        case 0x20...0x3f:
            // A sequence that is too long is read to its end, and then means nothing.
            state = .control(parameters.count < KeyDecoder.longestSequence ? parameters + [byte] : parameters)
        case UInt8(ascii: "[") where parameters.isEmpty: state = .consoleKey
        case 0x40...0x7e:
            state = .ground
            end(parameters, with: byte)
        default:
            state = .ground
            takeGround(byte)
        }
    }

    private mutating func end(_ parameters: [UInt8], with last: UInt8) {
        // A terminal's answers and reports begin with one of < = > ?
        let isReport = parameters.first.map { (0x3c...0x3f).contains($0) } ?? false
        guard !isReport, parameters.count < KeyDecoder.longestSequence else { return }
        let numbers = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
        let first = numbers.first ?? 0
        // 1 + (1 Shift, 2 Alt, 4 Ctrl, 8 Meta)
        let isByWord = numbers.count > 1 && numbers[1] > 2
        guard last == UInt8(ascii: "~") else {
            if let key = Key(cursor: last, isByWord: isByWord) { keys.append(key) }
            return
        }
        if first == 200 {
            state = .paste
        } else if let key = Key(numbered: first, isByWord: isByWord) {
            keys.append(key)
        }
    }

    /// Bytes that were read as an answer behind an Escape were typed, unless they are more than a beginning of one.
    private mutating func giveBack() {
        isCutOff = false
        let typed = answer.take() ?? []
        guard typed.count < TerminalColor.answerStart.count else { return }
        run.append(UInt8(ascii: "]"))
        for byte in typed { takeGround(byte) }
        endRun(isOver: false)
    }

    private mutating func takeString(_ byte: UInt8, length: Int, isEscaped: Bool) {
        if isCutOff, byte >= 0x20, let begun = answer, !isEscaped, !TerminalColor.canBegin(begun + [byte]) {
            state = .ground
            giveBack()
            return takeGround(byte)
        }
        let isOver = byte == 0x07 || (isEscaped && byte == UInt8(ascii: "\\")) || length >= KeyDecoder.longestString
        state = isOver ? .ground : .string(length + 1, isEscaped: byte == 0x1b)
        if isOver {
            isCutOff = false
            if let color = answer.take().flatMap({ TerminalColor(background: $0) }) {
                keys.append(.background(color))
                awaited = nil
            }
        } else if byte != 0x1b {
            if length < KeyDecoder.longestAnswer { answer?.append(byte) } else { answer = nil }
        }
    }

    /// Makes a key of the text so far; a character that is cut by the end of a read waits for its rest.
    private mutating func endRun(isOver: Bool) {
        let cut = isOver ? 0 : KeyDecoder.incompleteTail(of: run)
        let text = KeyDecoder.decoded(run.dropLast(cut))
        run = Array(run.suffix(cut))
        if !text.isEmpty { keys.append(.text(text)) }
    }
}

/// UTF-8 as terminals send it.
extension KeyDecoder {
    /// The text without what is no UTF-8.
    static func decoded(_ bytes: some Sequence<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        var decoder = UTF8()
        var rest = bytes.makeIterator()
        while true {
            switch decoder.decode(&rest) {
            case .scalarValue(let scalar): text.append(scalar)
            case .emptyInput: return String(text)
            case .error: break
            }
        }
    }

    /// How many bytes at the end begin a scalar whose other bytes are not there.
    static func incompleteTail(of bytes: [UInt8]) -> Int {
        for (back, byte) in bytes.reversed().prefix(3).enumerated() {
            // A byte that is no part of it ends the sequence that began before.
            guard byte >= 0x80 else { return 0 }
            guard byte >= 0xc0 else { continue }
            let length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
            return length > back + 1 ? back + 1 : 0
        }
        return 0
    }
}
