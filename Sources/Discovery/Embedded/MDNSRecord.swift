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

    let name: MDNSName
    let kind: Kind
    let rdata: [UInt8]

    /// Seconds that others keep a record whose owner fell silent. All browsers query each PTR again before it ends, with
    /// all known answers in the question: in a group of 32 those queries were most of the mDNS traffic at a lifetime of two
    /// minutes. Avahi's default of 75 minutes would list gone peers for long.
    var timeToLive: UInt32 {
        switch kind {
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

    /// The record's flags for Avahi. Random names need no probing, which takes 0.75 s.
    var flags: AvahiPublishFlags {
        AvahiPublishFlags(isUnique ? AVAHI_PUBLISH_UNIQUE.rawValue | AVAHI_PUBLISH_NO_PROBE.rawValue : 0)
    }
}
