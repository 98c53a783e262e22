package import Wire

/// The peers that are typing: each until it stops, sends the text, or 6 s pass without renewal (Protocol.md section 6).
package struct TypingList: Sendable {
    private struct Key: Hashable {
        let peer: PeerID
        let conversation: Conversation
    }

    private var ends: [Key: Instant] = [:]

    package init() {}

    package var nextDeadline: Instant? { ends.isEmpty ? nil : ends.values.min() }

    /// Notes a typing payload. Nil if nothing shown changes; above the capacity no further peer is shown.
    mutating func set(_ isOn: Bool, _ peer: PeerID, in conversation: Conversation, now: Instant) -> ChatEvent? {
        let key = Key(peer: peer, conversation: conversation)
        guard isOn else { return stop(peer, in: conversation) }
        let isNew = ends[key] == nil
        if isNew && ends.count == Limits.typingPeers { return nil }
        ends[key] = now + Limits.typingLifetime
        return isNew ? .typing(peer, conversation, isOn: true) : nil
    }

    mutating func stop(_ peer: PeerID, in conversation: Conversation) -> ChatEvent? {
        guard !ends.isEmpty, ends.removeValue(forKey: Key(peer: peer, conversation: conversation)) != nil else {
            return nil
        }
        return .typing(peer, conversation, isOn: false)
    }

    /// Stops a peer in all conversations: it has gone, or was hidden.
    mutating func stopAll(of peer: PeerID) -> [ChatEvent] { stop { key, _ in key.peer == peer } }

    mutating func tick(_ now: Instant) -> [ChatEvent] { stop { _, end in end <= now } }

    private mutating func stop(where isOver: (Key, Instant) -> Bool) -> [ChatEvent] {
        guard !ends.isEmpty else { return [] }
        let over = ends.filter { isOver($0.key, $0.value) }
        for key in over.keys { ends[key] = nil }
        return over.keys.sorted(by: TypingList.isOrdered).map { .typing($0.peer, $0.conversation, isOn: false) }
    }

    /// Public before direct, because the order of a dictionary differs from run to run.
    private static func isOrdered(_ left: Key, _ right: Key) -> Bool {
        if left.peer != right.peer { return left.peer < right.peer }
        return left.conversation == .publicRoom && right.conversation != .publicRoom
    }
}
