import Chat
import ChatNode
import Commands
import Model
import Phrases
import Rendering
import Wire

/// The objects of the API, as the events and results of `--json` have them (Docs/Web.md, section 3).
enum WebJSON {
    /// The line of an event in the log of the hub.
    @Sendable static func line(of report: RoomReport, before successor: MessageID?, _ id: String) -> [UInt8]? {
        var line = report.isEnd ? WebJSON.parted(from: report.room) : JSONOutput(.forPrograms).line(of: report)
        guard line.popLast() == UInt8(ascii: "}") else { return nil }
        if case .event(.message(let message)) = report.report {
            let before = successor.map { "\"\($0.hexadecimal)\"" } ?? "null"
            line += Array(",\"edited\":\(message.isEdited),\"before\":\(before)".utf8)
        }
        if report.room.number > 0 { line += Array(",\"roomId\":\"\(report.room.id)\"".utf8) }
        if let id = ConversationID(of: report) { line += Array(",\"conversationId\":\"\(id)\"".utf8) }
        return line + Array(",\"seq\":\"\(id)\"}".utf8)
    }

    static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(.forPrograms)
        writer.object(members)
        return writer.bytes
    }

    /// The event of a room that was left: `--json` has none, as its program knows from the answer to `/part`.
    static func parted(from room: RoomLabel) -> [UInt8] {
        object {
            $0.member("event", "parted")
            $0.member("room", room.name)
        }
    }

    /// The event of a peer with its row, with its id.
    static func person(_ person: ModelPerson, in room: RoomLabel, _ seq: String) -> [UInt8] {
        object {
            $0.member("event", "person")
            $0.member("room", room.name)
            $0.member("roomId", room.id)
            $0.members(of: person)
            $0.member("seq", seq)
        }
    }

    /// The event of a conversation with its row, with its id.
    static func conversation(_ conversation: ModelConversation, in room: ModelRoom, _ seq: String) -> [UInt8] {
        object {
            $0.member("event", "conversation")
            $0.members(ofHead: conversation, in: room)
            $0.member("seq", seq)
        }
    }

    /// The event of a conversation that is gone, with its id.
    static func ended(_ id: ConversationID, in room: RoomLabel, _ seq: String) -> [UInt8] {
        object {
            $0.member("event", "ended")
            $0.member("room", room.name)
            $0.member("conversationId", "\(id)")
            $0.member("seq", seq)
        }
    }

    /// The event of the note behind the last message of a conversation, with its id.
    static func note(_ note: ConversationNote, of id: ConversationID, in room: ModelRoom, _ seq: String) -> [UInt8] {
        object {
            $0.member("event", "note")
            $0.member("room", room.label.name)
            $0.member("conversationId", "\(id)")
            $0.member("number", note.number)
            $0.member("came", note.came)
            $0.member("left", note.left)
            $0.member("renamed", note.renames.count)
            $0.list("renames", note.renames.prefix(mostRenames)) {
                $0.member("key", $1.key.hexadecimal)
                $0.member("was", $1.was)
                $0.member("is", $1.present)
                $0.member("own", $1.key == room.me?.key)
            }
            $0.member("texts", note.texts)
            $0.member("seq", seq)
        }
    }

    /// Of more renames, clients get the number alone.
    private static let mostRenames = 3

    /// The event of another number of unread messages, with its id.
    static func counts(of conversation: ModelConversation, in room: RoomLabel, _ seq: String) -> [UInt8] {
        object {
            $0.member("event", "unread")
            $0.member("room", room.name)
            $0.member("conversationId", "\(conversation.id)")
            $0.counts(conversation)
            $0.member("seq", seq)
        }
    }

    /// The event of a peer's request that is not open any more.
    ///
    /// - Parameter seq: its id; nil for one that is not of the log.
    static func requestEnded(_ id: ConversationID, in room: RoomLabel, _ seq: String? = nil) -> [UInt8] {
        object {
            $0.member("event", "requestEnded")
            $0.member("room", room.name)
            $0.member("conversationId", "\(id)")
            if let seq { $0.member("seq", seq) }
        }
    }

    /// The event of keys that have another colour, with its id.
    static func colors(_ rows: [(key: PeerID, color: Int)], _ seq: String) -> [UInt8] {
        object {
            $0.member("event", "colors")
            $0.member("colors") { $0.array { for row in rows { $0.raw(color(of: row)) } } }
            $0.member("seq", seq)
        }
    }

    static func color(of row: (key: PeerID, color: Int)) -> [UInt8] {
        object {
            $0.member("key", row.key.hexadecimal)
            $0.member("color", row.color)
        }
    }

    /// A row of `/who`, with its room.
    static func person(_ peer: PeerView, in room: RoomLabel) -> [UInt8] {
        object {
            $0.member("room", room.name)
            $0.member("roomId", room.id)
            $0.members(of: peer)
        }
    }

    /// A row of `/rooms`.
    static func invitation(_ invitation: InvitedRoom) -> [UInt8] {
        object {
            $0.member("from", invitation.from)
            $0.members(of: invitation.room)
        }
    }

    static func card(_ card: CardView, in room: RoomLabel) -> [UInt8] { object { $0.members(of: card, in: room) } }

    static func request(_ request: (who: PeerName, text: String), in room: RoomLabel) -> [UInt8] {
        object {
            $0.member("room", room.name)
            $0.member("roomId", room.id)
            $0.member("key", request.who.key.hexadecimal)
            $0.member("from", request.who)
            $0.member("text", request.text)
        }
    }
}

extension JSONWriter {
    /// A room, with the user's name in it.
    mutating func members(ofRoom room: ModelRoom) {
        member("room", room.label.name)
        member("id", room.label.id)
        if let me = room.me { member("self", me) }
        member("private", room.isPrivate)
        member("bridged", room.isBridged)
        members(of: room.status)
        if let port = room.port { member("port", Int(port)) }
        if let discovery = room.discovery { member("discovery", discovery.rawValue) }
        if let obstacle = room.obstacle {
            member("obstacle") {
                $0.object {
                    $0.member("code", obstacle.code.rawValue)
                    $0.member("message", obstacle.sentence.text(in: .english))
                }
            }
        }
    }

    mutating func members(of message: MessageView, in room: RoomLabel) {
        members(of: message)
        member("edited", message.isEdited)
        member("conversationId", "\(ConversationID(room, message.conversation))")
    }

    mutating func members(of card: CardView, in room: RoomLabel) {
        member("room", room.name)
        member("roomId", room.id)
        members(of: card)
    }

    mutating func members(of conversation: ModelConversation, in room: ModelRoom) {
        members(ofHead: conversation, in: room)
        last(conversation.last, in: room.label)
    }

    mutating func last(_ message: MessageView?, in room: RoomLabel) {
        member("last") { writer in
            guard let message else { return writer.literal("null") }
            writer.object { $0.members(of: message, in: room) }
        }
    }

    /// The unread messages, those of them that name the user, and the first one that is kept.
    mutating func counts(_ conversation: ModelConversation) {
        member("unread", conversation.unread.messages)
        member("mentions", conversation.unread.mentions)
        let first = conversation.unread.messages == 0 ? nil : conversation.log.messages.first(where: \.isUnread)
        member("firstUnread", first?.id.hexadecimal)
    }

    /// All but the last message.
    mutating func members(ofHead conversation: ModelConversation, in room: ModelRoom) {
        member("id", "\(conversation.id)")
        member("room", room.label.name)
        member("roomId", room.label.id)
        switch conversation.view {
        case .publicRoom:
            member("kind", "room")
            member("title", DisplayGuard.safe(room.label.name))
            if let me = room.me { member("self", me) }
            members(of: room.status)
            member("private", room.isPrivate)
            member("bridged", room.isBridged)
            member("online", room.online)
        case .direct(let who):
            member("kind", "direct")
            member("title", who.displayName)
            member("with", who)
        }
        member("active", conversation.isActive)
        list("typing", conversation.typists) { $0.members(of: $1) }
        counts(conversation)
    }
}

extension ChatModel {
    /// The rooms that the user is in and whose nodes are ready.
    var presentRooms: [ModelRoom] { rooms.filter { $0.me != nil && !$0.isLeaving } }
}
