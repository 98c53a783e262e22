package import Wire

/// The room's public conversation.
package struct PublicChat: Sendable {
    private var log = ConversationLog(.publicRoom)

    package init() {}

    package var isActive: Bool {
        get { log.isActive }
        set { log.isActive = newValue }
    }
    package var unreadCount: Int { log.unreadCount }
    package var messages: MessageRing { log.messages }
    package var last: Message? { log.last }

    /// A text as the payload that says it. Throws what the rules of Protocol.md section 6 refuse.
    package static func compose(
        _ text: String, in session: inout UserSession, at time: Timestamp
    ) throws(ChatError) -> VerifiedPayload {
        let text = try Text.compose(text)
        let body = PayloadBody.publicMessage(stage: session.stage, nickname: session.nickname, text: text)
        return session.sign(body, at: time)
    }

    /// Takes a message in. Nil for a duplicate, and for history from before what is kept.
    package mutating func receive(_ message: Message, isOwn: Bool) -> ChatEvent? {
        log.add(message, isOwn: isOwn)
    }

    /// Edits or deletes. Nil where nothing changed.
    package mutating func apply(_ change: MessageChange) -> ChatEvent? { log.apply(change) }
}
