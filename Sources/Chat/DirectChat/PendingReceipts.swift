internal import Wire

/// What a peer is still to be told about messages of its own: that they came, and that they were read
/// (Protocol.md section 6, kinds 21 and 22).
struct PendingReceipts: Hashable, Sendable {
    /// Beyond this nothing is noted: what was not acknowledged comes again.
    static let capacity = 1_024

    private var delivered: [MessageID] = []
    private var read: [MessageID] = []

    var isEmpty: Bool { delivered.isEmpty && read.isEmpty }

    mutating func note(delivered id: MessageID) {
        if delivered.count < PendingReceipts.capacity { delivered.append(id) }
    }

    /// What was read has come: one receipt says both.
    mutating func note(read id: MessageID) {
        delivered.removeAll { $0 == id }
        if read.count < PendingReceipts.capacity { read.append(id) }
    }

    /// Forgets what will be asked for again by itself, when the peer sends its messages again. That they were read is
    /// not: it waits for the next link.
    mutating func linkClosed() { delivered = [] }

    /// Takes everything, as the bodies that say it.
    mutating func take(for peer: PeerID) -> [PayloadBody] {
        defer { self = PendingReceipts() }
        return PendingReceipts.portions(delivered).map { .delivered(target: peer, ids: $0) }
            + PendingReceipts.portions(read).map { .read(target: peer, ids: $0) }
    }

    private static func portions(_ ids: [MessageID]) -> [[MessageID]] {
        stride(from: 0, to: ids.count, by: PayloadBody.receiptIDs).map { start in
            Array(ids[start..<min(start + PayloadBody.receiptIDs, ids.count)])
        }
    }
}
