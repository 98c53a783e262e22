/// Why a payload was not admitted; the raw values name the counters of `/stats` (Protocol.md sections 6 and 7).
package enum DropReason: String, Error, Sendable, CaseIterable {
    // Content.
    case malformed
    case unknownKind = "unknown_kind"
    case notUTF8 = "not_utf8"
    case empty
    case tooLong = "too_long"
    case tooManyBytes = "too_many_bytes"
    case tooDense = "too_dense"
    case invalidNickname = "invalid_nickname"
    case invalidReason = "invalid_reason"
    case invalidAbout = "invalid_about"
    case invalidEmoji = "invalid_emoji"
    case invalidCard = "invalid_card"

    // Source and destination.
    case otherRoom = "other_room"
    case ownPayload = "own_payload"
    /// The author is not the link's identity, and the frame is not marked as relayed.
    case foreignAuthor = "foreign_author"
    case tooManyHops = "too_many_hops"
    /// Meant for one peer, and not received over its author's link to that peer.
    case misdirected
    /// Of a kind that history does not contain.
    case notHistory = "not_history"
    case badSignature = "bad_signature"
    /// The MAC of a payload for us is not one under the certificates that it names.
    case falseMAC = "false_mac"
    /// The certificate in a sealed message is not its author's.
    case badCertificate = "bad_certificate"

    // Time and order.
    case duplicate
    /// Another body, or a forgotten one, with the same epoch and sequence number.
    case equivocation
    case sequenceTooOld = "sequence_too_old"
    /// From an earlier run of its author's identity.
    case oldEpoch = "old_epoch"
    /// On its author's own link, but not of the epoch in the link's certificate.
    case wrongEpoch = "wrong_epoch"
    case stale
    case fromTheFuture = "from_the_future"

    // Rates.
    case authorRate = "author_rate"
    case relayRate = "relay_rate"
    case newAuthorRate = "new_author_rate"
    /// From another network, though the user knows of no bridge.
    case unknownBridge = "unknown_bridge"
    /// All authors of a crowd that are younger than a minute say too much together.
    case youngRate = "young_rate"
    /// All links of a crowd bring too many reactions together.
    case reactionRate = "reaction_rate"

    init(_ error: PayloadError) {
        switch error {
        case .malformed: self = .malformed
        case .unknownKind: self = .unknownKind
        case .notUTF8: self = .notUTF8
        case .nickname: self = .invalidNickname
        case .reason: self = .invalidReason
        case .about: self = .invalidAbout
        case .emoji: self = .invalidEmoji
        case .card: self = .invalidCard
        case .text(.tooManyBytes): self = .tooManyBytes
        case .text(.empty): self = .empty
        case .text(.tooLong): self = .tooLong
        case .text(.tooDense): self = .tooDense
        }
    }
}
