import TestSupport
import Wire

@testable import Chat
@testable import ChatNode
@testable import Commands
@testable import Model

/// The chat as plain lists, as a reference for `ChatModel`: slow, and without counters, slots or places that are kept.
struct ReferenceChat {
    struct Talk {
        let id: ConversationID
        var view: ConversationView
        var messages: [MessageView] = []
        var unread: Set<MessageID> = []
        /// Unread messages that were let go.
        var lost = 0
        var typists: [PeerName] = []
        var standing = DirectStanding.over
        var request: String?
        var isActive = false

        var isKept: Bool {
            id.peer == nil || isActive || !messages.isEmpty || request != nil || standing == .accepted
        }
    }

    struct Room {
        var me: PeerName?
        var online = 0
        var people: [PeerID: Agreed.Person] = [:]
        var talks: [ConversationID: Talk] = [:]
        var board: [CardView] = []

        mutating func changeAll(_ body: (inout Talk) -> Void) {
            talks = talks.mapValues { talk in
                var talk = talk
                body(&talk)
                return talk
            }
        }
    }

    var rooms: [Int: Room] = [:]
    var views: [ViewID: ConversationID] = [:]

    mutating func show(_ id: ConversationID?, in view: ViewID) {
        views[view] = id
        if let id, let peer = id.peer, rooms[id.room]?.talks[id] == nil {
            let name = rooms[id.room]?.people[peer]?.who ?? PeerName.numbered(0)
            rooms[id.room]?.talks[id] = Talk(id: id, view: .direct(with: name))
        }
        rooms = rooms.mapValues { room in
            var room = room
            room.changeAll { talk in
                talk.isActive = views.values.contains(talk.id)
                if talk.isActive { (talk.unread, talk.lost) = ([], 0) }
            }
            return room
        }
        sweep()
    }

    mutating func take(_ event: NodeEvent, in label: RoomLabel) {
        if case .stopped = event {
            rooms[label.number] = nil
            views = views.filter { $0.value.room != label.number }
            return
        }
        let isNew = rooms[label.number] == nil
        var room = rooms[label.number] ?? Room()
        let own = ConversationID(label, .publicRoom)
        if isNew { room.talks[own] = Talk(id: own, view: .publicRoom) }
        take(event, label, &room)
        rooms[label.number] = room
        if isNew, rooms.count == 1, views[.shared] == nil { show(own, in: .shared) }
        sweep()
    }

    private func take(_ event: NodeEvent, _ label: RoomLabel, _ room: inout Room) {
        switch event {
        case .ready(let me, _, _, _, _), .renamed(let me, _): rename(me, &room)
        case .peer(let state, let who, let reason, _, let online):
            room.online = online
            note(who, state, reason, false, label, &room)
        case .elsewhere(let state, let who, let reason, _): note(who, state, reason, state != .left, label, &room)
        case .message(let message): add(message, label, &room)
        case .edited(let message):
            change(message.conversation, label, &room) { talk in
                guard let index = talk.messages.firstIndex(where: { $0.id == message.id }) else { return }
                (talk.messages[index].text, talk.messages[index].isEdited) = (message.text, true)
            }
        case .deleted(let message):
            change(message.conversation, label, &room) { talk in
                talk.messages.removeAll { $0.id == message.id }
                talk.unread.remove(message.id)
            }
        case .delivered(let who, let ids): set(.delivered, ids, who, label, &room)
        case .read(let who, let ids): set(.read, ids, who, label, &room)
        case .failed(let who, let messages): set(.failed, messages.map(\.id), who, label, &room)
        case .typing(let who, let view, let isOn): setTyping(who, in: view, isOn, label, &room)
        case .request(let who, let text):
            make(.direct(with: who), label, &room)
            settle(.direct(with: who), .requestedByThem, label, &room)
            change(.direct(with: who), label, &room) { $0.request = text }
        case .direct(let change, let who):
            if change == .accepted { make(.direct(with: who), label, &room) }
            settle(.direct(with: who), change == .accepted ? .accepted : .over, label, &room)
        case .blocked(let who, isOn: true): block(who, label, &room)
        case .person(let row): note(row.who, row.state, row.reason, row.isElsewhere, label, &room)
        case .reacted(let reaction): react(reaction, label, &room)
        case .card(let card):
            if room.board.count < 16, !room.board.contains(where: { $0.id == card.id }) {
                room.board = (room.board + [card]).sorted { $0.order < $1.order }
            }
        case .cardRemoved(let card, _): room.board.removeAll { $0.id == card.id }
        case .blocked, .crowd, .status, .invitation, .notice, .stopped: break
        }
    }

    private func react(_ reaction: ReactionEvent, _ label: RoomLabel, _ room: inout Room) {
        change(reaction.message.conversation, label, &room) { talk in
            for index in talk.messages.indices where talk.messages[index].id == reaction.message.id {
                talk.messages[index].reactions = reaction.message.reactions
            }
        }
    }

    private func setTyping(
        _ who: PeerName, in view: ConversationView, _ isOn: Bool, _ label: RoomLabel, _ room: inout Room
    ) {
        if isOn, room.talks[ConversationID(label, view)] == nil {
            make(view, label, &room)
            settle(view, .accepted, label, &room)
        }
        change(view, label, &room) { talk in
            if isOn, talk.typists.contains(where: { $0.key == who.key }) { return }
            talk.typists.removeAll { $0.key == who.key }
            if isOn { talk.typists.append(who) }
        }
    }

    private func rename(_ me: PeerName, _ room: inout Room) {
        room.me = me
        room.changeAll { talk in
            for index in talk.messages.indices where !talk.messages[index].isFromCurrentUser {
                talk.messages[index].mention = Mention(of: me)
            }
        }
    }

    private func note(
        _ who: PeerName, _ state: PresenceState, _ reason: String?, _ isElsewhere: Bool, _ label: RoomLabel,
        _ room: inout Room
    ) {
        var marks = room.people[who.key]?.marks ?? [false, false, false, false]
        marks[3] = isElsewhere
        let isOther = room.people[who.key]?.who != who
        room.people[who.key] = Agreed.Person(who: who, state: state, reason: reason, marks: marks)
        room.changeAll { talk in
            if state == .left { talk.typists.removeAll { $0.key == who.key } }
            if isOther { relabel(who, &talk) }
        }
        for index in room.board.indices where isOther && room.board[index].from.key == who.key {
            room.board[index].from = ReferenceChat.name(room.board[index].from, like: who)
        }
    }

    private func relabel(_ who: PeerName, _ talk: inout Talk) {
        if talk.id.peer == who.key { talk.view = .direct(with: who) }
        for index in talk.typists.indices where talk.typists[index].key == who.key { talk.typists[index] = who }
        for index in talk.messages.indices {
            if talk.id.peer == who.key { talk.messages[index].conversation = .direct(with: who) }
            let from = talk.messages[index].from
            guard from.key == who.key else { continue }
            talk.messages[index].from = ReferenceChat.name(from, like: who)
        }
    }

    private static func name(_ from: PeerName, like who: PeerName) -> PeerName {
        PeerName(
            number: who.number, suffix: who.suffix, isTwin: who.isTwin, nickname: from.nickname, stage: from.stage,
            key: who.key, contact: who.contact, isAlike: from.nickname == who.nickname ? who.isAlike : from.isAlike)
    }

    private func add(_ message: MessageView, _ label: RoomLabel, _ room: inout Room) {
        make(message.conversation, label, &room)
        let isKnown = room.talks[ConversationID(label, message.conversation)]?.messages.contains { $0.id == message.id }
        change(message.conversation, label, &room) { talk in
            if !message.isHistory { talk.typists.removeAll { $0.key == message.from.key } }
            guard !talk.messages.contains(where: { $0.id == message.id }) else { return }
            let isNews = !message.isFromCurrentUser && (!message.isHistory || message.isMissed) && !talk.isActive
            ReferenceChat.insert(message, into: &talk.messages)
            if isNews { talk.unread.insert(message.id) }
            guard talk.messages.count > 100, let first = talk.messages.min(by: { $0.place < $1.place }) else { return }
            talk.messages.removeAll { $0.id == first.id }
            guard talk.unread.remove(first.id) != nil else { return }
            if first.id != message.id || !message.isHistory { talk.lost += 1 }
        }
        let standing = message.isRequest ? DirectStanding.requestedByUs : .accepted
        if case .direct = message.conversation, isKnown == false {
            settle(message.conversation, standing, label, &room)
        }
    }

    /// History from before the node came is in front, in the signed order; a missed message is behind the last one that has a
    /// lower place.
    private static func insert(_ message: MessageView, into messages: inout [MessageView]) {
        let before = messages.filter(\.isFromBefore)
        var rest = messages.filter { !$0.isFromBefore }
        if message.isFromBefore {
            messages = (before + [message]).sorted { $0.place.signed < $1.place.signed } + rest
        } else {
            let last = rest.lastIndex { !(message.place < $0.place) }
            rest.insert(message, at: message.isMissed ? last.map { $0 + 1 } ?? 0 : rest.count)
            messages = before + rest
        }
    }

    private func set(
        _ delivery: DeliveryState, _ ids: [MessageID], _ who: PeerName, _ label: RoomLabel, _ room: inout Room
    ) {
        var hasLost = false
        change(.direct(with: who), label, &room) { talk in
            for index in talk.messages.indices where ids.contains(talk.messages[index].id) {
                let before = talk.messages[index].delivery
                guard before?.canBecome(delivery) ?? true else { continue }
                talk.messages[index].delivery = delivery
                if delivery == .failed, talk.messages[index].isRequest { hasLost = true }
            }
        }
        if hasLost { settle(.direct(with: who), .over, label, &room) }
    }

    private func block(_ who: PeerName, _ label: RoomLabel, _ room: inout Room) {
        room.people[who.key] = room.people[who.key].map {
            Agreed.Person(
                who: $0.who, state: $0.state, reason: $0.reason, marks: [$0.marks[0], $0.marks[1], true, $0.marks[3]])
        }
        room.changeAll { talk in
            let gone = Set(talk.messages.filter { $0.from.key == who.key }.map(\.id))
            talk.messages.removeAll { gone.contains($0.id) }
            talk.unread.subtract(gone)
            talk.typists.removeAll { $0.key == who.key }
        }
        let id = ConversationID(label, .direct(with: who))
        if room.talks[id]?.request != nil { settle(.direct(with: who), .over, label, &room) }
    }

    private func settle(
        _ view: ConversationView, _ standing: DirectStanding, _ label: RoomLabel, _ room: inout Room
    ) {
        change(view, label, &room) { talk in
            guard talk.standing != standing else { return }
            if talk.standing == .requestedByUs {
                for index in talk.messages.indices { talk.messages[index].isRequest = false }
            }
            talk.standing = standing
            if standing != .requestedByThem { talk.request = nil }
        }
    }

    private func make(_ view: ConversationView, _ label: RoomLabel, _ room: inout Room) {
        let id = ConversationID(label, view)
        var talk = room.talks[id] ?? Talk(id: id, view: view)
        if case .direct(let who) = view, talk.view != view { relabel(who, &talk) }
        room.talks[id] = talk
    }

    private func change(
        _ view: ConversationView, _ label: RoomLabel, _ room: inout Room, _ body: (inout Talk) -> Void
    ) {
        let id = ConversationID(label, view)
        guard var talk = room.talks[id] else { return }
        body(&talk)
        room.talks[id] = talk
    }

    private mutating func sweep() {
        rooms = rooms.mapValues { room in
            var room = room
            room.talks = room.talks.filter { $0.value.isKept }
            return room
        }
    }
}

extension Agreed {
    /// The reference's state of a room.
    init(_ room: ReferenceChat.Room) {
        (me, online, isBridged, people, board) = (room.me, room.online, false, room.people, room.board)
        talks = room.talks.mapValues { talk in
            let messages = talk.messages.map { message in
                var message = message
                (message.unread, message.isUnread) = (0, talk.unread.contains(message.id))
                return message
            }
            let mentions = messages.count { $0.isUnread && $0.isMention }
            return Talk(
                view: talk.view, messages: messages,
                unread: Unread(
                    messages: talk.unread.count + talk.lost, mentions: mentions, isDirect: talk.id.peer != nil),
                standing: talk.standing, request: talk.request, isActive: talk.isActive)
        }
    }

    /// A snapshot of the room, as the node gives it.
    func snapshot(_ label: RoomLabel) -> RoomSnapshot {
        let ordered = talks.sorted {
            ($0.key.peer == nil ? 0 : 1, $0.key.description) < ($1.key.peer == nil ? 0 : 1, $1.key.description)
        }
        let listed = ordered.filter {
            $0.key.peer == nil || $0.value.isActive || !$0.value.messages.isEmpty || $0.value.standing == .accepted
        }
        let requests = ordered.compactMap { row -> (who: PeerName, text: String)? in
            guard let text = row.value.request, case .direct(let who) = row.value.view else { return nil }
            return (who, text)
        }
        return .of(
            label, me: me ?? .me, isOpen: false, online: online,
            people: people.values.map {
                PeerView(
                    who: $0.who, state: $0.state, since: Timestamp(milliseconds: 0), roundTrip: nil,
                    isMuted: $0.marks[0], isVerified: $0.marks[1], isBlocked: $0.marks[2], reason: $0.reason,
                    isElsewhere: $0.marks[3])
            }, requests: requests, cards: board,
            listed.map { id, talk in
                (
                    ConversationSummary(
                        conversation: talk.view, isActive: talk.isActive, unread: talk.unread.messages,
                        last: talk.messages.last, standing: talk.standing),
                    talk.messages
                )
            })
    }
}
