import Chat
import ChatNode
import Commands
import Rendering
import Wire

/// The objects of the API, as the events and results of `--json` have them (Docs/Web.md, section 3).
enum WebJSON {
    static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
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

    /// The first message of a page's WebSocket.
    static func snapshot(of rooms: [RoomSnapshot], seq: String) -> [UInt8] {
        object {
            $0.member("event", "snapshot")
            $0.member("seq", seq)
            $0.member("version", Version.current)
            $0.list("rooms", rooms) { $0.members(ofRoom: $1) }
            $0.member("conversations") {
                $0.array { list in
                    for room in rooms {
                        for (summary, history) in zip(room.overview.conversations, room.histories) {
                            list.object {
                                $0.members(of: summary, in: room)
                                $0.list("messages", history.messages) { $0.members(of: $1, in: room.overview.room) }
                            }
                        }
                    }
                }
            }
            $0.member("people") { $0.array { for room in rooms { $0.people(of: room) } } }
            $0.member("requests") { $0.array { for room in rooms { $0.requests(of: room) } } }
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
        member("id", "r\(room.overview.room.number)")
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
        let label = room.overview.room
        member("id", "\(ConversationID(label, summary.conversation))")
        member("room", label.name)
        switch summary.conversation {
        case .publicRoom:
            member("kind", "room")
            member("title", label.name)
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
        member("last") { writer in
            guard let last = summary.last else { return writer.literal("null") }
            writer.object { $0.members(of: last, in: label) }
        }
    }

    /// The rows of `/who`, each with its room.
    mutating func people(of room: RoomSnapshot) {
        for peer in room.peers {
            object {
                $0.member("room", room.overview.room.name)
                $0.members(of: peer)
            }
        }
    }

    mutating func requests(of room: RoomSnapshot) {
        for request in room.overview.requests {
            object {
                $0.member("room", room.overview.room.name)
                $0.member("key", request.who.key.hexadecimal)
                $0.member("from", request.who)
                $0.member("text", request.text)
            }
        }
    }
}
