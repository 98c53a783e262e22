/// How much a text holds: its characters (grapheme clusters), and the scalars of the densest one.
struct TextMeasure {
    let characters: Int
    let densest: Int

    /// The work grows with the text: check its bytes first.
    init(_ text: String) {
        // Most texts are ASCII, where only CR LF is a character of two.
        if text.utf8.allSatisfy({ $0 < 0x80 && $0 != 0x0d }) {
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
}
