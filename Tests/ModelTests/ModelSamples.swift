import TestSupport
import Testing
import Wire

@testable import Chat
@testable import ChatNode
@testable import Commands
@testable import Model

extension RoomLabel {
    static let kitchen = RoomLabel(number: 1, name: "kitchen")
    static let garage = RoomLabel(number: 2, name: "garage")
}

extension PeerID {
    static func numbered(_ number: UInt64) -> PeerID {
        var writer = ByteWriter(capacity: PeerID.byteCount)
        for word in [number << 32, 0, 0, number] { writer.write(word) }
        guard let id = PeerID(writer.bytes) else { preconditionFailure("four words are 32 bytes") }
        return id
    }
}

extension PeerName {
    /// A peer with a name and a number made of its own number.
    static func numbered(
        _ number: UInt64, _ nickname: String? = nil, suffix: Int? = nil, contact: String? = nil
    ) -> PeerName {
        PeerName(
            number: 1_000 + Int(number), suffix: suffix, nickname: nickname ?? "peer\(number)", stage: .newcomer,
            key: .numbered(number), contact: contact)
    }

    static func absent(_ key: PeerID) -> PeerName {
        PeerName(number: 1_000, suffix: nil, nickname: "", stage: .newcomer, key: key)
    }

    static let me = PeerName.numbered(900, "me")
    static let fox = PeerName.numbered(1, "fox")
    static let owl = PeerName.numbered(2, "owl")
}

extension MessageID {
    static func numbered(_ number: UInt64) -> MessageID { MessageID(number, 7) }
}

extension MessageView {
    /// A message that was said at a second of the test.
    static func said(
        _ number: UInt64, by who: PeerName = .fox, _ text: String? = nil, in place: ConversationView = .publicRoom,
        at seconds: UInt64? = nil, history: Bool = false, missed: Bool = false, delivery: DeliveryState? = nil,
        isRequest: Bool = false
    ) -> MessageView {
        let time = Timestamp(milliseconds: 1_800_000_000_000 + 1_000 * (seconds ?? number))
        let isOwn = who.key == PeerName.me.key
        return MessageView(
            conversation: place, id: .numbered(number), from: who, text: text ?? "text \(number)", sentAt: time,
            receivedAt: time, placeTime: time, authorClock: AuthorClock(epoch: 1, sequence: number),
            isFromCurrentUser: isOwn, isHistory: history || missed, isMissed: missed, isEdited: false, unread: 0,
            delivery: delivery, isRequest: isRequest, mention: isOwn ? nil : Mention(of: .me))
    }

    func edited(to text: String) -> MessageView {
        var message = self
        (message.text, message.isEdited) = (text, true)
        return message
    }
}

extension NodeEvent {
    static let ready = NodeEvent.ready(me: .me, port: 1, room: "kitchen", discovery: .none)

    static func here(_ who: PeerName, online: Int = 1) -> NodeEvent { .peer(.here, who, online: online) }

    static func left(_ who: PeerName, online: Int = 0) -> NodeEvent { .peer(.left, who, online: online) }
}

/// A model with the room `kitchen`, and time that the test advances.
struct WatchedChat {
    var model = ChatModel()
    var now = Instant(nanoseconds: 0)
    var wallClock = Timestamp(milliseconds: 1_800_000_000_000)

    init() { tell(.ready) }

    var moment: Moment { Moment(instant: now, wallClock: wallClock) }

    mutating func pass(_ duration: Duration) {
        now = now + duration
        wallClock = wallClock.moved(by: duration.nanoseconds / 1_000_000)
    }

    @discardableResult
    mutating func tell(_ events: NodeEvent..., in room: RoomLabel = .kitchen) -> [ModelChange] {
        events.flatMap { model.reduce(RoomReport(room, .event($0)), at: moment) }
    }

    @discardableResult
    mutating func answer(_ answer: Answer, in room: RoomLabel = .kitchen) -> [ModelChange] {
        model.reduce(RoomReport(room, .answer(answer)), at: moment)
    }

    @discardableResult
    mutating func report(
        _ report: Report, in room: RoomLabel = .kitchen, numbers: [Conversation: Int]? = nil
    ) -> [ModelChange] {
        model.reduce(RoomReport(room, report, numbers: numbers), at: moment)
    }

    @discardableResult
    mutating func show(_ id: ConversationID?, in view: ViewID = .shared) -> [ModelChange] {
        var changes: [ModelChange] = []
        model.show(id, in: view, into: &changes)
        return changes
    }

    @discardableResult
    mutating func take(_ snapshots: RoomSnapshot...) -> [ModelChange] {
        var changes: [ModelChange] = []
        model.take(snapshots, into: &changes)
        return changes
    }

    /// The change to the note of the kitchen as it is now.
    var note: ModelChange {
        .note(.kitchen, model.conversation(.kitchen)?.note ?? ConversationNote(number: 0))
    }

    func texts(_ id: ConversationID = .kitchen) -> [String] {
        model.conversation(id)?.log.messages.map(\.text) ?? []
    }

    func unread(_ id: ConversationID = .kitchen) -> Int { model.conversation(id)?.unread.messages ?? 0 }
}

extension [ModelChange] {
    /// The messages that were removed, in order.
    var removed: [MessageID] {
        compactMap { if case .removed(_, let message, at: .some) = $0 { message.id } else { nil } }
    }

    /// The messages that came and went when the messages of a conversation became others; nil if they did not.
    func refreshed(_ id: ConversationID) -> (came: [MessageID], gone: [MessageID])? {
        for case .refreshed(id, let came, let gone) in self { return (came.map(\.id), gone.map(\.id)) }
        return nil
    }
}

extension ConversationID {
    static let kitchen = ConversationID(.kitchen, .publicRoom)

    static func direct(_ who: PeerName, in room: RoomLabel = .kitchen) -> ConversationID {
        ConversationID(room, .direct(with: who))
    }
}

extension PeerView {
    static func here(_ who: PeerName, isMuted: Bool = false, isVerified: Bool = false) -> PeerView {
        PeerView(
            who: who, state: .here, since: Timestamp(milliseconds: 1_800_000_000_000), roundTrip: nil,
            isMuted: isMuted, isVerified: isVerified, isBlocked: false)
    }
}

extension RoomSnapshot {
    /// A snapshot with these conversations, the room's own first.
    static func of(
        _ label: RoomLabel = .kitchen, me: PeerName = .me, isOpen: Bool = true, online: Int = 0,
        isBridged: Bool = false, people: [PeerView] = [], requests: [(who: PeerName, text: String)] = [],
        cards: [CardView] = [],
        _ conversations: [(summary: ConversationSummary, messages: [MessageView])]
    ) -> RoomSnapshot {
        RoomSnapshot(
            RoomOverview(
                label, isOpen: isOpen, isBridged: isBridged, me: me, online: online,
                conversations: conversations.map(\.summary), requests: requests),
            ready: .ready(me: me, port: 1, room: label.name, discovery: .none), status: OwnStatus(), peers: people,
            histories: conversations.map { ($0.summary.conversation, $0.messages) }, cards: cards)
    }
}

/// All that two models have to agree on, whatever way they came to it.
struct Agreed: Equatable, CustomStringConvertible {
    struct Person: Equatable {
        var who: PeerName
        let state: PresenceState
        let reason: String?
        let marks: [Bool]
    }

    struct Talk: Equatable {
        var view: ConversationView
        var messages: [MessageView]
        let unread: Unread
        var standing: DirectStanding
        let request: String?
        let isActive: Bool

        func difference(to other: Talk?) -> String {
            guard let other else { return "is missing in the other" }
            let texts = (messages.map(\.text), other.messages.map(\.text))
            if texts.0 != texts.1 { return "\(texts.0)\n other: \(texts.1)" }
            let pairs = zip(messages, other.messages).filter { $0 != $1 }.prefix(1).map { "\($0)\n other: \($1)" }
            let (one, two) = (
                (unread, standing, request, isActive), (other.unread, other.standing, other.request, other.isActive)
            )
            return "\(pairs) \(one) other: \(two)"
        }
    }

    let me: PeerName?
    let online: Int
    let isBridged: Bool
    var people: [PeerID: Person]
    var talks: [ConversationID: Talk]
    let board: [CardView]

    init(_ room: ModelRoom) {
        (me, online, isBridged, board) = (room.me, room.online, room.isBridged, room.board)
        people = Dictionary(
            uniqueKeysWithValues: room.people.all.map {
                (
                    $0.who.key,
                    Person(
                        who: $0.who, state: $0.state, reason: $0.reason,
                        marks: [$0.isMuted, $0.isVerified, $0.isBlocked, $0.isElsewhere])
                )
            })
        talks = Dictionary(
            uniqueKeysWithValues: room.conversations.map {
                (
                    $0.id,
                    Talk(
                        view: $0.view, messages: $0.log.messages, unread: $0.unread, standing: $0.standing,
                        request: $0.request, isActive: $0.isActive)
                )
            })
    }

    /// Without what no event tells: the names of peers that are not here, and the standing of a conversation without messages that
    /// is not accepted.
    var told: Agreed {
        var told = self
        let absent = Set(people.filter { $0.value.state == .left }.keys)
        for key in absent {
            told.people[key]?.who = .absent(key)
        }
        for (id, talk) in talks {
            if let peer = id.peer, absent.contains(peer) {
                told.talks[id]?.view = .direct(with: .absent(peer))
                for index in talk.messages.indices {
                    told.talks[id]?.messages[index].conversation = .direct(with: .absent(peer))
                }
            }
            if talk.messages.isEmpty, talk.standing != .accepted, talk.request == nil {
                told.talks[id]?.standing = .over
            }
        }
        return told
    }

    /// The differences to another one, in words.
    func differences(to other: Agreed) -> [String] {
        var found: [String] = []
        if me != other.me { found.append("me: \(String(describing: me)) \(String(describing: other.me))") }
        if online != other.online { found.append("online: \(online) \(other.online)") }
        if isBridged != other.isBridged { found.append("bridged") }
        if board != other.board { found.append("board: \(board) \(other.board)") }
        for key in Set(people.keys).union(other.people.keys) where people[key] != other.people[key] {
            found.append("person: \(String(describing: people[key])) \(String(describing: other.people[key]))")
        }
        for id in Set(talks.keys).union(other.talks.keys) where talks[id] != other.talks[id] {
            found.append("\(id): " + (talks[id]?.difference(to: other.talks[id]) ?? "is missing"))
        }
        return found
    }

    var description: String { "\(talks.count) conversations, \(people.count) people" }
}
