package import Wire

/// An author's wish to edit or delete a message of its own (Protocol.md section 6, kinds 4 and 5).
package struct MessageChange: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case edit(text: String)
        case delete
    }

    package let target: MessageID
    package let author: PeerID
    package let kind: Kind
    package let authorClock: AuthorClock
    /// A direct message changes only by what came from its author to us alone.
    package let isFirstHand: Bool
    /// What its author signed, to be given to others.
    let source: VerifiedPayload

    init(_ kind: Kind, of target: MessageID, by verified: VerifiedPayload) {
        self.kind = kind
        self.target = target
        author = verified.payload.author
        authorClock = verified.payload.authorClock
        source = verified
        isFirstHand = verified.isFirstHand
    }
}
