internal import Wire

/// How much is let in of each author and from each link (Protocol.md section 7).
package struct AdmissionRates: Sendable {
    /// What people read, per author: messages, edits, deletions, requests.
    let messages: Rate
    /// What only changes what is shown about a peer, per author: typing, presence, receipts, answers to requests.
    let signals: Rate
    /// Relayed frames, per link.
    let relayed: Rate
    /// Authors never heard of, per link: identities cost nothing.
    let newAuthors: Rate

    /// - Parameter messagesPerSecond: what an author sends on average; twice that is let in. 0: no limit on anything.
    package init(messagesPerSecond: Double = Limits.sendPerSecond) {
        guard messagesPerSecond > 0 else {
            (messages, signals, relayed, newAuthors) = (.unlimited, .unlimited, .unlimited, .unlimited)
            return
        }
        let factor = messagesPerSecond / Limits.sendPerSecond
        let accepted = Rate(perSecond: Limits.acceptPerSecond * factor, burst: max(1, Limits.acceptBurst * factor))
        messages = accepted
        signals = accepted.times(Limits.signalsPerMessage)
        relayed = Rate(perSecond: Limits.relayedFramesPerSecond, burst: Limits.relayedFramesBurst)
            .times(max(1, factor))
        newAuthors = Rate(perSecond: Limits.newAuthorsPerMinute / 60, burst: Limits.newAuthorsBurst)
    }
}

extension Rate {
    fileprivate func times(_ factor: Double) -> Rate {
        Rate(perSecond: perSecond * factor, burst: burst * factor)
    }
}
