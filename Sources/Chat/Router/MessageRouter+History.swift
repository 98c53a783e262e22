internal import Wire

/// What others are given of the public conversation, and what is asked of them (Protocol.md section 7).
extension MessageRouter {
    /// What is about to be given to somebody, with its signature checked: one that is false is given to nobody.
    ///
    /// - Parameter id: the first 8 bytes of its id.
    package mutating func prove(_ id: UInt64, with admission: inout Admission) -> Proof {
        publicChat.prove(id) { admission.settle($0) }
    }

    /// Hands over what was taken into the public conversation since this was asked last, if anything was.
    package mutating func takeArchived(_ take: ([Archive.Item]) -> Void) { publicChat.takeItems(take) }

    /// Something that was asked for is not fit to be taken in: it is not asked for again.
    package mutating func giveUp(_ id: UInt64) { publicChat.noteOver(id) }
}
