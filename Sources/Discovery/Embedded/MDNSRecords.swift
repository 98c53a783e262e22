import ChatNode

/// A node's records on one interface: PTR, SRV, TXT and its addresses there (Protocol.md section 10).
enum MDNSRecords {
    /// The protocol version, and all that the TXT record says.
    static let version = "v=3"

    /// At most five records that are announced: a daemon's cache holds 4,096 an interface, and drops the rest silently.
    ///
    /// - Parameter crowd: where the room is a crowd.
    static func records(
        for announcement: Announcement, addresses: [[UInt8]], in crowd: RoomCrowd? = nil
    ) -> [MDNSRecord] {
        let instance = MDNSName.instance(announcement.instance)
        let host = MDNSName([announcement.host])
        let port = [UInt8(announcement.port >> 8), UInt8(truncatingIfNeeded: announcement.port)]
        let version = [UInt8(Self.version.utf8.count)] + Array(Self.version.utf8)
        let pointer = MDNSRecord(name: .subtype(announcement.subtype), kind: .ptr, rdata: instance.wire)
        let buckets = crowd?.hasBuckets == true ? addresses : []
        return (crowd?.isListed == false ? [] : [pointer]) + [
            MDNSRecord(name: instance, kind: .srv, rdata: [0, 0, 0, 0] + port + host.wire),
            MDNSRecord(name: instance, kind: .txt, rdata: version),
        ]
            + addresses.map { MDNSRecord(name: host, kind: $0.count == 4 ? .a : .aaaa, rdata: $0) }
            + buckets.flatMap { self.buckets(of: $0, for: announcement) }
    }

    /// The records of the buckets of an address, published over its family alone, since the answer is to come from it.
    private static func buckets(of address: [UInt8], for announcement: Announcement) -> [MDNSRecord] {
        let (bucket, room) = (AddressBucket(of: address, in: announcement.subtype), announcement.subtype)
        return [bucket.wideSubtype(of: room), bucket.narrowSubtype(of: room)].map { subtype in
            MDNSRecord(
                name: .subtype(subtype), kind: .ptr, rdata: MDNSName.instance(announcement.instance).wire,
                bucketFamily: address.count == 4 ? .ipv4 : .ipv6)
        }
    }
}
