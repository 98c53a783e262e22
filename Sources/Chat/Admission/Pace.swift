internal import Wire

/// The rate that a payload counts against, and for how much (Protocol.md section 7).
package enum Pace: Hashable, Sendable {
    /// Texts that users read, in messages.
    case messages(Double)
    case reactions
    /// Changes of how a peer is shown alone.
    case signals

    /// A card fills a place on the board that few have.
    package static let card = Pace.messages(Limits.cardCost)
}

extension PayloadType {
    package var pace: Pace {
        switch self {
        case .publicMessage, .edit, .delete, .dmRequest, .directMessage, .invitation: .messages(1)
        case .card: .card
        case .reaction: .reactions
        case .presence, .typing, .dmAccept, .dmDecline, .dmLeave, .delivered, .read: .signals
        }
    }
}

extension PayloadType {
    /// How many messages it counts as over a bridge, where an author has one rate for all that late joiners get.
    package var bridgedCost: Double {
        if case .messages(let count) = pace { count } else { 1 }
    }
}

extension Limits {
    /// Messages that a card counts as. More keep an author from the board for longer; with fewer, one author changes its cards all the
    /// time.
    static let cardCost = 5.0
}
