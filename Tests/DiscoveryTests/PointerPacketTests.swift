import Testing
import Wire

@testable import Discovery

@Suite struct PointerPacketTests {
    private static let name = QuietSegment.name
    private static let room = MDNSName.subtype("_r73b49a38")
    private static let instance = "abcdefghijklmnopqrstuvwxyz"

    private static func read(_ bytes: [UInt8]) -> PointerPacket? { PointerPacket(bytes[...], about: name) }

    private static func pointers(_ bytes: [UInt8]) -> [String]? { read(bytes)?.pointers.map(\.instance) }

    /// An answer among questions and other records, with a name that goes on elsewhere.
    private static var response: [UInt8] {
        let other = DiscoveryMessageTests.record(MDNSName.instance(instance).wire, type: 16, [3, 0x76, 0x3d, 0x31])
        let data = [26] + Array(instance.utf8) + [0xc0, 12 + 11 + 5]
        return DiscoveryMessageTests.response(
            questions: 1, answers: 1, more: 1,
            room.wire + [0, 12, 0, 1] + other + DiscoveryMessageTests.record([0xc0, 12], data))
    }

    private static var question: [UInt8] {
        PointerQuestion.packets(for: name, known: [(instance, 400), (QuietSegment.instance(3), 0x01020304)])[0]
    }

    @Test func `an answer is found among questions and other records, wherever its name is`() {
        let expected = PointerPacket.Pointer(instance: Self.instance, timeToLive: 120)
        #expect(Self.read(Self.response)?.pointers == [expected])
        #expect(Self.read(Self.response)?.kind == .response)
        let shouted = Self.response.map { (97...122).contains($0) ? $0 - 32 : $0 }
        #expect(Self.pointers(shouted) == [Self.instance])
        // The instance is written out in another record, and only referred to.
        let text = DiscoveryMessageTests.record(MDNSName.instance(Self.instance).wire, type: 16, [0])
        let referring = DiscoveryMessageTests.record(Self.room.wire, [0xc0, 12])
        #expect(Self.pointers(DiscoveryMessageTests.response(answers: 2, text + referring)) == [Self.instance])
    }

    @Test func `a question is read with what its sender knows`() throws {
        let packet = try #require(Self.read(Self.question))
        #expect(packet.kind == .question && !packet.isTruncated)
        #expect(packet.pointers.map(\.instance) == [Self.instance, QuietSegment.instance(3)])
        #expect(packet.pointers.map(\.timeToLive) == [400, 0x01020304])
        #expect(MDNSMessage.pointers(in: Self.question) == [])
    }

    @Test func `the question is what others ask, and costs 41 bytes for each instance`() {
        let asked = PointerQuestion.packets(for: Self.name, known: [])
        #expect(asked == [MDNSMessage.query(for: [Self.room])])
        #expect(Self.question.count == asked[0].count + 2 * 41)
    }

    @Test func `names that do not fit go on in other packets, eight at most`() {
        let known = (0..<300).map { (instance: QuietSegment.instance($0), seconds: UInt32(600)) }
        let packets = PointerQuestion.packets(for: Self.name, known: known)
        #expect(packets.count == 8)
        #expect(packets.allSatisfy { $0.count <= 1_452 })
        let read = packets.map { Self.read($0) }
        #expect(read.map { $0?.kind } == [.question] + [PointerPacket.Kind](repeating: .continuation, count: 7))
        #expect(read.map { $0?.isTruncated } == [Bool](repeating: true, count: 7) + [false])
        let listed = read.flatMap { $0?.pointers ?? [] }.map(\.instance)
        #expect(listed == known.prefix(listed.count).map(\.instance))
        #expect(listed.count >= 270)
        #expect(PointerQuestion.packets(for: Self.name, known: Array(known[..<34])).count == 1)
    }

    @Test func `records about other names, or about names that no node has, are passed over`() {
        let service = MDNSName(["_earshot", "_tcp"])
        let target = MDNSName.instance(Self.instance)
        #expect(Self.pointers(DiscoveryMessageTests.answer(service, target)) == nil)
        #expect(Self.pointers(DiscoveryMessageTests.answer(.subtype("_r73b49a39"), target)) == nil)
        #expect(Self.pointers(DiscoveryMessageTests.answer(.subtype("_r73b49a3"), target)) == nil)
        #expect(Self.pointers(DiscoveryMessageTests.answer(Self.room, .instance("abc"))) == nil)
        for labels in [[Self.instance, "_ipp", "_tcp"], [Self.instance, "_earshot"]] {
            #expect(Self.pointers(DiscoveryMessageTests.answer(Self.room, MDNSName(labels))) == nil)
        }
        #expect(Self.read(MDNSMessage.query(for: [service])) == nil)
        let host = DiscoveryMessageTests.record(Self.room.wire, type: 1, [10, 0, 0, 1])
        #expect(Self.pointers(DiscoveryMessageTests.response(answers: 1, host)) == nil)
    }

    @Test func `another kind of message, or one about an error, is passed over`() {
        for (index, value) in [(2, UInt8(0x8c)), (3, 3)] {
            var changed = Self.response
            changed[index] = value
            #expect(Self.read(changed) == nil)
        }
    }

    @Test func `names that do not end, or lead on in circles, are none`() {
        let circles: [[UInt8]] = [[0xc0, 0xc0], [0xc0, 12], [0xc0, 14, 1, 97, 0], [1, 97, 0xc0, 12]]
        let names: [[UInt8]] = circles + [[0x40, 0], [63, 97], []]
        for name in names {
            let bytes = DiscoveryMessageTests.response(answers: 1, DiscoveryMessageTests.record(name, [1, 97, 0]))
            #expect(Self.read(bytes) == nil)
            let inside = DiscoveryMessageTests.record(Self.room.wire, name)
            #expect(Self.read(DiscoveryMessageTests.response(answers: 1, inside)) == nil)
        }
    }

    @Test func `a message cut anywhere is not more than what was before the cut`() {
        for count in Self.response.indices { #expect(Self.read(Array(Self.response[..<count])) == nil) }
        for count in Self.question.indices { #expect(Self.read(Array(Self.question[..<count])) == nil) }
        let two = QuietSegment.response([Self.instance, QuietSegment.instance(3)])
        for count in two.indices {
            let read = Self.pointers(Array(two[..<count]))
            #expect(read == nil || read == [Self.instance])
        }
    }

    @Test func `a message with any byte changed does no harm`() {
        for whole in [Self.response, Self.question] {
            for index in whole.indices {
                for value in [UInt8(0), 1, 63, 64, 0xc0, 0xff] {
                    var changed = whole
                    changed[index] = value
                    #expect(Self.read(changed)?.pointers.count ?? 0 <= 2)
                }
            }
        }
    }

    @Test func `counts that promise more than there is cost no more than there is`() {
        var bytes = Self.response
        for index in 6..<12 { bytes[index] = 0xff }
        #expect(Self.pointers(bytes) == [Self.instance])
        var asked = Self.question
        asked[6] = 0xff
        #expect(Self.read(asked) == nil)
        asked = Self.question
        asked[4] = 0xff
        #expect(Self.read(asked) == nil)
    }
}
