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

    /// Whether faces still need the state of peers, without their texts.
    package var leavesState: Bool {
        switch self {
        case .author: true
        case .everything, .room, .request, .message: false
        }
    }

    /// Nil for a report behind which every text stays.
    package init?(behind report: RoomReport) {
        switch report.report {
        case .event(let event): self.init(behind: event, in: report.room)
        case .answer(let answer) where answer.content is Wiped: self = .everything
        case .error, .answer, .entered, .opened, .viewed, .leaving, .snapshot, .listening, .entering: return nil
        }
    }

    private init?(behind event: NodeEvent, in room: RoomLabel) {
        switch event {
        case .stopped: self = .room(room.number)
        case .deleted(let view): self = .message(ConversationID(room, view.conversation), view.id)
        case .cardRemoved(let card, _): self = .message(ConversationID(room, .publicRoom), card.id)
        case .direct(.declined, let who): self = .request(ConversationID(room, .direct(with: who)))
        case .blocked(let who, isOn: true): self = .author(who.key, in: room.number)
        // A direct conversation that was left is still history, which the node gives.
        case .ready, .peer, .renamed, .status, .person, .blocked, .crowd, .elsewhere, .message, .request, .direct,
            .invitation, .edited, .reacted, .card, .delivered, .read, .failed, .typing, .notice:
            return nil
        }
    }
}
