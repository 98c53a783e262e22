package import Wire

/// The cards of a room: at most 16, at most 2 of an author, each for a day (Protocol.md section 7).
///
/// A full board gives up no card for one of a stranger: identities cost nothing. The authors' standings decide, and the hosts that fill it.
package struct NoticeBoard: Sendable {
    /// How much an author is worth to this user; the lowest loses its card first.
    package enum Standing: Int, Comparable, Sendable {
        case hidden
        /// Not here, or not for long: one that left is worth as much as a new identity, which costs nothing.
        case stranger
        /// Here for `Limits.settledTime`.
        case settled
        /// Verified, or a contact.
        case marked
        case own

        package static func < (left: Standing, right: Standing) -> Bool { left.rawValue < right.rawValue }
    }

    enum Placement: Equatable {
        /// No place: an older third card of its author, or the board is full of others.
        case refused(isFull: Bool)
        /// Kept; the other one made room.
        case kept(displaced: Card?)
    }

    /// In the signed order.
    package private(set) var cards: [Card] = []

    package init() {}

    /// When the next card is taken down; nil without any.
    var nextDeadline: Instant? { cards.lazy.map(\.end).min() }

    package subscript(id: MessageID) -> Card? { cards.first { $0.id == id } }

    func card(prefix: UInt64) -> Card? { cards.first { $0.id.prefix == prefix } }

    /// Puts a card up that is not there.
    ///
    /// - Parameter standing: that of an author now.
    mutating func add(_ card: Card, _ standing: (PeerID) -> Standing) -> Placement {
        cards.insert(card, at: cards.firstIndex { card.signedOrder < $0.signedOrder } ?? cards.count)
        let ofAuthor = cards.filter { $0.author == card.author }
        if ofAuthor.count > Limits.cardsOfAuthor { return finish(card, without: ofAuthor[0], isFull: false) }
        guard cards.count > Limits.cards else { return .kept(displaced: nil) }
        return finish(card, without: excess(with: card, standing), isFull: true)
    }

    private mutating func finish(_ card: Card, without victim: Card, isFull: Bool) -> Placement {
        _ = remove(victim.id)
        return victim.id == card.id ? .refused(isFull: isFull) : .kept(displaced: victim)
    }

    /// The card that a full board gives up, which may be the new one.
    private func excess(with new: Card, _ standing: (PeerID) -> Standing) -> Card {
        let others = cards.filter { $0.id != new.id }.map { ($0, standing($0.author)) }
        let lowest = others.map(\.1).min() ?? .own
        if standing(new.author) > lowest { return others.last { $0.1 == lowest }?.0 ?? new }
        let holders = cards.map { FairShare.Holder(giver: $0.giver ?? Giver($0.author), author: $0.author) }
        guard let newest = FairShare.newest(of: holders),
            holders.count(where: { $0.giver == holders[newest].giver }) > Limits.cardsOfAuthor
        else { return new }
        return cards[newest]
    }

    mutating func remove(_ id: MessageID) -> Card? {
        cards.firstIndex { $0.id == id }.map { cards.remove(at: $0) }
    }

    /// Takes down the cards whose time is over.
    mutating func takeExpired(_ now: Instant) -> [Card] {
        let over = cards.filter { $0.end <= now }
        if !over.isEmpty { cards.removeAll { $0.end <= now } }
        return over
    }
}

extension Limits {
    /// Cards on a board; above that, see section 7. More are not read; with fewer, a busy room has no place for one.
    package static let cards = 16
    /// Cards of one author. More let eight authors fill the board; with fewer, an author has to take one down for the next.
    package static let cardsOfAuthor = 2
    /// How long an author is here until its cards go before those of newcomers. A longer one makes an attacker wait for longer, and honest
    /// newcomers too.
    static let settledTime = Duration.seconds(600)
}
