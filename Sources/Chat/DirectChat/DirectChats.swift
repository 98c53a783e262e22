package import Wire

/// All direct conversations: at most 256, at most 32 of them open requests (Protocol.md section 8).
package struct DirectChats: Sendable {
    private struct Entry {
        var chat: DirectChat
        /// Grows with each use: the smallest is evicted first.
        var usedAt: UInt64
        /// From where the open request came; nil without one.
        var giver: Giver?
    }

    private var entries: [PeerID: Entry] = [:]
    private var uses: UInt64 = 0
    private var reports = RequestReports()
    private let capacity: Int
    private let sendsReadReceipts: Bool
    /// Open requests that were evicted for newer ones.
    private(set) var displacedRequests = 0
    /// Messages given up with evicted conversations, until they are reported.
    private var undelivered: [(peer: PeerID, messages: [Undelivered])] = []

    /// True if the accepted conversations are others than at the last `takeChange`.
    private var isChanged = false

    /// - Parameter accepted: the peers of conversations that were accepted in earlier runs, the one used last at the end.
    package init(
        capacity: Int = Limits.directConversations, accepted: [PeerID] = [], sendsReadReceipts: Bool = false
    ) {
        self.capacity = capacity
        self.sendsReadReceipts = sendsReadReceipts
        for peer in accepted.suffix(capacity) { touch(peer) { $0.state = .accepted } }
        isChanged = false
    }

    package var count: Int { entries.count }

    package subscript(peer: PeerID) -> DirectChat? { entries[peer]?.chat }

    /// All conversations, the one used last first.
    package var all: [DirectChat] {
        entries.values.sorted { $0.usedAt > $1.usedAt }.map(\.chat)
    }

    /// Conversations with an open request of the peer, oldest first.
    package var requests: [DirectChat] { all.reversed().filter { $0.request != nil } }

    /// True if there is no agreement with the peer: no conversation, or a forgotten one.
    func isStranger(_ peer: PeerID) -> Bool { entries[peer].map { $0.chat.state == .none } ?? true }

    /// True if the conversation with a peer is accepted.
    package func isAccepted(_ peer: PeerID) -> Bool { self[peer]?.state == .accepted }

    /// The peers of accepted conversations, the one used last at the end.
    var accepted: [PeerID] { all.reversed().filter(\.isAccepted).map(\.peer) }

    /// True if conversations were accepted, or accepted ones ended, since the last call.
    mutating func takeChange() -> Bool {
        defer { isChanged = false }
        return isChanged
    }

    /// Notes that a conversation is to be remembered, or no longer, if it is accepted.
    mutating func recordChange(with peer: PeerID) {
        if entries[peer]?.chat.isAccepted == true { isChanged = true }
    }

    var hasUndelivered: Bool { !undelivered.isEmpty }

    /// Takes the messages that were given up with evicted conversations.
    mutating func drainUndelivered() -> [(peer: PeerID, messages: [Undelivered])] {
        guard !undelivered.isEmpty else { return [] }
        defer { undelivered = [] }
        return undelivered
    }

    /// Gives up all queued messages, in the order of their peers' keys.
    mutating func giveUp() -> [(peer: PeerID, messages: [Undelivered])] {
        entries.keys.sorted().compactMap { peer in
            guard let lost = update(peer, { $0.giveUp() }), !lost.isEmpty else { return nil }
            return (peer, lost)
        }
    }

    /// Changes a conversation; nil if there is none.
    mutating func update<Result>(_ peer: PeerID, _ change: (inout DirectChat) -> Result) -> Result? {
        guard let index = entries.index(forKey: peer) else { return nil }
        return update(at: index, change)
    }

    /// Changes a conversation, which is created if there is none, and marks it as used.
    mutating func updateOrCreate<Result>(_ peer: PeerID, _ change: (inout DirectChat) -> Result) -> Result {
        if entries[peer] == nil { makeSpace(from: .accepted) }
        return touch(peer, change)
    }

    /// Receives a request. Nil if it would evict a conversation that the user wanted.
    ///
    /// - Parameter giver: from where it came.
    mutating func receiveRequest(_ message: Message, from giver: Giver, now: Instant) -> DirectStep? {
        if entries[message.author] == nil {
            makeSpace(from: .declined)
            guard entries.count < capacity else { return nil }
        }
        var isNew = entries[message.author]?.chat.awaitsNoAnswer ?? true
        if isNew { isNew = reports.recordRequest(of: message.author, from: giver, now: now) }
        let step = touch(message.author) { $0.receiveRequest(message, isReported: isNew) }
        entries[message.author]?.giver = giver
        dropExcessRequest()
        return step
    }

    private mutating func touch<Result>(_ peer: PeerID, _ change: (inout DirectChat) -> Result) -> Result {
        uses += 1
        let new = Entry(chat: DirectChat(with: peer, sendsReadReceipts: sendsReadReceipts), usedAt: uses)
        entries[peer, default: new].usedAt = uses
        guard let index = entries.index(forKey: peer) else { preconditionFailure("a conversation just made is gone") }
        return update(at: index, change)
    }

    private mutating func update<Result>(
        at index: Dictionary<PeerID, Entry>.Index, _ change: (inout DirectChat) -> Result
    ) -> Result {
        let wasAccepted = entries.values[index].chat.isAccepted
        let result = change(&entries.values[index].chat)
        if entries.values[index].chat.isAccepted != wasAccepted {
            isChanged = true
            if !wasAccepted { reports.reset(entries.keys[index]) }
        }
        return result
    }

    private mutating func forget(_ peer: PeerID) {
        guard var chat = entries.removeValue(forKey: peer)?.chat else { return }
        if chat.isAccepted { isChanged = true }
        let lost = chat.giveUp()
        if !lost.isEmpty { undelivered.append((peer, lost)) }
    }

    /// Evicts an open request above the limit, the oldest of the giver with the most; messages before it are kept.
    private mutating func dropExcessRequest() {
        guard entries.values.count(where: { $0.chat.request != nil }) > Limits.openRequests else { return }
        let open = entries.filter { $0.value.chat.request != nil }.sorted { $0.value.usedAt < $1.value.usedAt }
        let holders = open.map { FairShare.Holder(giver: $0.value.giver ?? Giver($0.key), author: $0.key) }
        guard let position = FairShare.oldest(of: holders) else { return }
        let (peer, entry) = open[position]
        displacedRequests += 1
        if entry.chat.messages.isEmpty && !entry.chat.isActive {
            forget(peer)
        } else {
            entries[peer]?.chat.state = .left
        }
    }

    /// Evicts, if the table is full, the least important conversation, and of these the one used longest ago.
    private mutating func makeSpace(from mostWorth: EvictionPriority) {
        guard entries.count >= capacity else { return }
        let candidates = entries.lazy.filter { !$0.value.chat.isActive && $0.value.chat.evictionPriority <= mostWorth }
        let least = candidates.min {
            ($0.value.chat.evictionPriority, $0.value.usedAt) < ($1.value.chat.evictionPriority, $1.value.usedAt)
        }
        if let least { forget(least.key) }
    }

    /// The loss if a conversation is evicted, least first.
    fileprivate enum EvictionPriority: Int, Comparable {
        case none
        case requestedByThem
        case declined
        case requestedByUs
        case accepted

        static func < (left: EvictionPriority, right: EvictionPriority) -> Bool { left.rawValue < right.rawValue }
    }
}

extension DirectChat {
    fileprivate var evictionPriority: DirectChats.EvictionPriority {
        switch state {
        case .none, .left: .none
        case .requestedByThem: .requestedByThem
        case .declined: .declined
        case .requestedByUs: .requestedByUs
        case .accepted: .accepted
        }
    }
}

extension Limits {
    /// Requests for a direct conversation that wait for an answer; the oldest of the giver with the most goes. More let
    /// strangers cost memory and fill the list; with fewer, an attacker pushes honest requests out sooner.
    package static let openRequests = 32
}
