import ChatNode
import Testing

@testable import Discovery

/// The facts that one packet gives about an instance, so that no query is needed.
@Suite struct HeardInstanceTests {
    private static let name = QuietSegment.name
    private static let instance = "abcdefghijklmnopqrstuvwxyz"
    private static let announcement = Announcement(
        instance: instance, host: "bcdefghijklmnopqrstuvwxyza", port: 4_660, subtype: "_r73b49a38")
    private static let linkLocal: [UInt8] = [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1]

    private static var records: [MDNSRecord] {
        MDNSRecords.records(for: announcement, addresses: [[10, 0, 0, 1], linkLocal])
    }

    private static func read(_ bytes: [UInt8], from sender: [UInt8] = [10, 0, 0, 1]) -> [HeardInstance] {
        HeardInstance.all(in: bytes[...], from: sender, of: name)
    }

    private static func said(_ records: [MDNSRecord]) -> [HeardInstance] { read(MDNSMessage.announcement(of: records)) }

    @Test func `an announcement tells all that is needed to dial`() {
        let expected = HeardInstance(
            instance: Self.instance, port: 4_660, addresses: [[10, 0, 0, 1], Self.linkLocal], isOurVersion: true,
            sender: [10, 0, 0, 1])
        #expect(Self.said(Self.records) == [expected])
        #expect(
            Self.said(Self.records.reversed())
                == [expected].map { heard in
                    HeardInstance(
                        instance: heard.instance, port: heard.port, addresses: heard.addresses.reversed(),
                        isOurVersion: true, sender: heard.sender)
                })
        #expect(expected.addresses(first: .ipv4) == [[10, 0, 0, 1], Self.linkLocal])
        let stranger: [UInt8] = [0xfe, 0x80] + [UInt8](repeating: 9, count: 14)
        let overIPv6 = Self.read(MDNSMessage.announcement(of: Self.records), from: stranger)
        #expect(overIPv6[0].addresses(first: .ipv6) == [Self.linkLocal, [10, 0, 0, 1]])
    }

    @Test func `of several addresses the sender's own comes first`() {
        let addresses: [[UInt8]] = [[10, 0, 0, 1], [10, 0, 0, 2], Self.linkLocal]
        let bytes = MDNSMessage.announcement(of: MDNSRecords.records(for: Self.announcement, addresses: addresses))
        let heard = Self.read(bytes, from: [10, 0, 0, 2])
        #expect(heard[0].addresses(first: .ipv4) == [[10, 0, 0, 2], [10, 0, 0, 1], Self.linkLocal])
        #expect(Self.read(bytes, from: [10, 0, 0, 3])[0].addresses(first: .ipv4) == addresses)
    }

    @Test func `without an address of this link, the link-local source of the packet is dialled, and no other source`()
        throws
    {
        let card = NetworkInterface(
            index: 2, name: "eth0",
            addresses: [
                InterfaceAddress(bytes: [192, 0, 2, 7], prefixLength: 24),
                InterfaceAddress(bytes: [0xfe, 0x80] + [UInt8](repeating: 7, count: 14), prefixLength: 64),
            ])
        let view = NetworkView(interfaces: [card])
        func endpoint(_ addresses: [[UInt8]], from sender: [UInt8], at interface: UInt32 = 2) -> Endpoint? {
            let bytes = MDNSMessage.announcement(of: MDNSRecords.records(for: Self.announcement, addresses: addresses))
            return Self.read(bytes, from: sender).first?.endpoint(in: view, at: interface, first: .ipv6)
        }
        let source = Endpoint(address: Self.linkLocal, port: 4_660, scope: 2)
        #expect(endpoint([[10, 0, 0, 1]], from: Self.linkLocal) == source)
        #expect(endpoint([[192, 0, 2, 9]], from: Self.linkLocal) == Endpoint(address: [192, 0, 2, 9], port: 4_660))
        #expect(endpoint([[10, 0, 0, 1]], from: [10, 0, 0, 1]) == nil)
        #expect(endpoint([[10, 0, 0, 1]], from: [192, 0, 2, 9]) == nil)
        #expect(endpoint([[10, 0, 0, 1]], from: [0x20, 1] + [UInt8](repeating: 1, count: 14)) == nil)
        #expect(endpoint([[10, 0, 0, 1]], from: Self.linkLocal, at: 3) == nil)
    }

    @Test func `names are the same in either case, and wherever they stand`() {
        let shouted = Self.records.map { record in
            MDNSMessage.record(
                of: record.name.wire.map { (97...122).contains($0) ? $0 - 32 : $0 }, record.kind, seconds: 120,
                data: record.rdata)
        }
        let header: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 4]
        #expect(Self.read(header + shouted.joined()).map(\.port) == [4_660])
        // The pointer's own name begins behind the header, and what it points to 10 bytes behind that name.
        let pointer = MDNSMessage.record(
            of: Self.records[0].name.wire, .ptr, seconds: 600, data: Self.records[0].rdata)
        let instance = [0xc0, UInt8(12 + Self.records[0].name.wire.count + 10)]
        let rest = Self.records[1...2].map {
            MDNSMessage.record(of: instance, $0.kind, seconds: 120, data: $0.rdata)
        }
        let host = Self.records[3]
        let address = MDNSMessage.record(of: host.name.wire, .a, seconds: 120, data: host.rdata)
        #expect(Self.read([0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 3] + pointer + rest.joined() + address).count == 1)
    }

    @Test(arguments: 0..<3) func `without its pointer, its service or its text nothing is reported`(missing: Int) {
        var records = Self.records
        records.remove(at: missing)
        #expect(Self.said(records) == [])
    }

    @Test func `without an address nothing is reported, and of many eight are enough`() {
        #expect(Self.said(MDNSRecords.records(for: Self.announcement, addresses: [])) == [])
        let many = (0..<20).map { [10, 0, 0, UInt8($0)] }
        #expect(Self.said(MDNSRecords.records(for: Self.announcement, addresses: many)).map(\.addresses.count) == [8])
    }

    @Test func `a goodbye tells nothing`() {
        for gone in 0..<4 {
            let records = MDNSRecords.records(for: Self.announcement, addresses: [[10, 0, 0, 1]])
            let said = records.indices.map { index in
                MDNSMessage.record(
                    of: records[index].name.wire, records[index].kind, seconds: index == gone ? 0 : 120,
                    data: records[index].rdata)
            }
            #expect(Self.read([0, 0, 0x84, 0, 0, 0, 0, 4, 0, 0, 0, 0] + said.joined()) == [])
        }
    }

    @Test func `another room, a question and another version are distinguished`() {
        let other = Announcement(
            instance: Self.instance, host: Self.announcement.host, port: 1, subtype: "_r00000000")
        #expect(Self.said(MDNSRecords.records(for: other, addresses: [[10, 0, 0, 1]])) == [])
        var question = MDNSMessage.announcement(of: Self.records)
        question[2] = 0
        #expect(Self.read(question) == [])
        for (text, isOurs) in [("\u{3}v=2", false), ("\u{1}x\u{3}v=3", true), ("\u{9}v=3", false), ("", false)] {
            var records = Self.records
            records[2] = MDNSRecord(name: records[2].name, kind: .txt, rdata: Array(text.utf8))
            #expect(Self.said(records).map(\.isOurVersion) == [isOurs])
        }
    }

    @Test func `a truncated packet gives nothing, at any length`() {
        let whole = MDNSMessage.announcement(
            of: MDNSRecords.records(for: Self.announcement, addresses: [[10, 0, 0, 1]]))
        for count in whole.indices { #expect(Self.read(Array(whole[..<count])) == []) }
    }
}
