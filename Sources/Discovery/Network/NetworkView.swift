import ChatNode

/// The interfaces of this machine at one moment, and what follows from them for discovery.
struct NetworkView: Hashable, Sendable {
    let interfaces: [NetworkInterface]
    /// Only these interfaces take part; empty for those of the highest rank.
    let names: [String]
    /// The networks, and loopback for the nodes of this machine.
    private let participants: [NetworkInterface]

    init(interfaces: [NetworkInterface] = [], names: [String] = []) {
        (self.interfaces, self.names) = (interfaces, names)
        let named = interfaces.filter { names.contains($0.name) }
        participants =
            names.isEmpty ? NetworkRank.highest(of: interfaces) + interfaces.filter(\.isLoopback) : named
    }

    /// These interfaces later.
    func with(_ later: [NetworkInterface]) -> NetworkView { NetworkView(interfaces: later, names: names) }

    /// More interfaces than this are left out: each costs each room a publication of its own.
    static let maximumPublications = 16

    /// The addresses to publish, by interface index. The loopback interface only where nothing else could carry them.
    var publications: [UInt32: [[UInt8]]] {
        let candidates = participants.filter { $0.carriesMulticast && !$0.publishableAddresses.isEmpty }
        let outward = candidates.filter { !$0.isLoopback }
        let chosen = outward.isEmpty ? candidates : outward
        let pairs = chosen.sorted { $0.index < $1.index }.prefix(Self.maximumPublications)
        return Dictionary(uniqueKeysWithValues: pairs.map { ($0.index, $0.publishableAddresses) })
    }

    /// True if names announced in this view must not appear in a later one, where an observer could link both to one
    /// machine (Protocol.md section 10): an interface has come, has gone, or was unplugged between, or an announced address
    /// is no longer ours. A first address beside another reveals nothing new.
    func isOutdated(by later: NetworkView) -> Bool {
        let told = toldOutward
        guard !told.isEmpty else { return false }
        if later.toldOutward.keys.contains(where: { told[$0] == nil }) { return true }
        return told.contains { index, addresses in
            guard let now = later.participants.first(where: { $0.index == index }), now.carriesMulticast else {
                return true
            }
            return now.carrierChanges != permitted.first { $0.index == index }?.carrierChanges
                || !addresses.allSatisfy(now.keeps)
        }
    }

    /// Whether an interface leads to other machines, or the user chose loopback by its name.
    var hasWayOut: Bool { names.isEmpty ? !toldOutward.isEmpty : !publications.isEmpty }

    /// The announced addresses that other hosts can hear.
    private var toldOutward: [UInt32: [[UInt8]]] {
        publications.filter { index, _ in permitted.contains { $0.index == index && !$0.isLoopback } }
    }

    /// The endpoint behind an address heard on an interface; nil unless a packet to it stays on that link, so that no
    /// announcer can make us dial the world (Protocol.md section 10).
    func endpoint(address: [UInt8], port: UInt16, interface index: UInt32) -> Endpoint? {
        guard port != 0, address.count == 4 || address.count == 16 else { return nil }
        guard let interface = participants.first(where: { $0.index == index }) else { return nil }
        let endpoint = Endpoint(address: address, port: port)
        guard endpoint.address.count == address.count, endpoint.isHostAddress else { return nil }
        if endpoint.isLoopback { return interface.isLoopback ? endpoint : nil }
        if endpoint.isLinkLocalIPv6 { return Endpoint(address: address, port: port, scope: index) }
        return interface.addresses.contains { $0.covers(address) } ? endpoint : nil
    }

    /// The places where peers are looked for, and the source address there: also on loopback, for hosts that have no other
    /// interface. By IPv6 nothing is sent there.
    var listeningPosts: [MulticastPlace: [UInt8]] {
        var posts: [MulticastPlace: [UInt8]] = [:]
        let carriers = participants.filter(\.carriesMulticast).sorted { $0.index < $1.index }
        for interface in carriers.prefix(Self.maximumPublications + 1) {
            for family in [Family.ipv4, .ipv6] {
                let place = MulticastPlace(interface: interface.index, family: family)
                posts[place] = interface.sources(family).first
            }
        }
        return posts
    }

    /// The part of this view that Avahi's daemon serves.
    func served(by daemon: DaemonConfiguration) -> NetworkView {
        with(
            interfaces.map { interface in
                var served = interface
                served.addresses.removeAll { !daemon.serves(interface.name, $0.isIPv4 ? .ipv4 : .ipv6) }
                return served
            })
    }

    /// Those that may take part: all, or those that the user named.
    var permitted: [NetworkInterface] {
        names.isEmpty ? interfaces : interfaces.filter { names.contains($0.name) }
    }

    /// Whether `other` has the same networks in the same state: containers and routes beside them do not count.
    func hasSameNetworks(as other: NetworkView) -> Bool {
        func state(_ view: NetworkView) -> [NetworkInterface] {
            view.participants.map {
                var interface = $0
                interface.hasDefaultRoute = false
                return interface
            }
        }
        return state(self) == state(other)
    }
}

/// Decides when the user is warned that no interface can be used: each time that the last one has gone.
struct InterfaceWarning {
    private var isTold = false

    /// Whether the warning is due now that the interfaces are those of `view`.
    mutating func isDue(in view: NetworkView) -> Bool {
        let wasTold = isTold
        isTold = !view.hasWayOut
        return isTold && !wasTold
    }
}

extension Endpoint {
    /// Neither the unspecified address, nor multicast, nor the limited broadcast.
    fileprivate var isHostAddress: Bool {
        if isIPv4 { return address[0] != 0 && address[0] < 224 }
        return address[0] != 0xff && address.contains { $0 != 0 }
    }
}
