import CAvahi
import CAvahiCore

/// One resource record as Avahi takes it raw: name, type and rdata in wire format (RFC 1035 section 3.2).
struct MDNSRecord: Hashable, Sendable {
    /// The types that an announcement needs (RFC 1035, RFC 2782, RFC 3596).
    enum Kind: UInt16, Sendable {
        case a = 1
        case ptr = 12
        case txt = 16
        case aaaa = 28
        case srv = 33
    }

    /// The records that are published and withdrawn together.
    enum Group: Int, Hashable, Comparable {
        /// The service and its addresses.
        case service
        /// The node among those of the room.
        case room
        /// The node among those of its buckets.
        case buckets

        static func < (one: Group, other: Group) -> Bool { one.rawValue < other.rawValue }
    }

    let name: MDNSName
    let kind: Kind
    let rdata: [UInt8]
    /// Of a bucket's record: the family that it is published over; nil for both.
    var bucketFamily: Family?

    var group: Group {
        if kind != .ptr { return .service }
        return bucketFamily == nil ? .room : .buckets
    }

    /// Seconds that others keep a record whose owner fell silent. All browsers query each PTR again before it ends, with
    /// all known answers in the question: in a group of 32 those queries were most of the mDNS traffic at a lifetime of two
    /// minutes. Avahi's default of 75 minutes would list gone peers for long.
    var timeToLive: UInt32 {
        switch kind {
        case .ptr where bucketFamily != nil: 120
        case .ptr: 600
        case .a, .txt, .aaaa, .srv: 120
        }
    }

    /// True if no other host may own a record of this name and type. The subtype's PTR is shared: marked unique it would
    /// flush all others from the caches (RFC 6762 section 10.2).
    var isUnique: Bool {
        switch kind {
        case .ptr: false
        case .a, .txt, .aaaa, .srv: true
        }
    }

    /// The record's flags for Avahi. Random names need no probing, which takes 0.75 s. Buckets are only asked for, so their
    /// records are neither announced nor withdrawn by a packet.
    var flags: AvahiPublishFlags {
        switch group {
        case .service: AvahiPublishFlags(AVAHI_PUBLISH_UNIQUE.rawValue | AVAHI_PUBLISH_NO_PROBE.rawValue)
        case .room: AvahiPublishFlags(0)
        case .buckets: AVAHI_PUBLISH_NO_ANNOUNCE
        }
    }
}
