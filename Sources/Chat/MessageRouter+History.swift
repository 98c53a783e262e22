package import Wire

/// What others are given of the public conversation, and what is asked of them (Protocol.md section 7).
extension MessageRouter {
    /// Checks the signatures of what is about to be offered; a message with a false one is offered to nobody.
    ///
    /// - Returns: the authors of false signatures, who are to be convicted.
    package mutating func settle(with admission: inout Admission) -> [PeerID] {
        publicChat.settle { admission.settle($0) }
    }

    /// What was taken into the public conversation since this was asked last.
    package mutating func takeArchived() -> [Archive.Item] { publicChat.takeItems() }

    /// Something that was asked for is not fit to be taken in: it is not asked for again.
    package mutating func giveUp(_ id: UInt64) { publicChat.noteOver(id) }
}
