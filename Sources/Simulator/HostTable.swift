import ChatNode
import Wire

/// The hosts of a simulated network, their addresses, and which of them reach each other.
struct HostTable: Sendable {
    struct Host {
        /// One address of each family that the network has, with the node's port.
        let endpoints: [Endpoint]
        let place: Int
        /// The number of the first host with these addresses.
        let machine: Int
        var listener: ConfinedHandler?
        var group = 0
        var isReading = true
        /// In bytes a second, of all connections together; nil for no limit.
        var readingRate: Int?
        /// When it has read all that has come.
        var readsUntil = Instant(nanoseconds: 0)
        /// Its node was killed: nothing that it tries any more has an effect.
        var isDown = false
        /// It was taken off the network: dials to it are not even refused.
        var hasVanished = false
        var bytesReceived = 0
    }

    private var hosts: [Host] = []
    /// By machine: its hosts, in the order of their ports.
    private var ports: [Int: [HostID]] = [:]
    /// Pairs of machines that do not reach each other, though others reach both.
    private var parted: Set<Set<Int>> = []
    /// Pairs of machines, of which the first can not dial the second, as behind a firewall.
    private var walls: Set<[Int]> = []
    private let families: AddressFamilies

    private static let firstPort: UInt16 = 40_000

    init(families: AddressFamilies) {
        self.families = families
    }

    subscript(host: HostID) -> Host {
        get { hosts[host.number] }
        set { hosts[host.number] = newValue }
        _modify { yield &hosts[host.number] }
    }

    /// - Parameters:
    ///   - place: its place in the topology; nil for the first free one.
    ///   - other: a host on the same machine; nil for a machine of its own.
    mutating func add(at place: Int?, beside other: HostID?) -> HostID {
        let host = HostID(number: hosts.count)
        if let other {
            hosts.append(port(beside: self[other]))
        } else {
            hosts.append(Host(endpoints: endpoints(of: host), place: place ?? host.number, machine: host.number))
        }
        ports[self[host].machine, default: []].append(host)
        return host
    }

    /// A host with the addresses, the place and the part of the network of another one, and the next port.
    private func port(beside other: Host) -> Host {
        let count = UInt16(ports[other.machine]?.count ?? 0)
        let endpoints = hosts[other.machine].endpoints.map {
            Endpoint(address: $0.address, port: HostTable.firstPort + count, scope: $0.scope)
        }
        var host = Host(endpoints: endpoints, place: other.place, machine: other.machine)
        host.group = other.group
        return host
    }

    /// The endpoints of a machine; addresses count up.
    private func endpoints(of host: HostID) -> [Endpoint] {
        let digits = [UInt8(host.number >> 16 & 255), UInt8(host.number >> 8 & 255), UInt8(host.number & 255)]
        var endpoints: [Endpoint] = []
        if families != .ipv4 {
            let linkLocal = [0xfe, 0x80] + [UInt8](repeating: 0, count: 11) + digits
            endpoints.append(Endpoint(address: linkLocal, port: HostTable.firstPort, scope: 2))
        }
        if families != .ipv6 { endpoints.append(Endpoint(address: [10] + digits, port: HostTable.firstPort)) }
        return endpoints
    }

    /// The host with an endpoint; the addresses of a machine have its number.
    func host(at endpoint: Endpoint) -> HostID? {
        let machine = endpoint.address.suffix(3).reduce(0) { $0 << 8 | Int($1) }
        return ports[machine]?.first { self[$0].endpoints.contains(endpoint) }
    }

    mutating func partition(_ groups: [[HostID]]) {
        for index in hosts.indices { hosts[index].group = 0 }
        for (number, group) in groups.enumerated() {
            for host in group { self[host].group = number + 1 }
        }
    }

    mutating func part(_ first: HostID, _ second: HostID) {
        parted.insert([self[first].machine, self[second].machine])
    }

    mutating func wall(_ first: HostID, from second: HostID) {
        walls.insert([self[first].machine, self[second].machine])
    }

    func canDial(_ first: HostID, _ second: HostID) -> Bool {
        canReach(first, second) && (walls.isEmpty || !walls.contains([self[first].machine, self[second].machine]))
    }

    /// Ends all partitions.
    mutating func heal() {
        partition([])
        (parted, walls) = ([], [])
    }

    func canReach(_ first: HostID, _ second: HostID) -> Bool {
        self[first].group == self[second].group
            && (parted.isEmpty || !parted.contains([self[first].machine, self[second].machine]))
    }

    /// Takes all listeners out.
    mutating func takeListeners() -> [ConfinedHandler] {
        let listeners = hosts.compactMap(\.listener)
        for index in hosts.indices { hosts[index].listener = nil }
        return listeners
    }
}
