import Chat
import ChatNode
import Commands
import Wire

/// The name of a conversation in paths: `r1` for a room by its number, `r1-KEY` for a direct one.
struct ConversationID: Hashable, Sendable, CustomStringConvertible {
    let room: Int
    /// Nil for the room's own.
    let peer: PeerID?

    init(_ room: RoomLabel, _ conversation: ConversationView) {
        self.room = room.number
        peer = if case .direct(let who) = conversation { who.key } else { nil }
    }

    /// - Returns: nil for a text that is no such name: a room has one name, a key has digits of any case.
    init?(_ text: String) {
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
    init?(of report: RoomReport) {
        switch report.report {
        case .event(.message(let message)), .event(.edited(let message)), .event(.deleted(let message)):
            self.init(report.room, message.conversation)
        case .event(.typing(_, let view, _)), .opened(let view, _):
            self.init(report.room, view)
        case .event(.delivered(let who, _)), .event(.read(let who, _)), .event(.failed(let who, _)),
            .event(.direct(_, let who)):
            self.init(report.room, .direct(with: who))
        case .event, .error, .answer, .entered, .listening: return nil
        }
    }

    var description: String { "r\(room)" + (peer.map { "-\($0.hexadecimal)" } ?? "") }
}
