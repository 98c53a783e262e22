package import Chat
package import Phrases
package import Wire

/// How the lines for people of a room are worded.
package struct Wording: Sendable {
    package let language: Language
    /// The time of day.
    package let clock: @Sendable (Timestamp) -> String
    let day: @Sendable (Timestamp) -> String
    /// Nil where no room is known.
    private let room: String?

    package init(
        language: Language, clock: @escaping @Sendable (Timestamp) -> String,
        day: @escaping @Sendable (Timestamp) -> String, room: String? = nil
    ) {
        (self.language, self.clock, self.day, self.room) = (language, clock, day, room)
    }

    /// A time of day, behind its date if that is not the one of now.
    package func moment(_ time: Timestamp, at now: Timestamp) -> String {
        day(time) == day(now) ? clock(time) : "\(day(time)) \(clock(time))"
    }

    /// The room, or the peer of the direct conversation.
    package func name(_ conversation: ConversationView) -> String {
        switch conversation {
        case .publicRoom: room.map(DisplayGuard.safe) ?? language(.publicRoom)
        case .direct(let who): who.displayName
        }
    }

    /// A name as it is typed: in quotation marks if it has a space.
    package func operand(_ name: String) -> String { QuotedName.text(of: DisplayGuard.safe(name)) }

    func names(_ rooms: [String]) -> String { rooms.map(DisplayGuard.safe).joined(separator: ", ") }

    func elapsed(seconds: UInt64) -> String {
        switch seconds {
        case ..<60: language(.seconds, "\(seconds)")
        case ..<3_600: language(.minutes, "\(seconds / 60)")
        default: language(.hours, "\(seconds / 3_600)")
        }
    }
}
