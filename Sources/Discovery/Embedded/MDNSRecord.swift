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

    /// Seconds that others keep a record whose owner fell silent. Everybody who browses asks for each PTR again before it
    /// ends, with all it knows in the question: in a group of 32 that was most of what was heard of mDNS while each lived
    /// for two minutes. Avahi's own 75 minutes would list ghosts for long.
    var timeToLive: UInt32 {
        switch kind {
        case .ptr: 600
        case .a, .txt, .aaaa, .srv: 120
        }
    }

    /// Whether nobody else may own a record of this name and type. The subtype's PTR is everybody's: marked unique it
    /// would flush all others from the caches (RFC 6762 section 10.2).
    var isUnique: Bool {
        switch kind {
        case .ptr: false
        case .a, .txt, .aaaa, .srv: true
        }
    }

    /// The same as Avahi's flags. Random names need no probing, which takes 0.75 s.
    var flags: AvahiPublishFlags {
        AvahiPublishFlags(isUnique ? AVAHI_PUBLISH_UNIQUE.rawValue | AVAHI_PUBLISH_NO_PROBE.rawValue : 0)
    }
}
