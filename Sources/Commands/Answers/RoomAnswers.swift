package import Chat
import ChatNode
import Phrases
package import Wire

/// A conversation that a command opened: `/open`, `/close`, `/join`, `/room` and `/part`.
package struct Opening: AnswerContent {
    package enum Way: Sendable {
        case opened
        /// `/join` without a key.
        case entered(isPrivate: Bool)
        /// `/join` with a key, in which a part of the room's name may stand if it has spaces.
        case joined(hasSpaces: Bool)
        /// `/room new`: the key of the room, which is shown this once.
        case made(key: String)
        /// `/part`: the room that is left.
        case parted(RoomLabel)
    }

    /// In the room of the report.
    package let view: ConversationView
    /// Its stored messages, the oldest first; nil if it was open before.
    package let recent: [MessageView]?
    package let way: Way

    package init(_ view: ConversationView, recent: [MessageView]?, _ way: Way = .opened) {
        (self.view, self.recent, self.way) = (view, recent, way)
    }

    /// The room that is left; nil if none is.
    package var left: RoomLabel? { if case .parted(let left) = way { left } else { nil } }

    package func lines(_ wording: Wording, at _: Timestamp) -> [String] {
        let (language, name) = (wording.language, wording.name(view))
        return switch way {
        case .opened: [language(.lookingAt, name)]
        case .entered(let isPrivate): [language(.enteredRoom, language(isPrivate ? .privateRoom : .openRoom, name))]
        case .joined(let hasSpaces): [language(hasSpaces ? .joinedWithSpaces : .joinedWithKey, name)]
        case .made(let key): [language(.roomMade, key)]
        case .parted(let left): [language(.roomLeft, DisplayGuard.safe(left.name), name)]
        }
    }

    package func write(to json: inout JSONWriter) {
        switch way {
        case .made(let key): json.member("key", key)
        case .opened, .entered, .joined: json.members(of: view)
        case .parted(let left):
            json.member("left", left.name)
            json.members(of: view)
        }
    }
}

/// `/rooms`: the rooms that the user is in, and those that the user could join.
package struct RoomList: AnswerContent {
    package let rooms: [RoomOverview]
    /// Open rooms that peers say to be in, with the number of those peers: the most visited first, at most 64.
    package let announced: [(name: String, people: Int)]
    /// The newest at the end.
    package let invitations: [InvitedRoom]

    package init(_ rooms: [RoomOverview], announced: [String: Int], invitations: [InvitedRoom]) {
        self.rooms = rooms
        self.invitations = invitations
        let sorted = announced.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        self.announced = sorted.prefix(RoomList.most).map { (name: $0.key, people: $0.value) }
    }

    private static let most = 64

    package func lines(_ wording: Wording, at _: Timestamp) -> [String] {
        let language = wording.language
        return rooms.map { line($0, language) }
            + announced.map {
                language(.announcedRoom, "\($0.people)", DisplayGuard.safe($0.name), wording.operand($0.name))
            }
            + invitations.map {
                language(
                    .invites, $0.from.displayName, DisplayGuard.safe($0.room.name), wording.operand($0.room.name))
            }
    }

    private func line(_ room: RoomOverview, _ language: Language) -> String {
        let mark = room.isOpen ? " \(shown(in: room, language))" : ""
        let kind = ", \(language(room.isPrivate ? .isPrivate : .isOpenRoom))"
        let bridge = room.isBridged ? ", \(language(.isBridged))" : ""
        let entering = room.isEntering ? ", \(language(.isEntering))" : ""
        let name = DisplayGuard.safe(room.room.name) + mark
        let place = numbered(name, room.numbers[.publicRoom]) + kind + bridge + entering
        return language(.roomLine, place, room.me.displayName, "\(room.online + 1)", "\(room.unread)")
    }

    /// The mark of the room where commands act: it is on the screen, or one of its direct conversations is, as `/unread` has it.
    private func shown(in room: RoomOverview, _ language: Language) -> String {
        guard case .direct(let who) = room.conversations.first(where: \.isOpen)?.conversation else {
            return language(.isOpen)
        }
        return language(.isOpenInside, who.displayName)
    }

    package func write(to json: inout JSONWriter) {
        json.list("rooms", rooms) {
            $0.member("room", $1.room.name)
            $0.member("number", $1.numbers[.publicRoom])
            $0.member("open", $1.isOpen)
            $0.member("private", $1.isPrivate)
            $0.member("bridged", $1.isBridged)
            $0.member("entering", $1.isEntering)
            $0.member("self", $1.me)
            $0.member("peers", $1.online)
            $0.member("unread", $1.unread)
        }
        json.list("announced", announced) {
            $0.member("name", $1.name)
            $0.member("people", $1.people)
        }
        json.list("invitations", invitations) {
            $0.member("from", $1.from)
            $0.members(of: $1.room)
        }
    }

    package func texts(in room: RoomLabel) -> [AnswerText] { invitations.map { AnswerText(of: $0.from.key, room) } }
}

/// `/unread`: the conversations of all rooms and their open requests for others, by their numbers.
struct UnreadList: AnswerContent {
    let rooms: [RoomOverview]

    func lines(_ wording: Wording, at _: Timestamp) -> [String] {
        let rows = rooms.flatMap { room in
            let conversations = room.conversations.map {
                (number($0, in: room), wording.line($0, of: room, isOnly: rooms.count == 1))
            }
            let requests = room.requests.map {
                let number = room.numbers[.direct($0.who.key)]
                let place = numbered($0.who.displayName, number)
                return (number, wording.language(.pendingRequest, place, DisplayGuard.safe($0.text)))
            }
            return conversations + requests
        }
        return UnreadList.sorted(rows) { $0.0 }.map { $0.1 }
    }

    private func number(_ summary: ConversationSummary, in room: RoomOverview) -> Int? {
        room.numbers[Conversation(summary.conversation)]
    }

    /// Rows in the order of their numbers; those without one at the end.
    private static func sorted<Row>(_ rows: [Row], by number: (Row) -> Int?) -> [Row] {
        rows.sorted { (number($0) ?? .max) < (number($1) ?? .max) }
    }

    func write(to json: inout JSONWriter) {
        let conversations = UnreadList.sorted(rooms.flatMap { room in room.conversations.map { (room, $0) } }) {
            number($0.1, in: $0.0)
        }
        let requests = UnreadList.sorted(rooms.flatMap { room in room.requests.map { (room, $0) } }) {
            $0.0.numbers[.direct($0.1.who.key)]
        }
        json.list("conversations", conversations) {
            $0.member("room", $1.0.room.name)
            $0.member("number", number($1.1, in: $1.0))
            $0.members(of: $1.1.conversation)
            $0.member("unread", $1.1.unread)
            let last = $1.1.last
            $0.member("last") { writer in
                guard let last else { return writer.literal("null") }
                writer.object { $0.members(of: last) }
            }
        }
        json.list("requests", requests) {
            $0.member("room", $1.0.room.name)
            $0.member("number", $1.0.numbers[.direct($1.1.who.key)])
            $0.member("from", $1.1.who)
            $0.member("text", $1.1.text)
        }
    }

    func texts(in _: RoomLabel) -> [AnswerText] {
        rooms.flatMap { room in
            room.conversations.compactMap(\.last).map { AnswerText($0, in: room.room) }
                + room.requests.map { AnswerText(of: $0.who.key, in: .direct(with: $0.who), room.room) }
        }
    }
}

/// A name behind the number of its conversation.
private func numbered(_ name: String, _ number: Int?) -> String { number.map { "\($0) \(name)" } ?? name }

extension Wording {
    /// - Parameter isOnly: whether the program is in no other room.
    fileprivate func line(_ summary: ConversationSummary, of room: RoomOverview, isOnly: Bool) -> String {
        let last = summary.last.map {
            language(.lastMessage, clock(PlainMessage.time(of: $0)), PlainMessage($0).text)
        }
        var place = name(summary.conversation)
        if !isOnly {
            let label = DisplayGuard.safe(room.room.name)
            place = if case .publicRoom = summary.conversation { label } else { language(.inRoom, place, label) }
        }
        let mark = summary.isOpen ? " \(language(.isOpen))" : ""
        place = numbered(place, room.numbers[Conversation(summary.conversation)])
        return language(.unreadLine, place + mark, "\(summary.unread)", last ?? "")
    }
}

extension Answer {
    /// - Parameter recent: the stored messages of the conversation that is open now.
    package static func active(command: String, _ view: ConversationView, recent: [MessageView]) -> Answer {
        Answer(command, Opening(view, recent: recent))
    }

    /// - Parameter key: the key of the room, if the user gave it.
    package static func joined(recent: [MessageView], isPrivate: Bool, key: String?) -> Answer {
        let way = key.map { Opening.Way.joined(hasSpaces: $0.contains(" ")) } ?? .entered(isPrivate: isPrivate)
        return Answer("join", Opening(.publicRoom, recent: recent, way))
    }

    package static func parted(_ left: RoomLabel, _ view: ConversationView, recent: [MessageView]?) -> Answer {
        Answer("part", Opening(view, recent: recent, .parted(left)))
    }

    package static func rooms(_ list: RoomList) -> Answer { Answer("rooms", list) }

    package static func unread(_ rooms: [RoomOverview]) -> Answer { Answer("unread", UnreadList(rooms: rooms)) }
}
