import ChatNode
import Testing

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
        let found = try #require(NetworkReader.read().first { $0.name == "lo" })
        #expect(found.isLoopback && found.index == 1)
    }
}

@Suite struct NetlinkParserTests {
    private func message(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        return native(UInt32(16 + body.count)) + native(type) + [0, 0] + [UInt8](repeating: 0, count: 8) + body
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
        parser.parse(datagram[...])
        #expect(parser.isDone)
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
            parser.parse(datagram[..<count])
            #expect(!parser.isDone || count >= datagram.count - 4)
        }
        for index in datagram.indices {
            for value in [UInt8(0), 1, 0x7f, 0xff] {
                var changed = datagram
                changed[index] = value
                var parser = NetlinkParser()
                parser.parse(changed[...])
                #expect(parser.interfaces.count <= 1)
            }
        }
    }
}
