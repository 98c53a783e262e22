package import Wire

/// An author's edit or deletion of an own message (Protocol.md section 6, kinds 4 and 5).
package struct MessageChange: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case edit(text: String)
        case delete
    }

    package let target: MessageID
    package let author: PeerID
    package let kind: Kind
    package let authorClock: AuthorClock
    /// The payload; of a change for the room, for others.
    let source: VerifiedPayload

    init(_ kind: Kind, of target: MessageID, by verified: VerifiedPayload) {
        self.kind = kind
        self.target = target
        author = verified.payload.author
        authorClock = verified.payload.authorClock
        source = verified
    }

    /// Whether it is of a direct message.
    package var isDirect: Bool { source.payload.isDirect }
}

/// A message with the author of its change: only its own author can change it, and no other can take the place of that change.
struct ChangeTarget: Hashable, Sendable {
    let message: MessageID
    let author: PeerID
}
