import Wire

/// What was just published, said to everybody at once, so that whoever is there already dials us: Avahi waits up to 250 ms
/// before it announces anything. Avahi hears this too and leaves out its own first announcement; it says the second, and
/// answers, and takes everything back.
struct FirstAnnouncement {
    /// The announcement on one interface, in the family of the address that it is sent from.
    struct Packet: Hashable {
        let interface: UInt32
        let source: [UInt8]
        let bytes: [UInt8]

        /// What can not be sent is announced by Avahi.
        func send() {
            let socket = try? MulticastSocket(.mdns, at: interface, from: source, other: 0, reach: 255)
            try? socket?.send(bytes)
        }
    }

    /// Not all at once where machines are switched on together, not before it is told here that we are there, and before the
    /// first question.
    static let wait = Duration.milliseconds(10)...Duration.milliseconds(20)
    /// No record is said again sooner (RFC 6762 section 6).
    static let shortestInterval = Duration.seconds(1)

    private var last: (publication: Publication, at: Instant)?

    /// What is to be sent; nothing where the same was said just now.
    mutating func packets(of publication: Publication, in view: NetworkView, now: Instant) -> [Packet] {
        if let last, last.publication == publication, now - last.at < Self.shortestInterval { return [] }
        last = (publication, now)
        let posts = view.listeningPosts
        return publication.sorted { $0.key < $1.key }.flatMap { interface, records in
            let bytes = MDNSMessage.announcement(of: records)
            return [Family.ipv4, .ipv6].compactMap { family in
                posts[MulticastPlace(interface: interface, family: family)].map { source in
                    Packet(interface: interface, source: source, bytes: bytes)
                }
            }
        }
    }
}
