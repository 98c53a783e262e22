import ChatNode
import Noise
import Testing
import Wire

@Suite struct InstanceNameTests {
    private var randomness = Randomness.seeded(8)

    private mutating func key() -> PublicKey { KeyPair.generate(using: &randomness).publicKey }

    @Test mutating func `a name has 26 characters of which it is made again`() throws {
        let key = key()
        for _ in 0..<100 {
            let name = InstanceName(of: key, using: &randomness)
            #expect(name.text.utf8.count == 26)
            #expect(name.text.utf8.allSatisfy { Array("abcdefghijklmnopqrstuvwxyz234567".utf8).contains($0) })
            #expect(InstanceName(name.text) == name)
        }
    }

    @Test mutating func `the names of a run belong to its key and to no other, and each is another`() {
        let (own, foreign) = (key(), key())
        let names = (0..<100).map { _ in InstanceName(of: own, using: &randomness) }
        #expect(names.allSatisfy { $0.belongs(to: own) && !$0.belongs(to: foreign) })
        #expect(Set(names).count == 100)
    }

    @Test func `the name of the worked example belongs to its key`() throws {
        // Protocol.md section 12, which Tests/Interop/test_vectors.py computes with other people's code.
        let bytes = try #require(
            Hexadecimal.decode("79a631eede1bf9c98f12032cdeadd0e7a079398fc786b88cc846ec89af85a51a"))
        let decoded = PublicKey(bytes.span)
        let key = try #require(decoded)
        let name = try #require(InstanceName("yda4fq6eyxdmotnuaoth2npuia"))
        #expect(name.belongs(to: key))
        #expect(name.text == "yda4fq6eyxdmotnuaoth2npuia")
    }

    @Test mutating func `with any bit changed a name belongs to no key`() throws {
        let key = key()
        let bytes = try #require(Base32.decode(InstanceName(of: key, using: &randomness).text))
        for bit in 0..<128 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try !#require(InstanceName(Base32.encode(changed))).belongs(to: key))
        }
    }

    @Test(arguments: [
        "", "192.0.2.1:4000", "abcdefghijklmnopqrstuvwxy", "abcdefghijklmnopqrstuvwxyza", "abcdefghijklmnopqrstuvwxy1",
        "ABCDEFGHIJKLMNOPQRSTUVWXYA", "abcdefghijklmnopqrstuvwxyb", "abcdefghijklmnopqrstuvwx\u{e9}",
    ])
    func `a name of other than 16 bytes in base32 is no instance name`(text: String) {
        #expect(InstanceName(text) == nil)
    }

    @Test func `names are ordered as their bytes are`() throws {
        var bytes = [UInt8](repeating: 7, count: 16)
        for position in 0..<16 {
            let before = try #require(InstanceName(Base32.encode(bytes)))
            bytes[position] = 8
            #expect(before < (try #require(InstanceName(Base32.encode(bytes)))))
        }
    }
}
