package import Wire

/// A card as the notice board keeps it.
package struct Card: Hashable, Sendable, Identifiable {
    /// The signed payload, which is sent to others as history.
    let source: VerifiedPayload
    package let content: CardContent
    package let senderStage: SenderStage
    /// True if this node asked for it, because it missed it.
    package let isHistory: Bool
    /// The signed time, but never later than the card came.
    let placeTime: Timestamp
    /// When it is taken down.
    let end: Instant
    /// The host of its author, where the card came over its author's own link; nil if others passed it on.
    let giver: Giver?

    /// `Limits.cardLifetime`.
    private static let milliseconds = Int64(Limits.cardLifetime.nanoseconds / 1_000_000)

    package var id: MessageID { source.id }
    package var author: PeerID { source.author }
    var signedOrder: SignedOrder { source.payload.signedOrder }
    /// When it is taken down, by the room's clock.
    package var expiresAt: Timestamp { placeTime.moved(by: Card.milliseconds) }

    /// Nil for a card whose time is over.
    init?(
        _ content: CardContent, stage: SenderStage, of source: VerifiedPayload, askedAt: Timestamp?, giver: Giver?,
        at moment: Moment
    ) {
        let signed = source.payload.timestamp
        let place =
            askedAt.map { signed.placeTime(askedAt: $0.moved(by: moment.correction)) }
            ?? signed.placeTime(receivedAt: moment.roomClock)
        let age = Int64(min(place.distance(to: moment.roomClock), UInt64(Card.milliseconds)))
        let rest = place > moment.roomClock ? Card.milliseconds : Card.milliseconds - age
        guard rest > 0 else { return nil }
        (self.source, self.content, senderStage) = (source, content, stage)
        (isHistory, placeTime) = (askedAt != nil, place)
        end = moment.instant + .milliseconds(rest)
        self.giver = giver
    }
}

extension Limits {
    /// For how long a card stays on the board. A longer one keeps what no one means any more; with a shorter one, those who come the next
    /// day miss it.
    package static let cardLifetime = Duration.seconds(86_400)
}
