package import Wire

/// When others are told that we type, and when that we no longer do (Protocol.md section 6, kind 3).
///
/// They are told at the first key, every 3 s while keys come, and when it ends without a message.
package struct TypingNotice: Sendable {
    /// What to tell.
    package struct Signal: Hashable, Sendable {
        package let conversation: Conversation
        package let isOn: Bool
    }

    private struct Typing {
        let conversation: Conversation
        var keyAt: Instant
        var toldAt: Instant

        /// One telling is enough for its keys; later ones are told of when the time has come.
        var renewsAt: Instant? { keyAt > toldAt ? toldAt + Limits.typingRenewal : nil }
        var pausesAt: Instant { keyAt + Limits.typingPause }
    }

    private var typing: Typing?

    package init() {}

    /// When `tick` has something to tell; nil for never.
    package var nextDeadline: Instant? {
        typing.map { typing in typing.renewsAt.map { min($0, typing.pausesAt) } ?? typing.pausesAt }
    }

    /// A key is pressed in a conversation.
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

    /// What was typed is no longer there, and nobody got it.
    package mutating func stop() -> Signal? {
        defer { typing = nil }
        return typing.map { Signal(conversation: $0.conversation, isOn: false) }
    }

    /// A message is sent: to its receivers that says it all.
    package mutating func said(in conversation: Conversation) -> Signal? {
        if typing?.conversation == conversation { typing = nil }
        return stop()
    }

    /// Another conversation is looked at.
    package mutating func moved(to conversation: Conversation) -> Signal? {
        typing?.conversation == conversation ? nil : stop()
    }

    /// Tells what is due.
    package mutating func tick(_ now: Instant) -> Signal? {
        guard let current = typing else { return nil }
        if now >= current.pausesAt { return stop() }
        guard let renewsAt = current.renewsAt, now >= renewsAt else { return nil }
        typing?.toldAt = now
        return Signal(conversation: current.conversation, isOn: true)
    }
}
