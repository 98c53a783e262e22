import Wire

@testable import Chat

/// The events so far, to find an event that contradicts them.
struct ToldModel {
    /// Own messages that a command can name.
    private(set) var ours: [MessageID] = []
    private var deliveries: [MessageID: DeliveryState] = [:]

    mutating func noteOurs(_ payloads: [P2PPayload]) {
        for payload in payloads where payload.content != nil && payload.targetMessage == nil {
            if ours.count < 256 { ours.append(payload.messageId) }
        }
    }

    mutating func note(_ events: [NodeEvent], me: PeerID) {
        for event in events {
            switch event {
            case .message(let message):
                demand(message.unread >= 0, "a negative number of unread messages")
                PayloadRules.check(text: message.text)
            case .edited(let message):
                demand(message.unread >= 0 && message.isEdited, "an edit without its mark or count")
                PayloadRules.check(text: message.text)
            case .deleted(let message): demand(message.unread >= 0, "a negative number of unread messages")
            case .request(let who, let text):
                demand(who.key != me, "a contact request from ourselves")
                PayloadRules.check(text: text)
            case .direct(_, let who): demand(who.key != me, "a conversation with ourselves")
            case .invitation(let who, let room, let isThere):
                demand(who.key != me && !isThere, "an invitation from ourselves")
                PayloadRules.check(room: room.name)
                demand(Room(room.invitation).invitation == room.invitation, "another room than that of the invitation")
            case .delivered(_, let ids): for id in ids { step(id, .delivered) }
            case .read(_, let ids): for id in ids { step(id, .read) }
            case .failed(_, let messages): for message in messages { step(message.id, .failed) }
            case .reacted(let reaction):
                demand(
                    reaction.emojis.count <= Limits.reactionsOfAuthor, "\(reaction.emojis.count) emojis of one author")
                demand(reaction.isFromCurrentUser == (reaction.by.key == me), "a reaction of another user")
            case .card(let card), .cardRemoved(let card, _):
                demand(card.isFromCurrentUser == (card.from.key == me), "a card of another user")
                PayloadRules.check(text: card.content.text)
            case .typing(let who, _, _): demand(who.key != me, "a typing notice of our own")
            case .blocked(let who, _): demand(who.key != me, "a block of ourselves")
            case .person(let row): demand(row.who.key != me, "a mark of ourselves")
            case .status(let status, let was): demand(status != was, "a status that is the same as before")
            case .elsewhere(_, let who, _, _): demand(who.key != me, "ourselves in another network")
            case .peer(_, let who, _, _, let online): demand(online >= 0 && who.key != me, "odd presence")
            case .renamed(let who, let was): demand(who.key == me && was.key == me, "another user has a new name")
            case .ready, .crowd, .notice, .stopped: demand(false, "an event that the router does not make")
            }
        }
    }

    /// A delivery state never goes back, such as from read to delivered.
    private mutating func step(_ id: MessageID, _ next: DeliveryState) {
        demand((deliveries[id] ?? .sending).canBecome(next), "a delivery goes backwards")
        deliveries[id] = next
    }
}

/// The properties that hold after each step.
extension RoomRun {
    func check() {
        check(router.publicChat.messages)
        demand(router.publicChat.unreadCount >= 0, "a negative number of unread messages")
        demand(!router.publicChat.isActive || router.publicChat.unreadCount == 0, "the open room has unread lines")
        let isOnePlace = router.publicChat.isActive == (router.activeConversation == .publicRoom)
        demand(isOnePlace, "two conversations are open, or none")
        let chats = router.directChats.all
        demand(chats.count <= Limits.directConversations, "\(chats.count) direct conversations")
        demand(router.requests.count <= Limits.openRequests, "\(router.requests.count) open requests")
        for chat in chats {
            check(chat.messages)
            demand(!chat.isActive || chat.unreadCount == 0, "the open conversation has unread messages")
            demand(chat.isActive == (router.activeConversation == .direct(chat.peer)), "an inactive chat is open")
            demand(chat.queue.count <= Limits.unacknowledgedPayloads, "\(chat.queue.count) payloads wait")
        }
        checkTables()
    }

    private func check(_ ring: MessageRing) {
        demand(ring.count <= Limits.messagesPerConversation, "\(ring.count) messages")
        demand(Set(ring.map(\.id)).count == ring.count, "a message is kept twice")
        for message in ring { demand(ring[id: message.id]?.id == message.id, "a message is not found by its id") }
    }

    private func checkTables() {
        demand(router.roster.online == linked.count, "\(router.roster.online) online of \(linked.count)")
        demand(router.roster.count <= Limits.knownPeers, "\(router.roster.count) known")
        demand(router.pendingChanges.count <= PendingChanges.capacity, "\(router.pendingChanges.count) changes wait")
        demand(router.replies.answers.count <= 256, "\(router.replies.answers.count) answers wait")
        let offer = router.publicChat.offer
        demand(offer.count <= Limits.offeredPayloads, "an offer of \(offer.count)")
        demand(Set(offer).count == offer.count, "a payload is offered twice")
        for id in offer { demand(router.publicChat.payload(id) != nil, "an offered payload is not kept") }
        let counted = admission.admitted + admission.drops.values.reduce(0, +)
        demand(counted <= judged, "more payloads are counted than were received")
    }
}
