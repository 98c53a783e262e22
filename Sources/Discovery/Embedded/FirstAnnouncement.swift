import Wire

/// Announces new records at once, so that present peers dial us: Avahi waits up to 250 ms before its first announcement.
/// Avahi hears this packet and leaves its own first one out; it sends the second, the answers and the goodbyes. In a crowd it
/// is also the node's part in the census.
struct FirstAnnouncement {
    /// The announcement on one interface, in the family of the address that it is sent from.
    struct Packet: Hashable {
        let interface: UInt32
        let source: [UInt8]
        let bytes: [UInt8]

        /// Avahi announces the records that can not be sent here.
        func send() {
            let socket = try? MulticastSocket(.mdns, at: interface, from: source, other: 0, reach: 255)
            try? socket?.sendFrom(source, at: interface)
            try? socket?.send(bytes)
        }
    }

    /// Random, for machines that are switched on together; after the responder's own registration, and before the first
    /// query.
    static let wait = Duration.milliseconds(10)...Duration.milliseconds(20)
    /// No record is said again sooner (RFC 6762 section 6).
    static let shortestInterval = Duration.seconds(1)

    private var last: (publication: Publication, at: Instant)?

    /// The packets to send; none where equal ones were sent just now.
    mutating func packets(of publication: Publication, in view: NetworkView, now: Instant) -> [Packet] {
        if let last, last.publication == publication, now - last.at < Self.shortestInterval { return [] }
        last = (publication, now)
        let posts = view.listeningPosts
        return publication.sorted { $0.key < $1.key }.flatMap { interface, records -> [Packet] in
            [Family.ipv4, .ipv6].compactMap { family in
                guard let source = posts[MulticastPlace(interface: interface, family: family)] else { return nil }
                return Self.packet(of: records, over: family, at: interface, from: source)
            }
        }
    }

    /// From the address that it announces, which proves that address; from `other` where it announces none of the family. Nil
    /// where the node is listed neither under the room nor, over this family, under a bucket.
    private static func packet(
        of records: [MDNSRecord], over family: Family, at interface: UInt32, from other: [UInt8]
    ) -> Packet? {
        let pointer = records.first { $0.group == .room } ?? records.first { $0.bucketFamily == family }
        guard let pointer else { return nil }
        let source = records.first { $0.kind == (family == .ipv4 ? .a : .aaaa) }?.rdata ?? other
        let bytes = MDNSMessage.announcement(of: [pointer] + records.filter { $0.group == .service })
        return Packet(interface: interface, source: source, bytes: bytes)
    }
}
