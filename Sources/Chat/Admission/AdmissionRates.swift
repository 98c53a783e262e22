package import Wire

/// The rates at which payloads of each author and of each link are admitted (Protocol.md section 7).
package struct AdmissionRates: Sendable {
    /// Payloads that users read, per author: messages, edits, deletions, requests.
    let messages: Rate
    /// Reactions, per author.
    let reactions: Rate
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
    /// Messages and reactions of all young authors of a crowd.
    let young, youngReactions: Rate
    /// Reactions of all overlay links together: the rest of what these may bring is for messages.
    let crowdReactions: Rate

    static let meshCost = Limits.treeFramesPerSecond / Limits.relayedFramesPerSecond

    /// - Parameter messagesPerSecond: an author's average rate of sending; twice that is admitted. 0 means no limit at
    ///   all.
    package init(messagesPerSecond: Double = Limits.sendPerSecond) {
        guard messagesPerSecond > 0 else {
            (messages, signals, relayed) = (.unlimited, .unlimited, .unlimited)
            (reactions, youngReactions, crowdReactions) = (.unlimited, .unlimited, .unlimited)
            (newAuthors, newRoomAuthors, newTreeAuthors) = (.unlimited, .unlimited, .unlimited)
            (crowdRelayed, crowdAuthors, young) = (.unlimited, .unlimited, .unlimited)
            return
        }
        let factor = messagesPerSecond / Limits.sendPerSecond
        let accepted = Rate(perSecond: Limits.acceptPerSecond * factor, burst: max(1, Limits.acceptBurst * factor))
        messages = accepted
        signals = accepted.times(Limits.signalsPerMessage)
        reactions = Rate(
            perSecond: Limits.acceptReactionsPerSecond * factor, burst: max(1, Limits.acceptReactionsBurst * factor))
        relayed = Rate(perSecond: Limits.treeFramesPerSecond, burst: Limits.treeFramesBurst)
            .times(max(1, factor))
        newAuthors = Rate(perSecond: Limits.newAuthorsPerMinute / 60, burst: Limits.newAuthorsBurst)
        newRoomAuthors = Rate(perSecond: Limits.newAuthorsPerMinute / 60, burst: Limits.gapAuthorsBurst)
        newTreeAuthors = Rate(perSecond: Limits.treeAuthorsPerSecond, burst: Limits.treeAuthorsBurst)
        crowdRelayed = Rate(perSecond: Limits.crowdFramesPerSecond, burst: Limits.crowdFramesBurst)
            .times(max(1, factor))
        crowdAuthors = Rate(perSecond: Limits.crowdAuthorsPerSecond, burst: Limits.crowdAuthorsBurst)
        young = Rate(perSecond: Limits.youngMessagesPerSecond, burst: Limits.youngMessagesBurst)
        youngReactions = Rate(perSecond: Limits.youngReactionsPerSecond, burst: Limits.youngReactionsBurst)
        crowdReactions = Rate(perSecond: Limits.crowdReactionsPerSecond, burst: Limits.crowdReactionsBurst)
            .times(max(1, factor))
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

extension Limits {
    /// Messages that a sender sends in the long run, per second. More let one user fill the ring of 100 messages faster
    /// than others read; with fewer, a quick writer waits.
    package static let sendPerSecond = 2.0
    /// Messages that a sender sends at once. More come to readers as a block; with fewer, a pasted text of several
    /// lines is slowed down.
    package static let sendBurst = 10.0
    /// Messages, edits, deletions and requests that are accepted of an author in the long run, per second: twice
    /// `sendPerSecond`, since transit bunches what was sent evenly. More let a hostile author say more than an honest
    /// one; with fewer, honest messages are lost.
    static let acceptPerSecond = 4.0
    /// As many at once: twice `sendBurst`, for the same reason, with the same consequences.
    static let acceptBurst = 20.0
    /// How many times as many payloads are accepted that users do not read (typing, presence, receipts), since several
    /// accompany each message. A larger number lets an author cost others more unseen work; with a smaller one,
    /// receipts and typing notices are lost.
    static let signalsPerMessage = 4.0
    /// Relayed payloads that are accepted on a link of a mesh, per second in the long run. More let one neighbour cost
    /// more checks of signatures; with fewer, a bridge or a room with gaps loses payloads.
    package static let relayedFramesPerSecond = 20.0
    /// As many at once. More make a flood larger before it is stopped; with fewer, what a neighbour gathered during a
    /// short pause is refused.
    package static let relayedFramesBurst = 40.0
    /// Authors never heard of that a link may introduce in the long run, per minute. More let one neighbour fill the
    /// tables of peers with invented identities sooner; with fewer, real newcomers behind a relay wait.
    static let newAuthorsPerMinute = 5.0
    /// As many at once. More let an attacker begin with more identities; with fewer, a group that joins together is
    /// heard in part.
    static let newAuthorsBurst = 5.0
    /// Authors never heard of that a link may introduce at once where a small room has gaps: all nodes of a room of
    /// `meshNodes`. More let one neighbour invent more; with fewer, a node that comes into a room with gaps sees a part
    /// of it.
    static let gapAuthorsBurst = 32.0
    /// Relayed payloads that are accepted on an overlay link, per second in the long run: ten times those of a mesh,
    /// since all messages of a room come over few links. More let one neighbour cost more; with fewer, a busy crowd
    /// loses payloads.
    package static let treeFramesPerSecond = 200.0
    /// As many at once. More make a flood larger before it is stopped; with fewer, what comes after a lost tree was
    /// made anew is refused.
    package static let treeFramesBurst = 400.0
    /// Authors never heard of that an overlay link may introduce in the long run, per second: in a room of thousands
    /// some come and go each second. More let one neighbour fill the tables of peers sooner; with fewer, the messages
    /// of real newcomers are refused.
    package static let treeAuthorsPerSecond = 20.0
    /// As many at once. More let an attacker begin with more identities; with fewer, a newcomer in a crowd refuses the
    /// first messages of many authors.
    package static let treeAuthorsBurst = 200.0
    /// Relayed payloads that a node accepts on all its overlay links together, per second in the long run: a tenth less
    /// than one neighbour takes from this node, or honest nodes that pass on a flood would exceed it there. With fewer,
    /// a busy crowd loses payloads.
    static let crowdFramesPerSecond = 180.0
    /// As many at once, less than `treeFramesBurst` for the same reason.
    static let crowdFramesBurst = 360.0
    /// Authors never heard of that all overlay links together may introduce in the long run, per second: a tenth less
    /// than `treeAuthorsPerSecond`, so that no neighbour has to refuse what this node passes on. With fewer, newcomers
    /// of a crowd wait.
    static let crowdAuthorsPerSecond = 18.0
    /// As many at once, less than `treeAuthorsBurst` for the same reason.
    static let crowdAuthorsBurst = 180.0
    /// Messages, edits and deletions that are accepted over overlay links of all young authors together, per second in
    /// the long run. More let an attacker with many new identities fill the conversation; with fewer, newcomers that
    /// speak at the same time lose messages.
    static let youngMessagesPerSecond = 10.0
    /// As many at once. More let such an attacker replace more of the 100 messages in one blow; with fewer, a greeting
    /// by a group is lost in part.
    static let youngMessagesBurst = 40.0
    /// Reactions that are accepted of an author in the long run, per second: twice `reactPerSecond`, as with messages.
    /// More let one author cost others more checks of signatures; with fewer, honest reactions are lost.
    static let acceptReactionsPerSecond = 4.0
    /// As many at once: twice `reactBurst`.
    static let acceptReactionsBurst = 20.0
    /// Reactions that are accepted over overlay links of all young authors together, per second in the long run. More
    /// let new identities decide what a crowd seems to think; with fewer, newcomers that react at the same time are not
    /// counted.
    static let youngReactionsPerSecond = 10.0
    /// As many at once, with the same consequences.
    static let youngReactionsBurst = 40.0
    /// Reactions that a node accepts on all its overlay links together, per second in the long run: half of
    /// `crowdFramesPerSecond`. More take the room of messages; with fewer, a crowd's applause is cut.
    static let crowdReactionsPerSecond = 90.0
    /// As many at once: half of `crowdFramesBurst`.
    static let crowdReactionsBurst = 180.0
    /// Reactions that a user sends in the long run, per second. More let one user fill the crowd's rate; with fewer, a
    /// quick one waits.
    package static let reactPerSecond = 2.0
    /// Reactions that a user sends at once. With fewer, a user that reacts to what it missed waits.
    package static let reactBurst = 10.0
}
