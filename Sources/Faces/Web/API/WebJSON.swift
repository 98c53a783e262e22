import Chat
import ChatNode
import Commands
import Model
import Rendering
import Wire

/// The objects of the API, as the events and results of `--json` have them (Docs/Web.md, section 3).
enum WebJSON {
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

    /// A row of `/who`, with its room.
    static func person(_ peer: PeerView, in room: RoomSnapshot) -> [UInt8] {
        object {
            $0.member("room", room.overview.room.name)
            $0.member("roomId", room.overview.room.id)
            $0.members(of: peer)
        }
    }

    static func request(_ request: (who: PeerName, text: String), in room: RoomSnapshot) -> [UInt8] {
        object {
            $0.member("room", room.overview.room.name)
            $0.member("roomId", room.overview.room.id)
            $0.member("key", request.who.key.hexadecimal)
            $0.member("from", request.who)
            $0.member("text", request.text)
        }
    }
}

extension JSONWriter {
    mutating func list<Element>(
        _ name: String, _ elements: some Sequence<Element>, _ members: (inout JSONWriter, Element) -> Void
    ) {
        member(name) { $0.array { for element in elements { $0.object { members(&$0, element) } } } }
    }

    /// A room, with the user's name in it.
    mutating func members(ofRoom room: RoomSnapshot) {
        member("room", room.overview.room.name)
        member("id", room.overview.room.id)
        member("self", room.overview.me)
        member("private", room.overview.isPrivate)
        member("bridged", room.overview.isBridged)
        member("about", room.profile.about)
        guard case .ready(_, let port, _, let discovery) = room.ready else { return }
        member("port", Int(port))
        member("discovery", discovery.rawValue)
    }

    mutating func members(of message: MessageView, in room: RoomLabel) {
        members(of: message)
        member("edited", message.isEdited)
        member("conversationId", "\(ConversationID(room, message.conversation))")
    }

    mutating func members(of summary: ConversationSummary, in room: RoomSnapshot) {
        members(ofHead: summary, in: room)
        last(summary.last, in: room.overview.room)
    }

    mutating func last(_ message: MessageView?, in room: RoomLabel) {
        member("last") { writer in
            guard let message else { return writer.literal("null") }
            writer.object { $0.members(of: message, in: room) }
        }
    }

    /// All but the last message.
    mutating func members(ofHead summary: ConversationSummary, in room: RoomSnapshot) {
        let label = room.overview.room
        member("id", "\(ConversationID(label, summary.conversation))")
        member("room", label.name)
        member("roomId", label.id)
        switch summary.conversation {
        case .publicRoom:
            member("kind", "room")
            member("title", DisplayGuard.safe(label.name))
        case .direct(let who):
            member("kind", "direct")
            member("title", who.displayName)
            member("with", who)
        }
        member("private", room.overview.isPrivate)
        member("bridged", room.overview.isBridged)
        member("active", summary.isActive && room.overview.isOpen)
        member("unread", summary.unread)
        member("online", room.overview.online)
    }
}
