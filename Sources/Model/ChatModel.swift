import Chat
import ChatNode
package import Commands
package import Wire

/// The chat as every face shows it: rooms with their people and conversations, unread counts, and the conversation that each view shows. The
/// only place outside the nodes that keeps a text.
///
/// A value that is reduced from reports in their order. Each reduction appends what it changed, so that a face compares
/// nothing. Bounded: 16 rooms; in each at most 16,384 peers that are here and 64 that left, 256 direct conversations and 32
/// open requests; 100 messages and 256 typing peers in each conversation; 16 cards; 32 invitations and 256 views.
package struct ChatModel: Sendable {
    /// In the order in which they were joined.
    package private(set) var rooms: [ModelRoom] = []
    private var shared = ModelRoom.Shared()
    private var invited = Invitations()

    package init() {}

    /// The rooms to which peers invited the user, the newest at the end.
    package var invitations: [InvitedRoom] { invited.all.map { InvitedRoom(room: $0.room, from: $0.from) } }

    package func room(_ number: Int) -> ModelRoom? { rooms.first { $0.label.number == number } }

    package func conversation(_ id: ConversationID) -> ModelConversation? { room(id.room)?.conversation(id) }

    /// All conversations in the order in which they began.
    package var conversations: [ModelConversation] {
        rooms.flatMap(\.conversations).sorted { $0.order < $1.order }
    }

    /// The number by which the user opens a conversation; nil before the program has given it one.
    package func number(of id: ConversationID) -> Int? {
        room(id.room)?.numbers[id.peer.map(Conversation.direct) ?? .publicRoom]
    }

    package func person(_ key: PeerID, in room: RoomLabel) -> ModelPerson? { self.room(room.number)?.people[key] }

    /// The conversation that a view shows; nil for none.
    package func conversation(of view: ViewID) -> ConversationID? { shared.views.conversation(of: view) }
}

/// Reductions.
extension ChatModel {
    /// Takes a report behind all reports before it.
    ///
    /// - Parameters:
    ///   - moment: when it is taken.
    ///   - changes: gets what it changes, in order.
    package mutating func reduce(_ report: RoomReport, at moment: Moment, into changes: inout [ModelChange]) {
        if let numbers = report.numbers, let index = index(of: report.room, into: &changes) {
            rooms[index].numbers = numbers
        }
        switch report.report {
        case .event(let event): reduce(event, in: report.room, at: moment, into: &changes)
        case .answer(let answer): reduce(answer, in: report.room, into: &changes)
        case .opened(let view, let recent): open(view, recent, in: report.room, into: &changes)
        case .viewed(let conversation, let view):
            show(conversation.map { ConversationID(report.room, $0) }, in: view, into: &changes)
        case .leaving: leave(report.room, into: &changes)
        case .snapshot(let snapshot): take([snapshot], into: &changes)
        case .error, .entered, .listening, .entering: break
        }
    }

    /// As above.
    ///
    /// - Returns: the changes, in order.
    package mutating func reduce(_ report: RoomReport, at moment: Moment) -> [ModelChange] {
        var changes: [ModelChange] = []
        reduce(report, at: moment, into: &changes)
        return changes
    }

    private mutating func reduce(
        _ event: NodeEvent, in label: RoomLabel, at moment: Moment, into changes: inout [ModelChange]
    ) {
        switch event {
        case .stopped: end(label, into: &changes)
        case .invitation(_, _, isThere: true): break
        case .invitation(let from, let room, isThere: false):
            invited.add(room, from: from)
            changes.append(.invitations)
        case .ready, .peer, .renamed, .status, .person, .blocked, .crowd, .elsewhere, .message, .request, .direct,
            .edited, .deleted, .reacted, .card, .cardRemoved, .delivered, .read, .failed, .typing, .notice:
            if case .blocked(let who, isOn: true) = event, invited.remove(of: who.key) { changes.append(.invitations) }
            guard let index = index(of: label, into: &changes) else { return }
            rooms[index].reduce(event, at: moment, &shared, into: &changes)
        }
    }

    /// Takes a snapshot of some rooms, which says what events leave out. A room that is not known begins.
    package mutating func take(_ snapshots: [RoomSnapshot], into changes: inout [ModelChange]) {
        for snapshot in snapshots {
            let overview = snapshot.overview
            guard let index = index(of: overview.room, opens: false, into: &changes) else { continue }
            rooms[index].take(snapshot, &shared, into: &changes)
            let shown = conversation(of: .shared)
            guard overview.isOpen, shown == nil || shown?.room == overview.room.number else { continue }
            let open = overview.conversations.first(where: \.isOpen)
            show(open.map { ConversationID(overview.room, $0.conversation) }, in: .shared, into: &changes)
        }
    }

    /// Takes the open invitations of the program.
    package mutating func take(_ invitations: [InvitedRoom], into changes: inout [ModelChange]) {
        var list = Invitations()
        for invitation in invitations { list.add(invitation.room, from: invitation.from) }
        guard list.all.map(\.room) != invited.all.map(\.room) else { return }
        invited = list
        changes.append(.invitations)
    }

    /// A view shows another conversation; with nil none, or it is over.
    package mutating func show(_ id: ConversationID?, in view: ViewID, into changes: inout [ModelChange]) {
        for changed in shared.views.set(view, to: id) {
            let isOn = shared.views.isActive(changed)
            guard let index = rooms.firstIndex(where: { $0.label.number == changed.room }) else { continue }
            rooms[index].setActive(changed, isOn, &shared, into: &changes)
        }
    }

    /// The room of a label, which begins with its first event; nil if there are too many.
    ///
    /// - Parameter opens: whether the first room of the program is shown at once; a snapshot says which one is.
    private mutating func index(
        of label: RoomLabel, opens: Bool = true, into changes: inout [ModelChange]
    ) -> Int? {
        if let index = rooms.firstIndex(where: { $0.label.number == label.number }) { return index }
        guard rooms.count < Limits.rooms else { return nil }
        rooms.append(ModelRoom(label, &shared))
        changes.append(.began(label))
        if opens, rooms.count == 1, conversation(of: .shared) == nil {
            show(ConversationID(label, .publicRoom), in: .shared, into: &changes)
        }
        return rooms.count - 1
    }

    private mutating func end(_ label: RoomLabel, into changes: inout [ModelChange]) {
        guard let index = rooms.firstIndex(where: { $0.label.number == label.number }) else { return }
        let room = rooms.remove(at: index)
        for card in room.board { changes.append(.board(label, card, isUp: false)) }
        for conversation in room.conversations {
            for (place, message) in conversation.log.messages.enumerated().reversed() {
                changes.append(.removed(conversation.id, message, at: place))
            }
        }
        shared.views.remove(room: label.number)
        changes.append(.ended(label))
        changes.append(.erased(.room(label.number)))
    }
}

/// Answers of commands that change the chat without an event.
extension ChatModel {
    private mutating func reduce(_ answer: Answer, in label: RoomLabel, into changes: inout [ModelChange]) {
        // A snapshot has what the other commands change.
        switch answer.content {
        case let opening as Opening:
            if let left = opening.left { leave(left, into: &changes) }
            if let recent = opening.recent { open(opening.view, recent, in: label, into: &changes) }
        case let list as MessageList where list.wanted == nil:
            change(label) { $0.take(list.messages, of: list.view, &$1, into: &changes) }
        case let list as RoomList:
            for row in list.rooms {
                change(row.room) { room, _ in
                    room.set(isPrivate: row.isPrivate, isBridged: row.isBridged, into: &changes)
                }
            }
            take(list.invitations, into: &changes)
        case is Wiped:
            let ended = rooms.map(\.label)
            self = ChatModel()
            changes += ended.map { .ended($0) } + [.erased(.everything)]
        default: break
        }
    }

    /// A command opened a conversation, with its stored messages.
    private mutating func open(
        _ view: ConversationView, _ recent: [MessageView], in label: RoomLabel, into changes: inout [ModelChange]
    ) {
        guard index(of: label, into: &changes) != nil else { return }
        change(label) { $0.take(recent, of: view, opens: true, &$1, into: &changes) }
        show(ConversationID(label, view), in: .shared, into: &changes)
    }

    /// A room is left: its node says goodbye, and ends it.
    private mutating func leave(_ label: RoomLabel, into changes: inout [ModelChange]) {
        guard let left = room(label.number), !left.isLeaving else { return }
        change(label) { room, _ in room.isLeaving = true }
        changes.append(.changed(label))
    }

    private mutating func change(_ label: RoomLabel, _ body: (inout ModelRoom, inout ModelRoom.Shared) -> Void) {
        guard let index = rooms.firstIndex(where: { $0.label.number == label.number }) else { return }
        body(&rooms[index], &shared)
    }
}
