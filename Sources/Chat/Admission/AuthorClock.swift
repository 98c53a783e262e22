/// When, in its author's own counting, something was signed: orders an author's payloads whichever way they came.
package struct AuthorClock: Hashable, Comparable, Sendable {
    package let epoch: UInt64
    package let sequence: UInt64

    package static func < (left: AuthorClock, right: AuthorClock) -> Bool {
        (left.epoch, left.sequence) < (right.epoch, right.sequence)
    }
}

extension P2PPayload {
    package var authorClock: AuthorClock { AuthorClock(epoch: epoch, sequence: sequence) }
}
