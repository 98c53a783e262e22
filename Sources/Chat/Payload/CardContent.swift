/// The texts and the colour of a card on the notice board (Protocol.md section 6).
package struct CardContent: Hashable, Sendable {
    /// Of one line, within the rules of `CardTitle`; not made safe for display.
    package let title: String
    /// Within the rules of a message's text; not made safe for display.
    package let text: String
    package let color: CardColor

    /// Takes texts that obey their rules already.
    package init(title: String, text: String, color: CardColor) {
        (self.title, self.text, self.color) = (title, text, color)
    }

    /// Composes the texts of an own card.
    ///
    /// - Throws: `invalid_card` for the title, and the errors of a message for the text.
    package init(composing title: String, text: String, color: CardColor) throws(ChatError) {
        self.init(title: try CardTitle.compose(title), text: try Text.compose(text), color: color)
    }
}
