import Phrases
package import Wire

/// Routes each payload to its conversation or the roster, and returns the resulting events.
package struct MessageRouter: ~Copyable {
    package private(set) var publicChat = PublicChat()
    package private(set) var directChats: DirectChats
    package private(set) var roster: Roster
    /// The user's session, which signs the own payloads.
    package internal(set) var session: UserSession
    /// The conversation that is open: texts go there that name none.
    package private(set) var activeConversation = Conversation.publicRoom
    /// Whether the user looks at it, instead of at another room.
    private var isLooking = true
    /// The conversations that further views of the user show.
    private var watched: Set<Conversation> = []
    /// Peers are reached over relays whenever they are here, as in a crowd.
    private(set) var reachesAll = false
    /// The neighbours that pass sealed payloads on.
    package private(set) var paths = RelayPaths()
    private(set) var typing = TypingList()
    private(set) var pendingChanges = PendingChanges()
    private(set) var pendingReactions = PendingReactions()
    /// The owners of quotas, by neighbour.
    private(set) var givers = Givers()
    private(set) var replies = PendingReplies()
    private var refused: [Refusal: Int] = [:]
    /// The rate at which waiting messages are sent.
    private let pace: Rate
    /// When the node came to the room, by its wall clock: what was said later and comes as history was missed.
    package let joinedAt: Timestamp?

    /// - Parameters:
    ///   - session: the user, whose own messages and direct conversations these are.
    ///   - marks: the user's marks from earlier runs.
    ///   - accepted: the peers of direct conversations that were accepted in earlier runs, the one used last at the end.
    ///   - contacts: the user's own names for peers.
    ///   - sendsReadReceipts: whether read receipts are sent, and those of others shown.
    ///   - pace: the rate at which direct messages are sent again; the sender's own rate.
    ///   - joinedAt: when the node came to the room; nil counts nothing as missed.
    package init(
        session: consuming UserSession, joinedAt: Timestamp? = nil, marks: PeerMarks = PeerMarks(),
        accepted: [PeerID] = [], contacts: [PeerID: String] = [:], sendsReadReceipts: Bool = false,
        pace: Rate = Rate(perSecond: Limits.sendPerSecond, burst: Limits.sendBurst)
    ) {
        let me = session.id
        let accepted = accepted.filter { $0 != me }
        roster = Roster(me: me, marks: marks, accepted: accepted)
        directChats = DirectChats(accepted: accepted, sendsReadReceipts: sendsReadReceipts)
        self.session = session
        (self.pace, self.joinedAt) = (pace, joinedAt)
        roster.setContacts(contacts)
        roster.setOwnNickname(self.session.nickname)
        publicChat.isActive = true
    }

    /// A copy that goes on by itself, for a search that goes on from one state in several ways.
    package borrowing func copy() -> MessageRouter {
        var copy = MessageRouter(session: session.copy(), joinedAt: joinedAt, pace: pace)
        copy.roster = roster.copy()
        (copy.publicChat, copy.directChats) = (publicChat, directChats)
        (copy.activeConversation, copy.isLooking, copy.watched) = (activeConversation, isLooking, watched)
        (copy.reachesAll, copy.paths, copy.givers) = (reachesAll, paths, givers)
        (copy.typing, copy.pendingChanges, copy.pendingReactions) = (typing, pendingChanges, pendingReactions)
        (copy.replies, copy.refused) = (replies, refused)
        return copy
    }

    package var me: PeerID { roster.me }

    /// Begins or ceases to reach peers over relays, as in a crowd, while they are here. The own presence says so from now on.
    package mutating func setCrowd(_ isCrowd: Bool) {
        reachesAll = isCrowd
        session.bridging.isInCrowd = isCrowd
    }

    /// Corrects the clock that own payloads are signed by.
    ///
    /// - Parameter correction: in milliseconds.
    package mutating func correctClock(by correction: Int64) { session.clock.correction = correction }

    package mutating func signPresence(at moment: Moment) -> VerifiedPayload {
        session.signPresence(at: moment.wallClock)
    }

    package mutating func signDeparture(at moment: Moment) -> VerifiedPayload {
        session.signDeparture(at: moment.wallClock)
    }

    /// Signs under a later epoch from now on.
    package mutating func advance(to epoch: UInt64) { session.advance(to: epoch) }

    /// Zeroes the private key; nothing can be signed afterwards.
    package mutating func forgetKey() { session.forgetKey() }

    /// Admitted payloads without effect, by reason.
    package var refusals: [Refusal: Int] {
        refused.merging([.requestDisplaced: directChats.displacedRequests]) { $1 }
    }

    private mutating func refuse(_ reason: Refusal) {
        refused[reason, default: 0] += 1
    }

    /// Routes a payload, own or another's, and returns the resulting events in order. Then there may
    /// be replies to send (`hasReplies`).
    ///
    /// - Parameter askedAt: when it was asked for as history (Protocol.md section 7), by the wall clock; nil if it came
    ///   unasked.
    package mutating func route(
        _ payload: VerifiedPayload, at moment: Moment, askedAt: Timestamp? = nil
    ) -> [NodeEvent] {
        var events: [NodeEvent] = []
        route(payload, at: moment, askedAt: askedAt, into: &events)
        return events
    }

    /// As above; appends the events to `events`.
    package mutating func route(
        _ payload: VerifiedPayload, at moment: Moment, askedAt: Timestamp? = nil,
        into events: inout [NodeEvent]
    ) {
        let arrival = Arrival(payload, at: moment, askedAt: askedAt)
        if isShown(arrival) {
            receive(arrival, into: &events)
        } else {
            refuse(.unheard)
            receiveHidden(arrival, into: &events)
        }
        if directChats.hasUndelivered { reportUndelivered(into: &events) }
    }

    /// How long a presence from another network holds: where its author or this node is in a crowd it is renewed seldom.
    private func holdingTime(of presence: Presence, _ arrival: borrowing Arrival) -> Duration {
        guard reachesAll || presence.bridging.isInCrowd else { return Limits.bridgedPresenceTime }
        let signed = arrival.verified.signed.payload.timestamp
        let clock = arrival.moment.roomClock
        guard signed < clock else { return Limits.presenceLifetime }
        return Limits.presenceLifetime - .milliseconds(signed.distance(to: clock))
    }

    /// Dispatches a payload on its kind.
    private mutating func receive(_ arrival: borrowing Arrival, into events: inout [NodeEvent]) {
        // First, because nearly all payloads are of this kind, and matching the body copies its strings.
        if arrival.verified.type == .publicMessage { return receivePublic(arrival, into: &events) }
        switch arrival.verified.signed.payload.body {
        case .publicMessage: break
        case .presence(let presence) where arrival.verified.isBridged:
            let end = arrival.moment.instant + holdingTime(of: presence, arrival)
            roster.recordElsewhere(
                presence, of: arrival.author, as: arrival.authorClock, until: end, at: arrival.moment, into: &events)
        case .presence(let presence):
            roster.record(presence, of: arrival.author, as: arrival.authorClock, into: &events)
        case .typing(let target, let isOn):
            receiveTyping(arrival, target: target, isOn: isOn, into: &events)
        case .edit(let receiver, let target, let text):
            receiveChange(.edit(text: text), of: target, to: receiver, arrival, into: &events)
        case .delete(let receiver, let target):
            receiveChange(.delete, of: target, to: receiver, arrival, into: &events)
        case .reaction(let receiver, let target, let emojis):
            acknowledgeChange(to: receiver, arrival)
            receiveReaction(emojis, to: target, arrival, into: &events)
        case .card(let card, let stage, let nickname):
            receive(card, stage: stage, nickname: nickname, arrival, into: &events)
        case .dmRequest(let target, let nickname, _), .directMessage(let target, let nickname, _, _):
            receiveDirect(arrival, target: target, nickname: nickname, into: &events)
        case .dmAccept(let target):
            receiveAnswer(.acceptance, arrival, target: target, into: &events)
        case .dmLeave(let target):
            receiveAnswer(.departure, arrival, target: target, into: &events)
        case .dmDecline:
            // Ignored: a declined request gets no answer, and this node never sends this kind.
            return
        case .invitation(let target, let secret, let room):
            receive(Invitation(room: room, secret: secret), arrival, target: target, into: &events)
        case .delivered(let target, let ids):
            receiveReceipt(ids, .delivered, arrival, target: target, into: &events)
        case .read(let target, let ids):
            receiveReceipt(ids, .read, arrival, target: target, into: &events)
        }
    }

    private mutating func receiveChange(
        _ kind: MessageChange.Kind, of target: MessageID, to receiver: PeerID?, _ arrival: borrowing Arrival,
        into events: inout [NodeEvent]
    ) {
        acknowledgeChange(to: receiver, arrival)
        apply(MessageChange(kind, of: target, by: arrival.verified), isHistory: arrival.isHistory, into: &events)
    }

    /// True unless the author is hidden. Presence and answers of muted peers count too, because muting is secret; of
    /// blocked peers nothing does.
    private func isShown(_ arrival: borrowing Arrival) -> Bool {
        switch arrival.verified.type {
        case .presence, .dmAccept, .dmDecline, .dmLeave, .delivered, .read: !roster.isBlocked(arrival.author)
        case .publicMessage, .typing, .edit, .delete, .reaction, .card, .dmRequest, .directMessage, .invitation:
            !roster.isHidden(arrival.author)
        }
    }
}

/// Effects of each kind of payload.
extension MessageRouter {
    private mutating func receivePublic(_ arrival: borrowing Arrival, into events: inout [NodeEvent]) {
        let signed = arrival.verified.signed
        let stage = signed.payload.senderStage ?? .newcomer
        roster.recordName(
            arrival.author, nickname: signed.payload.senderNickname ?? "", stage: stage, as: arrival.authorClock,
            into: &events)
        if !arrival.isHistory { stopTyping(arrival.author, in: .publicRoom, into: &events) }
        guard !publicChat.isDeleted(arrival.verified.id, of: arrival.author) else {
            return publicChat.recordFinal(arrival.verified)
        }
        // Changes hardly ever come before their message.
        guard pendingChanges.isEmpty else { return receiveChanged(arrival, into: &events) }
        let message = Message(
            of: arrival.verified, stage: stage, receivedAt: arrival.moment.wallClock, askedAt: arrival.askedAt,
            joinedAt: joinedAt, correction: arrival.moment.correction)
        let isOwn = arrival.author == me
        let unread = publicChat.receive(message, edit: nil, isOwn: isOwn, correction: arrival.moment.correction)
        if let unread { events.append(.message(view(message, in: .publicRoom, unread: unread))) }
        takeReactions(to: message.id, into: &events)
    }

    /// Receives a public message whose change may have come before it.
    private mutating func receiveChanged(_ arrival: borrowing Arrival, into events: inout [NodeEvent]) {
        let early = takeEarlyChange(of: arrival.verified)
        if case .deletion = early { return }
        let change: MessageChange? = if case .edit(let edit) = early { edit } else { nil }
        guard let message = message(from: arrival, with: change) else { return }
        let isOwn = arrival.author == me
        let unread = publicChat.receive(
            message, edit: change?.source, isOwn: isOwn, correction: arrival.moment.correction)
        if let unread { events.append(.message(view(message, in: .publicRoom, unread: unread))) }
        takeReactions(to: message.id, into: &events)
    }

    /// A change that came before the message or the card that it is of.
    private enum EarlyChange {
        case edit(MessageChange)
        /// It is kept for others, and the payload that it is of is at its end.
        case deletion
    }

    /// The change that came before its message or card; nil if none did.
    private mutating func takeEarlyChange(of source: VerifiedPayload) -> EarlyChange? {
        guard !pendingChanges.isEmpty else { return nil }
        guard let change = pendingChanges.takeChange(for: source.id, by: source.author), !change.isDirect else {
            return nil
        }
        guard case .delete = change.kind else { return .edit(change) }
        publicChat.keepDeletion(change, from: givers.giver(of: change.source), isOfKnown: true)
        publicChat.recordFinal(source)
        return .deletion
    }

    private mutating func receiveTyping(
        _ arrival: borrowing Arrival, target: PeerID?, isOn: Bool, into events: inout [NodeEvent]
    ) {
        let author = arrival.author
        guard author != me, !arrival.isHistory else { return }
        if target == nil { setTyping(isOn, author, in: .publicRoom, arrival, into: &events) }
        guard counterpart(in: arrival, target: target) != nil, directChats[author]?.state == .accepted else { return }
        setTyping(isOn, author, in: .direct(author), arrival, into: &events)
    }

    private mutating func setTyping(
        _ isOn: Bool, _ peer: PeerID, in conversation: Conversation, _ arrival: borrowing Arrival,
        into events: inout [NodeEvent]
    ) {
        guard typing.set(isOn, peer, in: conversation, now: arrival.moment.instant) else { return }
        events.append(.typing(name(of: peer), view(conversation), isOn: isOn))
    }

    private mutating func stopTyping(_ peer: PeerID, in conversation: Conversation, into events: inout [NodeEvent]) {
        guard typing.stop(peer, in: conversation) else { return }
        events.append(.typing(name(of: peer), view(conversation), isOn: false))
    }

    private mutating func stopTyping(_ peer: PeerID) -> [NodeEvent] {
        typing.stopAll(of: peer).map { .typing(name(of: peer), view($0), isOn: false) }
    }

    private mutating func receiveDirect(
        _ arrival: borrowing Arrival, target: PeerID, nickname: String, into events: inout [NodeEvent]
    ) {
        guard let peer = counterpart(in: arrival, target: target) else { return }
        let payload = arrival.payload
        let isRequest = payload.type == .dmRequest
        if arrival.author != me, directChats[peer]?.hasTaken(payload.messageId) == true {
            let step = directChats.update(peer) { $0.receiveAgain(payload.messageId, isRequest: isRequest) }
            return finish(step, with: peer, into: &events)
        }
        // Numbers for one receiver do not compare with those for the room: a name in a public payload counts more.
        let clock = AuthorClock(epoch: payload.epoch, sequence: 0)
        roster.recordName(payload.author, nickname: nickname, stage: nil, as: clock, into: &events)
        guard let message = directMessage(from: arrival) else {
            return receiveSilently(payload.messageId, from: peer)
        }
        stopTyping(arrival.author, in: .direct(peer), into: &events)
        if arrival.author != me, directChats[peer]?.awaitsOurAnswer == true { refuse(.notAccepted) }
        if arrival.author == me {
            let step = directChats.updateOrCreate(peer) {
                isRequest ? $0.sentRequest(message) : $0.sentMessage(message)
            }
            report(step, with: peer, into: &events)
        } else if isRequest || directChats.isStranger(peer) {
            // A text without an agreement is a request: we may have forgotten our acceptance.
            let giver = givers.giver(of: arrival.verified)
            finish(
                directChats.receiveRequest(message, from: giver, now: arrival.moment.instant), with: peer, into: &events
            )
        } else {
            finish(directChats.update(peer) { $0.receiveMessage(message) }, with: peer, into: &events)
            takeReactions(to: message.id, into: &events)
        }
    }

    /// Receives a reaction, or keeps it until its message comes.
    private mutating func receiveReaction(
        _ emojis: [String], to target: MessageID, _ arrival: borrowing Arrival, into events: inout [NodeEvent]
    ) {
        let (source, giver) = (arrival.verified, givers.giver(of: arrival.verified))
        guard !source.payload.isDirect else {
            guard let peer = counterpart(in: arrival, target: source.payload.target) else { return }
            return receiveDirectReaction(emojis, to: target, source, from: peer, giver, arrival, into: &events)
        }
        if publicChat.messages.contains(id: target) {
            react(emojis, to: target, source, giver, isHistory: arrival.isHistory, into: &events)
        } else if publicChat.knows(target) {
            refuse(.unknownTarget)
            publicChat.recordPassed(source)
        } else {
            pendingReactions.hold(source, from: giver, isHistory: arrival.isHistory, now: arrival.moment.instant)
        }
    }

    private mutating func receiveDirectReaction(
        _ emojis: [String], to target: MessageID, _ source: VerifiedPayload, from peer: PeerID, _ giver: Giver,
        _ arrival: borrowing Arrival, into events: inout [NodeEvent]
    ) {
        guard let chat = directChats[peer], chat.isAccepted else { return refuse(.notAccepted) }
        if chat.messages.contains(id: target) {
            reactDirectly(emojis, to: target, source, with: peer, giver, into: &events)
        } else if source.author != me, !chat.hasTaken(target), chat.delivery(of: target) == nil {
            pendingReactions.hold(source, from: giver, isHistory: false, now: arrival.moment.instant)
        } else {
            refuse(.unknownTarget)
        }
    }

    /// Keeps a reaction to a message of the room that is here.
    private mutating func react(
        _ emojis: [String], to target: MessageID, _ source: VerifiedPayload, _ giver: Giver, isHistory: Bool,
        into events: inout [NodeEvent]
    ) {
        switch publicChat.react(emojis, to: target, by: source, from: giver) {
        case .old, .refused(hadEarlier: false): return
        case .refused(hadEarlier: true):
            report([], by: source.author, on: target, in: .publicRoom, nil, into: &events)
        case .kept(let evicted):
            report(
                emojis, by: source.author, on: target, in: .publicRoom, source.id, isHistory: isHistory, into: &events)
            guard let evicted else { return }
            report([], by: evicted.author, on: evicted.message, in: .publicRoom, nil, into: &events)
        }
    }

    private mutating func reactDirectly(
        _ emojis: [String], to target: MessageID, _ source: VerifiedPayload, with peer: PeerID, _ giver: Giver,
        into events: inout [NodeEvent]
    ) {
        guard directChats.update(peer, { $0.react(emojis, to: target, by: source, from: giver) }) == true else {
            return
        }
        report(emojis, by: source.author, on: target, in: .direct(peer), source.id, into: &events)
    }

    /// Takes the reactions that came before their message, which is here now.
    private mutating func takeReactions(to message: MessageID, into events: inout [NodeEvent]) {
        guard !pendingReactions.isEmpty else { return }
        for (source, giver, isHistory) in pendingReactions.takeReactions(to: message) {
            guard case .reaction(let receiver, let target, let emojis) = source.payload.body else { continue }
            if receiver != nil {
                reactDirectly(emojis, to: target, source, with: source.author, giver, into: &events)
            } else if publicChat.messages.contains(id: target) {
                react(emojis, to: target, source, giver, isHistory: isHistory, into: &events)
            } else {
                publicChat.recordPassed(source)
            }
        }
    }

    /// Puts a card up, if it has a place on the notice board.
    private mutating func receive(
        _ content: CardContent, stage: SenderStage, nickname: String, _ arrival: borrowing Arrival,
        into events: inout [NodeEvent]
    ) {
        let source = arrival.verified
        if !roster.isBlocked(source.author) {
            roster.recordName(source.author, nickname: nickname, stage: stage, as: arrival.authorClock, into: &events)
        }
        guard publicChat.board[source.id] == nil else { return }
        guard !publicChat.isDeleted(source.id, of: source.author) else { return publicChat.recordFinal(source) }
        if case .deletion = takeEarlyChange(of: source) { return }
        let isFromAuthor = source.neighbour.map { $0 == source.author } ?? true
        guard
            let card = Card(
                content, stage: stage, of: source, askedAt: arrival.askedAt,
                giver: isFromAuthor ? givers.giver(of: source) : nil, at: arrival.moment)
        else { return publicChat.recordFinal(source) }
        let standings = Dictionary(
            (publicChat.board.cards.map(\.author) + [card.author]).map { ($0, standing(of: $0, at: arrival.moment)) },
            uniquingKeysWith: { first, _ in first })
        switch publicChat.add(card, { standings[$0] ?? .stranger }) {
        case .refused(let isFull):
            if isFull { refuse(.boardFull) }
        case .kept(let displaced):
            if let displaced { reportRemoval(of: displaced, .displaced, into: &events) }
            if !roster.isHidden(card.author) { events.append(.card(view(card))) }
        }
    }

    private func standing(of author: PeerID, at moment: Moment) -> NoticeBoard.Standing {
        if author == me { return .own }
        if roster.isHidden(author) { return .hidden }
        if roster.marks.verified.contains(author) || roster.contacts[author] != nil { return .marked }
        guard let stay = roster.stay(of: author, at: moment.wallClock) else { return .stranger }
        return stay >= Limits.settledTime ? .settled : .stranger
    }

    private mutating func receiveAnswer(
        _ answer: DirectAnswer, _ arrival: borrowing Arrival, target: PeerID, into events: inout [NodeEvent]
    ) {
        guard let peer = counterpart(in: arrival, target: target) else { return }
        let isOwn = arrival.author == me
        let request = directChats[peer]?.request
        let isLinked = roster.isOnline(peer)
        let step = directChats.update(peer) { chat in
            switch answer {
            case .acceptance: isOwn ? chat.sentAcceptance() : chat.receiveAcceptance()
            case .departure: isOwn ? chat.sentDeparture(isLinked: isLinked) : chat.receiveDeparture()
            }
        }
        if answer == .departure { stopTyping(peer, in: .direct(peer), into: &events) }
        finish(step, with: peer, into: &events)
        // A change of the open request now applies to the first message.
        if isOwn, answer == .acceptance, let request, let change = pendingChanges.takeChange(for: request.id, by: peer)
        {
            apply(change, into: &events)
        }
    }

    private mutating func receive(
        _ invitation: Invitation, _ arrival: borrowing Arrival, target: PeerID, into events: inout [NodeEvent]
    ) {
        guard arrival.author != me, let peer = counterpart(in: arrival, target: target) else { return }
        let id = arrival.verified.payload.messageId
        if directChats[peer]?.awaitsOurAnswer ?? true { refuse(.notAccepted) }
        let step = directChats.update(peer) { chat in
            chat.hasTaken(id) ? chat.receiveAgain(id, isRequest: false) : chat.receive(invitation, id)
        }
        finish(step, with: peer, into: &events)
    }

    private mutating func receiveReceipt(
        _ ids: [MessageID], _ delivery: DeliveryState, _ arrival: borrowing Arrival, target: PeerID,
        into events: inout [NodeEvent]
    ) {
        guard arrival.author != me, let peer = counterpart(in: arrival, target: target) else { return }
        finish(directChats.update(peer) { $0.receiveReceipt(ids, delivery) }, with: peer, into: &events)
    }

    /// Applies a change to its message, or keeps it until the message comes.
    private mutating func apply(_ change: MessageChange, isHistory: Bool = false, into events: inout [NodeEvent]) {
        if change.isDirect {
            applyDirect(change, into: &events)
        } else if let card = publicChat.board[change.target] {
            take(card, by: change, into: &events)
        } else if let message = publicChat.messages[id: change.target] {
            if message.author != change.author { refuse(.notItsAuthor) }
            guard let changed = publicChat.apply(change, from: givers.giver(of: change.source)) else { return }
            report(change, to: changed, in: .publicRoom, unread: publicChat.unreadCount, into: &events)
        } else {
            hold(change, isKnown: isHistory || publicChat.knows(change.target))
        }
    }

    /// Takes a card down that its author deletes. A card is not edited.
    private mutating func take(_ card: Card, by change: MessageChange, into events: inout [NodeEvent]) {
        guard card.author == change.author else {
            refuse(.notItsAuthor)
            return publicChat.recordFinal(change.source)
        }
        guard case .delete = change.kind else { return publicChat.recordFinal(change.source) }
        publicChat.remove(card, by: change, from: givers.giver(of: change.source))
        reportRemoval(of: card, .removed, into: &events)
    }

    private mutating func applyDirect(_ change: MessageChange, into events: inout [NodeEvent]) {
        guard let peer = change.author == me ? change.source.payload.target : change.author else { return }
        if directChats[peer]?.messages.contains(id: change.target) == true {
            let changed = directChats.update(peer) { chat in chat.apply(change).map { ($0, chat.unreadCount) } }
            guard case (let message, let unread)?? = changed else { return }
            report(change, to: message, in: .direct(peer), unread: unread, into: &events)
        } else if change.author != me, directChats[peer]?.hasTaken(change.target) != true {
            // Its message may still come.
            pendingChanges.hold(change, from: givers.giver(of: change.source))
        }
    }

    /// Keeps a public change whose message is not here. If the message was here, or the change came as history, a deletion is kept for
    /// others.
    private mutating func hold(_ change: MessageChange, isKnown: Bool) {
        switch change.kind {
        case .delete where isKnown:
            publicChat.keepDeletion(change, from: givers.giver(of: change.source), isOfKnown: false)
        case .edit where publicChat.knows(change.target):
            publicChat.recordFinal(change.source)
        case .edit, .delete:
            if isKnown { publicChat.recordFinal(change.source) }
            if isKnown || change.author != me { pendingChanges.hold(change, from: givers.giver(of: change.source)) }
        }
    }

    /// The peer of a direct payload; nil for one that is for the room, and for one of ours to ourselves.
    private func counterpart(in arrival: borrowing Arrival, target: PeerID?) -> PeerID? {
        guard let target, !arrival.isHistory else { return nil }
        if arrival.author == me { return target == me ? nil : target }
        return target == me ? arrival.author : nil
    }

    /// The message in a direct payload, with the change that came before it; nil if that was a deletion.
    private mutating func directMessage(from arrival: borrowing Arrival) -> Message? {
        let payload = arrival.payload
        let change = pendingChanges.takeChange(for: payload.messageId, by: payload.author)
        guard let change, change.isDirect else { return message(from: arrival) }
        if case .delete = change.kind { return nil }
        return message(from: arrival, with: change)
    }

    private func message(from arrival: borrowing Arrival) -> Message? {
        Message(
            from: arrival.verified, knownStage: roster.stage(of: arrival.author), receivedAt: arrival.moment.wallClock,
            askedAt: arrival.askedAt, joinedAt: joinedAt, correction: arrival.moment.correction)
    }

    private func message(from arrival: borrowing Arrival, with change: MessageChange?) -> Message? {
        let message = message(from: arrival)
        guard var message, case .edit(let text) = change?.kind, let authorClock = change?.authorClock else {
            return message
        }
        _ = message.show(text, as: authorClock)
        return message
    }

    private mutating func finish(_ step: DirectStep?, with peer: PeerID, into events: inout [NodeEvent]) {
        guard let step else { return }
        report(step, with: peer, into: &events)
        if case .message(let message, _) = step.late,
            let change = pendingChanges.takeChange(for: message.id, by: peer)
        {
            apply(change, into: &events)
        }
        recordWaiting(for: peer)
        if let answer = step.reply { replies.add(answer, to: peer) }
    }
}

/// Reports of what changed in the conversations, with the names of now.
extension MessageRouter {
    private func report(_ step: DirectStep, with peer: PeerID, into events: inout [NodeEvent]) {
        if let change = step.change { events.append(.direct(change, with: name(of: peer))) }
        if !step.failed.isEmpty { events.append(.failed(with: name(of: peer), messages: step.failed)) }
        for shown in [step.late, step.shown] { report(shown, with: peer, into: &events) }
        guard let (ids, delivery) = step.acknowledged else { return }
        let who = name(of: peer)
        events.append(delivery == .read ? .read(with: who, ids: ids) : .delivered(with: who, ids: ids))
    }

    private func report(_ shown: DirectStep.Shown?, with peer: PeerID, into events: inout [NodeEvent]) {
        switch shown {
        case .message(let message, let unread):
            var shown = view(message, in: .direct(peer), unread: unread)
            // An own message enters the queue behind this event.
            if message.author == me { shown.delivery = .sending }
            events.append(.message(shown))
        case .request(let text): events.append(.request(from: name(of: peer), text: text))
        case .invitation(let invitation): events.append(.invitation(from: name(of: peer), to: Room(invitation)))
        case nil: break
        }
    }

    /// - Parameter message: in its present form, or as it was before its deletion.
    private func report(
        _ change: MessageChange, to message: Message, in conversation: Conversation, unread: Int,
        into events: inout [NodeEvent]
    ) {
        guard !roster.isBlocked(message.author) else { return }
        let shown = view(message, in: conversation, unread: unread)
        switch change.kind {
        case .edit: events.append(.edited(shown))
        case .delete: events.append(.deleted(shown.withoutText))
        }
    }

    /// Reports that a card is off the board, unless its author is hidden: then it was off for the user before.
    private func reportRemoval(of card: Card, _ end: CardEnd, into events: inout [NodeEvent]) {
        if !roster.isHidden(card.author) { events.append(.cardRemoved(view(card), end)) }
    }

    private func report(
        _ emojis: [String], by author: PeerID, on target: MessageID, in conversation: Conversation, _ id: MessageID?,
        isHistory: Bool = false, into events: inout [NodeEvent]
    ) {
        let event = reaction(emojis, by: author, on: target, in: conversation, id, isHistory: isHistory)
        if let event { events.append(.reacted(event)) }
    }

    private func failed(_ messages: [Undelivered]?, with peer: PeerID) -> [NodeEvent] {
        guard let messages, !messages.isEmpty else { return [] }
        return [.failed(with: name(of: peer), messages: messages)]
    }

    /// Reports the messages that were given up with evicted conversations.
    private mutating func reportUndelivered(into events: inout [NodeEvent]) {
        for (peer, messages) in directChats.drainUndelivered() {
            events.append(.failed(with: name(of: peer), messages: messages))
        }
    }
}

extension [NodeEvent] {
    mutating func append(ifPresent event: NodeEvent?) {
        if let event { append(event) }
    }
}

/// Operations of the user. Each changes the conversations at once and returns the events to report and the payloads to
/// send.
extension MessageRouter {
    /// Says a text in a conversation.
    ///
    /// - Parameters:
    ///   - conversation: nil for the active one.
    ///   - target: the id of the message that the text answers, as in `message(_:in:)`; nil for none.
    package mutating func send(
        _ text: String, to conversation: Conversation? = nil, replyTo target: String? = nil, at moment: Moment
    ) throws(ChatError) -> Outcome {
        let conversation = conversation ?? activeConversation
        let answered: MessageID? = if let target { try message(target, in: conversation) } else { nil }
        switch conversation {
        case .publicRoom:
            let payload = try publicChat.compose(text, replyTo: answered, in: &session, at: moment.wallClock)
            return commit([payload], at: moment)
        case .direct(let peer): return try direct(to: peer, text, replyTo: answered, at: moment)
        }
    }

    /// Says a text to one peer; the first one is a request.
    ///
    /// In an accepted conversation, and in answer to a request, it waits for a peer without a link. Any other throws
    /// `not_connected`, and `not_accepted` while the own request is open.
    private mutating func direct(
        to peer: PeerID, _ text: String, replyTo target: MessageID?, at moment: Moment
    ) throws(ChatError) -> Outcome {
        let chat = directChats[peer] ?? DirectChat(with: peer)
        try checkNotBlocked(peer)
        if chat.state != .accepted, chat.request == nil { try checkConnected(peer) }
        let payloads = try chat.compose(text, replyTo: target, in: &session, at: moment.wallClock)
        return commit(payloads, to: peer, at: moment)
    }

    /// Invites a peer to a room, in an accepted conversation. Throws `not_accepted` in any other, and `not_connected` for
    /// a blocked peer.
    package mutating func invite(
        _ peer: PeerID, to room: Room, at moment: Moment
    ) throws(ChatError) -> Outcome {
        let chat = directChats[peer] ?? DirectChat(with: peer)
        try checkNotBlocked(peer)
        let payload = try chat.compose(room.invitation, in: &session, at: moment.wallClock)
        return commit([payload], to: peer, at: moment)
    }

    /// Changes what the own presence says besides name and state, for all peers to see.
    package mutating func setProfile(
        _ profile: Profile, at moment: Moment
    ) -> Outcome {
        guard session.profile != profile else { return Outcome() }
        let before = session.status
        session.profile = profile
        return commitStatus(was: before, at: moment)
    }

    /// Accepts a peer's open request: where the peer can not be reached now, the acceptance waits for that. Throws
    /// `not_accepted` if there is none, and `not_connected` for a blocked peer.
    package mutating func accept(
        _ peer: PeerID, at moment: Moment
    ) throws(ChatError) -> Outcome {
        guard let chat = directChats[peer] else { throw DirectChat.noRequest }
        try checkNotBlocked(peer)
        let payload = try chat.composeAcceptance(in: &session, at: moment.wallClock)
        return commit([payload], to: peer, at: moment)
    }

    /// Declines a peer's open request; nothing is sent. Throws `not_accepted` if there is none.
    package mutating func decline(_ peer: PeerID) throws(ChatError) -> Outcome {
        guard var chat = directChats[peer] else { throw DirectChat.noRequest }
        try chat.decline()
        directChats.updateOrCreate(peer) { $0 = chat }
        var events = stopTyping(peer) + [.direct(.declined, with: name(of: peer))]
        reportUndelivered(into: &events)
        return Outcome(events: events)
    }

    /// Ends the conversation with a peer, or withdraws the own request. A peer without a link learns it when it sends
    /// the next message.
    package mutating func leave(
        _ peer: PeerID, at moment: Moment
    ) throws(ChatError) -> Outcome {
        let chat = directChats[peer] ?? DirectChat(with: peer)
        let payload = try chat.composeDeparture(in: &session, at: moment.wallClock)
        return commit([payload], to: peer, at: moment)
    }

    /// Opens a conversation, and closes the one before: the shown one has no unread messages, and the others count them. Then
    /// there may be replies to send (`hasReplies`).
    @discardableResult
    package mutating func open(_ conversation: Conversation) -> [NodeEvent] { look(at: conversation, isLooking: true) }

    /// Leaves no conversation open, because the user opened one of another room: all of them count unread messages, but those
    /// that are watched. Texts that are sent meanwhile go to the room.
    package mutating func lookAway() -> [NodeEvent] { look(at: .publicRoom, isLooking: false) }

    private mutating func look(at conversation: Conversation, isLooking: Bool) -> [NodeEvent] {
        let before = activeConversation
        (activeConversation, self.isLooking) = (conversation, isLooking)
        if before != conversation { updateActive(before) }
        updateActive(conversation)
        var events: [NodeEvent] = []
        reportUndelivered(into: &events)
        return events
    }

    /// Further views of the user show these conversations, and no others.
    package mutating func watch(_ conversations: Set<Conversation>) -> [NodeEvent] {
        let changed = watched.symmetricDifference(conversations)
        watched = conversations
        for conversation in changed { updateActive(conversation) }
        var events: [NodeEvent] = []
        reportUndelivered(into: &events)
        return events
    }

    /// Makes the room the active conversation.
    @discardableResult
    package mutating func close() -> [NodeEvent] { open(.publicRoom) }

    /// Changes the own nickname. Throws `invalid_nickname`.
    package mutating func rename(
        _ nickname: String, at moment: Moment
    ) throws(ChatError) -> Outcome {
        let before = ownName
        session.nickname = try Nickname.compose(nickname)
        var outcome = commit([session.signPresence(at: moment.wallClock)], at: moment)
        if session.nickname != before.nickname {
            outcome.events += [.renamed(ownName, was: before)] + roster.setOwnNickname(session.nickname)
        }
        return outcome
    }

    /// Changes the own state to away or here.
    ///
    /// - Parameter reason: a result of `AwayReason.compose`; nil for none.
    package mutating func setAway(
        _ isAway: Bool, reason: String? = nil, at moment: Moment
    ) -> Outcome {
        let before = session.status
        session.state = isAway ? .away : .here
        session.awayReason = isAway ? reason : nil
        return commitStatus(was: before, at: moment)
    }

    private mutating func commitStatus(was before: OwnStatus, at moment: Moment) -> Outcome {
        var outcome = commit([session.signPresence(at: moment.wallClock)], at: moment)
        if session.status != before { outcome.events.append(.status(session.status, was: before)) }
        return outcome
    }

    /// Lets bridges publish the user from now on, or not.
    package mutating func setConsent(
        _ consents: Bool, at moment: Moment
    ) -> Outcome {
        guard session.bridging.consents != consents else { return Outcome() }
        session.bridging.consents = consents
        let elsewhere = roster.elsewhere
        if !consents { paths.lose { elsewhere.contains($0) } }
        return commit([session.signPresence(at: moment.wallClock)], at: moment)
    }

    /// Composes a typing payload. Nil if the peer must not know.
    package mutating func composeTyping(
        _ isOn: Bool, in conversation: Conversation, at moment: Moment
    ) -> Outgoing? {
        switch conversation {
        case .publicRoom:
            return Outgoing(
                payload: session.sign(.typing(target: nil, isOn: isOn), at: moment.wallClock), destination: .everyone)
        case .direct(let peer):
            guard directChats[peer]?.state == .accepted, roster.isOnline(peer) else { return nil }
            return Outgoing(
                payload: session.sign(.typing(target: peer, isOn: isOn), at: moment.wallClock), destination: .peer(peer)
            )
        }
    }

    /// Routes own payloads and sends them to all peers.
    private mutating func commit(_ payloads: [VerifiedPayload], at moment: Moment) -> Outcome {
        var outcome = Outcome()
        for payload in payloads {
            outcome.events += route(payload, at: moment)
            outcome.outgoing.append(Outgoing(payload: payload, destination: .everyone))
        }
        return outcome
    }

    /// Whether any view of the user shows a conversation.
    func isShown(_ conversation: Conversation) -> Bool {
        watched.contains(conversation) || isOpen(conversation)
    }

    /// Whether commands act in a conversation, and its view shows it.
    func isOpen(_ conversation: Conversation) -> Bool { isLooking && activeConversation == conversation }

    private mutating func updateActive(_ conversation: Conversation) {
        let isActive = isShown(conversation)
        switch conversation {
        case .publicRoom: publicChat.isActive = isActive
        case .direct(let peer):
            directChats.updateOrCreate(peer) { $0.isActive = isActive }
            recordWaiting(for: peer)
        }
    }
}

/// Edits and deletions of own messages.
extension MessageRouter {
    /// Edits an own message: the last one of a conversation, or the named one. An action stays one.
    ///
    /// - Parameters:
    ///   - reference: the 32 hexadecimal digits of its id, or at least the first 6 if they are unique.
    ///   - conversation: that of the last message; nil for the active one.
    ///   - isAction: whether the text is what the user does, also if the message was no action.
    package mutating func edit(
        _ reference: String?, of conversation: Conversation? = nil, _ text: String, isAction: Bool = false,
        at moment: Moment
    ) throws(ChatError) -> Outcome {
        let (target, holder) = try ownMessage(reference, of: conversation)
        var text = try Text.compose(text)
        let message = history(holder.map { .direct($0) } ?? .publicRoom).last { $0.id == target }
        if let message, isAction || ActionText.of(message.content, by: message.senderNickname) != nil,
            ActionText.of(text, by: message.senderNickname) == nil
        {
            text = try Text.compose(ActionText.text(text, by: message.senderNickname))
        }
        let payload = session.sign(.edit(to: holder, target: target, text: text), at: moment.wallClock)
        return commit(payload, with: holder, at: moment)
    }

    /// Deletes an own message, named as in `edit`.
    package mutating func delete(
        _ reference: String?, of conversation: Conversation? = nil, at moment: Moment
    ) throws(ChatError) -> Outcome {
        let (target, holder) = try ownMessage(reference, of: conversation)
        let payload = session.sign(.delete(to: holder, target: target), at: moment.wallClock)
        return commit(payload, with: holder, at: moment)
    }

    private mutating func commit(
        _ change: VerifiedPayload, with holder: PeerID?, at moment: Moment
    ) -> Outcome {
        guard let holder else { return commit([change], at: moment) }
        return commit([change], to: holder, at: moment)
    }
}

/// Reactions and cards of the user.
extension MessageRouter {
    /// Changes the user's reactions to a message that is kept.
    ///
    /// - Parameters:
    ///   - reference: the id of the message, as in `message(_:in:)`.
    ///   - conversation: that of the message; nil for the active one.
    package mutating func react(
        _ reference: String, of conversation: Conversation? = nil, _ change: ReactionChange, at moment: Moment
    ) throws(ChatError) -> Outcome {
        let conversation = conversation ?? activeConversation
        let target = try message(reference, in: conversation)
        guard log(conversation)?.messages.contains(id: target) == true else {
            throw ChatError(.unknownMessage, .unknownReference, "0")
        }
        let holder: PeerID? = if case .direct(let peer) = conversation { peer } else { nil }
        if let holder {
            guard isAccepted(holder) else { throw ChatError(.notAccepted, .conversationOver) }
            try checkNotBlocked(holder)
        }
        let before = log(conversation)?.reactions.emojis(of: me, on: target) ?? []
        let emojis = try change.applied(to: before)
        guard emojis != before else { return Outcome() }
        let payload = session.sign(.reaction(to: holder, target: target, emojis: emojis), at: moment.wallClock)
        return commit(payload, with: holder, at: moment)
    }

    /// Puts a card on the notice board of the room.
    package mutating func post(
        title: String, text: String, color: CardColor, at moment: Moment
    ) throws(ChatError) -> Outcome {
        let card = try CardContent(composing: title, text: text, color: color)
        return commit([publicChat.sign(card, in: &session, at: moment.wallClock)], at: moment)
    }

    /// Takes an own card down.
    ///
    /// - Parameter reference: at least the first 6 digits of its id; nil for the last one put up.
    package mutating func removeCard(_ reference: String?, at moment: Moment) throws(ChatError) -> Outcome {
        let own = publicChat.board.cards.filter { $0.author == me }
        let target: MessageID
        if let reference {
            let digits = reference.lowercased()
            let matches = own.filter { $0.id.hexadecimal.hasPrefix(digits) }
            guard digits.utf8.count >= MessageRouter.shortestReference, let match = matches.first, matches.count == 1
            else { throw ChatError(.unknownCard, .manyCards, "\(matches.count)") }
            target = match.id
        } else {
            guard let last = own.last else { throw ChatError(.unknownCard, .noOwnCard) }
            target = last.id
        }
        return commit([session.sign(.delete(target: target), at: moment.wallClock)], at: moment)
    }
}

/// Delivery of direct messages: retransmission and receipts (Protocol.md section 8).
extension MessageRouter {
    /// Records that frames can be sent on a link to the peer: messages that it has not acknowledged are sent again, and those that
    /// were said meanwhile.
    package mutating func linkReady(_ peer: PeerID) {
        let owesAcceptance = directChats.update(peer) { $0.linkReady() }
        if owesAcceptance == true { replies.add(.acceptance, to: peer) }
        recordWaiting(for: peer)
    }

    /// A peer without a link is here: what it has not acknowledged is sent to it again.
    package mutating func resendUnacknowledged(to peer: PeerID) {
        if !roster.isOnline(peer), isUnacknowledged(by: peer) { linkReady(peer) }
    }

    /// Notes that a neighbour can pass sealed payloads on to a peer. The first path counts as a link.
    package mutating func pathNoted(to peer: PeerID, via neighbour: PeerID) {
        let isFirst = paths[peer].isEmpty
        paths.record(peer, via: neighbour)
        if isFirst, !roster.isOnline(peer) { linkReady(peer) }
    }

    /// True if `takeAnswers` or `takeBacklogs` may have payloads to send.
    package var hasReplies: Bool { !replies.isEmpty }

    /// The peers that an automatic answer or a receipt waits for, and that something can be sent to.
    package var peersOwedAnswers: Set<PeerID> { replies.owed.filter { isReachable($0) } }

    /// Makes the automatic answers and the receipts to peers.
    ///
    /// - Parameters:
    ///   - peers: of `peersOwedAnswers`.
    ///   - count: the ids in receipts to each peer; the others wait.
    package mutating func takeAnswers(
        to peers: Set<PeerID>, atMost count: Int = .max, at moment: Moment
    ) -> [Outgoing] {
        replies.takeAnswers(to: peers, atMost: count, from: &directChats, in: &session, at: moment)
    }

    /// Takes the messages that were not sent on the present links, as far as the rate allows. Drops automatic answers to peers that
    /// nothing can be sent to.
    package mutating func takeBacklogs(at moment: Moment) -> [Outgoing] {
        let reachable = replies.peers.filter { isReachable($0) }
        replies.keepAnswers(to: reachable)
        return replies.takeBacklogs(for: reachable, from: &directChats, rate: pace, now: moment.instant)
    }

    /// Gives up all messages without a receipt: the user leaves.
    package mutating func giveUp() -> [NodeEvent] {
        directChats.giveUp().map { .failed(with: name(of: $0.peer), messages: $0.messages) }
    }

    /// Routes own payloads, queues them until the peer acknowledges them, and sends those that may be sent now.
    private mutating func commit(
        _ payloads: [VerifiedPayload], to peer: PeerID, at moment: Moment
    ) -> Outcome {
        let isLinked = isReachable(peer)
        var outcome = Outcome()
        for payload in payloads {
            outcome.events += route(payload, at: moment)
            if payload.type == .dmAccept, !isLinked { _ = directChats.update(peer) { $0.owesAcceptance = true } }
            guard
                let (isSent, lost) = directChats.update(
                    peer, { $0.post(payload.payload, as: payload, isLinked: isLinked) })
            else { continue }
            if !lost.isEmpty { outcome.events.append(.failed(with: name(of: peer), messages: lost)) }
            if isSent, isLinked { outcome.outgoing.append(Outgoing(payload: payload, destination: .peer(peer))) }
        }
        recordWaiting(for: peer)
        return outcome
    }

    /// Takes what a hidden peer changes in what is kept, so that it is right when the peer is shown again and when it is handed on.
    ///
    /// A text is not kept. A direct payload of a muted peer is acknowledged, so that muting stays secret.
    private mutating func receiveHidden(_ arrival: borrowing Arrival, into events: inout [NodeEvent]) {
        let payload = arrival.payload
        switch payload.body {
        case .edit(let receiver, let target, let text) where !roster.isBlocked(arrival.author):
            acknowledgeChange(to: receiver, arrival)
            holdBack(MessageChange(.edit(text: text), of: target, by: arrival.verified), arrival, into: &events)
        case .edit, .delete, .reaction, .card:
            if !payload.isDirect || !roster.isBlocked(arrival.author) { receive(arrival, into: &events) }
        case .publicMessage:
            publicChat.recordFinal(arrival.verified)
        case .directMessage(let target, _, _, _), .invitation(let target, secret: _, room: _):
            guard !roster.isBlocked(arrival.author), let peer = counterpart(in: arrival, target: target) else { return }
            receiveSilently(payload.messageId, from: peer)
        case .presence, .typing, .dmRequest, .dmAccept, .dmDecline, .dmLeave, .delivered, .read:
            return
        }
    }

    /// Keeps an edit of a muted author, for others and until it is muted no more: the message stays as it was read.
    private mutating func holdBack(
        _ edit: MessageChange, _ arrival: borrowing Arrival, into events: inout [NodeEvent]
    ) {
        let conversation: Conversation = edit.isDirect ? .direct(edit.author) : .publicRoom
        guard let message = log(conversation)?.messages[id: edit.target], message.author == edit.author else {
            return apply(edit, isHistory: arrival.isHistory, into: &events)
        }
        if !edit.isDirect { publicChat.keepEdit(edit) }
        pendingChanges.hold(edit, from: givers.giver(of: edit.source))
    }

    /// Shows the edits of a peer that is hidden no more.
    private mutating func takeEdits(by peer: PeerID, into events: inout [NodeEvent]) {
        guard !pendingChanges.isEmpty else { return }
        for conversation in [Conversation.publicRoom, .direct(peer)] {
            for message in log(conversation)?.messages.filter({ $0.author == peer }) ?? [] {
                guard let change = pendingChanges.takeChange(for: message.id, by: peer) else { continue }
                apply(change, into: &events)
            }
        }
    }

    /// Acknowledges a change of a direct message. The message need not be here: one that its author deleted before
    /// sending it never comes.
    private mutating func acknowledgeChange(to receiver: PeerID?, _ arrival: borrowing Arrival) {
        guard arrival.author != me, let peer = counterpart(in: arrival, target: receiver) else { return }
        receiveSilently(arrival.payload.messageId, from: peer)
    }

    private mutating func receiveSilently(_ id: MessageID, from peer: PeerID) {
        _ = directChats.update(peer) { $0.receiveSilently(id) }
        recordWaiting(for: peer)
    }

    private mutating func recordWaiting(for peer: PeerID) {
        if let chat = directChats[peer] { replies.recordWaiting(in: chat) }
    }
}

/// Changes that do not come from payloads.
extension MessageRouter {
    /// Hides a peer's payloads, or shows them again. The peer does not learn it.
    package mutating func setMuted(_ peer: PeerID, _ isMuted: Bool) -> [NodeEvent] {
        let (before, wasHidden) = (roster.isMuted(peer), roster.isHidden(peer))
        roster.setMuted(peer, isMuted)
        let marked = roster.isMuted(peer) == before ? nil : roster.marked(peer)
        let events = (isMuted ? stopTyping(peer) : []) + [marked].compactMap(\.self)
        return events + changedVisibility(of: peer, wasHidden: wasHidden)
    }

    /// As `setMuted`. The caller refuses a blocked peer's links too, and messages to it are given up.
    package mutating func setBlocked(_ peer: PeerID, _ isBlocked: Bool) -> [NodeEvent] {
        let (before, wasHidden) = (roster.isBlocked(peer), roster.isHidden(peer))
        roster.setBlocked(peer, isBlocked)
        directChats.recordChange(with: peer)
        return before == isBlocked ? [] : blockChanged(peer, isBlocked, wasHidden: wasHidden)
    }

    private mutating func blockChanged(_ peer: PeerID, _ isBlocked: Bool, wasHidden: Bool) -> [NodeEvent] {
        let who = name(of: peer)
        let changed = changedVisibility(of: peer, wasHidden: wasHidden)
        guard isBlocked else { return [.blocked(who, isOn: false)] + changed }
        roster.forgetTexts(of: peer)
        publicChat.readAll(of: peer)
        let lost = directChats.update(peer) { chat in
            chat.readAll(of: peer)
            return chat.giveUp()
        }
        return stopTyping(peer) + failed(lost, with: peer) + changed + [.blocked(who, isOn: true)]
    }

    /// The reactions and cards of a peer that count no more, as it is hidden now, or count again with the edits that were held back.
    private mutating func changedVisibility(of peer: PeerID, wasHidden: Bool) -> [NodeEvent] {
        let isHidden = roster.isHidden(peer)
        guard isHidden != wasHidden else { return [] }
        var events: [NodeEvent] = []
        for conversation in [Conversation.publicRoom, .direct(peer)] {
            let reactions = log(conversation)?.reactions
            for message in reactions?.messages(of: peer).sorted(by: { $0.words < $1.words }) ?? [] {
                let emojis = isHidden ? [] : reactions?.emojis(of: peer, on: message) ?? []
                report(emojis, by: peer, on: message, in: conversation, nil, into: &events)
            }
        }
        for card in publicChat.board.cards where card.author == peer {
            events.append(isHidden ? .cardRemoved(view(card), .hidden) : .card(view(card).asShownAgain))
        }
        if !isHidden { takeEdits(by: peer, into: &events) }
        return events
    }

    /// The peers of accepted direct conversations, to be remembered for later runs, the one used last at the end; nil if they
    /// are the same as at the last call. A blocked peer is not among them.
    package mutating func takeAcceptedChange() -> [PeerID]? {
        guard directChats.takeChange() else { return nil }
        return directChats.accepted.filter { !roster.isBlocked($0) }
    }

    /// Notes that the user compared the peer's code. No peer learns it.
    @discardableResult
    package mutating func setVerified(_ peer: PeerID, _ isVerified: Bool) -> [NodeEvent] {
        let before = roster.marks.verified.contains(peer)
        roster.setVerified(peer, isVerified)
        guard roster.marks.verified.contains(peer) != before else { return [] }
        return [roster.marked(peer)].compactMap(\.self)
    }

    /// Takes over marks that were set in another room of the same identity.
    ///
    /// - Returns: the events of the peers whose marks are others, and those that are blocked now or no longer.
    package mutating func adopt(_ marks: PeerMarks) -> (events: [NodeEvent], blocked: [PeerID], admitted: [PeerID]) {
        let before = Set(roster.marks.blocked.inOrder)
        let after = marks.blocked.inOrder.filter { $0 != me }
        let blocked = after.filter { !before.contains($0) }
        let admitted = roster.marks.blocked.inOrder.filter { !after.contains($0) }
        let verified = Set(roster.marks.verified.inOrder).symmetricDifference(marks.verified.inOrder)
        let hidden = Set((blocked + admitted).filter { roster.isHidden($0) })
        roster.setMarks(marks)
        for peer in blocked + admitted { directChats.recordChange(with: peer) }
        let events =
            blocked.flatMap { blockChanged($0, true, wasHidden: hidden.contains($0)) }
            + admitted.flatMap { blockChanged($0, false, wasHidden: hidden.contains($0)) }
        return (events + verified.sorted().compactMap { roster.marked($0) }, blocked, admitted)
    }

    @discardableResult
    package mutating func setContacts(_ contacts: [PeerID: String]) -> [NodeEvent] { roster.setContacts(contacts) }

    /// Notes from where a neighbour's link comes; nil for an address that many users share.
    package mutating func setGiver(_ giver: Giver?, of neighbour: PeerID) { givers.set(giver, for: neighbour) }

    /// Notes the first link to a peer.
    package mutating func linkOpened(_ peer: PeerID, at moment: Moment) -> [NodeEvent] {
        roster.linkOpened(peer, at: moment)
    }

    /// Notes the end of the last link to a peer.
    ///
    /// - Parameter staysHere: true if its presence holds without the link, as in a crowd.
    package mutating func linkClosed(
        _ peer: PeerID, _ end: LinkEnd, staysHere: Bool = false, at moment: Moment
    ) -> [NodeEvent] {
        paths.lose(peer)
        replies.removeAnswers(to: peer)
        givers.set(nil, for: peer)
        let lost = directChats.update(peer) { $0.linkClosed() }
        var events = stopTyping(peer) + failed(lost, with: peer)
        events.append(ifPresent: roster.linkClosed(peer, end, staysHere: staysHere, at: moment))
        return events
    }

    /// Notes what the newest presence of a peer says, in a crowd; false for one that left or whose presence has lapsed.
    package mutating func recordPresence(
        of peer: PeerID, isHere: Bool, at moment: Moment
    ) -> [NodeEvent] {
        roster.recordPresence(of: peer, isHere: isHere && !roster.isBlocked(peer), at: moment)
    }

    package mutating func takeMovements() -> Movements { roster.takeMovements() }

    /// When `tick` has something to do; nil for never.
    package var nextDeadline: Instant? {
        Instant.earlier(
            Instant.earlier(
                Instant.earlier(typing.nextDeadline, roster.nextDeadline), replies.nextDeadline(in: directChats)),
            Instant.earlier(pendingReactions.nextDeadline, publicChat.board.nextDeadline))
    }

    /// Does what is due. Then there may be replies to send (`hasReplies`).
    package mutating func tick(_ now: Instant) -> [NodeEvent] {
        pendingReactions.expire(now)
        var events = roster.tick(now)
        for card in publicChat.takeExpiredCards(now) { reportRemoval(of: card, .expired, into: &events) }
        return events + typing.tick(now).map { .typing(name(of: $0.peer), view($0.conversation), isOn: false) }
    }
}

/// Public history (Protocol.md section 7).
extension MessageRouter {
    /// Checks the signature of a kept payload before it is sent to a peer.
    ///
    /// - Parameter id: the first 8 bytes of its id.
    package mutating func verifySignature(of id: UInt64, with admission: inout Admission) -> SignatureCheck {
        publicChat.verifySignature(of: id) { admission.verifySignature(of: $0) }
    }

    /// Hands over the payloads that the public conversation kept since the last call, if any.
    package mutating func drainArchived(_ take: ([Archive.Item]) -> Void) { publicChat.drainItems(take) }

    /// Notes that a payload from history was refused: it is never asked for again.
    package mutating func recordFinal(_ id: UInt64) { publicChat.recordFinal(id) }
}

extension Limits {
    /// Since its last presence, after which an author in another network is gone: three renewals, so that one lost
    /// presence removes no author. A longer one lists authors for longer that left with their bridge; a shorter one
    /// makes authors come and go.
    static let bridgedPresenceTime = Duration.seconds(180)
}
