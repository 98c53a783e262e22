package import Chat
import Phrases
package import Wire

/// An action of the user in a room that can be refused. After an error nothing has changed.
package enum UserAction: Sendable {
    /// Says a text in a conversation; nil for the one that is looked at. The first text for a peer is a request.
    ///
    /// `replyTo` is the id of the message that it answers, in digits; nil for none.
    case send(String, to: Conversation? = nil, replyTo: String? = nil)
    case accept(PeerID)
    case decline(PeerID)
    case leave(PeerID)
    /// Changes an own message: the one whose id begins so, or the last one of a conversation; nil for the one that is looked at.
    case edit(String?, of: Conversation? = nil, String, isAction: Bool = false)
    /// Deletes an own message, named as in `edit`.
    case delete(String?, of: Conversation? = nil)
    /// Changes the user's reactions to the message whose id begins so, of a conversation; nil for the one that is looked at.
    case react(String, of: Conversation? = nil, ReactionChange)
    /// Puts a card on the notice board of the room.
    case post(title: String, text: String, CardColor)
    /// Takes an own card down: the one whose id begins so, or the last one.
    case removeCard(String?)
    /// Invites a peer to a room, which may be another than this one.
    case invite(PeerID, to: Room)
    case rename(String)

    /// Its cost in the own rates; nil for none.
    var pace: Pace? {
        switch self {
        case .send, .edit, .delete, .removeCard, .invite: .messages(1)
        case .post: .card
        case .react: .reactions
        case .accept, .decline, .leave, .rename: nil
        }
    }
}

/// A change by the user that is never refused.
package enum UserChange: Sendable {
    /// Looks at a conversation: its unread count becomes 0, the others count from now on.
    case open(Conversation)
    /// Looks at no conversation of this room any more: all of them count unread messages from now on.
    case lookAway
    /// Further views of faces show these conversations of the room: they have no unread messages either.
    case watch(Set<Conversation>)
    /// Presses a key in a message, or discards its text. Sending and opening another conversation end typing without it.
    ///
    /// The conversation is that of the message; nil for the one that is looked at.
    case typing(Bool, in: Conversation? = nil)
    /// The reason is a result of `AwayReason.compose`; nil for none.
    case away(Bool, reason: String? = nil)
    /// Its texts are composed.
    case profile(Profile)
    /// Whether bridges may publish what the user says.
    case consent(Bool)
    /// The user's own names for peers.
    case contacts([PeerID: String])
    /// Marks that were set in another room of the same identity.
    case marks(PeerMarks)
    case muted(PeerID, Bool)
    /// By key, silently: the peer's links are refused from now on.
    case blocked(PeerID, Bool)
    /// The user compared the peer's code, or takes that back. No peer learns it.
    case verified(PeerID, Bool)

    /// Shows a conversation to the user, who waits for peers then.
    var isLook: Bool {
        switch self {
        case .open: true
        case .watch(let shown): !shown.isEmpty
        case .lookAway, .typing, .away, .profile, .consent, .contacts, .marks, .muted, .blocked, .verified: false
        }
    }
}

/// The conversations of the user in one room, and the pace of what the user writes in them.
struct Conversations: ~Copyable {
    var router: MessageRouter
    private var pacer: Pacer
    private var senders = WaitingSenders()
    private var typing = TypingTracker()
    /// Messages per second that the user may send.
    private let pace: Double

    init(
        _ configuration: NodeConfiguration, _ session: consuming UserSession, marks: PeerMarks, accepted: [PeerID],
        joinedAt: Timestamp, now: Instant
    ) {
        pace = configuration.ownPace
        let rate = Conversations.rate(pace)
        router = MessageRouter(
            session: session, joinedAt: joinedAt, marks: marks, accepted: accepted, contacts: configuration.contacts,
            sendsReadReceipts: configuration.readReceipts, pace: rate)
        pacer = Pacer(rate, reactions: Conversations.rateOfReactions(pace), now: now)
    }

    /// A burst of messages lasts five seconds at the steady rate: 10 at the default of 2 a second.
    private static func rate(_ pace: Double) -> Rate {
        Rate(perSecond: pace, burst: max(1, pace * Limits.sendBurst / Limits.sendPerSecond))
    }

    private static func rateOfReactions(_ pace: Double) -> Rate {
        let factor = pace / Limits.sendPerSecond
        return Rate(perSecond: Limits.reactPerSecond * factor, burst: max(1, Limits.reactBurst * factor))
    }

    /// When `tickTyping` has something to send; nil for never.
    var typingDeadline: Instant? { typing.nextDeadline }

    /// Performs an action of the user.
    mutating func perform(
        _ action: UserAction, _ environment: Environment, _ effects: inout Effects
    ) throws(ChatError) {
        var rest = pacer
        if let pace = action.pace, !rest.takeTokens(pace, now: environment.now) {
            throw ChatError(.rateLimited, .tooFast, "\(self.pace)")
        }
        if isPrivate(action) { sendAnswers(environment, &effects) }
        let conversation = router.activeConversation
        let moment = environment.moment
        let outcome =
            switch action {
            case .send(let text, let conversation, let target):
                try router.send(text, to: conversation, replyTo: target, at: moment)
            case .accept(let peer): try router.accept(peer, at: moment)
            case .decline(let peer): try router.decline(peer)
            case .leave(let peer): try router.leave(peer, at: moment)
            case .edit(let id, let conversation, let text, let isAction):
                try router.edit(id, of: conversation, text, isAction: isAction, at: moment)
            case .delete(let id, let conversation): try router.delete(id, of: conversation, at: moment)
            case .react(let id, let conversation, let change):
                try router.react(id, of: conversation, change, at: moment)
            case .post(let title, let text, let color):
                try router.post(title: title, text: text, color: color, at: moment)
            case .removeCard(let id): try router.removeCard(id, at: moment)
            case .invite(let peer, let room): try router.invite(peer, to: room, at: moment)
            case .rename(let nickname): try router.rename(nickname, at: moment)
            }
        effects.append(.apply(outcome))
        // The request is acknowledged when it is accepted.
        if case .accept = action { sendAnswers(environment, &effects) }
        pacer = rest
        if case .send(_, let chosen, _) = action {
            sendTyping(typing.said(in: chosen ?? conversation), environment, &effects)
        }
    }

    mutating func change(_ change: UserChange, _ environment: Environment, _ effects: inout Effects) {
        let moment = environment.moment
        switch change {
        case .open(let conversation):
            effects.append(.apply(Outcome(events: router.open(conversation))))
            sendTyping(typing.moved(to: conversation), environment, &effects)
        case .lookAway:
            effects.append(.apply(Outcome(events: router.lookAway())))
            sendTyping(typing.moved(to: .publicRoom), environment, &effects)
        case .watch(let conversations): effects.append(.apply(Outcome(events: router.watch(conversations))))
        case .typing(let isOn, let conversation): type(isOn, in: conversation, environment, &effects)
        case .away(let isAway, let reason): effects.append(.apply(router.setAway(isAway, reason: reason, at: moment)))
        case .profile(let profile): effects.append(.apply(router.setProfile(profile, at: moment)))
        case .consent(let consents): effects.append(.apply(router.setConsent(consents, at: moment)))
        case .contacts(let contacts): effects.append(.apply(Outcome(events: router.setContacts(contacts))))
        case .marks(let marks):
            let (events, blocked, admitted) = router.adopt(marks)
            effects.append(.apply(Outcome(events: events)))
            for peer in blocked { shutOut(peer, &effects) }
            for peer in admitted { effects.append(.admit(peer)) }
        case .muted(let peer, let isMuted): effects.append(.apply(Outcome(events: router.setMuted(peer, isMuted))))
        case .blocked(let peer, let isBlocked):
            effects.append(.apply(Outcome(events: router.setBlocked(peer, isBlocked))))
            if isBlocked { shutOut(peer, &effects) } else { effects.append(.admit(peer)) }
        case .verified(let peer, let isVerified):
            effects.append(.apply(Outcome(events: router.setVerified(peer, isVerified))))
        }
    }

    /// The peer is gone for us at once, without the grace of a lost link.
    private func shutOut(_ peer: PeerID, _ effects: inout Effects) {
        effects.append(.close(.all(of: peer), .blocked))
        effects.append(.shutOut(peer))
    }

    /// Does what is due. Also while the node leaves, as receipts may still come.
    mutating func tick(_ environment: Environment, _ effects: inout Effects) {
        effects.append(.apply(Outcome(events: router.tick(environment.now))))
        sendBacklogs(environment, &effects)
        effects.append(.arm(.router))
    }

    /// Whether records go to all links for an action, since its payloads have one receiver: receipts go with them.
    private func isPrivate(_ action: UserAction) -> Bool {
        switch action {
        case .send(_, let conversation, _), .edit(_, let conversation, _, _), .delete(_, let conversation),
            .react(_, let conversation, _):
            (conversation ?? router.activeConversation) != .publicRoom
        case .invite, .accept, .leave: true
        case .decline, .rename, .post, .removeCard: false
        }
    }

    /// Sends automatic answers and receipts with a private act, before its own payloads.
    mutating func sendAnswers(
        _ environment: Environment, _ effects: inout Effects,
        as effect: (VerifiedPayload, PeerID) -> Effect = { .sendSigned($0, to: .peer($1)) }
    ) {
        let peers = router.peersOwedAnswers
        guard !peers.isEmpty else { return }
        let answers = router.takeAnswers(to: peers, atMost: PayloadBody.receiptIDs, at: environment.moment)
        for case let (payload, .peer(peer)) in answers.map({ ($0.payload, $0.destination) }) {
            effects.append(effect(payload, peer))
        }
    }

    /// Sends messages that wait for a link or for the rate.
    mutating func sendBacklogs(_ environment: Environment, _ effects: inout Effects) {
        let backlog = router.takeBacklogs(at: environment.moment)
        // A peer that we accepted while it was away needs the acceptance first.
        if !backlog.isEmpty { sendAnswers(environment, &effects) }
        send(backlog, &effects)
        effects.append(.arm(.router))
    }

    private func send(_ replies: [Outgoing], _ effects: inout Effects) {
        for reply in replies { effects.append(.sendSigned(reply.payload, to: reply.destination)) }
    }
}

/// Links.
extension Conversations {
    mutating func linkUp(_ up: LinkUp, _ environment: Environment, _ effects: inout Effects) {
        if up.isFirst {
            effects.append(.apply(Outcome(events: router.linkOpened(up.peer, at: environment.moment))))
            effects.append(.arm(.router))
        }
        router.setGiver(up.link.endpoint.giver, of: up.peer)
        if up.isActive { router.linkReady(up.peer) }
        pacer.met(now: environment.now)
    }

    /// The last link to a peer has ended: it goes offline.
    ///
    /// - Parameter staysHere: its presence holds without the link.
    mutating func lastLinkEnded(
        of peer: PeerID, _ end: LinkEnd, staysHere: Bool, _ environment: Environment, _ effects: inout Effects
    ) {
        let events = router.linkClosed(peer, end, staysHere: staysHere, at: environment.moment)
        effects.append(.apply(Outcome(events: events)))
        if environment.isCrowd, router.isUnacknowledged(by: peer) { router.linkReady(peer) }
        effects.append(.arm(.router))
    }
}

/// Typing payloads, sent when `TypingTracker` asks for them (Protocol.md section 6, kind 3).
extension Conversations {
    private mutating func type(
        _ isOn: Bool, in conversation: Conversation?, _ environment: Environment, _ effects: inout Effects
    ) {
        guard environment.isRunning else { return }
        guard isOn else { return sendTyping(typing.stop(), environment, &effects) }
        for signal in typing.key(in: conversation ?? router.activeConversation, now: environment.now) {
            sendTyping(signal, environment, &effects)
        }
        effects.append(.arm(.typing))
    }

    mutating func tickTyping(_ environment: Environment, _ effects: inout Effects) {
        guard environment.isRunning else { return }
        sendTyping(typing.tick(environment.now), environment, &effects)
        effects.append(.arm(.typing))
    }

    /// Sends a typing payload; none in a direct conversation that is not accepted or whose peer has no link, and none to a
    /// crowd.
    private mutating func sendTyping(
        _ signal: TypingTracker.Signal?, _ environment: Environment, _ effects: inout Effects
    ) {
        // In a large room most nodes have no link that typing would come on.
        guard let signal, !(environment.mode == .overlay && signal.conversation == .publicRoom),
            let outgoing = router.composeTyping(signal.isOn, in: signal.conversation, at: environment.moment)
        else { return }
        effects.append(.sendSigned(outgoing.payload, to: outgoing.destination))
    }
}

/// The pace of the own messages.
extension Conversations {
    /// The node looks for peers from now on.
    mutating func started(now: Instant) { pacer.started(now: now) }

    /// A waiting sender may send now.
    mutating func released(now: Instant) { pacer.sent(now: now) }

    func isFastSender(now: Instant) -> Bool { pacer.isFastSender(now: now) }

    /// The reason why the next message waits: the own rate, a peer's full queue, or near peers that have 2 s from the start to be
    /// met; nil if it may be sent now.
    ///
    /// - Parameters:
    ///   - pace: of the message.
    ///   - isFast: a result of `isFastSender`.
    mutating func obstacle(
        _ pace: Pace, isFast: Bool, _ links: inout Links, _ environment: Environment, _ effects: inout Effects
    ) -> Obstacle? {
        let now = environment.now
        let pause = pacer.wait(pace, now: now)
        if pause > .zero {
            resumeSenders(at: now + pause, &effects)
            return .ownRate(pause)
        }
        if let pause = pacer.meetingPause(now: now) {
            resumeSenders(at: now + pause, &effects)
            return .meeting(pause)
        }
        guard isFast, let queue = links.findFullQueue(within: Pacer.stallTimeout, now: now) else { return nil }
        if queue == .new { resumeSenders(at: now + Pacer.stallTimeout, &effects) }
        return .fullQueue
    }

    private mutating func resumeSenders(at time: Instant, _ effects: inout Effects) {
        senders.resume(at: time)
        effects.append(.arm(.senders))
    }

    /// Holds a sender up until `resumeSenders`.
    mutating func wait(_ sender: CheckedContinuation<Void, Never>) { senders.append(sender) }

    var waitingSenders: Int { senders.count }

    /// When `tickSenders` resumes those that wait; nil for never.
    var sendersDeadline: Instant? { senders.nextDeadline }

    mutating func tickSenders() { senders.tick() }

    /// A queue is empty, a link gone, or the node leaves: waiting senders look again.
    mutating func resumeSenders() { senders.resume() }

    enum Obstacle: Equatable {
        case ownRate(Duration)
        case meeting(Duration)
        case fullQueue
    }
}
