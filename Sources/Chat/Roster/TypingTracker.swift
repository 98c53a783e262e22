package import Wire

/// Decides when typing payloads are sent (Protocol.md section 6, kind 3): at the first key, every 3 s while keys come,
/// and when typing ends without a message.
package struct TypingTracker: Sendable {
    /// A typing payload to send.
    package struct Signal: Hashable, Sendable {
        package let conversation: Conversation
        package let isOn: Bool
    }

    private struct Typing {
        let conversation: Conversation
        var keyAt: Instant
        var toldAt: Instant

        /// Keys since the last payload are reported by the next one, when it is due.
        var renewsAt: Instant? { keyAt > toldAt ? toldAt + Limits.typingRenewal : nil }
        var pausesAt: Instant { keyAt + Limits.typingPause }
    }

    private var typing: Typing?

    package init() {}

    /// When `tick` has something to send; nil for never.
    package var nextDeadline: Instant? {
        typing.map { typing in typing.renewsAt.map { min($0, typing.pausesAt) } ?? typing.pausesAt }
    }

    /// Notes a key pressed in a conversation.
    package mutating func key(in conversation: Conversation, now: Instant) -> [Signal] {
        let ended = typing?.conversation == conversation ? nil : stop()
        guard ended == nil, var current = typing else {
            typing = Typing(conversation: conversation, keyAt: now, toldAt: now)
            return [ended, Signal(conversation: conversation, isOn: true)].compactMap(\.self)
        }
        current.keyAt = now
        typing = current
        return tick(now).map { [$0] } ?? []
    }

    /// Notes that the text was discarded.
    package mutating func stop() -> Signal? {
        defer { typing = nil }
        return typing.map { Signal(conversation: $0.conversation, isOn: false) }
    }

    /// Notes that the text was sent: its payload ends typing for its receivers.
    package mutating func said(in conversation: Conversation) -> Signal? {
        if typing?.conversation == conversation { typing = nil }
        return stop()
    }

    /// Notes that the user looks at another conversation.
    package mutating func moved(to conversation: Conversation) -> Signal? {
        typing?.conversation == conversation ? nil : stop()
    }

    /// Returns the payload that is due.
    package mutating func tick(_ now: Instant) -> Signal? {
        guard let current = typing else { return nil }
        if now >= current.pausesAt { return stop() }
        guard let renewsAt = current.renewsAt, now >= renewsAt else { return nil }
        typing?.toldAt = now
        return Signal(conversation: current.conversation, isOn: true)
    }
}

extension Limits {
    /// From one typing notice to the next while the user types. A longer one must shorten `typingLifetime`'s margin; a
    /// shorter one sends more signals for the same display.
    static let typingRenewal = Duration.seconds(3)
    /// Time without a key after which the user no longer types. A longer one shows a user as typing who went away; a
    /// shorter one flickers while the user thinks.
    static let typingPause = Duration.seconds(5)
}
