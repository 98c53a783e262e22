import Chat
import ChatNode
import Simulator
import Wire

/// One life in a fuzzed room, from start to end: the reports of its node, and a model of it too simple to be wrong.
final class InteractionWitness {
    let number: Int
    let seat: Int
    let peer: SimulatedPeer
    private(set) var breaches: [String] = []

    /// Every message reported, by its id: its current text, or nil once it was deleted.
    private(set) var shown: [MessageID: String?] = [:]
    /// Its own messages, the last one last.
    private(set) var own: [MessageID] = []
    /// The public messages, in the order of the reports.
    private(set) var publicOrder: [MessageID] = []
    private(set) var directTexts: [PeerID: [String]] = [:]
    private(set) var requestTexts: [PeerID: [String]] = [:]
    /// The latest reported reactions of each public message, and the cards that are up.
    private var reactions: [MessageID: [ReactionCount]] = [:]
    private var cards: Set<MessageID> = []
    private var unread: [Conversation: Set<MessageID>] = [:]
    /// The receiver of texts; it is looked at unless a conversation of another room is.
    private(set) var active = Conversation.publicRoom
    private var isLooking = true
    private var eventsRead = 0

    init(number: Int, seat: Int, peer: SimulatedPeer) {
        self.number = number
        self.seat = seat
        self.peer = peer
    }

    func open(_ conversation: Conversation) {
        catchUp()
        peer.open(conversation)
        (active, isLooking) = (conversation, true)
        unread[conversation] = []
    }

    /// The user opens a conversation of another room.
    func lookAway() {
        catchUp()
        peer.with { node in node.change(.lookAway) }
        (active, isLooking) = (.publicRoom, false)
    }

    var events: [NodeEvent] { peer.events }

    /// Takes in what the node has told since the last time.
    func catchUp() {
        let events = peer.events
        for event in events[eventsRead...] { note(event) }
        eventsRead = events.count
    }

    /// Compares the unread counts that the node would show with those of the model.
    func compareUnread() {
        catchUp()
        for summary in peer.with({ node in node.chat.summaries }) {
            let conversation = Conversation(summary.conversation)
            let expected = unread.removeValue(forKey: conversation)?.count ?? 0
            if summary.unread != expected { breach("\(conversation): \(summary.unread) unread, not \(expected)") }
        }
        for (conversation, ids) in unread where !ids.isEmpty { breach("\(conversation) is not there") }
    }

    /// The reactions and the cards that the node has, as sentences that two nodes have alike.
    var smallTalk: Set<String> {
        let reacted = publicMessages.flatMap { message in
            message.reactions.map { "\(message.id.hexadecimal) \($0.emoji) \($0.count)" }
        }
        return Set(reacted + peer.with { node in node.chat.board }.map { "card \($0.content.title)" })
    }

    private var publicMessages: [MessageView] { peer.with { node in node.chat.messages(in: .publicRoom) } }

    /// Compares the reactions and the cards of the node with those that it told of.
    func compareSmallTalk() {
        catchUp()
        for message in publicMessages where message.reactions != reactions[message.id] ?? [] {
            breach("\(message.id.hexadecimal) has \(message.reactions), not \(reactions[message.id] ?? [])")
        }
        let board = Set(peer.with { node in node.chat.board }.map(\.id))
        if board != cards { breach("\(board.count) cards are up, not \(cards.count)") }
    }

    func breach(_ text: String) {
        breaches.append("\(seat) (life \(number)): \(text)")
    }

    private func note(_ event: NodeEvent) {
        switch event {
        case .message(let message): note(message)
        case .edited(let message):
            // A request is reported by its text alone; accepted, it is a message with an id.
            let (id, conversation) = (message.id, Conversation(message.conversation))
            let isPublic = conversation == .publicRoom
            if isPublic, !shown.keys.contains(id) { breach("\(id.hexadecimal) was edited and never shown") }
            shown[id] = .some(message.text)
            reactions[id] = message.reactions
            check(message.unread, in: conversation, at: "an edit")
        case .deleted(let message):
            let conversation = Conversation(message.conversation)
            shown[message.id] = .some(nil)
            unread[conversation]?.remove(message.id)
            check(message.unread, in: conversation, at: "a deletion")
        case .reacted(let reaction):
            let message = reaction.message
            if shown[message.id] == .some(nil) { breach("a reaction to \(message.id.hexadecimal), which was deleted") }
            reactions[message.id] = message.reactions
            check(message.unread, in: Conversation(message.conversation), at: "a reaction")
        case .card(let card):
            if !cards.insert(card.id).inserted { breach("card \(card.content.title) was put up twice") }
        case .cardRemoved(let card, _):
            if cards.remove(card.id) == nil { breach("card \(card.id.hexadecimal) was taken down and never put up") }
        case .request(let from, let text):
            requestTexts[from.key, default: []].append(text)
        case .ready, .peer, .renamed, .status, .person, .blocked, .crowd, .elsewhere, .direct, .invitation, .delivered,
            .read, .failed, .typing, .notice, .stopped:
            break
        }
    }

    private func note(_ message: MessageView) {
        let conversation = Conversation(message.conversation)
        if shown.keys.contains(message.id) { breach("\"\(message.text)\" was shown twice") }
        shown[message.id] = message.text
        reactions[message.id] = message.reactions
        if message.isFromCurrentUser { own.append(message.id) }
        switch conversation {
        case .publicRoom: publicOrder.append(message.id)
        case .direct(let other):
            if !message.isFromCurrentUser { directTexts[other, default: []].append(message.text) }
        }
        if !message.isFromCurrentUser, !message.isHistory || message.isMissed, !(isLooking && active == conversation) {
            unread[conversation, default: []].insert(message.id)
        }
        check(message.unread, in: conversation, at: "\"\(message.text)\"")
    }

    private func check(_ count: Int, in conversation: Conversation, at what: String) {
        let expected = unread[conversation]?.count ?? 0
        if count != expected { breach("\(conversation): \(count) unread at \(what), not \(expected)") }
    }
}

extension Conversation {
    init(_ view: ConversationView) {
        switch view {
        case .publicRoom: self = .publicRoom
        case .direct(let who): self = .direct(who.key)
        }
    }
}
