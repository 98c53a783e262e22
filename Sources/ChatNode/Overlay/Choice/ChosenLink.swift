import Wire

/// A link as the choice of links knows it.
struct ChosenLink: Sendable {
    let endpoint: Endpoint
    /// This node has dialled it.
    var isInitiator: Bool
    let since: Instant
    /// The candidate as which this node has chosen the peer; nil where it has not.
    var instance: String?
    /// The latest hello of the peer.
    var hello: Hello?
    /// Its peer has opened it while this node is in overlay mode, and no hello has said what for: there may be no room for it.
    var isNew = false
    /// This node has dialled and chosen it, and the peer has not answered by a hello or refused it.
    var isAsked = false
    /// When it ends, because neither end has chosen it.
    var endsAt: Instant?
    /// The trees know that it ends soon.
    var isLeaving = false
    /// It is for direct messages alone.
    var isGuest = false
    /// When the peer last sent or announced a payload, and how many were new by then.
    var sign: (at: Instant, payloads: Int)

    var isChosen: Bool { instance != nil }

    /// The overlay has ended.
    mutating func reset() { (instance, endsAt, isLeaving) = (nil, nil, false) }

    /// The peer has chosen it, or links with all peers that it knows, as far as is known.
    var isWanted: Bool { hello.map { !$0.isOverlay || $0.isChosen } ?? true }

    /// It counts among the links that others may open.
    var isAccepted: Bool { !isChosen && !isGuest && isWanted }

    /// Both ends are in overlay mode, and neither has chosen it.
    var isLeftOver: Bool { !isChosen && !isGuest && !isWanted }

    /// Neither end has chosen it: its initiator ends it. Where there are too many links, the other end does too, and the initiator
    /// ends one that only the peer has chosen.
    func isUnneeded(isSurplus: Bool) -> Bool {
        isLeftOver && (isInitiator || isSurplus) || isAccepted && isInitiator && isSurplus
    }

    func isMute(payloads: Int, isAlone: Bool, now: Instant) -> Bool {
        let silence = now - sign.at
        return isChosen
            && (isAlone && silence >= Limits.aloneTime
                || silence >= Limits.muteTime && payloads - sign.payloads >= Limits.mutePayloads)
    }
}

extension [ChosenLink] {
    /// Whether far more of these than a node accepts were opened and chosen by peers that insist, and not chosen by the node. Only
    /// links count that can not be refused any more: while a room grows, many are open for a moment.
    ///
    /// - Parameter start: when overlay mode began, from which the age of a link of the mesh counts.
    func areOverrun(inOverlaySince start: Instant, now: Instant) -> Bool {
        count { $0.isAccepted && !$0.isInitiator && Swift.max($0.since, start) + Limits.newLinkTime <= now }
            > 2 * Limits.acceptedLinks
    }
}

extension Limits {
    /// Links that a node has not chosen, up to which it accepts further ones. More cost a node traffic and serve
    /// newcomers faster; with fewer, newcomers are refused and insist.
    static let acceptedLinks = 10
    /// Age of a link up to which it can be refused: as long as a newcomer keeps links that it opened before it knew
    /// that the room is a crowd. With a longer one, links end that trees already use; with a shorter one, refusals come
    /// too late, and the room has more links than it needs.
    static let newLinkTime = Duration.seconds(15)
    /// Silence of a chosen peer after which it is given up, if `mutePayloads` came from others. A longer one keeps a
    /// useless neighbour; a shorter one ends links with honest peers whose trees run elsewhere.
    static let muteTime = Duration.seconds(60)
    /// Payloads from others meanwhile that it takes. With more, a quiet room never notices a mute peer; with fewer,
    /// chance ends links.
    static let mutePayloads = 8
    /// Silence after which a chosen peer is given up by a node that is alone: ten times what a neighbour takes to pass
    /// on a presence. A longer one leaves the node cut off; a shorter one ends links with peers that had nothing to
    /// say.
    static let aloneTime = Duration.seconds(20)
}
