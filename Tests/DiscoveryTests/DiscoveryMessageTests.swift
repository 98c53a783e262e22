import ChatNode
import Testing

@testable import Discovery

@Suite struct DiscoveryMessageTests {
    private static let room = MDNSName.subtype("_r73b49a38")
    private static let instance = MDNSName.instance("abcdefghijklmnopqrstuvwxyz")

    /// A response with its counts and the bytes behind the header.
    static func response(questions: UInt8 = 0, answers: UInt8, more: UInt8 = 0, _ body: [UInt8]) -> [UInt8] {
        [0, 0, 0x84, 0, 0, questions, 0, answers, 0, 0, 0, more] + body
    }

    static func record(_ name: [UInt8], type: UInt8 = 12, seconds: UInt8 = 120, _ data: [UInt8]) -> [UInt8] {
        name + [0, type, 0x80, 1, 0, 0, 0, seconds, UInt8(data.count >> 8), UInt8(data.count & 0xff)] + data
    }

    static func answer(_ name: MDNSName, _ target: MDNSName) -> [UInt8] {
        response(answers: 1, record(name.wire, target.wire))
    }

    @Test func `a query asks for the pointers of its names`() {
        let query = MDNSMessage.query(for: [Self.room, Self.instance])
        #expect(query.prefix(12) == [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0])
        let pointers: [UInt8] = [0, 12, 0, 1]
        var questions = Self.room.wire + pointers
        questions += Self.instance.wire + pointers
        #expect(Array(query.dropFirst(12)) == questions)
        #expect(MDNSMessage.pointers(in: query) == [])
    }

    @Test func `an address is queried by its digits in reverse`() {
        #expect(MDNSName(reverseOf: [10, 77, 0, 2]).text == "2.0.77.10.in-addr.arpa")
        let address: [UInt8] = [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [0x2f]
        let text = MDNSName(reverseOf: address).text
        #expect(text == "f.2." + String(repeating: "0.", count: 22) + "8.b.d.0.1.0.0.2.ip6.arpa")
    }

    @Test func `an announcement has all records, and those of one owner replace what caches hold`() throws {
        let announcement = Announcement(
            instance: "abcdefghijklmnopqrstuvwxyz", host: "bcdefghijklmnopqrstuvwxyza", port: 7, subtype: "_r73b49a38")
        let records = MDNSRecords.records(for: announcement, addresses: [[10, 0, 0, 1]])
        let bytes = MDNSMessage.announcement(of: records)
        #expect(bytes.prefix(12) == [0, 0, 0x84, 0, 0, 0, 0, 4, 0, 0, 0, 0])
        let target = Self.instance.wire
        let pointer = Self.room.wire + [0, 12, 0, 1, 0, 0, 2, 88, 0, UInt8(target.count)] + target
        #expect(bytes.dropFirst(12).starts(with: pointer))
        #expect(bytes.suffix(14) == [0, 1, 0x80, 1, 0, 0, 0, 120, 0, 4, 10, 0, 0, 1])
        #expect(MDNSMessage.pointers(in: bytes) == [MDNSPointer(name: Self.room.labels, target: Self.instance.labels)])
        let name = BrowsedName(type: "_r73b49a38._sub._earshot._tcp")
        #expect(try #require(PointerPacket(bytes[...], about: name)).pointers.map(\.timeToLive) == [600])
    }

    @Test func `pointers are read among other records and questions, in lower case`() {
        let other = Self.record(Self.instance.wire, type: 16, [3, 0x76, 0x3d, 0x31])
        let shouted = Self.room.wire.map { (97...122).contains($0) ? $0 - 32 : $0 }
        let bytes = Self.response(
            questions: 1, answers: 1, more: 1,
            Self.room.wire + [0, 12, 0, 1] + other + Self.record(shouted, Self.instance.wire))
        #expect(MDNSMessage.pointers(in: bytes) == [MDNSPointer(name: Self.room.labels, target: Self.instance.labels)])
    }

    @Test func `names that go on elsewhere in the message are put together`() {
        // "_sub._earshot._tcp.local" is 11 bytes behind the header's 12.
        let data = [26] + Array("abcdefghijklmnopqrstuvwxyz".utf8) + [0xc0, 12 + 11 + 5]
        let bytes = Self.response(answers: 1, Self.record(Self.room.wire, data))
        #expect(MDNSMessage.pointers(in: bytes) == [MDNSPointer(name: Self.room.labels, target: Self.instance.labels)])
    }

    @Test(arguments: [
        // To itself, to what follows, in a circle, and out of the message.
        [UInt8]([0xc0, 12]), [0xc0, 14, 1, 97, 0], [1, 97, 0xc0, 12], [0xff, 0xff],
        // Lengths that are none, and a name without an end.
        [0x40, 0], [0x80, 0], [63, 97], [],
    ])
    func `a name that does not end is none`(name: [UInt8]) {
        let bytes = Self.response(answers: 1, Self.record(name, [1, 97, 0]))
        #expect(MDNSMessage.pointers(in: bytes) == [])
    }

    @Test func `a name of more than 255 bytes is none`() {
        let label = [63] + [UInt8](repeating: 97, count: 63)
        let most = label + label + label + [61] + [UInt8](repeating: 97, count: 61) + [0]
        let over = label + label + label + [62] + [UInt8](repeating: 97, count: 62) + [0]
        #expect(MDNSMessage.pointers(in: Self.response(answers: 1, Self.record(most, most))).count == 1)
        #expect(MDNSMessage.pointers(in: Self.response(answers: 1, Self.record(over, over))) == [])
    }

    @Test func `a message cut anywhere or with any byte changed does no harm`() {
        let whole = Self.answer(Self.room, Self.instance)
        for count in whole.indices { #expect(MDNSMessage.pointers(in: Array(whole[..<count])) == []) }
        for index in whole.indices {
            for value in [UInt8(0), 1, 63, 64, 0xc0, 0xff] {
                var changed = whole
                changed[index] = value
                #expect(MDNSMessage.pointers(in: changed).count <= 1)
            }
        }
    }

    @Test func `counts that promise more than there is cost no more than there is`() {
        var bytes = Self.answer(Self.room, Self.instance)
        for index in 6..<12 { bytes[index] = 0xff }
        #expect(MDNSMessage.pointers(in: bytes).count == 1)
    }
}
