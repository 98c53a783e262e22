/// Reads a bracketed paste up to its end mark, `ESC [ 201 ~`.
struct PasteReader: Sendable {
    private static let endMark: [UInt8] = [0x1b, 0x5b, 0x32, 0x30, 0x31, 0x7e]

    private var bytes: [UInt8] = []
    /// How much of the end mark has come.
    private var matched = 0

    /// Takes a byte in; true when the end mark is complete with it.
    mutating func take(_ byte: UInt8) -> Bool {
        if byte == PasteReader.endMark[matched] {
            matched += 1
            return matched == PasteReader.endMark.count
        }
        // A partial match of the mark was text; Escape is in the mark only once, at its beginning.
        for missed in PasteReader.endMark.prefix(matched) { keep(missed) }
        matched = byte == PasteReader.endMark[0] ? 1 : 0
        if matched == 0 { keep(byte) }
        return false
    }

    /// The pasted text; ready for the next paste.
    mutating func end() -> [UInt8] {
        matched = 0
        return exchange(&bytes, with: [])
    }

    private mutating func keep(_ byte: UInt8) {
        if bytes.count < KeyDecoder.longestPaste { bytes.append(byte) }
    }
}
