internal import Wire

/// The last number of an own payload for each receiver within the epoch (Protocol.md section 6): no member can count by its own
/// numbers what others get.
struct ReceiverNumbers: Sendable {
    private let capacity: Int
    private var last: [PeerID: UInt64] = [:]
    /// The highest number of the receivers that were forgotten, one of which may come again.
    private var floor: UInt64 = 0

    init(capacity: Int = Limits.numberedReceivers) {
        precondition(capacity > 0, "a table of receivers has room for none")
        self.capacity = capacity
    }

    /// The number of the next payload for a receiver.
    mutating func takeNext(for receiver: PeerID) -> UInt64 {
        if last[receiver] == nil, last.count >= capacity { forget() }
        let next = (last[receiver] ?? floor) + 1
        last[receiver] = next
        return next
    }

    private mutating func forget() {
        floor = last.values.reduce(floor, max)
        last.removeAll(keepingCapacity: true)
    }
}

extension Limits {
    /// Receivers of direct payloads whose numbers are counted apart. More cost memory; with fewer, a receiver that is
    /// written to after so many others learns the highest of their numbers.
    static let numberedReceivers = 16_384
}
