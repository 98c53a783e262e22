internal import Wire

/// The rates at which payloads of each author and of each link are admitted (Protocol.md section 7).
package struct AdmissionRates: Sendable {
    /// Payloads that users read, per author: messages, edits, deletions, requests.
    let messages: Rate
    /// Payloads that only change how a peer is shown, per author: typing, presence, receipts, answers to requests.
    let signals: Rate
    /// Relayed frames, per overlay link; one on another link counts as `meshCost`.
    let relayed: Rate
    /// New authors, per link: identities cost nothing.
    let newAuthors: Rate
    /// New authors, per link of a small room whose nodes pass payloads on.
    let newRoomAuthors: Rate
    /// New authors, per overlay link.
    let newTreeAuthors: Rate
    /// Relayed frames and new authors of all overlay links together: less than a neighbour takes from this node's link.
    let crowdRelayed, crowdAuthors: Rate
    /// Messages of all young authors of a crowd.
    let young: Rate

    static let meshCost = Limits.treeFramesPerSecond / Limits.relayedFramesPerSecond

    /// - Parameter messagesPerSecond: an author's average rate of sending; twice that is admitted. 0 means no limit at
    ///   all.
    package init(messagesPerSecond: Double = Limits.sendPerSecond) {
        guard messagesPerSecond > 0 else {
            (messages, signals, relayed) = (.unlimited, .unlimited, .unlimited)
            (newAuthors, newRoomAuthors, newTreeAuthors) = (.unlimited, .unlimited, .unlimited)
            (crowdRelayed, crowdAuthors, young) = (.unlimited, .unlimited, .unlimited)
            return
        }
        let factor = messagesPerSecond / Limits.sendPerSecond
        let accepted = Rate(perSecond: Limits.acceptPerSecond * factor, burst: max(1, Limits.acceptBurst * factor))
        messages = accepted
        signals = accepted.times(Limits.signalsPerMessage)
        relayed = Rate(perSecond: Limits.treeFramesPerSecond, burst: Limits.treeFramesBurst)
            .times(max(1, factor))
        newAuthors = Rate(perSecond: Limits.newAuthorsPerMinute / 60, burst: Limits.newAuthorsBurst)
        newRoomAuthors = Rate(perSecond: Limits.newAuthorsPerMinute / 60, burst: Limits.gapAuthorsBurst)
        newTreeAuthors = Rate(perSecond: Limits.treeAuthorsPerSecond, burst: Limits.treeAuthorsBurst)
        crowdRelayed = Rate(perSecond: Limits.crowdFramesPerSecond, burst: Limits.crowdFramesBurst)
            .times(max(1, factor))
        crowdAuthors = Rate(perSecond: Limits.crowdAuthorsPerSecond, burst: Limits.crowdAuthorsBurst)
        young = Rate(perSecond: Limits.youngMessagesPerSecond, burst: Limits.youngMessagesBurst)
    }
}

extension AdmissionRates {
    /// The rate at which a bridge publishes an author's messages: the one at which they are admitted, with half its burst, so that
    /// other networks admit all of them.
    package static func published(_ messagesPerSecond: Double) -> Rate {
        guard messagesPerSecond > 0 else { return .unlimited }
        let factor = messagesPerSecond / Limits.sendPerSecond
        return Rate(perSecond: Limits.acceptPerSecond * factor, burst: max(1, Limits.acceptBurst / 2 * factor))
    }
}

extension Rate {
    fileprivate func times(_ factor: Double) -> Rate {
        Rate(perSecond: perSecond * factor, burst: burst * factor)
    }
}
