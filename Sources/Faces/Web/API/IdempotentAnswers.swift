import Chat
import Commands
import Model
import Noise
import Wire

/// A message that a request said, or a card that it put up.
enum Said: Hashable, Sendable {
    case message(MessageView, RoomLabel)
    case card(CardView, RoomLabel)

    /// Where the model has it.
    enum Place: Hashable, Sendable {
        case message(ConversationID, MessageID)
        case card(MessageID, room: Int)
    }

    var place: Place {
        switch self {
        case .message(let message, let room): .message(ConversationID(room, message.conversation), message.id)
        case .card(let card, let room): .card(card.id, room: room.number)
        }
    }

    var answer: WebAnswer {
        switch self {
        case .message(let message, let room): .json(201) { $0.members(of: message, in: room) }
        case .card(let card, let room): .json(201) { $0.members(of: card, in: room) }
        }
    }
}

extension ChatModel {
    /// The message or card at a place now; nil if it is gone.
    func said(at place: Said.Place) -> Said? {
        switch place {
        case .message(let id, let message):
            guard let room = room(id.room)?.label, let message = conversation(id)?.log[message] else { return nil }
            return .message(message, room)
        case .card(let id, let number):
            guard let room = room(number), let card = room.board.first(where: { $0.id == id }) else { return nil }
            return .card(card, room.label)
        }
    }
}

/// The answers to requests with an `Idempotency-Key`: a repeated request gets the message or the card of the first one, as the model
/// has it, and does nothing. A request that was refused did nothing, and may be tried again.
struct IdempotentAnswers {
    typealias Asked = Task<Result<Said, RouteFault>, Never>

    static let time = Duration.seconds(600)
    static let capacity = 1_024

    enum Known {
        /// Another request had the key.
        case other
        /// The request is under way.
        case asked(Asked)
        case said(Said.Place)
    }

    private struct Entry {
        /// A hash: the text of a message that is gone is in no request either.
        let request: [UInt8]
        var known: Known
        let deadline: Instant
    }

    /// By the bytes of the keys: other texts, too, compare as equal in Swift.
    private var entries: [[UInt8]: Entry] = [:]
    private let salt: [UInt8]

    init() {
        var randomness = Randomness.system
        salt = randomness.bytes(16)
    }

    /// Forgets a request that was refused.
    mutating func forget(_ key: [UInt8]) { entries[key] = nil }

    /// Keeps the place of what a request that is done has said.
    mutating func record(_ said: Said, for key: [UInt8]) { entries[key]?.known = .said(said.place) }

    /// The answer to a request: that of an equal one with the same key, if it is not longer ago than `time`.
    ///
    /// - Parameter request: all that the answer depends on.
    mutating func answer(
        _ key: [UInt8], _ request: [UInt8], at now: Instant, _ make: () -> Asked
    ) -> Known {
        let hash = SHA256.hash((salt + request).span)
        entries = entries.filter { $0.value.deadline > now }
        if let known = entries[key] { return known.request == hash ? known.known : .other }
        if entries.count >= IdempotentAnswers.capacity,
            let oldest = entries.min(by: { $0.value.deadline < $1.value.deadline })
        {
            entries[oldest.key] = nil
        }
        let asked = make()
        entries[key] = Entry(request: hash, known: .asked(asked), deadline: now + IdempotentAnswers.time)
        return .asked(asked)
    }
}
