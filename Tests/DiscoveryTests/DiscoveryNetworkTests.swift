import ChatNode
import Testing
import Wire

@testable import Discovery

private let stable: [UInt8] = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
private let fromMAC: [UInt8] = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 2, 2, 3, 0xff, 0xfe, 6, 7, 8]
private let global: [UInt8] = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9]
private let ipv4: [UInt8] = [192, 168, 7, 20]

private func card(_ addresses: [InterfaceAddress], index: UInt32 = 2) -> NetworkInterface {
    NetworkInterface(index: index, name: "eth\(index)", addresses: addresses)
}

private let lo = NetworkInterface(
    index: 1, name: "lo", isLoopback: true, hasMulticast: false,
    addresses: [InterfaceAddress(bytes: [127, 0, 0, 1], prefixLength: 8)])

@Suite struct DiscoveryNetworkTests {
    @Test func `an address that holds the MAC is not published where there is another`() {
        let all = [fromMAC, ipv4].map { InterfaceAddress(bytes: $0, prefixLength: 16) }
        #expect(card(all).publishableAddresses == [ipv4])
        #expect(card([all[0]]).publishableAddresses == [fromMAC])
    }

    @Test func `one address of each family is published, the link-local one of IPv6`() {
        let all = [global, stable, ipv4, [192, 168, 7, 21]].map { InterfaceAddress(bytes: $0, prefixLength: 24) }
        #expect(card(all).publishableAddresses == [ipv4, stable])
    }

    @Test func `an address that is still being checked is not published`() {
        let tentative = InterfaceAddress(bytes: stable, prefixLength: 64, isUsable: false)
        #expect(card([tentative]).publishableAddresses.isEmpty)
    }

    @Test func `loopback is used only where nothing else carries multicast`() {
        let address = InterfaceAddress(bytes: ipv4, prefixLength: 24)
        #expect(NetworkView(interfaces: [lo, card([address])]).publications == [2: [ipv4]])
        #expect(NetworkView(interfaces: [lo, card([])]).publications == [1: [[127, 0, 0, 1]]])
        var unplugged = card([address])
        unplugged.isRunning = false
        #expect(NetworkView(interfaces: [lo, unplugged]).publications == [1: [[127, 0, 0, 1]]])
    }

    @Test func `only the interfaces that were named take part`() {
        let cards = [UInt32(2), 3].map { card([InterfaceAddress(bytes: ipv4, prefixLength: 24)], index: $0) }
        let view = NetworkView(interfaces: [lo] + cards, names: ["eth3"])
        #expect(view.publications == [3: [ipv4]])
        #expect(view.endpoint(address: [192, 168, 7, 1], port: 1, interface: 2) == nil)
        #expect(view.endpoint(address: [192, 168, 7, 1], port: 1, interface: 3) != nil)
    }

    @Test func `where the daemon may not work, nothing is announced and nothing is listened to`() {
        let cards = [UInt32(2), 3].map { index in
            card([ipv4, stable].map { InterfaceAddress(bytes: $0, prefixLength: 24) }, index: index)
        }
        let view = NetworkView(interfaces: cards)
        let places = [UInt32(2), 3].flatMap { index in
            [Family.ipv4, .ipv6].map { MulticastPlace(interface: index, family: $0) }
        }
        func served(_ text: String) -> Set<MulticastPlace> {
            Set(view.served(by: DaemonConfiguration(text)).listeningPosts.keys)
        }
        #expect(served("") == Set(places))
        #expect(served("[server]\nallow-interfaces=eth0 , eth2\n") == Set(places[..<2]))
        #expect(served("[server]\n  deny-interfaces=eth2\n use-ipv6=no") == [places[2]])
        #expect(served("[server]\nallow-interfaces=eth2,eth3\ndeny-interfaces=eth3\nuse-ipv4=Yes") == Set(places[..<2]))
        #expect(served("[server]\nallow-interfaces=\n") == Set(places))
        let elsewhere =
            "[server]\n#deny-interfaces=eth2\n;use-ipv6=no\n[publish]\ndeny-interfaces=eth3\nuse-ipv4=no\n=\n[\n"
        #expect(served(elsewhere) == Set(places))
    }

    @Test func `no more than sixteen interfaces are published on`() {
        let cards = (UInt32(2)..<40).map { card([InterfaceAddress(bytes: ipv4, prefixLength: 24)], index: $0) }
        #expect(NetworkView(interfaces: cards).publications.count == 16)
    }

    /// The view of a machine with interfaces of the given kinds.
    private func machine(_ interfaces: [NetworkInterface], names: [String] = []) -> NetworkView {
        NetworkView(interfaces: [lo] + interfaces, names: names)
    }

    private func interface(_ index: UInt32, kind: String, _ change: (inout NetworkInterface) -> Void = { _ in })
        -> NetworkInterface
    {
        var made = card([InterfaceAddress(bytes: [10, 0, UInt8(index), 1], prefixLength: 24)], index: index)
        made.kind = kind
        change(&made)
        return made
    }

    @Test func `containers beside a card are no network, and those that come and go change none`() {
        let wlan = interface(2, kind: "")
        let bridge = interface(3, kind: "bridge")
        let port = interface(4, kind: "veth") { $0.master = 3 }
        let loose = interface(5, kind: "veth")
        let before = machine([wlan, bridge])
        #expect(before.publications.keys.sorted() == [2])
        #expect(Set(before.listeningPosts.keys.map(\.interface)) == [1, 2])
        var flapped = bridge
        flapped.carrierChanges = 7
        for later in [[wlan], [wlan, bridge, port], [wlan, flapped, port, loose], [wlan, interface(6, kind: "tun")]] {
            #expect(!before.isOutdated(by: machine(later)) && before.hasSameNetworks(as: machine(later)))
        }
        #expect(before.endpoint(address: [10, 0, 3, 9], port: 9, interface: 3) == nil)
        #expect(!before.hasSameNetworks(as: machine([wlan, interface(6, kind: "")])))
    }

    @Test func `a machine that is off its network announces nothing to its containers`() {
        let off = interface(2, kind: "") { $0.isRunning = false }
        #expect(machine([off, interface(3, kind: "bridge")]).publications.keys.sorted() == [1])
        #expect(machine([interface(3, kind: "bridge")], names: ["eth3"]).publications.keys.sorted() == [3])
    }

    @Test func `a virtual interface with the default route is a network, and so is a bridge that holds a card`() {
        let routed = interface(3, kind: "veth") { $0.hasDefaultRoute = true }
        #expect(machine([routed, interface(4, kind: "veth")]).publications.keys.sorted() == [3])
        let (bridge, port) = (interface(5, kind: "bridge"), interface(6, kind: "") { $0.master = 5 })
        #expect(machine([bridge, port]).publications.keys.sorted() == [5])
        let vrf = interface(7, kind: "vrf")
        #expect(machine([vrf, interface(8, kind: "") { $0.master = 7 }]).publications.keys.sorted().contains(8))
    }

    @Test func `a container's cable is a network where there is no better one, with or without a route`() {
        let cables = [UInt32(3), 4].map { interface($0, kind: "veth") }
        #expect(machine(cables).publications.keys.sorted() == [3, 4])
        let routed = cables.map {
            var cable = $0
            cable.hasDefaultRoute = true
            return cable
        }
        #expect(machine(cables).hasSameNetworks(as: machine(routed)))
    }

    @Test func `pauses after collisions of names grow, and are short again after five minutes of peace`() {
        var collisions = NameCollisions()
        var now = Instant(nanoseconds: 0)
        let growing = (0..<12).map { _ in
            now = now + .seconds(61)
            return collisions.next(now: now)
        }
        #expect(growing.first == .milliseconds(100) && growing.last == .seconds(60))
        #expect(collisions.next(now: now + .seconds(299)) == .seconds(60))
        #expect(collisions.next(now: now + .seconds(299) + NameCollisions.peace) == .milliseconds(100))
    }

    @Test func `an address that is not on the link is not told`() {
        let view = NetworkView(interfaces: [lo, card([InterfaceAddress(bytes: ipv4, prefixLength: 22)])])
        let near = Endpoint(address: [192, 168, 4, 1], port: 9)
        #expect(view.endpoint(address: near.address, port: 9, interface: 2) == near)
        #expect(view.endpoint(address: [192, 168, 8, 1], port: 9, interface: 2) == nil)
        #expect(view.endpoint(address: [8, 8, 8, 8], port: 9, interface: 2) == nil)
        #expect(view.endpoint(address: near.address, port: 9, interface: 3) == nil)
    }

    @Test func `names are outdated when an interface comes, goes or was unplugged, or a told address is gone`() {
        let addresses = [ipv4, stable].map { InterfaceAddress(bytes: $0, prefixLength: 24) }
        let now = NetworkView(interfaces: [lo, card(addresses)])
        #expect(!now.isOutdated(by: now))
        #expect(now.isOutdated(by: NetworkView(interfaces: [lo, card(addresses), card(addresses, index: 3)])))
        #expect(now.isOutdated(by: NetworkView(interfaces: [lo])))
        #expect(now.isOutdated(by: NetworkView(interfaces: [lo, card([addresses[0]])])))
        #expect(now.isOutdated(by: NetworkView(interfaces: [lo, card(addresses, index: 3)])))
        var other = card(addresses)
        other.carrierChanges = 2
        #expect(now.isOutdated(by: NetworkView(interfaces: [lo, other])))
        other = card(addresses)
        other.isRunning = false
        #expect(now.isOutdated(by: NetworkView(interfaces: [lo, other])))
        other = card([addresses[0], InterfaceAddress(bytes: stable, prefixLength: 64, isUsable: false)])
        #expect(now.isOutdated(by: NetworkView(interfaces: [lo, other])))
    }

    @Test func `instance names stay valid when an address joins another or is not yet heard`() {
        let addresses = [ipv4, stable, global].map { InterfaceAddress(bytes: $0, prefixLength: 24) }
        let first = NetworkView(interfaces: [lo, card([addresses[0]])])
        #expect(!first.isOutdated(by: NetworkView(interfaces: [lo, card(addresses)])))
        #expect(!NetworkView(interfaces: [lo]).isOutdated(by: first))
        let ours = NetworkView(interfaces: [lo, card([addresses[0]])], names: ["eth2"])
        let more = NetworkView(interfaces: [lo, card([addresses[0]]), card([addresses[1]], index: 3)], names: ["eth2"])
        #expect(!ours.isOutdated(by: more))
    }

    @Test func `a link-local address is reported with the interface it was heard on`() {
        let view = NetworkView(interfaces: [card([])])
        #expect(view.endpoint(address: stable, port: 9, interface: 2)?.scope == 2)
        #expect(view.endpoint(address: global, port: 9, interface: 2) == nil)
    }

    @Test func `loopback addresses count on loopback alone`() {
        let view = NetworkView(interfaces: [lo, card([InterfaceAddress(bytes: [127, 0, 0, 2], prefixLength: 8)])])
        #expect(view.endpoint(address: [127, 0, 0, 1], port: 9, interface: 1) != nil)
        #expect(view.endpoint(address: [127, 0, 0, 1], port: 9, interface: 2) == nil)
    }

    @Test(arguments: [
        [], [1, 2, 3], [0, 0, 0, 0], [224, 0, 0, 251], [255, 255, 255, 255], [UInt8](repeating: 0, count: 16),
        [0xff, 2] + [UInt8](repeating: 0, count: 14), [UInt8](repeating: 0, count: 10) + [0xff, 0xff, 192, 168, 7, 1],
    ])
    func `an address that belongs to no host is not reported`(_ address: [UInt8]) {
        let everything = InterfaceAddress(bytes: ipv4, prefixLength: 1)
        let view = NetworkView(interfaces: [card([everything, InterfaceAddress(bytes: global, prefixLength: 1)])])
        #expect(view.endpoint(address: address, port: 9, interface: 2) == nil)
    }

    @Test func `port 0 is not told`() {
        let view = NetworkView(interfaces: [card([InterfaceAddress(bytes: ipv4, prefixLength: 24)])])
        #expect(view.endpoint(address: ipv4, port: 0, interface: 2) == nil)
        #expect(view.endpoint(address: ipv4, port: 1, interface: 2) != nil)
    }

    @Test(arguments: [(0, false), (8, true), (9, true), (15, true), (16, false), (33, false)])
    func `a prefix covers what shares its bits`(_ length: Int, _ covers: Bool) {
        let address = InterfaceAddress(bytes: [10, 2, 0, 0], prefixLength: length)
        #expect(address.covers([10, 3, 0, 0]) == covers)
    }

    @Test func `the kernel's interfaces are read, loopback among them`() throws {
        let found = try #require(NetworkReader.read()?.first { $0.name == "lo" })
        #expect(found.isLoopback && found.index == 1)
    }
}

@Suite struct NetlinkParserTests {
    private func message(_ type: UInt16, _ body: [UInt8], flags: UInt16 = 0) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        return native(UInt32(16 + body.count)) + native(type) + native(flags) + [UInt8](repeating: 0, count: 8) + body
            + padding
    }

    private func native(_ value: some FixedWidthInteger) -> [UInt8] {
        let little = (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        return UInt16(1).littleEndian == 1 ? little : little.reversed()
    }

    private func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        native(UInt16(4 + value.count)) + native(type) + value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    }

    private var datagram: [UInt8] {
        let link = [0, 0, 1, 0] + native(UInt32(7)) + native(UInt32(0x1043)) + native(UInt32(0))
        let address = [2, 24, 0x80, 0] + native(UInt32(7))
        let flags = attribute(8, native(UInt32(0x40)))
        let kind = attribute(18, attribute(1, Array("veth".utf8) + [0]))
        let changes = attribute(35, native(UInt32(4)))
        return message(16, link + attribute(3, Array("wlan0".utf8) + [0]) + kind + changes)
            + message(20, address + attribute(1, [10, 0, 0, 9]) + attribute(2, [10, 0, 0, 8]))
            + message(20, address + attribute(1, [10, 0, 0, 7]) + flags)
            + message(3, native(UInt32(0)))
    }

    @Test func `links and their addresses are read`() throws {
        var parser = NetlinkParser()
        #expect(parser.parse(datagram[...]) == .complete)
        let found = try #require(parser.interfaces[7])
        #expect(found.kind == "veth")
        #expect(found.carrierChanges == 4)
        #expect(found.name == "wlan0" && found.isUp && found.isRunning && found.hasMulticast && !found.isLoopback)
        #expect(
            found.addresses == [
                InterfaceAddress(bytes: [10, 0, 0, 8], prefixLength: 24),
                InterfaceAddress(bytes: [10, 0, 0, 7], prefixLength: 24, isUsable: false),
            ])
    }

    @Test func `a datagram cut anywhere, or with any byte changed, does no harm`() {
        for count in datagram.indices {
            var parser = NetlinkParser()
            #expect(parser.parse(datagram[..<count]) != .complete || count >= datagram.count - 4)
        }
        for index in datagram.indices {
            for value in [UInt8(0), 1, 0x7f, 0xff] {
                var changed = datagram
                changed[index] = value
                var parser = NetlinkParser()
                _ = parser.parse(changed[...])
                #expect(parser.interfaces.count <= 1)
            }
        }
    }

    @Test func `a dump that was interrupted, refused or ended by an error has failed`() {
        func progress(_ messages: [UInt8]...) -> NetlinkParser.Progress {
            var parser = NetlinkParser()
            return parser.parse(messages.flatMap { $0 }[...])
        }
        let (link, end) = (self.link(7), message(3, native(UInt32(0))))
        #expect(progress(link) == .continues)
        #expect(progress(link, end) == .complete)
        #expect(progress(link, message(3, native(UInt32(0)), flags: 0x10)) == .failed)
        #expect(progress(message(16, [], flags: 0x10), end) == .failed)
        // ENOBUFS in the kernel's sign, told as an error and at the end.
        #expect(progress(link, message(2, native(UInt32(bitPattern: -105)))) == .failed)
        #expect(progress(link, message(3, native(UInt32(bitPattern: -105)))) == .failed)
    }

    @Test func `the master of a port and the interfaces of default routes are read`() {
        var parser = NetlinkParser()
        _ = parser.parse((link(2) + link(3) + link(4, attribute(10, native(UInt32(3)))) + link(5) + link(6))[...])
        let hops = [UInt32(5), 6].flatMap { index -> [UInt8] in native(UInt16(8)) + [0, 0] + native(index) }
        let routes =
            route(prefix: 0, attribute(4, native(UInt32(2)))) + route(prefix: 8, attribute(4, native(UInt32(3))))
            + route(prefix: 0, type: 7, attribute(4, native(UInt32(4)))) + route(prefix: 0, attribute(9, hops))
        #expect(parser.parse((routes + message(3, native(UInt32(0))))[...]) == .complete)
        #expect(parser.interfaces.filter(\.value.hasDefaultRoute).keys.sorted() == [2, 5, 6])
        #expect(parser.interfaces.compactMapValues(\.master) == [4: 3])
    }

    private func link(_ index: UInt32, _ attributes: [UInt8] = []) -> [UInt8] {
        message(16, [0, 0, 1, 0] + native(index) + native(UInt32(0x1043)) + native(UInt32(0)) + attributes)
    }

    private func route(prefix: UInt8, type: UInt8 = 1, _ attributes: [UInt8]) -> [UInt8] {
        message(24, [2, prefix, 0, 0, 254, 3, 0, type] + native(UInt32(0)) + attributes)
    }
}
