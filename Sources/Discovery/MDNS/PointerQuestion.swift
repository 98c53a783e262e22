/// The question for the instances of a room, with those that are known already (RFC 6762 section 7.1): who is among them need
/// not answer.
enum PointerQuestion {
    /// The UDP payload of an Ethernet frame over IPv6, in bytes.
    static let packetSize = 1_500 - 40 - 8
    /// More packets are not sent at once: so many hold 270 instances, and those that are not among them answer.
    static let maximumPackets = 8

    private static let headerSize = 12
    private static let pointer: [UInt8] = [0, 12, 0, 1]
    private static let isTruncated: UInt8 = 0x02

    /// As many packets as it takes; all but the last say that more follows (section 7.2).
    ///
    /// - Parameter known: instances, with the seconds that are left of them.
    static func packets(for name: BrowsedName, known: [(instance: String, seconds: UInt32)]) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var rest = known[...]
        repeat {
            var packet = [UInt8](repeating: 0, count: headerSize)
            if packets.isEmpty {
                packet[5] = 1
                packet += name.wire + pointer
            }
            var count: UInt8 = 0
            while let (instance, seconds) = rest.first {
                let record = self.record(instance, seconds, of: name, recordName: packet.count > headerSize)
                guard packet.count + record.count <= packetSize else { break }
                packet += record
                count += 1
                rest = rest.dropFirst()
            }
            packet[7] = count
            packets.append(packet)
        } while !rest.isEmpty && packets.count < maximumPackets
        for index in packets.indices.dropLast() { packets[index][2] |= isTruncated }
        return packets
    }

    /// The name is written out once in each packet, right behind the header; others refer to it.
    private static func record(
        _ instance: String, _ seconds: UInt32, of name: BrowsedName, recordName: Bool
    ) -> [UInt8] {
        let service = headerSize + name.wire.count - name.service.count
        let rest = [0xc0 | UInt8(service >> 8), UInt8(service & 0xff)]
        let target = [UInt8(instance.utf8.count)] + Array(instance.utf8) + rest
        let owner = recordName ? [0xc0, UInt8(headerSize)] : name.wire
        return MDNSMessage.record(of: owner, .ptr, seconds: seconds, data: target)
    }
}
