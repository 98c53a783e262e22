import CAvahi
import ChatNode

@testable import Discovery

extension FuzzTarget {
    /// All messages of the network and the kernel are read within their bounds, and only announcements of nodes are used.
    static let mdns = FuzzTarget(name: "mdns", seeds: MulticastRules.seeds) { input in
        var choices = Choices(input)
        switch choices.below(7) {
        case 0: MulticastRules.checkMessage(choices.rest())
        case 1: MulticastRules.checkInterfaces(&choices)
        case 2: MulticastRules.checkListing(&choices)
        case 3: MulticastRules.checkResolution(&choices)
        case 5: MulticastRules.checkAnnouncement(&choices)
        case 6: MulticastRules.checkName(&choices)
        default: MulticastRules.checkAddress(choices.text())
        }
    }
}

private enum MulticastRules {
    private static let instance = "abcdefghijklmnopqrstuvwxyz"

    static func seeds() -> [[UInt8]] {
        let subtype = MDNSName.subtype("_r73b49a38")
        let target = MDNSName.instance(instance)
        let answer: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0]
        let pointer = subtype.wire + [0, 12, 0, 1, 0, 0, 0, 120, 0, UInt8(target.wire.count)] + target.wire
        let compressed = subtype.wire + [0, 12, 0, 1, 0, 0, 0, 120, 0, 4, 1, 97, 0xc0, 12]
        let link: [UInt8] = [40, 0, 0, 0, 16, 0] + [UInt8](repeating: 0, count: 14) + [7, 0, 0, 0, 0x43, 0x10, 0, 0]
        let name: [UInt8] = [0, 0, 0, 0, 8, 0, 3, 0, 101, 116, 104, 0]
        return [
            [0]
                + MDNSMessage.announcement(
                    of: MDNSRecords.records(
                        for: Announcement(instance: instance, host: instance, port: 7, subtype: "_r73b49a38"),
                        addresses: [[192, 0, 2, 7]])),
            [0] + answer + pointer, [0] + answer + compressed, [0] + MDNSMessage.query(for: [subtype]),
            [1, 1] + link + name, [1, 0, 0, 0, 0] + tables, [2, 26] + Array(instance.utf8) + [0, 3, 0],
            [3, 0, 4, 192, 0, 2, 7, 1, 3, 118, 61, 49],
            [5, 16, 1, 2, 1, 192, 0, 2, 7, 0] + [UInt8](repeating: 0xfe, count: 16),
            [5, 0, 7, 1, 1, 192, 0, 2, 7, 3, 40, 0, 1],
            [6, 1, 192, 0, 2, 7, 2, 5, 97, 46, 92, 7, 98, 3, 120, 121, 122],
            [6, 0] + [UInt8](repeating: 0xfe, count: 16) + [0],
            [4, 14] + Array("192.0.2.7:4000".utf8), [4, 19] + Array("[fe80::1%eth0]:4000".utf8),
        ]
    }

    private static func message(_ type: UInt8, _ head: [UInt8], _ attributes: [(UInt8, [UInt8])]) -> [UInt8] {
        var body = head
        for (type, value) in attributes {
            body += [UInt8(value.count + 4), 0, type, 0]
            body += value
            while !body.count.isMultiple(of: 4) { body.append(0) }
        }
        var bytes: [UInt8] = [UInt8(body.count + 16), 0, 0, 0, type, 0, 0, 0]
        bytes += [UInt8](repeating: 0, count: 8)
        return bytes + body
    }

    /// A dump of the kernel: a link with a kind and a master, its addresses, and default routes.
    private static var tables: [UInt8] {
        let index: [UInt8] = [7, 0, 0, 0]
        let family: [UInt8] = [0, 0, 0, 0]
        let hop: [UInt8] = [8, 0, 0, 0] + index
        let route: [UInt8] = [2, 0, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0]
        let link = message(
            16, family + index + [0x43, 0x10, 0, 0, 0, 0, 0, 0],
            [
                (3, [101, 116, 104, 0]), (18, [8, 0, 1, 0, 118, 101, 116, 104]), (10, [3, 0, 0, 0]),
                (35, [2, 0, 0, 0]),
            ])
        let addresses = [
            message(20, [2, 24, 0, 0] + index, [(1, [192, 0, 2, 1]), (2, [192, 0, 2, 7]), (8, [0x80, 0, 0, 0])]),
            message(20, [10, 64, 0x20, 0] + index, [(1, [UInt8](repeating: 0xfe, count: 16)), (9, [])]),
            message(20, [2, 24, 0, 0] + index, [(1, [1])]),
        ]
        let routes = [
            message(24, route, [(4, index), (7, [1, 2, 3, 4])]), message(24, route, [(9, hop + hop)]),
            message(24, [2, 24] + Array(route.dropFirst(2)), []),
        ]
        let ends = [message(2, family, []), message(3, family, [])]
        return link + addresses.joined() + routes.joined() + ends.joined()
    }

    static func checkMessage(_ bytes: [UInt8]) {
        let pointers = MDNSMessage.pointers(in: bytes)
        demand(pointers.count <= bytes.count / 11, "more records than fit")
        for pointer in pointers {
            for labels in [pointer.name, pointer.target] {
                // Repair makes three bytes of each byte that is not valid UTF-8.
                let size = labels.reduce(0) { $0 + $1.utf8.count + 1 }
                demand(size < 3 * 256, "a name of \(size) bytes")
            }
        }
        let name = BrowsedName(type: "_r73b49a38._sub._earshot._tcp")
        let heard = HeardInstance.all(in: bytes[...], from: [192, 0, 2, 1], of: name)
        let listed = PointerPacket(bytes[...], about: name)?.pointers.map(\.instance) ?? []
        demand(heard.map(\.instance).allSatisfy(listed.contains), "who is not listed is heard")
        for instance in heard {
            demand(RandomNames.canonical(instance.instance) == instance.instance, "a name that no node has")
            demand(
                (1...HeardInstance.maximumAddresses).contains(instance.addresses.count)
                    && instance.addresses.allSatisfy { $0.count == 4 || $0.count == 16 }, "what are no addresses")
        }
        checkEndpoints(of: heard)
        let own: [UInt8] = [192, 0, 2, 1]
        let inBucket = HeardInstance.ofBucket(in: bytes[...], from: own, of: "_r73b49a38")
        demand(inBucket.allSatisfy { $0.addresses.contains(own) }, "an instance elsewhere counts for its bucket")
        let withdrawn = WithdrawnInstances.all(in: bytes[...])
        demand(withdrawn.count <= bytes.count / 11, "more is withdrawn than fits")
        demand(withdrawn.allSatisfy { RandomNames.canonical($0) == $0 }, "a name that no node has is withdrawn")
        checkExamination(bytes, pointers.count)
    }

    /// - Parameter most: the records that are there.
    private static func checkExamination(_ bytes: [UInt8], _ most: Int) {
        let own: [UInt8] = [192, 0, 2, 1]
        let place = MulticastPlace(interface: 1, family: .ipv4)
        var tally = ExaminationTally(
            room: "_r73b49a38", own: "_r2", token: [1], places: [place], addresses: [own])
        for sender in [own, [192, 0, 2, 9]] {
            for socket in [MulticastSocket.Use.mdns, .otherPort, .asker] {
                tally.heard(bytes, from: sender, by: socket, at: place)
            }
        }
        demand(tally.nodes.count <= most, "more peers than records")
        let counts = tally.counts
        demand(
            counts.peers + counts.own + counts.others + counts.ownOthers == tally.nodes.count,
            "nodes are counted wrongly")
        demand(counts.unreachable <= counts.peers, "more are out of reach than there are")
        demand(!tally.isSound || !tally.families.isEmpty, "a network without families is sound")
        for peer in tally.nodes.keys {
            demand(RandomNames.canonical(peer) == peer, "a peer by a name that no node has")
        }
    }

    static func checkInterfaces(_ choices: inout Choices) {
        var parser = NetlinkParser()
        var size = 0
        for _ in 0...choices.below(3) {
            let datagram = choices.bytes(1 + choices.below(512))
            size += datagram.count
            _ = parser.parse(datagram[...])
        }
        let rest = choices.rest()
        _ = parser.parse(rest[...])
        size += rest.count
        let addresses = parser.interfaces.values.flatMap(\.addresses)
        demand(parser.interfaces.count + addresses.count <= size / 16, "more is read than was told")
        let view = NetworkView(interfaces: Array(parser.interfaces.values))
        demand(view.publications.count <= NetworkView.maximumPublications, "too much is published")
        for address in addresses {
            demand(address.bytes.count == 4 || address.bytes.count == 16, "an address of odd size")
            for index in parser.interfaces.keys { _ = view.endpoint(address: address.bytes, port: 1, interface: index) }
        }
    }

    /// An address that was heard leads nowhere but to the link that it was heard on.
    private static func checkEndpoints(of heard: [HeardInstance]) {
        var parser = NetlinkParser()
        _ = parser.parse(tables[...])
        let view = NetworkView(interfaces: Array(parser.interfaces.values))
        for instance in heard {
            for family in [Family.ipv4, .ipv6] {
                let listed = instance.addresses(first: family)
                demand(Set(listed) == Set(instance.addresses), "other addresses than those heard")
                guard let endpoint = instance.endpoint(in: view, at: 7, first: family) else { continue }
                demand(listed.contains(endpoint.address) || endpoint.isLinkLocalIPv6, "an address that nobody told")
            }
        }
    }

    /// Others read of a node as much as it announces.
    static func checkAnnouncement(_ choices: inout Choices) {
        let (port, count) = (UInt16(choices.byte()) << 8 | UInt16(choices.byte()), choices.below(4))
        let addresses = (0..<count).map { _ in choices.bytes(choices.flag() ? 4 : 16) }.filter {
            [4, 16].contains($0.count)
        }
        let announced = Announcement(instance: instance, host: instance, port: port, subtype: "_r73b49a38")
        let bytes = MDNSMessage.announcement(of: MDNSRecords.records(for: announced, addresses: addresses))
        let read = MDNSMessage.pointers(in: bytes)
        demand(read.map(\.target) == [MDNSName.instance(instance).labels], "an announcement says something else")
        let name = BrowsedName(type: "_r73b49a38._sub._earshot._tcp")
        let heard = HeardInstance.all(in: bytes[...], from: [192, 0, 2, 1], of: name)
        demand(heard.allSatisfy { $0.instance == instance && $0.port == port }, "another node than that announced")
        demand(heard.allSatisfy { $0.addresses.allSatisfy(addresses.contains) }, "addresses that nobody announced")
        var changed = bytes
        choices.mutate(&changed, times: 6)
        checkMessage(changed)
    }

    /// The name of any labels, and of an address, as Avahi takes it.
    static func checkName(_ choices: inout Choices) {
        let reverse = MDNSName(reverseOf: choices.bytes(choices.flag() ? 4 : 16))
        demand(reverse.labels.suffix(1) == ["arpa"], "a reverse name outside of arpa")
        let labels = (0..<choices.below(4)).map { _ in choices.text() }
        for name in [MDNSName(labels), reverse] {
            demand(name.text.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "a name that can not be printed")
        }
    }

    static func checkListing(_ choices: inout Choices) {
        let name = choices.bytes(Int(choices.byte())).map { CChar(bitPattern: $0) } + [0]
        let (interface, family) = (CInt(choices.byte()) - 1, CInt(choices.byte()) - 1)
        let listing = unsafe name.withUnsafeBufferPointer { name in
            unsafe AvahiAnswers.listing(.daemon, interface: interface, family: family, name: name.baseAddress)
        }
        guard let listing else { return }
        demand(listing.instance.utf8.count == RandomNames.length, "an instance of odd length")
        demand(RandomNames.canonical(listing.instance) == listing.instance, "an instance in two forms")
        demand(listing.interface > 0, "an interface that is none")
    }

    static func checkResolution(_ choices: inout Choices) {
        var address = AvahiAddress()
        address.proto = CInt(choices.byte()) - 1
        let bytes = choices.bytes(choices.below(17))
        unsafe withUnsafeMutableBytes(of: &address.data) { data in
            for (index, byte) in bytes.enumerated() where index < data.count { unsafe data[index] = byte }
        }
        var texts: UnsafeMutablePointer<AvahiStringList>?
        defer { unsafe avahi_string_list_free(texts) }
        var isOurs = false
        for _ in 0..<choices.below(12) {
            let text = choices.bytes(Int(choices.byte()))
            isOurs = isOurs || text == Array("v=3".utf8)
            unsafe texts = avahi_string_list_add_arbitrary(texts, text, text.count)
        }
        let resolution = unsafe AvahiAnswers.resolution(address: &address, port: 4_000, texts: texts)
        let fault = AvahiAnswers.message(CInt(bytes.first ?? 0) - 128)
        demand(!fault.isEmpty && fault == fault.lowercased(), "a fault without words")
        guard let resolution else { return }
        demand([4, 16].contains(resolution.address.count), "an address of odd size")
        demand(!resolution.isOurVersion || isOurs, "a version that nobody named")
    }

    static func checkAddress(_ text: String) {
        guard let address = PeerAddress(text) else { return }
        demand(PeerAddress(address.text) == address, "an address is written otherwise than it was read")
        demand(address.port > 0 && !address.host.isEmpty, "an address without a port or a host")
    }
}
