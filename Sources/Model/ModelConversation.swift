package import Chat
import Wire

/// A conversation of the user: its messages, its unread counts, and the peers that type.
package struct ModelConversation: Sendable {
    package let id: ConversationID
    /// Grows in the order in which conversations began.
    let order: Int
    /// With the name of now.
    package private(set) var view: ConversationView
    package private(set) var log = MessageLog()
    /// Of a direct conversation; `over` for the room's own.
    package private(set) var standing = DirectStanding.over
    /// The text of the peer's open request; not made safe for display.
    package private(set) var request: String?
    /// The peers that type, with their names of now.
    package private(set) var typists: [PeerName] = []
    /// Behind its last message.
    package private(set) var note = ConversationNote(number: 1)
    /// Whether a view shows it: then nothing is unread.
    package private(set) var isActive = false
    /// Grows with each use, by which the one to be forgotten is chosen.
    var usedAt: UInt64 = 0
    /// Unread messages that the log evicted: they still count.
    private var unreadEvicted = 0

    init(_ id: ConversationID, order: Int, _ view: ConversationView) {
        (self.id, self.order, self.view) = (id, order, view)
    }

    package var unread: Unread {
        Unread(messages: log.unread + unreadEvicted, mentions: log.mentions, isDirect: id.peer != nil)
    }

    package var last: MessageView? { log.last }

    /// Whether there is a reason to keep it: the room's own has one always.
    var isKept: Bool {
        id.peer == nil || isActive || !log.isEmpty || request != nil || standing == .accepted
    }

    /// - Returns: the unread messages, if their number changed.
    mutating func setActive(_ isActive: Bool) -> Unread? {
        self.isActive = isActive
        guard isActive, unread.messages > 0 else { return nil }
        log.readAll()
        unreadEvicted = 0
        return unread
    }

    /// Adds a message. It counts as unread if no view shows the conversation, and if it is not from before the user came.
    mutating func add(_ message: MessageView) -> MessageLog.Placement {
        var message = message
        message.isUnread = !message.isFromCurrentUser && !message.isFromBefore && !isActive
        let before = log.unread
        let placement = log.insert(message)
        switch placement {
        case .duplicate: return placement
        case .tooOld: if message.isUnread { unreadEvicted += 1 }
        case .kept(let position, _):
            unreadEvicted += before + (message.isUnread ? 1 : 0) - log.unread
            if position == log.count - 1 { note = ConversationNote(number: note.number + 1) }
        }
        if id.peer != nil { set(standing: message.isRequest ? .requestedByUs : .accepted) }
        return placement
    }

    mutating func edit(_ message: MessageView) -> Int? {
        log.update(message.id) { ($0.text, $0.isEdited) = (message.text, true) }
    }

    mutating func react(_ reaction: ReactionEvent) -> Int? {
        log.update(reaction.message.id) { $0.reactions = reaction.message.reactions }
    }

    mutating func remove(_ id: MessageID) -> (message: MessageView, position: Int)? { log.remove(id) }

    /// - Returns: the position of the message; nil if it is not kept or was in that state.
    mutating func set(_ delivery: DeliveryState, of id: MessageID) -> Int? {
        guard let message = log[id], message.delivery.map({ $0.canBecome(delivery) }) ?? true else { return nil }
        let isLostRequest = delivery == .failed && message.isRequest
        let position = log.update(id) { $0.delivery = delivery }
        if isLostRequest { set(standing: .over) }
        return position
    }

    /// - Returns: whether it was another one.
    @discardableResult
    mutating func set(standing: DirectStanding) -> Bool {
        guard id.peer != nil, standing != self.standing else { return false }
        if self.standing == .requestedByUs { log.updateAll { $0.isRequest = false } }
        self.standing = standing
        if standing != .requestedByThem { request = nil }
        return true
    }

    mutating func open(request text: String) {
        set(standing: .requestedByThem)
        request = text
    }

    /// Takes the name of now of a peer: of the conversation with it, of its messages and of its typing.
    ///
    /// - Returns: whether the name of the conversation changed.
    mutating func rename(_ who: PeerName) -> Bool {
        for index in typists.indices where typists[index].key == who.key { typists[index] = who }
        let isPeer = id.peer == who.key && view != .direct(with: who)
        if isPeer { view = .direct(with: who) }
        relabel(who, all: isPeer)
        return isPeer
    }

    private mutating func relabel(_ who: PeerName, all: Bool) {
        let view = view
        let isOther = log.contains(where: { all || ($0.from.key == who.key && !$0.from.hasLabel(of: who)) })
        guard isOther else { return }
        log.updateAll { message in
            if all { message.conversation = view }
            if message.from.key == who.key { message.from = message.from.renamed(like: who) }
        }
    }

    mutating func fold<Result>(_ change: (inout ConversationNote) -> Result) -> Result { change(&note) }

    /// The user has another name: other texts name the user now.
    mutating func setMention(_ mention: Mention) {
        log.updateAll { if !$0.isFromCurrentUser { $0.mention = mention } }
    }

    /// Takes the messages that the node has.
    ///
    /// - Parameter unread: how many of them, and of evicted ones, are unread; nil if that stays.
    /// - Returns: the change, if they are others.
    mutating func take(_ messages: [MessageView], unread: Int? = nil) -> ModelChange? {
        let before = (log.messages, self.unread)
        log = MessageLog(
            messages.map { message in
                var message = message
                message.isUnread = message.isUnread && !isActive
                return message
            })
        if let unread { unreadEvicted = isActive ? 0 : max(0, unread - log.unread) }
        return before.1 == self.unread && before.0 == log.messages ? nil : refreshed(since: before.0)
    }

    private func refreshed(since before: [MessageView]) -> ModelChange {
        let (old, new) = (Set(before.map(\.id)), Set(log.messages.map(\.id)))
        return .refreshed(
            id, came: log.messages.filter { !old.contains($0.id) }, gone: before.filter { !new.contains($0.id) })
    }

    /// - Returns: whether the peers that type are others.
    mutating func setTyping(_ who: PeerName, isOn: Bool) -> Bool {
        let index = typists.firstIndex { $0.key == who.key }
        guard isOn else {
            if let index { typists.remove(at: index) }
            return index != nil
        }
        guard index == nil, typists.count < Limits.typingPeers else { return false }
        typists.append(who)
        return true
    }

    /// The node does not have it any more.
    ///
    /// - Returns: the change, if it had messages.
    mutating func forget() -> ModelChange? {
        let before = log.messages
        set(standing: .over)
        (log, unreadEvicted) = (MessageLog(), 0)
        return before.isEmpty ? nil : refreshed(since: before)
    }
}
