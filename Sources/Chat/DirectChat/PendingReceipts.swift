internal import Wire

/// Receipts that a peer has still to get: for messages that came, and for messages that were read (Protocol.md section
/// 6, kinds 21 and 22).
struct PendingReceipts: Hashable, Sendable {
    /// Ids above this are dropped: a message without a receipt comes again.
    static let capacity = 1_024

    private var delivered: [MessageID] = []
    private var read: [MessageID] = []

    var isEmpty: Bool { delivered.isEmpty && read.isEmpty }

    mutating func record(delivered id: MessageID) {
        if delivered.count < PendingReceipts.capacity { delivered.append(id) }
    }

    /// Notes a message as read; a read receipt implies that it came.
    mutating func record(read id: MessageID) {
        delivered.removeAll { $0 == id }
        if read.count < PendingReceipts.capacity { read.append(id) }
    }

    /// Drops delivery receipts, because the peer sends its messages again. Read receipts wait for the next link.
    mutating func linkClosed() { delivered = [] }

    /// Takes receipts, as payload bodies.
    ///
    /// - Parameter count: of ids; the others wait.
    mutating func takeReceipts(for peer: PeerID, atMost count: Int = .max) -> [PayloadBody] {
        let (delivered, read) = (delivered.prefix(count), read.prefix(max(0, count - delivered.count)))
        self.delivered.removeFirst(delivered.count)
        self.read.removeFirst(read.count)
        return PendingReceipts.portions(Array(delivered)).map { .delivered(target: peer, ids: $0) }
            + PendingReceipts.portions(Array(read)).map { .read(target: peer, ids: $0) }
    }

    private static func portions(_ ids: [MessageID]) -> [[MessageID]] {
        stride(from: 0, to: ids.count, by: PayloadBody.receiptIDs).map { start in
            Array(ids[start..<min(start + PayloadBody.receiptIDs, ids.count)])
        }
    }
}
