/// What becomes of a payload frame.
package enum AdmissionResult: Sendable {
    case admitted(VerifiedPayload)
    /// Admitted before, and sent again by its author, who may not know that. Counted as a duplicate.
    case repeated(VerifiedPayload)
    /// Counted, and no more: stale and unknown things happen among honest peers.
    case dropped(DropReason)
    /// The neighbour breaks the protocol: its link closes.
    case closeLink(DropReason)
    /// The neighbour sent a bad signature as its own or vouched for one: its link closes and it is banned.
    case ban(DropReason)

    init(refusing reason: DropReason) {
        self =
            switch reason {
            case .foreignAuthor: .closeLink(reason)
            case .badSignature: .ban(reason)
            case .malformed, .unknownKind, .notUTF8, .empty, .tooLong, .tooManyBytes, .tooDense, .invalidNickname,
                .otherRoom, .ownPayload, .tooManyHops, .misdirected, .notHistory, .badCertificate, .duplicate,
                .equivocation,
                .sequenceTooOld, .oldEpoch, .wrongEpoch, .stale, .fromTheFuture, .authorRate, .relayRate,
                .newAuthorRate:
                .dropped(reason)
            }
    }
}
