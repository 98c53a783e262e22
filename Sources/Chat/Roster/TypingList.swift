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

    /// Notes a typing payload; above the capacity no further peer is shown.
    ///
    /// - Returns: whether what is shown changes.
    mutating func set(_ isOn: Bool, _ peer: PeerID, in conversation: Conversation, now: Instant) -> Bool {
        let key = Key(peer: peer, conversation: conversation)
        guard isOn else { return stop(peer, in: conversation) }
        let isNew = ends[key] == nil
        if isNew && ends.count == Limits.typingPeers { return false }
        ends[key] = now + Limits.typingLifetime
        return isNew
    }

    /// - Returns: whether the peer was shown as typing there.
    mutating func stop(_ peer: PeerID, in conversation: Conversation) -> Bool {
        !ends.isEmpty && ends.removeValue(forKey: Key(peer: peer, conversation: conversation)) != nil
    }

    /// Stops a peer in all conversations: it has gone, or was hidden.
    ///
    /// - Returns: those in which it was shown as typing.
    mutating func stopAll(of peer: PeerID) -> [Conversation] {
        stop { key, _ in key.peer == peer }.map(\.conversation)
    }

    /// - Returns: the peers that stopped typing, and where.
    mutating func tick(_ now: Instant) -> [(peer: PeerID, conversation: Conversation)] {
        stop { _, end in end <= now }.map { ($0.peer, $0.conversation) }
    }

    private mutating func stop(where isOver: (Key, Instant) -> Bool) -> [Key] {
        guard !ends.isEmpty else { return [] }
        let over = ends.filter { isOver($0.key, $0.value) }
        for key in over.keys { ends[key] = nil }
        return over.keys.sorted(by: TypingList.isOrdered)
    }

    /// Public before direct, because the order of a dictionary differs from run to run.
    private static func isOrdered(_ left: Key, _ right: Key) -> Bool {
        if left.peer != right.peer { return left.peer < right.peer }
        return left.conversation == .publicRoom && right.conversation != .publicRoom
    }
}

extension Limits {
    /// After which a peer without a further notice no longer types: two renewals, so that one late notice does not end
    /// the display. A longer one shows peers as typing that crashed; a shorter one flickers.
    static let typingLifetime = Duration.seconds(6)
    /// Conversations with a displayed typing notice; further ones are not displayed. More cost memory that strangers
    /// fill; with fewer, a crowd's notices displace those of direct conversations.
    package static let typingPeers = 256
}
