package import Chat
import ChatNode
package import Commands
package import Wire

/// Which conversation: the number of a room, and of a direct one the key of its peer. One key may be in several rooms, and is
/// another user in each.
///
/// Its text is `r1` for a room, `r1-KEY` for a direct one.
package struct ConversationID: Hashable, Sendable, CustomStringConvertible {
    package let room: Int
    /// Nil for the room's own.
    package let peer: PeerID?

    package init(room: Int, peer: PeerID? = nil) { (self.room, self.peer) = (room, peer) }

    package init(_ room: RoomLabel, _ conversation: ConversationView) {
        self.room = room.number
        peer = if case .direct(let who) = conversation { who.key } else { nil }
    }

    /// - Returns: nil for a text that is no such name: a room has one name, a key has digits of any case.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let room = RoomLabel.number(ofID: parts[0]) else { return nil }
        self.room = room
        guard parts.count == 2 else {
            peer = nil
            return
        }
        guard let key = PeerID(hexadecimal: parts[1]) else { return nil }
        peer = key
    }

    /// That of a report about a conversation; nil for others.
    package init?(of report: RoomReport) {
        switch report.report {
        case .event(let event): self.init(of: event, in: report.room)
        case .opened(let view, _): self.init(report.room, view)
        case .error, .answer, .entered, .viewed, .leaving, .snapshot, .listening, .entering: return nil
        }
    }

    private init?(of event: NodeEvent, in room: RoomLabel) {
        switch event {
        case .message(let message), .edited(let message), .deleted(let message): self.init(room, message.conversation)
        case .reacted(let reaction): self.init(room, reaction.message.conversation)
        case .card, .cardRemoved: self.init(room, .publicRoom)
        case .typing(_, let view, _): self.init(room, view)
        case .delivered(let who, _), .read(let who, _), .failed(let who, _), .direct(_, let who), .request(let who, _):
            self.init(room, .direct(with: who))
        case .ready, .peer, .renamed, .status, .person, .blocked, .crowd, .elsewhere, .invitation, .notice, .stopped:
            return nil
        }
    }

    package var description: String { "r\(room)" + (peer.map { "-\($0.hexadecimal)" } ?? "") }
}

extension RoomLabel {
    /// The name of the room in paths.
    package var id: String { "r\(number)" }

    /// The number of the room with such a name; nil for a text that is none, as `R1` and `r01` are.
    package static func number(ofID text: some StringProtocol) -> Int? {
        guard let number = Int(text.dropFirst()), text == "r\(number)" else { return nil }
        return number
    }
}
