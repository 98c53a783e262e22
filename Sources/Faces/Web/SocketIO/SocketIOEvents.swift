import Chat
import ChatNode
import Commands
import Hub
import Model
import Rendering
import Wire

/// The latest events of the rooms for Socket.IO's clients, each with an offset: a client that comes back gets those that it
/// missed (Socket.IO 4.6, "Connection state recovery"). A text that the node forgets is forgotten here.
struct SocketIOEvents: Sendable {
    static let capacity = 1_024

    private enum Content: Sendable {
        case message(MessageView)
        case here(PeerName)
        case left(PeerName)
        /// The user has another name.
        case user(PeerName)
    }

    private struct Entry: Sendable {
        let offset: Int
        let room: RoomLabel
        let topic: EventTopic
        var content: Content
    }

    /// In the order of their offsets.
    private var entries: [Entry] = []
    /// The offset of the latest event; they count from 1.
    private(set) var last = 0
    /// Up to this offset, events are gone.
    private var lost = 0

    /// - Returns: the event's offset; nil for a report that is no event for these clients.
    mutating func append(_ report: RoomReport) -> Int? {
        guard case .event(let event) = report.report else { return nil }
        let (content, topic): (Content, EventTopic)
        switch event {
        case .message(let message):
            guard case .publicRoom = message.conversation else { return nil }
            (content, topic) = (.message(message), EventTopic(report))
        case .peer(.left, let who, reason: _, was: _, online: _), .elsewhere(.left, let who, reason: _, was: _):
            (content, topic) = (.left(who), EventTopic(report.room))
        case .peer(_, let who, reason: _, was: _, online: _), .elsewhere(_, let who, reason: _, was: _):
            (content, topic) = (.here(who), EventTopic(report.room))
        case .person(let row) where row.state != .left: (content, topic) = (.here(row.who), EventTopic(report.room))
        case .renamed(let me, was: _): (content, topic) = (.user(me), EventTopic(report.room))
        case .ready, .crowd, .request, .direct, .invitation, .edited, .deleted, .delivered, .read, .failed, .typing,
            .notice, .status, .person, .blocked, .stopped:
            return nil
        }
        last += 1
        entries.append(Entry(offset: last, room: report.room, topic: topic, content: content))
        if entries.count > SocketIOEvents.capacity {
            lost = entries[SocketIOEvents.capacity / 2].offset
            entries.removeFirst(SocketIOEvents.capacity / 2 + 1)
        }
        return last
    }

    /// Gives a message its present text.
    mutating func change(_ message: MessageView, in room: RoomLabel) {
        for index in entries.indices {
            guard case .message(let before) = entries[index].content, before.id == message.id,
                entries[index].room == room
            else { continue }
            entries[index].content = .message(message)
        }
    }

    mutating func erase(_ erasure: Erasure) { entries.removeAll { erasure.takes($0.topic) } }

    /// Forgets all of them: no client is there that could come back.
    mutating func removeAll() { (entries, lost) = ([], last) }

    /// The offsets of the events of a room behind an offset; nil if some of them are gone.
    func missed(since offset: Int, in room: RoomLabel) -> [Int]? {
        guard (lost...last).contains(offset) else { return nil }
        return entries.filter { $0.offset > offset && $0.room == room }.map(\.offset)
    }

    /// The packet of an event with its offset as the last argument, and its topic; nil if it is forgotten.
    ///
    /// - Parameter user: the id that the client knows the user by.
    func packet(at offset: Int, user: String) -> (text: String, topic: EventTopic)? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].offset < offset { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count, entries[low].offset == offset else { return nil }
        let entry = entries[low]
        let text =
            switch entry.content {
            case .message(let message):
                SocketIOPacket.event("newChatMessage") {
                    $0.string(message.from.displayName)
                    $0.string(DisplayGuard.safe(message.text))
                    $0.string(UniversalTime(message.sentAt).text)
                    $0.string("\(offset)")
                }
            case .here(let who):
                SocketIOPacket.event("userConnectUpdate") {
                    $0.user(who.key.hexadecimal, who.displayName, isConnected: true)
                    $0.string("\(offset)")
                }
            case .user(let me):
                SocketIOPacket.event("userConnectUpdate") {
                    $0.user(user, me.displayName, isConnected: true)
                    $0.string("\(offset)")
                }
            case .left(let who):
                SocketIOPacket.event("userExitUpdate") {
                    $0.string(who.displayName)
                    $0.string("\(offset)")
                }
            }
        return (text, entry.topic)
    }
}
