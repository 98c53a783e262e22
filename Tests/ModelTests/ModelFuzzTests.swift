import Noise
import Testing
import Wire

@testable import Chat
@testable import ChatNode
@testable import Commands
@testable import Model

/// Random events, as nodes could tell them, in two rooms with six peers.
private struct RandomEvents {
    var randomness: Randomness
    private var count: UInt64 = 0
    private var names: [PeerName] = (1...6).map { .numbered($0) }
    /// The user in each room.
    private(set) var me = [PeerName.me, .me]
    private var said: [[MessageView]] = [[], []]
    /// The cards that were put up in each room.
    private var put: [[CardView]] = [[], []]

    init(seed: UInt64) { randomness = .seeded(seed) }

    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &randomness) }

    private mutating func isLucky(_ chances: Int) -> Bool { number(0..<chances) == 0 }

    private mutating func peer() -> PeerName { names[number(0..<names.count)] }

    private mutating func place(_ who: PeerName) -> ConversationView {
        isLucky(4) ? .direct(with: who) : .publicRoom
    }

    mutating func next() -> (room: RoomLabel, event: NodeEvent) {
        let index = isLucky(5) ? 1 : 0
        return ([RoomLabel.kitchen, .garage][index], event(index))
    }

    private mutating func event(_ room: Int) -> NodeEvent {
        let who = peer()
        switch number(0..<46) {
        case 0..<22: return .message(message(room, who))
        case 22, 23:
            guard let old = any(room) else { return .here(who) }
            return .edited(old.edited(to: isLucky(3) ? "me again" : "edit \(count)"))
        case 24, 25: return .deleted(any(room) ?? .said(0))
        case 26: return .delivered(with: who, ids: own(room))
        case 27: return isLucky(2) ? .read(with: who, ids: own(room)) : failure(room, who)
        case 28: return rename(room)
        case 29, 30: return .peer(isLucky(2) ? .away : .here, who, reason: nil, online: number(0..<9))
        case 31: return .left(who, online: number(0..<9))
        case 32: return .elsewhere(isLucky(2) ? .left : .here, who, reason: nil)
        case 33: return .typing(who, place(who), isOn: !isLucky(3))
        case 34: return .request(from: who, text: "may I \(count)?")
        case 35: return .direct([DirectChange.accepted, .declined, .left][number(0..<3)], with: who)
        case 36: return isLucky(3) ? .blocked(who, isOn: true) : .typing(who, .publicRoom, isOn: true)
        case 37: return isLucky(60) ? .stopped(.asked) : .ready(me: me[room], port: 1, room: "x", discovery: .none)
        case 40, 41: return reaction(room, who)
        case 42, 43: return .card(card(room, who))
        case 44:
            guard let card = put[room].randomElement(using: &randomness) else { return .here(who) }
            return .cardRemoved(card, CardEnd.allCases[number(0..<CardEnd.allCases.count)])
        case _: return .message(message(room, who))
        }
    }

    private mutating func reaction(_ room: Int, _ who: PeerName) -> NodeEvent {
        var message = any(room) ?? .said(0)
        message.reactions = (0..<number(0..<4)).map {
            ReactionCount(emoji: ["👍", "🎉", "🍕"][$0], count: 1 + $0, isOwn: false)
        }
        return .reacted(
            ReactionEvent(message: message, by: who, emojis: [], id: nil, isFromCurrentUser: false, isHistory: false))
    }

    private mutating func card(_ room: Int, _ who: PeerName) -> CardView {
        if isLucky(5), let card = put[room].randomElement(using: &randomness) { return card }
        count += 1
        let time = Timestamp(milliseconds: UInt64(number(0..<1_000)))
        let order = SignedOrder(
            time: time, author: who.key, authorClock: AuthorClock(epoch: 1, sequence: count), id: .numbered(count))
        let card = CardView(
            id: .numbered(count), from: who, content: CardContent(title: "\(count)", text: "text", color: .teal),
            sentAt: time, expiresAt: time, isFromCurrentUser: false, isHistory: isLucky(2), order: order)
        put[room].append(card)
        return card
    }

    private mutating func message(_ room: Int, _ who: PeerName) -> MessageView {
        if isLucky(20), let old = any(room) {
            var old = old
            if !old.isFromCurrentUser { old.mention = Mention(of: me[room]) }
            return old
        }
        count += 1
        let place = place(who)
        let isOwn = isLucky(4)
        let kind = place == .publicRoom ? number(0..<6) : 5
        let isDirectOwn = isOwn && place != .publicRoom
        var message = MessageView.said(
            count, by: isOwn ? me[room] : who, isLucky(4) ? "hey me \(count)" : nil, in: place,
            at: UInt64(max(0, Int(count) - (isLucky(3) ? number(0..<200) : 0))), history: kind < 2, missed: kind == 1,
            delivery: isDirectOwn ? .sending : nil, isRequest: isDirectOwn && isLucky(4))
        if !isOwn { message.mention = Mention(of: me[room]) }
        said[room].append(message)
        return message
    }

    private mutating func any(_ room: Int) -> MessageView? {
        said[room].isEmpty ? nil : said[room][max(0, said[room].count - 1 - number(0..<150))]
    }

    private mutating func own(_ room: Int) -> [MessageID] {
        said[room].suffix(40).filter { $0.delivery != nil }.map(\.id)
    }

    private mutating func failure(_ room: Int, _ who: PeerName) -> NodeEvent {
        .failed(with: who, messages: own(room).map { Undelivered(id: $0, text: "") })
    }

    private mutating func rename(_ room: Int) -> NodeEvent {
        if isLucky(4) {
            let was = me[room]
            me[room] = .numbered(900, "me\(number(0..<3))")
            return .renamed(me[room], was: was)
        }
        let index = number(0..<names.count)
        names[index] = .numbered(
            UInt64(index + 1), "name\(number(0..<5))", suffix: isLucky(2) ? 2_000 + number(0..<9) : nil)
        return .here(names[index], online: 3)
    }
}

/// A face that draws by changes alone.
private struct Follower {
    private(set) var texts: [ConversationID: [String]] = [:]
    private(set) var unread: [ConversationID: Unread] = [:]
    private(set) var active: Set<ConversationID> = []
    private(set) var requests: Set<ConversationID> = []

    static func row(_ message: MessageView) -> String {
        "\(message.id.hexadecimal) \(message.text) \(message.isEdited) \(message.delivery?.rawValue ?? "")"
    }

    mutating func follow(_ changes: [ModelChange], of model: ChatModel) {
        for change in changes { follow(change, model) }
    }

    private mutating func follow(_ change: ModelChange, _ model: ChatModel) {
        switch change {
        case .message(let id, let message, at: let place, let evicted):
            if let evicted { texts[id]?.removeAll { $0.hasPrefix(evicted.hexadecimal) } }
            if let place { texts[id, default: []].insert(Follower.row(message), at: place) }
        case .edited(let id, let message, was: _, at: let place):
            guard let place, let before = texts[id]?[place].split(separator: " ").last else { return }
            let delivery = DeliveryState(rawValue: String(before))?.rawValue ?? ""
            texts[id]?[place] = "\(message.id.hexadecimal) \(message.text) true \(delivery)"
        case .removed(let id, _, at: let place): if let place { texts[id]?.remove(at: place) }
        case .delivery(let id, _, let delivery, at: let place):
            guard let place, let row = texts[id]?[place], let end = row.lastIndex(of: " ") else { return }
            texts[id]?[place] = row[...end] + delivery.rawValue
        case .refreshed(let id, came: _, gone: _): texts[id] = model.conversation(id)?.log.messages.map(Follower.row)
        case .conversationEnded(let id): (texts[id], unread[id]) = (nil, nil)
        case .unread(let id, let unread): self.unread[id] = unread
        case .active(let id, let isOn): if isOn { active.insert(id) } else { active.remove(id) }
        case .request(let id, let isOpen): if isOpen { requests.insert(id) } else { requests.remove(id) }
        case .ended(let label):
            texts = texts.filter { $0.key.room != label.number }
            unread = unread.filter { $0.key.room != label.number }
            active = active.filter { $0.room != label.number }
            requests = requests.filter { $0.room != label.number }
        case .began, .changed, .moved, .person, .conversation, .reacted, .board, .typing, .note, .invitations, .erased:
            break
        }
    }

    /// The difference to the model; nil for none.
    func difference(to model: ChatModel) -> String? {
        for conversation in model.conversations {
            let (id, rows) = (conversation.id, conversation.log.messages.map(Follower.row))
            if texts[id] ?? [] != rows { return "\(id) has \(rows) and was drawn as \(texts[id] ?? [])" }
            if (unread[id]?.messages ?? 0) != conversation.unread.messages { return "unread of \(id)" }
            if active.contains(id) != conversation.isActive { return "\(id) is active" }
            if requests.contains(id) != (conversation.request != nil) { return "request of \(id)" }
        }
        let ids = Set(model.conversations.map(\.id))
        let gone = texts.filter { !ids.contains($0.key) && !$0.value.isEmpty }.keys
        return gone.isEmpty && active.isSubset(of: ids) ? nil : "\(gone) and \(active)"
    }
}

@Suite struct ModelFuzzTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `after each of many random events the model is that of the reference, and so is what a face drew`(seed: UInt64)
    {
        var (events, chat, reference, follower) = (
            RandomEvents(seed: seed), WatchedChat(), ReferenceChat(), Follower()
        )
        reference.take(.ready, in: .kitchen)
        reference.take(.ready, in: .garage)
        chat.tell(.ready, in: .garage)
        follower.follow([.active(.kitchen, isOn: true)], of: chat.model)
        for step in 0..<700 {
            let changes: [ModelChange]
            if step % 9 == 8 {
                let view = ViewID(step % 2)
                let id = shownNext(in: chat.model, using: &events.randomness)
                reference.show(id, in: view)
                changes = chat.show(id, in: view)
            } else {
                let (room, event) = events.next()
                reference.take(event, in: room)
                changes = chat.tell(event, in: room)
            }
            follower.follow(changes, of: chat.model)
            let found = differences(chat.model, reference) + [follower.difference(to: chat.model)].compactMap(\.self)
            guard found.isEmpty else {
                return #expect(Bool(false), "step \(step) of seed \(seed): \(found.joined(separator: "\n"))")
            }
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `a snapshot and the rest of the events give the same as all events`(seed: UInt64) {
        var (events, chat) = (RandomEvents(seed: seed), WatchedChat())
        chat.tell(.ready, in: .garage)
        for _ in 0..<400 {
            let (room, event) = events.next()
            chat.tell(event, in: room)
        }
        for (room, me) in zip([RoomLabel.kitchen, .garage], events.me) {
            chat.tell(.ready(me: me, port: 1, room: room.name, discovery: .none), in: room)
        }
        var late = WatchedChat()
        late.model = ChatModel()
        for room in chat.model.rooms { late.take(Agreed(room).snapshot(room.label)) }
        late.show(chat.model.conversation(of: .shared))
        for step in 0..<400 {
            let (room, event) = events.next()
            chat.tell(event, in: room)
            late.tell(event, in: room)
            for room in chat.model.rooms {
                guard let other = late.model.room(room.label.number) else { return #expect(Bool(false), "no room") }
                let found = Agreed(room).differences(to: Agreed(other))
                guard found.isEmpty else {
                    return #expect(Bool(false), "step \(step) of seed \(seed): \(found.joined(separator: "\n"))")
                }
            }
        }
    }

    private func shownNext(in model: ChatModel, using randomness: inout Randomness) -> ConversationID? {
        Bool.random(using: &randomness) ? model.conversations.randomElement(using: &randomness)?.id : nil
    }

    private func differences(_ model: ChatModel, _ reference: ReferenceChat) -> [String] {
        guard Set(model.rooms.map(\.label.number)) == Set(reference.rooms.keys) else { return ["other rooms"] }
        return model.rooms.flatMap { room in
            Agreed(room).differences(to: Agreed(reference.rooms[room.label.number] ?? ReferenceChat.Room()))
                + ((reference.rooms[room.label.number]?.talks.values).map { talks in
                    talks.filter { talk in
                        room.conversation(talk.id)?.typists != talk.typists
                    }.map { "typing in \($0.id)" }
                } ?? [])
        }
    }
}
