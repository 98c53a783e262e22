import Model

/// Packets that wait for a client to read, in their order.
struct OutputQueue: Sendable {
    private struct Packet {
        let bytes: [UInt8]
        let topic: EventTopic?
        let behind: Int?
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

    /// - Parameters:
    ///   - behind: the number of the last event of the log that goes before; nil for none.
    ///   - isForced: whether the bytes are taken however many they are.
    /// - Returns: false if too much waits already.
    mutating func append(_ bytes: [UInt8], of topic: EventTopic?, behind: Int? = nil, isForced: Bool = false) -> Bool {
        guard isForced || waiting + bytes.count <= capacity else { return false }
        guard !bytes.isEmpty else { return true }
        packets.append(Packet(bytes: bytes, topic: topic, behind: behind))
        waiting += bytes.count
        return true
    }

    /// The number of the last event that goes before the first packet; nil without a packet, or if none does.
    var behind: Int? { first < packets.count ? packets[first].behind : nil }

    /// The bytes to send next, of one packet or several.
    ///
    /// - Parameter most: the bytes from which on no further packet is added.
    func bytes(upTo most: Int) -> ArraySlice<UInt8> {
        guard first < packets.count else { return [] }
        var bytes = packets[first].bytes[taken...]
        for packet in packets[(first + 1)...] {
            guard bytes.count + packet.bytes.count <= most else { break }
            bytes += packet.bytes
        }
        return bytes
    }

    /// So many of the next bytes were sent.
    mutating func take(_ count: Int) {
        var rest = count
        while rest > 0, first < packets.count {
            let part = min(rest, packets[first].bytes.count - taken)
            (rest, taken, waiting) = (rest - part, taken + part, waiting - part)
            guard taken == packets[first].bytes.count else { break }
            packets[first] = Packet(bytes: [], topic: nil, behind: nil)
            (first, taken) = (first + 1, 0)
        }
        guard first > packets.count / 2 else { return }
        packets.removeFirst(first)
        first = 0
    }

    /// Takes the first packet, of which nothing was taken before; nil if none waits.
    mutating func takePacket() -> [UInt8]? {
        guard first < packets.count else { return nil }
        let bytes = packets[first].bytes
        take(bytes.count)
        return bytes
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
