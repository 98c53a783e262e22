import Chat
import ChatNode
import Commands
import Hub
import Model
import Wire

/// The rows of the chat that a turn changed, for clients of streams: each once, behind the events of the turn; and notes, each in front
/// of the message that follows it.
struct ChangedRows {
    enum Row: Hashable {
        case person(RoomLabel, PeerID)
        case conversation(ConversationID)
        case ended(ConversationID)
        case unread(ConversationID)
        /// That of a peer: it is open, or no longer.
        case request(ConversationID)

        static func conversation(of room: RoomLabel) -> Row { .conversation(ConversationID(room: room.number)) }
    }

    private var rows: [Row] = []
    private var known: Set<Row> = []
    private var notes: [(ConversationID, ConversationNote)] = []

    /// - Parameter tellsPeople: false for a message, as the authors of a large room are many, and for the event that has the row itself.
    mutating func follow(_ change: ModelChange, tellsPeople: Bool) {
        switch change {
        case .person(let room, let person, let was):
            if tellsPeople { add(.person(room, person.who.key)) }
            // The number of peers; and one that types may have another name.
            if was?.who != person.who || was?.isHere != person.isHere { add(.conversation(of: room)) }
        case .changed(let room), .moved(let room, came: _, left: _): add(.conversation(of: room))
        case .conversation(let id), .typing(let id), .active(let id, isOn: _): add(.conversation(id))
        case .conversationEnded(let id): add(.ended(id))
        case .unread(let id, _): add(.unread(id))
        case .note(let id, let note): add(note, of: id)
        case .request(let id, isOpen: _): add(.request(id))
        case .began, .ended, .message, .edited, .reacted, .board, .removed, .delivery, .refreshed, .invitations,
            .erased:
            break
        }
    }

    private mutating func add(_ row: Row) { if known.insert(row).inserted { rows.append(row) } }

    private mutating func add(_ note: ConversationNote, of id: ConversationID) {
        let index = notes.lastIndex { $0.0 == id && $0.1.number == note.number }
        if let index { notes[index].1 = note } else { notes.append((id, note)) }
    }

    func hasConversation(_ id: ConversationID) -> Bool { known.contains(.conversation(id)) }

    mutating func takeRows() -> [Row] {
        defer { (rows, known) = ([], []) }
        return rows
    }

    mutating func takeNotes() -> [(ConversationID, ConversationNote)] {
        defer { notes = [] }
        return notes
    }
}
