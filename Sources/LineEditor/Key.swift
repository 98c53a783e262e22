/// The request of one key, one run of typed text, or one paste.
package enum Key: Hashable, Sendable {
    /// One or more scalars as they were typed; a character may come in several of these.
    case text(String)
    /// Text that a terminal with bracketed paste marks as pasted, its line ends included.
    case paste(String)
    case enter
    case tab
    /// Shift-Tab.
    case backTab
    /// Escape, or Ctrl-G.
    case escape
    case left
    case right
    case wordLeft
    case wordRight
    case start
    case end
    case up
    case down
    case backspace
    case delete
    /// Ctrl-W: back to white space.
    case killBlankLeft
    /// Alt-Backspace: back to the beginning of a word.
    case killWordLeft
    case killWordRight
    case killToStart
    case killToEnd
    case yank
    /// Alt-Y: replaces the text that has just been yanked by the text that was killed before it.
    case yankPop
    case transpose
    /// Ctrl-L.
    case clearScreen
    /// Ctrl-D: the end of the input on an empty line, otherwise the character under the cursor goes.
    case endOfInput
    /// Ctrl-C, where the terminal makes no signal of it.
    case interrupt
    /// Ctrl-R: the latest entered line that has the text typed next.
    case searchHistory
    case pageUp
    case pageDown
    /// Alt-1 to Alt-9.
    case conversation(Int)
    /// Alt-A: the next conversation with unread messages.
    case nextUnread
    /// No key: the terminal's answer to the question for its background.
    case background(TerminalColor)

    /// Whether it puts a text into the line: one that was typed or pasted.
    package var isText: Bool {
        if case .text = self { return true }
        if case .paste = self { return true }
        return false
    }

    /// The key of a control byte; nil for one that means nothing here.
    init?(control byte: UInt8) {
        switch byte {
        case 0x01: self = .start
        case 0x02: self = .left
        case 0x03: self = .interrupt
        case 0x04: self = .endOfInput
        case 0x05: self = .end
        case 0x06: self = .right
        case 0x07: self = .escape
        case 0x08, 0x7f: self = .backspace
        case 0x09: self = .tab
        case 0x0a, 0x0d: self = .enter
        case 0x0b: self = .killToEnd
        case 0x0c: self = .clearScreen
        case 0x0e: self = .down
        case 0x10: self = .up
        case 0x12: self = .searchHistory
        case 0x14: self = .transpose
        case 0x15: self = .killToStart
        case 0x17: self = .killBlankLeft
        case 0x19: self = .yank
        default: return nil
        }
    }

    /// The key of a byte behind Escape, which is how terminals send Alt.
    init?(alt byte: UInt8) {
        switch byte {
        case 0x08, 0x7f: self = .killWordLeft
        case UInt8(ascii: "b"), UInt8(ascii: "B"): self = .wordLeft
        case UInt8(ascii: "f"), UInt8(ascii: "F"): self = .wordRight
        case UInt8(ascii: "d"), UInt8(ascii: "D"): self = .killWordRight
        case UInt8(ascii: "y"), UInt8(ascii: "Y"): self = .yankPop
        case UInt8(ascii: "a"), UInt8(ascii: "A"): self = .nextUnread
        case UInt8(ascii: "1")...UInt8(ascii: "9"): self = .conversation(Int(byte - UInt8(ascii: "0")))
        default: return nil
        }
    }

    /// The key of the last byte of a cursor sequence (`ESC [ C`, `ESC O C`).
    ///
    /// - Parameter isByWord: whether Alt or Ctrl was held.
    init?(cursor byte: UInt8, isByWord: Bool) {
        switch byte {
        case UInt8(ascii: "A"): self = .up
        case UInt8(ascii: "B"): self = .down
        case UInt8(ascii: "C"): self = isByWord ? .wordRight : .right
        case UInt8(ascii: "D"): self = isByWord ? .wordLeft : .left
        case UInt8(ascii: "H"): self = .start
        case UInt8(ascii: "F"): self = .end
        case UInt8(ascii: "Z"): self = .backTab
        default: return nil
        }
    }

    /// The key of the number in a sequence `ESC [ number ~`.
    init?(numbered number: Int, isByWord: Bool) {
        switch number {
        case 1, 7: self = .start
        case 3: self = isByWord ? .killWordRight : .delete
        case 4, 8: self = .end
        case 5: self = .pageUp
        case 6: self = .pageDown
        default: return nil
        }
    }
}
