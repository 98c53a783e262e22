import Phrases
import Testing
package import Wire

@testable package import Chat
@testable package import ChatNode

/// People and events that the tests of the output show.
package enum Sample {
    package static let time = Timestamp(milliseconds: 1_735_689_599_042)
    package static let timeText = "2024-12-31T23:59:59.042Z"

    package static func peer(_ byte: UInt8) throws -> PeerID {
        try #require(PeerID([UInt8](repeating: byte, count: PeerID.byteCount)))
    }

    package static func message(_ byte: UInt8) throws -> MessageID {
        try #require(MessageID([UInt8](repeating: byte, count: MessageID.byteCount)))
    }

    package static func who(
        _ nickname: String = "quiet-otter", number: Int = 4821, suffix: Int? = nil, byte: UInt8 = 0xab,
        contact: String? = nil
    ) throws -> PeerName {
        PeerName(
            number: number, suffix: suffix, nickname: nickname, stage: .newcomer, key: try peer(byte), contact: contact)
    }

    package static func row(_ who: PeerName? = nil, isMuted: Bool = false) throws -> Roster.Row {
        Roster.Row(
            who: try who ?? Sample.who(), state: .here, reason: nil, profile: Profile(), since: time,
            isElsewhere: false, isMuted: isMuted, isBlocked: false, isVerified: false)
    }

    package static func said(
        _ text: String, by who: PeerName, in conversation: ConversationView = .publicRoom, own: Bool = false,
        history: Bool = false, delivery: DeliveryState? = nil, mention: Bool = false, id: UInt8 = 0x0c,
        replyTo target: MessageID? = nil, reactions: [ReactionCount] = []
    ) throws -> MessageView {
        MessageView(
            conversation: conversation, id: try message(id), from: who, text: text, sentAt: time,
            receivedAt: Timestamp(milliseconds: time.milliseconds + 1_000), placeTime: time,
            authorClock: AuthorClock(epoch: 1, sequence: 1), isFromCurrentUser: own, isHistory: history,
            isEdited: false, unread: 1, delivery: delivery,
            mention: mention ? Mention(of: try Sample.who("me")) : nil, replyTo: target, reactions: reactions)
    }

    /// One reaction to a message, which the message then has.
    package static func reaction(
        _ emoji: String = "👍", by who: PeerName, to message: MessageView, own: Bool = false
    ) throws -> ReactionEvent {
        var message = message
        message.reactions = [ReactionCount(emoji: emoji, count: 1, isOwn: own)]
        return ReactionEvent(
            message: message, by: who, emojis: [emoji], id: try Sample.message(0x0e), isFromCurrentUser: own,
            isHistory: false)
    }

    package static func card(
        _ title: String = "lost", _ text: String = "a red hat", _ color: CardColor = .teal, by who: PeerName,
        own: Bool = false, history: Bool = false, id: UInt8 = 0x0d
    ) throws -> CardView {
        let order = SignedOrder(
            time: time, author: who.key, authorClock: AuthorClock(epoch: 1, sequence: UInt64(id)), id: try message(id))
        return CardView(
            id: order.id, from: who, content: CardContent(title: title, text: text, color: color), sentAt: time,
            expiresAt: Timestamp(milliseconds: time.milliseconds + 86_400_000),
            isFromCurrentUser: own, isHistory: history, order: order)
    }

    /// Every event, each in every conversation that it can be in.
    package static func events() throws -> [NodeEvent] {
        let who = try who()
        let places: [ConversationView] = [.publicRoom, .direct(with: who)]
        let id = try message(0x0c)
        let direct: [NodeEvent] = [
            .request(from: who, text: "hi"), .delivered(with: who, ids: [id, id]), .read(with: who, ids: []),
            .failed(with: who, messages: [Undelivered(id: id, text: "hi")]),
            .invitation(from: who, to: Room(openNamed: "kitchen")),
            .invitation(from: who, to: Room(openNamed: "kitchen"), isThere: true),
        ]
        let changes: [NodeEvent] = [DirectChange.accepted, .declined, .left].map { .direct($0, with: who) }
        let presence: [NodeEvent] =
            PresenceState.allCases.map { .peer($0, who, online: 3) } + [
                .peer(.away, who, reason: "lunch", was: PeerSighting(who, .here), online: 3),
                .renamed(who, was: who), .status(OwnStatus(.away, reason: "lunch"), was: OwnStatus()),
                .status(OwnStatus(about: "red hat"), was: OwnStatus()), .person(try row()), .blocked(who, isOn: true),
                .blocked(who, isOn: false),
                .crowd(came: 12, left: 3, online: 1_003),
            ]
        let notices: [NodeEvent] = NoticeCode.allCases.map { .notice($0, "note") }
        let card = try card(by: who)
        let board = [NodeEvent.card(card)] + CardEnd.allCases.map { .cardRemoved(card, $0) }
        let placed = try places.flatMap { place -> [NodeEvent] in
            [
                .reacted(try reaction(by: who, to: try said("hi", by: who, in: place))),
                .message(try said("hi", by: who, in: place)), .edited(try said("ho", by: who, in: place)),
                .deleted(try said("", by: who, in: place)), .typing(who, place, isOn: true),
            ]
        }
        let life: [NodeEvent] = [.ready(me: who, port: 40_123, room: "lobby", discovery: .daemon), .stopped(.asked)]
        return direct + changes + presence + notices + placed + board + life
    }

    /// Texts that try to steer a terminal, to hide, or to end the line.
    package static let hostile = [
        "a\u{1b}[2Jb", "a\nb", "a\r\nb", "a\0b", "a\u{202e}b", "a\u{2066}b\u{2069}", "a\u{7f}b", "a\u{9b}31mb",
        "a\u{2028}b",
        "a\u{2029}b", "a\u{200b}b", "a\u{ad}b", "a\u{feff}b", "a\u{e000}b", "a\u{85}b", "a\u{b}b\u{c}", "a\u{e0041}b",
        "a\u{3164}b", "\"\\", "</script>",
    ]
}

extension PeerView {
    /// A row without a profile.
    package init(
        who: PeerName, state: PresenceState, since: Timestamp, roundTrip: RoundTrip? = nil, isMuted: Bool = false,
        isVerified: Bool = false, isBlocked: Bool = false, reason: String? = nil, isElsewhere: Bool = false
    ) {
        let row = Roster.Row(
            who: who, state: state, reason: reason, profile: Profile(), since: since, isElsewhere: isElsewhere,
            isMuted: isMuted, isBlocked: isBlocked, isVerified: isVerified)
        self.init(row, roundTrip: roundTrip)
    }
}
