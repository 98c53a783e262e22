import Chat
import ChatNode
import Commands
import Hub
import Model
import Rendering
import Wire

/// A snapshot that is written in parts of a bounded size, each when its client can take it (Docs/Web.md, section 4).
struct SnapshotParts: HubSnapshot {
    /// A part ends with the element that reaches so many bytes.
    static let size = 65_536

    private enum Element {
        /// Rooms and requests, with the name of their list, as JSON.
        case row(String, [UInt8], EventTopic?)
        case person(PeerView, RoomLabel)
        case invitation(InvitedRoom)
        /// A conversation without its last message and its messages.
        case conversation(ConversationID, [UInt8])
        case last(MessageView?, RoomLabel)
        case message(MessageView, RoomLabel)
        case card(CardView, RoomLabel)

        /// Whether Server-Sent Events have it.
        var hasEvent: Bool {
            switch self {
            case .message, .card: true
            case .row, .person, .invitation, .conversation, .last: false
            }
        }
    }

    private static let lists = ["rooms", "people", "requests", "invitations", "colors", "cards"]

    private var elements: [Element] = []
    /// The first element that is not written.
    private var place = 0
    private var number = 0
    /// The id of the last event in front of it.
    private let seq: String
    private let form: EventLog.Form
    private var isOver = false

    /// - Parameter people: the peers of each room, as its node has them.
    init(
        _ model: ChatModel, people: [(room: RoomLabel, peers: [PeerView])], _ invitations: [InvitedRoom],
        _ colors: AuthorColors, seq: String, as form: EventLog.Form
    ) {
        (self.seq, self.form) = (seq, form)
        let rooms = model.presentRooms
        for room in rooms { elements.append(.row("rooms", WebJSON.object { $0.members(ofRoom: room) }, nil)) }
        for row in colors.all { elements.append(.row("colors", WebJSON.color(of: row), nil)) }
        for invitation in invitations { elements.append(.invitation(invitation)) }
        for (room, peers) in people {
            for peer in peers { elements.append(.person(peer, room)) }
        }
        for room in rooms {
            for request in room.requests {
                let topic = EventTopic(RoomReport(room.label, .event(.request(from: request.who, text: ""))))
                elements.append(.row("requests", WebJSON.request(request, in: room.label), topic))
            }
        }
        for room in rooms { elements += room.board.map { .card($0, room.label) } }
        for room in rooms { for conversation in room.conversations { append(conversation, in: room) } }
    }

    private mutating func append(_ conversation: ModelConversation, in room: ModelRoom) {
        elements.append(
            .conversation(conversation.id, WebJSON.object { $0.members(ofHead: conversation, in: room) }))
        elements.append(.last(conversation.last, room.label))
        elements += conversation.log.messages.map { .message($0, room.label) }
    }

    mutating func erase(_ erasure: Erasure) {
        elements = elements[place...].compactMap { element in
            switch element {
            case .row(_, _, let topic?): erasure.takes(topic) ? nil : element
            case .person(let peer, let room): .person(erasure.left(of: peer, in: room), room)
            case .invitation(let invitation): erasure.takes(invitation) ? nil : element
            case .last(let message?, let room):
                erasure.takes(EventTopic(message, in: room)) ? .last(nil, room) : element
            case .message(let message, let room): erasure.takes(EventTopic(message, in: room)) ? nil : element
            case .card(let card, let room):
                erasure.takes(EventTopic(RoomReport(room, .event(.card(card))))) ? nil : element
            case .row, .conversation, .last: element
            }
        }
        place = 0
    }

    /// Gives a message its present text.
    mutating func change(_ topic: EventTopic, to text: String) {
        let changed = { (message: MessageView, room: RoomLabel) -> MessageView in
            guard EventTopic(message, in: room).message == topic.message else { return message }
            var message = message
            (message.text, message.isEdited) = (text, true)
            return message
        }
        elements = elements[place...].map { element in
            switch element {
            case .last(let message?, let room): .last(changed(message, room), room)
            case .message(let message, let room): .message(changed(message, room), room)
            case .row, .person, .invitation, .conversation, .last, .card: element
            }
        }
        place = 0
    }

    /// The next part; nil behind the last one.
    mutating func next() -> [UInt8]? {
        guard !isOver else { return nil }
        switch form {
        case .json: return nextObject()
        case .serverSent:
            let events = nextEvents()
            return events.isEmpty ? nil : events
        }
    }

    /// An object with lists: those of all parts, one behind the other, are the snapshot. A conversation whose messages did not fit
    /// is there again, with its id and further messages.
    private mutating func nextObject() -> [UInt8] {
        var rows: [String: [[UInt8]]] = [:]
        var conversations: [(head: [UInt8], messages: [[UInt8]])] = []
        var size = 0
        func add(_ row: [UInt8], to list: String) {
            rows[list, default: []].append(row)
            size += row.count
        }
        if case .message(let message, let room)? = elements[place...].first {
            let id = ConversationID(room, message.conversation)
            conversations.append((WebJSON.object { $0.member("id", "\(id)") }, []))
        }
        while size < SnapshotParts.size, place < elements.count {
            switch elements[place] {
            case .row(let list, let row, _): add(row, to: list)
            case .invitation(let invitation): add(WebJSON.invitation(invitation), to: "invitations")
            case .person(let peer, let room): add(WebJSON.person(peer, in: room), to: "people")
            case .card(let card, let room): add(WebJSON.card(card, in: room), to: "cards")
            case .conversation(_, let head):
                conversations.append((head, []))
                size += head.count
            case .last(let message, let room):
                let member = WebJSON.object { $0.last(message, in: room) }
                let head = conversations.popLast()?.head ?? [UInt8(ascii: "{"), UInt8(ascii: "}")]
                conversations.append((SnapshotParts.joined(head, member), []))
                size += member.count
            case .message(let message, let room):
                let row = WebJSON.object { $0.members(of: message, in: room) }
                conversations[conversations.count - 1].messages.append(row)
                size += row.count
            }
            place += 1
            // The last message of a conversation stays with its head.
            if place < elements.count, case .last = elements[place] { size = min(size, SnapshotParts.size - 1) }
        }
        isOver = place == elements.count
        return part(rows, conversations)
    }

    private mutating func part(
        _ rows: [String: [[UInt8]]], _ conversations: [(head: [UInt8], messages: [[UInt8]])]
    ) -> [UInt8] {
        defer { number += 1 }
        return WebJSON.object {
            $0.member("event", "snapshot")
            $0.member("part", number)
            $0.member("more", !isOver)
            // A client that has a part only has no place to come back to.
            if isOver { $0.member("seq", seq) }
            if number == 0 { $0.member("version", Version.current) }
            for list in SnapshotParts.lists {
                $0.member(list) { $0.array { for row in rows[list] ?? [] { $0.raw(row) } } }
            }
            $0.member("conversations") {
                $0.array {
                    for (head, messages) in conversations {
                        let list = WebJSON.object {
                            $0.member("messages") { $0.array { for row in messages { $0.raw(row) } } }
                        }
                        $0.raw(SnapshotParts.joined(head, list))
                    }
                }
            }
        }
    }

    /// Server-Sent Events: the beginning, then one for each card and message.
    private mutating func nextEvents() -> [UInt8] {
        var bytes: [UInt8] = []
        if number == 0 {
            elements = elements.filter(\.hasEvent)
            let head = WebJSON.object {
                $0.member("event", "snapshot")
                $0.member("seq", seq)
            }
            bytes += event("snapshot", head)
        }
        while bytes.count < SnapshotParts.size, place < elements.count {
            let element = elements[place]
            place += 1
            switch element {
            case .message(let message, let room):
                let line = WebJSON.object {
                    $0.member("event", "message")
                    $0.member("room", room.name)
                    $0.members(of: message, in: room)
                    $0.member("snapshot", true)
                }
                bytes += event("added", line)
            case .card(let card, let room):
                let line = WebJSON.object {
                    $0.member("event", "card")
                    $0.members(of: card, in: room)
                    $0.member("snapshot", true)
                }
                bytes += event("card", line)
            case .row, .person, .invitation, .conversation, .last: break
            }
        }
        isOver = place == elements.count
        return bytes
    }

    /// A client that has a part of a snapshot comes back with an id that is not known, and gets another one.
    private mutating func event(_ name: String, _ json: [UInt8]) -> [UInt8] {
        defer { number += 1 }
        return ServerSentEvent.text(name, json, id: place == elements.count ? seq : "\(seq)-\(number)")
    }

    /// One object with the members of two.
    private static func joined(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        let (left, right) = (left.dropLast(), right.dropFirst())
        let needsComma = left.count > 1 && right.count > 1
        return Array(left) + (needsComma ? [UInt8(ascii: ",")] : []) + Array(right)
    }
}

extension Erasure {
    fileprivate func takes(_ invitation: InvitedRoom) -> Bool {
        switch self {
        case .everything: true
        case .author(let peer, in: _): invitation.from.key == peer
        case .room, .request, .message: false
        }
    }

    /// A peer's row without the texts that are to be forgotten.
    fileprivate func left(of peer: PeerView, in room: RoomLabel) -> PeerView {
        var topic = EventTopic(room)
        topic.author = peer.who.key
        return leavesState && takes(topic) ? peer.withoutTexts : peer
    }
}
