import Model

/// Packets that wait for a client to read, in their order.
struct OutputQueue: Sendable {
    private struct Packet {
        let bytes: [UInt8]
        let topic: EventTopic?
    }

    private let capacity: Int
    private var packets: [Packet] = []
    private var first = 0
    /// The bytes of the first packet that were taken.
    private var taken = 0
    /// Bytes that were not taken.
    private(set) var waiting = 0

    /// - Parameter capacity: in bytes.
    init(capacity: Int) { self.capacity = capacity }

    var isEmpty: Bool { waiting == 0 }

    /// - Returns: false if too much waits already.
    mutating func append(_ bytes: [UInt8], of topic: EventTopic?) -> Bool {
        guard waiting + bytes.count <= capacity else { return false }
        guard !bytes.isEmpty else { return true }
        packets.append(Packet(bytes: bytes, topic: topic))
        waiting += bytes.count
        return true
    }

    /// The bytes to send next; nil if none wait.
    var next: ArraySlice<UInt8>? { first < packets.count ? packets[first].bytes[taken...] : nil }

    /// So many of the next bytes were sent.
    mutating func take(_ count: Int) {
        guard first < packets.count else { return }
        (taken, waiting) = (taken + count, waiting - count)
        guard taken == packets[first].bytes.count else { return }
        packets[first] = Packet(bytes: [], topic: nil)
        (first, taken) = (first + 1, 0)
        if first > packets.count / 2 {
            packets.removeFirst(first)
            first = 0
        }
    }

    mutating func removeAll() { self = OutputQueue(capacity: capacity) }

    /// Removes the packets whose text is to be forgotten.
    ///
    /// - Returns: false if one of them is sent in part, so that it can not be taken back.
    mutating func erase(_ erasure: Erasure) -> Bool {
        guard first < packets.count else { return true }
        let begun = taken > 0 ? packets[first] : nil
        let rest = packets[(taken > 0 ? first + 1 : first)...].filter { !($0.topic.map(erasure.takes) ?? false) }
        packets = (begun.map { [$0] } ?? []) + rest
        first = 0
        waiting = packets.reduce(-taken) { $0 + $1.bytes.count }
        return !(begun?.topic.map(erasure.takes) ?? false)
    }
}
