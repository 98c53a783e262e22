import Testing
import Wire

struct ByteReaderTests {
    static let bytes: [UInt8] = Array(1...32)

    /// Readings of 1, 2, 8, 5 and 16 bytes, until the bytes end.
    static func read(_ bytes: [UInt8]) throws(TruncatedInput) -> String {
        var reader = ByteReader(bytes.span)
        let parts: [String] = [
            "\(try reader.readUInt8())", "\(try reader.readUInt16())", "\(try reader.readUInt64())",
            "\(try reader.readBytes(5))", try reader.readMessageID().hexadecimal,
        ]
        return parts.joined(separator: " ") + " \(reader.remaining)"
    }

    @Test func `integers are big-endian and values follow each other`() throws {
        let expected =
            "1 515 \(0x0405_0607_0809_0a0b) [12, 13, 14, 15, 16] 1112131415161718191a1b1c1d1e1f20 0"
        #expect(try ByteReaderTests.read(ByteReaderTests.bytes) == expected)
    }

    @Test func `every shorter input is truncated`() {
        for length in 0..<32 {
            #expect(throws: TruncatedInput()) { try ByteReaderTests.read(Array(ByteReaderTests.bytes[..<length])) }
        }
    }

    @Test func `a reading that fails moves nothing`() throws {
        let bytes: [UInt8] = [1, 2, 3]
        var reader = ByteReader(bytes.span)
        _ = try reader.readUInt8()
        #expect((try? reader.readUInt64()) == nil)
        #expect((try? reader.readBytes(3)) == nil)
        #expect((try? reader.readRange(3)) == nil)
        #expect(reader.position == 1)
        #expect(try reader.readUInt16() == 515)
    }

    @Test(arguments: [-1, .min, .max, 4])
    func `a count that is no part of the input is refused`(count: Int) {
        let bytes: [UInt8] = [1, 2, 3]
        var reader = ByteReader(bytes.span)
        #expect((try? reader.readRange(count)) == nil)
        #expect((try? reader.readBytes(count)) == nil)
        #expect(reader.remaining == 3)
    }

    @Test func `a range tells where in the input it is`() throws {
        let bytes: [UInt8] = [1, 2, 3]
        var reader = ByteReader(bytes.span)
        _ = try reader.readUInt8()
        #expect(try reader.readRange(2) == 1..<3)
        #expect(try reader.readRange(0) == 3..<3)
    }

    @Test func `written values are read again`() throws {
        let peer = try #require(PeerID(Array(100..<132)))
        let message = try #require(MessageID(Array(50..<66)))
        var writer = ByteWriter()
        writer.write(UInt8.max)
        writer.write(UInt16.max - 1)
        writer.write(UInt64.max - 2)
        writer.write(peer)
        writer.write(message)
        writer.write([9, 8] as [UInt8])
        var reader = ByteReader(writer.bytes.span)
        #expect(try reader.readUInt8() == .max)
        #expect(try reader.readUInt16() == .max - 1)
        #expect(try reader.readUInt64() == .max - 2)
        #expect(try reader.readPeerID() == peer)
        #expect(try reader.readMessageID() == message)
        #expect(try reader.readBytes(2) == [9, 8])
        #expect(reader.remaining == 0)
    }
}
