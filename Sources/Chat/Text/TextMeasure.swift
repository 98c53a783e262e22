/// The size of a text: its characters (grapheme clusters), and the scalars of the densest one.
struct TextMeasure {
    let characters: Int
    let densest: Int

    /// The work grows with the text: check its bytes first.
    init(_ text: String) {
        // Most texts are ASCII, where only CR LF is a character of two scalars.
        if TextMeasure.isPlain(text.utf8Span.span) {
            characters = text.utf8.count
            densest = min(1, characters)
            return
        }
        var characters = 0
        var densest = 0
        for character in text {
            characters += 1
            densest = max(densest, character.unicodeScalars.count)
        }
        self.characters = characters
        self.densest = densest
    }

    private static func isPlain(_ bytes: Span<UInt8>) -> Bool {
        // Without an exit in the middle, so that the loop is vectorized.
        var found: UInt8 = 0
        for index in bytes.indices { found |= bytes[index] & 0x80 | (bytes[index] == 0x0d ? 1 : 0) }
        return found == 0
    }
}
