/// When, in its author's own counting, something was signed: orders an author's payloads whichever way they came.
package struct Revision: Hashable, Comparable, Sendable {
    package let epoch: UInt64
    package let sequence: UInt64

    package static func < (left: Revision, right: Revision) -> Bool {
        (left.epoch, left.sequence) < (right.epoch, right.sequence)
    }
}

extension P2PPayload {
    package var revision: Revision { Revision(epoch: epoch, sequence: sequence) }
}
