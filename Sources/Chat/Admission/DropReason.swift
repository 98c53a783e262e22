/// Why a payload went no further; the raw values name the counters of `/stats` (Protocol.md sections 6 and 7).
package enum DropReason: String, Error, Sendable, CaseIterable {
    // What it says.
    case malformed
    case unknownKind = "unknown_kind"
    case notUTF8 = "not_utf8"
    case empty
    case tooLong = "too_long"
    case tooManyBytes = "too_many_bytes"
    case tooDense = "too_dense"
    case invalidNickname = "invalid_nickname"

    // Where it came from and whom it is for.
    case otherRoom = "other_room"
    case ownPayload = "own_payload"
    /// An author that is not the link's identity, without the marking of a relay.
    case foreignAuthor = "foreign_author"
    case tooManyHops = "too_many_hops"
    /// Meant for one peer and on any other way than its author's link to it.
    case misdirected
    /// Of a kind that is no part of history.
    case notHistory = "not_history"
    case badSignature = "bad_signature"
    /// In a sealed message, and not its author's.
    case badCertificate = "bad_certificate"

    // When.
    case duplicate
    /// Another body, or one forgotten since, with the same epoch and sequence number.
    case equivocation
    case sequenceTooOld = "sequence_too_old"
    /// From an earlier run of its author's identity.
    case oldEpoch = "old_epoch"
    /// On its author's own link, and not of the run that the link's certificate names.
    case wrongEpoch = "wrong_epoch"
    case stale
    case fromTheFuture = "from_the_future"

    // How often.
    case authorRate = "author_rate"
    case relayRate = "relay_rate"
    case newAuthorRate = "new_author_rate"

    init(_ error: PayloadError) {
        switch error {
        case .malformed: self = .malformed
        case .unknownKind: self = .unknownKind
        case .notUTF8: self = .notUTF8
        case .nickname: self = .invalidNickname
        case .text(.tooManyBytes): self = .tooManyBytes
        case .text(.empty): self = .empty
        case .text(.tooLong): self = .tooLong
        case .text(.tooDense): self = .tooDense
        }
    }
}
