/// The outcome of a payload frame's admission.
package enum AdmissionResult: Sendable {
    case admitted(VerifiedPayload)
    /// Admitted before, and sent again by its author, which may not know that it came. Counted as a duplicate.
    case repeated(VerifiedPayload)
    /// Counted, without a penalty: honest peers send stale and unknown payloads too.
    case dropped(DropReason)
    /// The neighbour breaks the protocol: its link closes.
    case closeLink(DropReason)
    /// The neighbour sent a bad signature, as its own or as a relay: its link closes and the neighbour is banned.
    case ban(DropReason)

    init(refusing reason: DropReason) {
        self =
            switch reason {
            case .foreignAuthor: .closeLink(reason)
            case .badSignature: .ban(reason)
            case .malformed, .unknownKind, .notUTF8, .empty, .tooLong, .tooManyBytes, .tooDense, .invalidNickname,
                .invalidReason, .invalidAbout, .invalidEmoji, .invalidCard, .otherRoom, .ownPayload, .tooManyHops,
                .misdirected, .notHistory,
                .badCertificate, .falseMAC,
                .duplicate, .equivocation, .sequenceTooOld, .oldEpoch, .wrongEpoch, .stale, .fromTheFuture, .authorRate,
                .relayRate,
                .newAuthorRate, .youngRate, .reactionRate, .unknownBridge:
                .dropped(reason)
            }
    }
}
