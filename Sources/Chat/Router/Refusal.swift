/// Why something that was admitted came to nothing all the same; the raw values name the counters of `/stats`.
package enum Refusal: String, Sendable, CaseIterable {
    /// An edit or a deletion of what somebody else said.
    case notItsAuthor = "not_its_author"
    /// A direct message, or another request, from whom we have not accepted.
    case notAccepted = "not_accepted"
    /// An open request that made room for newer ones.
    case requestDisplaced = "request_displaced"
    /// From somebody who is muted or blocked.
    case unheard
}
