import CAvahi
import ChatNode

@testable import Discovery

extension FuzzTarget {
    /// All messages of the network and the kernel are read within their bounds, and only announcements of nodes are used.
    static let mdns = FuzzTarget(name: "mdns", seeds: MulticastRules.seeds) { input in
        var choices = Choices(input)
        switch choices.below(5) {
        case 0: MulticastRules.checkMessage(choices.rest())
        case 1: MulticastRules.checkInterfaces(&choices)
        case 2: MulticastRules.checkListing(&choices)
        case 3: MulticastRules.checkResolution(&choices)
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
            [1, 1] + link + name, [2, 26] + Array(instance.utf8) + [0, 3, 0],
            [3, 0, 4, 192, 0, 2, 7, 1, 3, 118, 61, 49],
            [4, 14] + Array("192.0.2.7:4000".utf8), [4, 19] + Array("[fe80::1%eth0]:4000".utf8),
        ]
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
        let own: [UInt8] = [192, 0, 2, 1]
        let inBucket = HeardInstance.ofBucket(in: bytes[...], from: own, of: "_r73b49a38")
        demand(inBucket.allSatisfy { $0.addresses.contains(own) }, "an instance elsewhere counts for its bucket")
        let withdrawn = WithdrawnInstances.all(in: bytes[...])
        demand(withdrawn.count <= bytes.count / 11, "more is withdrawn than fits")
        demand(withdrawn.allSatisfy { RandomNames.canonical($0) == $0 }, "a name that no node has is withdrawn")
        let place = MulticastPlace(interface: 1, family: .ipv4)
        var tally = ExaminationTally(room: "_r1", own: "_r2", token: [1], places: [place], addresses: [own])
        for sender in [own, [192, 0, 2, 9]] {
            for socket in [MulticastSocket.Use.mdns, .otherPort, .asker] {
                tally.heard(bytes, from: sender, by: socket, at: place)
            }
        }
        demand(tally.nodes.count <= pointers.count, "more peers than records")
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
