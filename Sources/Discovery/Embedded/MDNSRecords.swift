import ChatNode

/// A node's records on one interface: PTR, SRV, TXT and its addresses there (Protocol.md section 10).
enum MDNSRecords {
    /// The protocol version, and all that the TXT record says.
    static let version = "v=2"

    /// At most five records: a daemon's cache holds 4,096 an interface, and drops the rest silently.
    static func records(for announcement: Announcement, addresses: [[UInt8]]) -> [MDNSRecord] {
        let instance = MDNSName.instance(announcement.instance)
        let host = MDNSName([announcement.host])
        let port = [UInt8(announcement.port >> 8), UInt8(truncatingIfNeeded: announcement.port)]
        let version = [UInt8(Self.version.utf8.count)] + Array(Self.version.utf8)
        return [
            MDNSRecord(name: .subtype(announcement.subtype), kind: .ptr, rdata: instance.wire),
            MDNSRecord(name: instance, kind: .srv, rdata: [0, 0, 0, 0] + port + host.wire),
            MDNSRecord(name: instance, kind: .txt, rdata: version),
        ]
            + addresses.map { MDNSRecord(name: host, kind: $0.count == 4 ? .a : .aaaa, rdata: $0) }
    }
}
