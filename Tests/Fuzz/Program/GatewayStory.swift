import Phrases
import Wire

@testable import Chat
@testable import ChatNode
@testable import Commands
@testable import Hub
@testable import Model
@testable import WebFace

/// A room with the user `ana` and the peer `ben`: one event of each kind in it, as sessions of gateways hear them.
enum GatewayStory {
    /// An event for sessions, in parts that threads may share.
    struct Step: Sendable {
        let report: RoomReport
        let changes: [ModelChange]
        let chat: ChatModel
    }

    static let room = RoomLabel(number: 1, name: "lobby")
    static let time = Timestamp(milliseconds: 1_700_000_000_000)
    static let ana = name(1, "ana")
    static let ben = name(2, "ben")

    /// The chat as it is when `ben` is there, before the rest of the story.
    static let chat: ChatModel = {
        var chat = ChatModel()
        for event in arrivals { _ = chat.reduce(RoomReport(room, .event(event)), at: moment) }
        return chat
    }()

    private static let steps: [Step] = {
        var chat = Self.chat
        return happenings.map { event in
            let report = RoomReport(room, .event(event))
            let changes = chat.reduce(report, at: moment)
            return Step(report: report, changes: changes, chat: chat)
        }
    }()

    static var events: [HubEvent] {
        steps.enumerated().map { HubEvent($1.report, $1.changes, in: $1.chat, number: $0 + 1) }
    }

    /// The story in the log of the web server.
    static let entries: [EventLog.Entry] = {
        var log = EventLog(run: "0123abcd", line: WebJSON.line(of:before:_:))
        let told = (arrivals + happenings).compactMap { log.append(RoomReport(room, .event($0))) }
        let gone = told.filter { ["added", "card"].contains($0.name) }
        for entry in gone { log.append(gone: entry, in: room) }
        return told + ((told.last?.number ?? 0)..<log.last).compactMap { log.next(behind: $0) }
    }()

    static let cards = [card(8, by: ana), card(9, by: ben)]

    static let people = [row(ben, .here), row(name(3, "cleo"), .left)].map { PeerView($0, roundTrip: nil) }

    static func said(_ number: UInt8, _ text: String, by who: PeerName, in place: ConversationView) -> MessageView {
        MessageView(
            conversation: place, id: MessageID(UInt64(number), 7), from: who, text: text, sentAt: time,
            receivedAt: time, placeTime: time, authorClock: AuthorClock(epoch: 1, sequence: UInt64(number)),
            isFromCurrentUser: who == ana, isHistory: number == 6, isEdited: false, unread: 1,
            delivery: who == ana && place != .publicRoom ? DeliveryState.sending : nil,
            mention: who == ana ? nil : Mention(of: ana))
    }

    private static var moment: Moment { Moment(instant: Instant(nanoseconds: 0), wallClock: time) }

    private static func name(_ number: UInt8, _ nickname: String) -> PeerName {
        guard let key = PeerID([UInt8](repeating: number, count: PeerID.byteCount)) else { fatalError("no key") }
        return PeerName(number: 4_820 + Int(number), suffix: nil, nickname: nickname, stage: .newcomer, key: key)
    }

    private static func row(_ who: PeerName, _ state: PresenceState) -> Roster.Row {
        Roster.Row(
            who: who, state: state, reason: nil, profile: Profile(), since: time, isElsewhere: false, isMuted: true,
            isBlocked: false, isVerified: true)
    }

    private static func card(_ number: UInt8, by who: PeerName) -> CardView {
        let order = SignedOrder(
            time: time, author: who.key, authorClock: AuthorClock(epoch: 1, sequence: UInt64(number)),
            id: MessageID(UInt64(number), 7))
        return CardView(
            id: order.id, from: who, content: CardContent(title: "lost", text: "a hat", color: .teal), sentAt: time,
            expiresAt: Timestamp(milliseconds: time.milliseconds + 86_400_000), isFromCurrentUser: who == ana,
            isHistory: false, order: order)
    }

    private static let arrivals: [NodeEvent] = [
        .ready(me: ana, port: 1, room: room.name, discovery: .none), .peer(.here, ben, online: 1),
    ]

    private static let happenings: [NodeEvent] = talk + inPrivate + presence + ends

    private static var talk: [NodeEvent] {
        let (own, other) = (said(1, "hi", by: ana, in: .publicRoom), said(2, "ana, hi", by: ben, in: .publicRoom))
        var edited = other
        (edited.text, edited.isEdited, edited.replyTo) = ("/me waves", true, own.id)
        var reacted = own
        reacted.reactions = [ReactionCount(emoji: "👍", count: 1, isOwn: false)]
        return [
            .message(own), .message(other), .edited(edited), .typing(ben, .publicRoom, isOn: true),
            .reacted(
                ReactionEvent(
                    message: reacted, by: ben, emojis: ["👍"], id: nil, isFromCurrentUser: false, isHistory: false)),
            .message(said(5, "ben* waves", by: ben, in: .publicRoom)),
            .message(said(6, "before", by: ben, in: .publicRoom)), .deleted(said(5, "", by: ben, in: .publicRoom)),
            .card(cards[0]), .card(cards[1]), .cardRemoved(cards[1], .removed),
        ]
    }

    private static var inPrivate: [NodeEvent] {
        let place = ConversationView.direct(with: ben)
        let (own, other) = (said(10, "psst", by: ana, in: place), said(11, "yes?", by: ben, in: place))
        return [
            .request(from: ben, text: "may I?"), .direct(.accepted, with: ben), .message(own), .message(other),
            .delivered(with: ben, ids: [own.id]), .read(with: ben, ids: [own.id]), .typing(ben, place, isOn: true),
            .failed(with: ben, messages: [Undelivered(id: own.id, text: "psst")]), .edited(other), .deleted(own),
            .direct(.left, with: ben), .request(from: name(3, "cleo"), text: "hi"),
            .direct(.declined, with: name(3, "cleo")), .invitation(from: ben, to: Room(openNamed: "kitchen")),
        ]
    }

    private static var presence: [NodeEvent] {
        [
            .peer(.away, ben, reason: "lunch", was: PeerSighting(ben, .here), online: 1),
            .peer(.here, name(2, "benno"), was: PeerSighting(ben, .away), online: 1),
            .elsewhere(.here, name(4, "dan")), .elsewhere(.left, name(4, "dan")), .person(row(ben, .here)),
            .crowd(came: 12, left: 3, online: 10), .renamed(name(1, "anna"), was: ana),
            .status(OwnStatus(.away, reason: "lunch"), was: OwnStatus()),
        ]
    }

    /// The messages of one who is blocked are gone, and come again; so are those of a room that ends.
    private static var ends: [NodeEvent] {
        [
            .blocked(ben, isOn: true), .blocked(ben, isOn: false), .peer(.left, ben, online: 0),
            .message(said(12, "still here", by: ana, in: .publicRoom)),
            .stopped(.asked),
        ]
    }
}
