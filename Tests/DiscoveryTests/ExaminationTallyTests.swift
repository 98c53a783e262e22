import ChatNode
import Glibc
import Reactor
import Testing

@testable import Discovery

@Suite struct ExaminationTallyTests {
    private static let own: [UInt8] = [10, 77, 0, 2]
    private static let other: [UInt8] = [10, 77, 0, 3]
    private static let place = MulticastPlace(interface: 2, family: .ipv4)

    private var tally = ExaminationTally(
        room: "_r73b49a38", others: ["_r00000000"], own: "_r12345678", token: [1, 2, 3],
        places: [place, MulticastPlace(interface: 2, family: .ipv6)], addresses: [own])

    private var seen: FamilyObservation? { tally.families[Self.place] }

    private func answer(_ subtype: String, _ target: MDNSName) -> [UInt8] {
        DiscoveryMessageTests.answer(.subtype(subtype), target)
    }

    @Test mutating func `a port is open when the own packet comes back; packets of others do not count`() {
        for socket in [MulticastSocket.Use.mdns, .otherPort] {
            let bytes = socket == .mdns ? tally.question : tally.token
            tally.heard(bytes, from: Self.other, by: socket, at: Self.place)
            tally.heard(bytes + [0], from: Self.own, by: socket, at: Self.place)
        }
        #expect(seen?.mdns == .dropped)
        #expect(seen?.otherPort == .dropped)
        tally.heard(tally.question, from: Self.own, by: .mdns, at: Self.place)
        tally.heard(tally.token, from: Self.own, by: .otherPort, at: Self.place)
        #expect(seen?.mdns == .open)
        #expect(seen?.otherPort == .open)
        #expect(tally.families[MulticastPlace(interface: 2, family: .ipv6)]?.mdns == .dropped)
    }

    @Test mutating func `a refusal is kept until a packet comes back after all`() {
        let error = SystemError(call: "sendto", errno: ENETUNREACH)
        tally.failed(.mdns, at: Self.place, error)
        tally.failed(.otherPort, at: Self.place, error)
        tally.failed(.asker, at: Self.place, error)
        #expect(seen?.mdns == .refused(error))
        #expect(seen?.otherPort == .refused(error))
        tally.heard(tally.question, from: Self.own, by: .mdns, at: Self.place)
        tally.failed(.mdns, at: Self.place, error)
        #expect(seen?.mdns == .open)
    }

    @Test func `a node is reachable if one of its packets has an address that can be dialled`() {
        let card = NetworkInterface(
            index: 2, name: "eth0", addresses: [InterfaceAddress(bytes: Self.own, prefixLength: 16)])
        var tally = ExaminationTally(
            room: "_r73b49a38", own: "_r12345678", token: [1, 2, 3], places: [Self.place], addresses: [Self.own],
            view: NetworkView(interfaces: [card]))
        let announcement = Announcement(
            instance: "abcdefghijklmnopqrstuvwxyz", host: "bcdefghijklmnopqrstuvwxyza", port: 9,
            subtype: "_r73b49a38")
        func hear(_ address: [UInt8]) {
            let records = MDNSRecords.records(for: announcement, addresses: [address])
            tally.heard(
                MDNSMessage.announcement(of: records), from: [10, 99, 0, 3], by: .mdns, at: Self.place)
        }
        tally.heard(
            answer("_r73b49a38", .instance(announcement.instance)), from: Self.other, by: .mdns, at: Self.place)
        #expect(tally.counts == NodeCounts(peers: 1))
        hear([10, 99, 0, 3])
        #expect(tally.counts == NodeCounts(peers: 1, unreachable: 1))
        hear(Self.other)
        hear([10, 99, 0, 3])
        #expect(tally.counts == NodeCounts(peers: 1))
    }

    @Test mutating func `nodes of the room are counted once each`() {
        let names = [
            "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "bcdefghijklmnopqrstuvwxyza", "printer",
        ]
        for name in names {
            for sender in [Self.other, [10, 77, 0, 4]] {
                tally.heard(answer("_r73b49a38", .instance(name)), from: sender, by: .mdns, at: Self.place)
            }
        }
        #expect(counts == [2, 0, 0, 0])
    }

    @Test mutating func `a record that is withdrawn names no node`() {
        let target = MDNSName.instance("abcdefghijklmnopqrstuvwxyz")
        for subtype in ["_r73b49a38", "_r00000000"] {
            let record = DiscoveryMessageTests.record(MDNSName.subtype(subtype).wire, seconds: 0, target.wire)
            let bytes = DiscoveryMessageTests.response(answers: 1, record)
            tally.heard(bytes, from: Self.own, by: .mdns, at: Self.place)
        }
        #expect(counts == [0, 0, 0, 0])
    }

    /// Peers, own nodes, nodes of other rooms elsewhere and here.
    private var counts: [Int] {
        let counts = tally.counts
        return [counts.peers, counts.own, counts.others, counts.ownOthers]
    }

    @Test mutating func `a node that this machine answered for is its own, whichever host repeats it`() {
        let name = "abcdefghijklmnopqrstuvwxyz"
        for sender in [Self.other, Self.own, Self.other] {
            tally.heard(answer("_r73b49a38", .instance(name)), from: sender, by: .mdns, at: Self.place)
        }
        #expect(counts == [0, 1, 0, 0])
    }

    @Test mutating func `nodes of other rooms are counted apart, and the record of the examination is none`() {
        let names = ["abcdefghijklmnopqrstuvwxyz", "bcdefghijklmnopqrstuvwxyza", "cdefghijklmnopqrstuvwxyzab"]
        tally.heard(answer("_r00000000", .instance(names[0])), from: Self.other, by: .mdns, at: Self.place)
        tally.heard(answer("_r11111111", .instance(names[1])), from: Self.own, by: .mdns, at: Self.place)
        tally.heard(answer("_r12345678", .instance(names[2])), from: Self.own, by: .mdns, at: Self.place)
        #expect(counts == [0, 0, 1, 1])
    }

    @Test mutating func `records of another service or by another socket are no nodes`() {
        let name = "abcdefghijklmnopqrstuvwxyz"
        tally.heard(answer("_r73b49a38", MDNSName([name])), from: Self.other, by: .mdns, at: Self.place)
        tally.heard(answer("_r73b49a38", .instance(name)), from: Self.other, by: .asker, at: Self.place)
        tally.heard(answer("_printer", .instance(name)), from: Self.other, by: .mdns, at: Self.place)
        #expect(counts == [0, 0, 0, 0])
    }

    @Test mutating func `other machines are those with other addresses, up to a bound`() {
        tally.heard([], from: Self.own, by: .mdns, at: Self.place)
        #expect(seen?.others == [])
        for last in UInt8(0)...255 { tally.heard([], from: [10, 77, 1, last], by: .mdns, at: Self.place) }
        #expect(seen?.others.count == ExaminationTally.maximumOthers)
    }

    @Test mutating func `only this machine is believed about itself`() {
        let name = DiscoveryMessageTests.answer(MDNSName(reverseOf: Self.own), MDNSName(["canary"]))
        let elsewhere = DiscoveryMessageTests.answer(MDNSName(reverseOf: Self.other), MDNSName(["printer"]))
        let published = answer("_r12345678", .instance("abcdefghijklmnopqrstuvwxyz"))
        for bytes in [name, elsewhere, published] {
            tally.heard(bytes, from: Self.other, by: .asker, at: Self.place)
            tally.heard(bytes, from: Self.own, by: .mdns, at: Self.place)
        }
        #expect(seen?.names == [])
        #expect(seen?.isAnswered == false)
        for bytes in [name, elsewhere, published] { tally.heard(bytes, from: Self.own, by: .asker, at: Self.place) }
        #expect(seen?.names == ["canary.local"])
        #expect(seen?.isAnswered == true)
    }

    @Test mutating func `it is sound once all came back and each interface is answered in one family`() {
        for family in [Family.ipv4, .ipv6] {
            let place = MulticastPlace(interface: 2, family: family)
            #expect(!tally.isSound)
            tally.heard(tally.question, from: Self.own, by: .mdns, at: place)
            tally.heard(tally.token, from: Self.own, by: .otherPort, at: place)
        }
        #expect(!tally.isSound)
        let published = answer("_r12345678", .instance("abcdefghijklmnopqrstuvwxyz"))
        tally.heard(published, from: Self.own, by: .asker, at: Self.place)
        #expect(tally.isSound)
    }

    @Test mutating func `random bytes never trap`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var bytes = (0..<Int.random(in: 0..<80, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            if bytes.count > 2 { bytes[2] |= 0x80 }
            for socket in MulticastSocket.Use.allCases {
                tally.heard(bytes, from: Self.own, by: socket, at: Self.place)
            }
        }
        #expect(counts == [0, 0, 0, 0])
    }
}
