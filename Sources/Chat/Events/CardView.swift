package import Wire

/// A card with the name to show.
package struct CardView: Hashable, Sendable {
    package let id: MessageID
    package var from: PeerName
    /// Its texts are not made safe for display: that is done where they are shown.
    package let content: CardContent
    package let sentAt: Timestamp
    package let expiresAt: Timestamp
    package let isFromCurrentUser: Bool
    /// True for one that is no news: it came as history, or is shown again.
    package private(set) var isHistory: Bool
    /// True for one that was hidden with its author until now.
    package private(set) var isShownAgain = false
    /// That of its signature: a board is shown in it.
    package let order: SignedOrder

    /// As one that was hidden until now.
    var asShownAgain: CardView {
        var card = self
        (card.isHistory, card.isShownAgain) = (true, true)
        return card
    }
}

/// Why a card is not on the board any more.
package enum CardEnd: String, Sendable, CaseIterable {
    /// Its author took it down.
    case removed
    /// Its day is over.
    case expired
    /// Another one took its place.
    case displaced
    /// The user muted or blocked its author.
    case hidden
}
