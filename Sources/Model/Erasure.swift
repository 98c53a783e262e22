import Chat
import ChatNode
package import Commands
package import Wire

/// An end of texts: nothing that is kept has them any more.
package enum Erasure: Hashable, Sendable {
    /// `/wipe`: all that was said in any room.
    case everything
    /// The room of this number was left, or its node has ended.
    case room(Int)
    /// The request for the direct conversation was declined.
    case request(ConversationID)
    case message(ConversationID, MessageID)
    /// The user blocked the peer in the room of this number.
    case author(PeerID, in: Int)

    /// Nil for a report behind which every text stays.
    package init?(behind report: RoomReport) {
        switch report.report {
        case .event(.stopped): self = .room(report.room.number)
        case .event(.deleted(let view)): self = .message(ConversationID(report.room, view.conversation), view.id)
        // One that was left is still history, which the node gives.
        case .event(.direct(.declined, let who)):
            self = .request(ConversationID(report.room, .direct(with: who)))
        case .event(.blocked(let who, isOn: true)): self = .author(who.key, in: report.room.number)
        case .answer(let answer) where answer.content is Wiped: self = .everything
        case .event, .error, .answer, .entered, .opened, .viewed, .leaving, .snapshot, .listening: return nil
        }
    }
}
