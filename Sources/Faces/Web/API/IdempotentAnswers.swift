import Chat
import Commands
import Model
import Noise
import Wire

/// A message that a request said.
struct SaidMessage: Hashable, Sendable {
    let message: MessageView
    let room: RoomLabel

    var answer: WebAnswer { .json(201) { $0.members(of: message, in: room) } }
}

/// The answers to requests with an `Idempotency-Key`: a repeated request gets the message of the first one, as the model has it, and
/// does nothing. A request that was refused did nothing, and may be tried again.
struct IdempotentAnswers {
    typealias Asked = Task<Result<SaidMessage, RouteFault>, Never>

    static let time = Duration.seconds(600)
    static let capacity = 1_024

    enum Known {
        /// Another request had the key.
        case other
        /// The request is under way.
        case asked(Asked)
        case said(ConversationID, MessageID)
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

    /// Keeps the place of the message of a request that is done.
    mutating func record(_ said: SaidMessage, for key: [UInt8]) {
        entries[key]?.known = .said(ConversationID(said.room, said.message.conversation), said.message.id)
    }

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
