import ChatNode

/// Which Avahi said something.
enum RecordSource: Hashable, Sendable, CaseIterable {
    case daemon
    case embedded
}

/// The family that mDNS was spoken over, or that an address is wanted of.
package enum Family: Hashable, Sendable {
    case ipv4
    case ipv6
}

/// One place where an instance is listed: mDNS lists it once for every interface and family that it is heard on.
struct Listing: Hashable, Sendable {
    let source: RecordSource
    /// In the form of `RandomNames.canonical`.
    let instance: String
    let interface: UInt32
    let family: Family

    init(source: RecordSource, instance: String, interface: UInt32, family: Family) {
        self.source = source
        self.instance = instance
        self.interface = interface
        self.family = family
    }

    init(source: RecordSource, instance: String, at place: MulticastPlace) {
        self.init(source: source, instance: instance, interface: place.interface, family: place.family)
    }

    /// This instance as heard over the other family.
    var twin: Listing {
        Listing(source: source, instance: instance, interface: interface, family: family == .ipv4 ? .ipv6 : .ipv4)
    }
}

/// The answer of a resolver; unchecked.
struct Resolution: Hashable, Sendable {
    let address: [UInt8]
    let port: UInt16
    /// Whether the TXT record has the protocol version that we speak.
    let isOurVersion: Bool
}

/// An action that the table requests.
enum ListingAction: Hashable, Sendable {
    /// Resolve, asking for addresses of one family, or of any.
    case resolve(Listing, Family?)
    case cancel(Listing)
    case tell(DiscoveryEvent)
}
