import Testing
import Wire

struct IdentifierTests {
    @Test func `a peer comes back from its bytes and from its digits`() throws {
        let bytes: [UInt8] = Array(200..<232)
        let peer = try #require(PeerID(bytes))
        #expect(peer.bytes == bytes)
        #expect(PeerID(hexadecimal: peer.hexadecimal) == peer)
        #expect(PeerID(hexadecimal: peer.hexadecimal.uppercased()) == peer)
        #expect(peer.hexadecimal.count == 64)
    }

    @Test(arguments: [0, 1, 31, 33, 64])
    func `a peer has 32 bytes`(count: Int) {
        #expect(PeerID([UInt8](repeating: 1, count: count)) == nil)
        #expect(PeerID(hexadecimal: String(repeating: "ab", count: count)) == nil)
    }

    @Test func `peers are ordered as their bytes`() throws {
        let low = try #require(PeerID([UInt8](repeating: 0, count: 31) + [1]))
        let high = try #require(PeerID([0x80] + [UInt8](repeating: 0, count: 31)))
        #expect(low < high)
        #expect(!(high < low))
        #expect(!(low < low))
        for position in 0..<32 {
            var bytes = [UInt8](repeating: 7, count: 32)
            let before = try #require(PeerID(bytes))
            bytes[position] = 8
            #expect(before < (try #require(PeerID(bytes))))
        }
    }

    @Test func `a message comes back from its bytes and is named by its first 8`() throws {
        let bytes: [UInt8] = Array(1...16)
        let message = try #require(MessageID(bytes))
        #expect(message.bytes == bytes)
        #expect(message.prefix == 0x0102_0304_0506_0708)
        #expect(message.hexadecimal == "0102030405060708090a0b0c0d0e0f10")
        #expect(MessageID(Array(1...15)) == nil)
        #expect(MessageID(Array(1...17)) == nil)
    }

    @Test func `hexadecimal text comes back as its bytes`() {
        let bytes: [UInt8] = Array(0...255)
        let text = Hexadecimal.encode(bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.decode(text) == bytes)
        #expect(Hexadecimal.decode("") == [])
    }

    @Test(arguments: ["a", "abc", "0g", "g0", " 0", "0x", "-1", "é", "\u{ff11}0", "00\n"])
    func `anything else is no hexadecimal text`(text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }
}
