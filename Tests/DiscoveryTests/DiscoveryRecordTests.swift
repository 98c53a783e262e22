import ChatNode
import Testing
import Wire

@testable import Discovery

private let announcement = Announcement(
    instance: "abcdefghijklmnopqrstuvwxyz", host: "bcdefghijklmnopqrstuvwxyza", port: 0x1234, subtype: "_r12ab34cd")

private struct Counting: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}

@Suite struct DiscoveryRecordTests {
    @Test func `a node publishes five records at most`() {
        let records = MDNSRecords.records(
            for: announcement, addresses: [[10, 0, 0, 1], [UInt8](repeating: 1, count: 16)])
        #expect(records.map(\.kind) == [.ptr, .srv, .txt, .a, .aaaa])
    }

    @Test func `the subtype points to the instance`() throws {
        let record = try #require(MDNSRecords.records(for: announcement, addresses: []).first)
        #expect(record.name.text == "_r12ab34cd._sub._earshot._tcp.local")
        let target = [26] + Array("abcdefghijklmnopqrstuvwxyz".utf8) + [8] + Array("_earshot".utf8) + [4]
        #expect(record.rdata == target + Array("_tcp".utf8) + [5] + Array("local".utf8) + [0])
    }

    @Test func `the service record has the port in network order and the random host`() {
        let record = MDNSRecords.records(for: announcement, addresses: [])[1]
        #expect(record.name.text == "abcdefghijklmnopqrstuvwxyz._earshot._tcp.local")
        #expect(record.rdata.prefix(7) == [0, 0, 0, 0, 0x12, 0x34, 26])
        #expect(record.rdata.dropFirst(6) == MDNSName(["bcdefghijklmnopqrstuvwxyza"]).wire[...])
    }

    @Test func `the text record says the version and nothing else`() {
        let record = MDNSRecords.records(for: announcement, addresses: [])[2]
        #expect(record.rdata == [3] + Array("v=3".utf8))
    }

    @Test func `only the record that all nodes share is not unique`() {
        let records = MDNSRecords.records(for: announcement, addresses: [[10, 0, 0, 1]])
        #expect(records.map(\.isUnique) == [false, true, true, true])
    }

    @Test func `a record is announced once on each of its interfaces, in each family, and again after a second`() {
        let linkLocal = [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
        let cards = [(2, [[10, 0, 0, 1], linkLocal]), (3, [[10, 1, 0, 1]]), (4, [[10, 2, 0, 1]])].map {
            NetworkInterface(
                index: $0, name: "eth\($0)", addresses: $1.map { InterfaceAddress(bytes: $0, prefixLength: 64) })
        }
        let view = NetworkView(interfaces: cards)
        let publication = [2: [10, 0, 0, 1], 3: [10, 1, 0, 1]].reduce(into: Publication()) { all, entry in
            all[entry.key] = MDNSRecords.records(for: announcement, addresses: [entry.value])
        }
        var first = FirstAnnouncement()
        func said(at milliseconds: Int64, _ publication: Publication) -> [UInt32] {
            first.packets(of: publication, in: view, now: Instant(nanoseconds: milliseconds * 1_000_000)).map(
                \.interface)
        }
        #expect(said(at: 0, publication) == [2, 2, 3])
        #expect(said(at: 999, publication) == [])
        #expect(said(at: 1_000, publication) == [2, 2, 3])
        #expect(said(at: 1_001, publication.filter { $0.key == 3 }) == [3])
    }

    @Test func `dots, backslashes and unprintable bytes in a label are escaped`() {
        #expect(MDNSName(["a.b\\c d\u{7}é"]).text == "a\\.b\\\\c\\032d\\007\\195\\169.local")
    }

    @Test func `random names are 26 characters that are valid and differ`() {
        var generator = Counting(state: 1)
        let names = (0..<100).map { _ in RandomNames.draw(using: &generator) }
        #expect(Set(names).count == 100)
        #expect(names.allSatisfy { RandomNames.canonical($0) == $0 })
    }

    @Test(arguments: [
        "", "abcdefghijklmnopqrstuvwxy", "abcdefghijklmnopqrstuvwxyza", "abcdefghijklmnopqrstuvwxy1",
        "abcdefghijklmnopqrstuvwxy.", "abcdefghijklmnopqrstuvwx\u{e9}",
    ])
    func `a name that no node draws is no instance name`(_ name: String) {
        #expect(RandomNames.canonical(name) == nil)
    }

    @Test func `instance names are compared in lower case`() {
        #expect(RandomNames.canonical("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "abcdefghijklmnopqrstuvwxyz")
    }

    @Test(
        arguments: [
            ("example.org:4000", "example.org", 4_000), ("192.0.2.1:1", "192.0.2.1", 1),
            ("[fe80::1%eth0]:65535", "fe80::1%eth0", 65_535),
        ] as [(String, String, UInt16)])
    func `a peer is a host and a port`(_ text: String, _ host: String, _ port: UInt16) throws {
        let peer = try #require(PeerAddress(text))
        #expect(peer.host == host && peer.port == port && peer.text == text)
    }

    @Test(arguments: [
        "", ":", "host", "host:", ":1", "host:0", "host:65536", "fe80::1:4000", "[]:1", "a b:1", "host:+1:2",
    ])
    func `anything else is no peer`(_ text: String) {
        #expect(PeerAddress(text) == nil)
    }
}
