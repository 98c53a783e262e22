internal import Wire

/// A payload with the circumstances of its arrival. Not copyable, so that no copy costs a reference count.
struct Arrival: ~Copyable {
    let verified: VerifiedPayload
    let moment: Moment
    /// When it was asked for as history; nil if it came unasked.
    let askedAt: Timestamp?

    init(_ verified: VerifiedPayload, at moment: Moment, askedAt: Timestamp?) {
        self.verified = verified
        self.moment = moment
        self.askedAt = askedAt
    }

    var isHistory: Bool { askedAt != nil }
    var payload: P2PPayload { verified.payload }
    var author: PeerID { verified.author }
    var authorClock: AuthorClock { verified.signed.payload.authorClock }
}
