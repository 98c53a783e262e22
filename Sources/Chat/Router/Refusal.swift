/// Why an admitted payload has no effect; the raw values name the counters of `/stats`.
package enum Refusal: String, Sendable, CaseIterable {
    /// An edit or a deletion of a message of another author.
    case notItsAuthor = "not_its_author"
    /// A direct message, or another request, of a peer that we have not accepted.
    case notAccepted = "not_accepted"
    /// An open request that was evicted for a newer one.
    case requestDisplaced = "request_displaced"
    /// A reaction to a message that is here no more.
    case unknownTarget = "unknown_target"
    /// A card that found no place on the notice board.
    case boardFull = "board_full"
    /// From a muted or blocked peer.
    case unheard
}
