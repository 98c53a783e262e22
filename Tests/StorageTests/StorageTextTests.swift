import Noise
import Testing
import Wire

@testable import Storage

/// The content of identity files and their states, as values.
@Suite struct StorageTextTests {
    private static let cheap = SealedSecret.Cost(passes: 1, memory: 8)

    static func secret(_ bytes: [UInt8]) -> Secret {
        Secret(count: bytes.count, protection: .transient) { secret in
            for index in bytes.indices { secret[index] = bytes[index] }
        }
    }

    /// The seed that counts up, which is that of alice in Protocol.md section 12.
    static func seed() -> Secret { secret(Array(0..<32)) }

    static let clear = """
        earshot-identity-3
        kdf: none
        seed: 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        key: 03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8

        """

    static func sealed() throws -> [UInt8] {
        var randomness = Randomness.seeded(1)
        let sealed = try SealedSecret(
            sealing: seed(), under: secret([1]), cost: try #require(cheap), purpose: IdentityText.purpose,
            using: &randomness)
        return [UInt8](copying: IdentityText.sealed(sealed).write().span)
    }

    /// Nil for a text that is read.
    static func fault(_ text: [UInt8]) -> FileFault? {
        do throws(FileFault) {
            _ = try IdentityText(reading: text.span)
            return nil
        } catch {
            return error
        }
    }

    /// The seed that a text leads to, by whichever way.
    static func seed(in text: [UInt8]) -> [UInt8]? {
        guard let read = try? IdentityText(reading: text.span) else { return nil }
        switch read {
        case .clear(let seed): return [UInt8](copying: seed.span)
        case .sealed(let sealed):
            guard let seed = try? sealed.open(with: secret([1]), purpose: IdentityText.purpose) else { return nil }
            return [UInt8](copying: seed.span)
        }
    }

    @Test func `an identity in the clear is four lines, which are read as they were written`() {
        let text = IdentityText.clear(Self.seed()).write()
        #expect(String(decoding: [UInt8](copying: text.span), as: UTF8.self) == Self.clear)
        #expect(Self.seed(in: Array(Self.clear.utf8)) == Array(0..<32))
    }

    @Test func `a sealed identity names its cost and neither seed nor key`() throws {
        let text = String(decoding: try Self.sealed(), as: UTF8.self)
        #expect(
            text.wholeMatch(of: /earshot-identity-3\nkdf: argon2id13 1 8 [0-9a-f]{32}\nbox: [0-9a-f]{144}\n/) != nil)
        #expect(!text.contains("03a107bf"))
        #expect(!text.contains("00010203"))
        #expect(Self.seed(in: Array(text.utf8)) == Array(0..<32))
    }

    @Test func `no changed, missing or added byte makes another identity of it`() throws {
        for whole in [Array(Self.clear.utf8), try Self.sealed()] {
            for bit in 0..<8 * whole.count {
                var text = whole
                text[bit / 8] ^= 1 << (bit % 8)
                #expect(Self.seed(in: text) == nil, "bit \(bit)")
            }
            for end in whole.indices { #expect(Self.fault(Array(whole[..<end])) != nil) }
            for extra in [UInt8(0), 0x0a, 0x20, 0x61] { #expect(Self.fault(whole + [extra]) == .damagedIdentity) }
        }
    }

    @Test(
        arguments: [
            ("", .empty), ("hello", .foreign), ("-----BEGIN PRIVATE KEY-----\n", .foreign),
            ("earshot-identity-2\nkdf: none\n", .unknownForm), ("earshot-identity-3\nkdf: scrypt 1 2\n", .unknownForm),
            ("earshot-identity-3\r\nkdf: none\r\n", .unknownForm),
            ("earshot-identity-3\nkdf: none\n", .damagedIdentity),
            ("earshot-identity-3\nkdf: argon2id13 0 8 00\n", .damagedIdentity),
            ("earshot-identity-3\nkdf: argon2id13 99999999999999999999 8 00\n", .damagedIdentity),
        ] as [(String, FileFault)])
    func `a text that is none says what is wrong`(text: String, fault: FileFault) {
        #expect(Self.fault(Array(text.utf8)) == fault)
    }

    @Test func `a cost that would exhaust the machine is refused before anything is computed`() throws {
        let text = String(decoding: try Self.sealed(), as: UTF8.self)
        for cost in ["65 8", "1 1048577", "1 18446744073709551615", "0 8", "1 0", "01 8", "+1 8", "1  8"] {
            #expect(Self.fault(Array(text.replacing("13 1 8 ", with: "13 \(cost) ").utf8)) == .damagedIdentity)
        }
    }

    @Test func `random and half-right texts never trap`() throws {
        var randomness = Randomness.seeded(7)
        let wholes = [Array(Self.clear.utf8), try Self.sealed(), IdentityState(epoch: 7).write(of: Self.alice)]
        for round in 0..<30_000 {
            var text = wholes[round % wholes.count]
            for _ in 0..<Int.random(in: 1...4, using: &randomness) {
                let place = Int.random(in: 0..<text.count, using: &randomness)
                switch Int.random(in: 0..<3, using: &randomness) {
                case 0: text[place] = UInt8.random(in: 0...255, using: &randomness)
                case 1: text.removeSubrange(place...)
                default: text.insert(contentsOf: text[..<place], at: place)
                }
                if text.isEmpty { text = randomness.bytes(40) }
            }
            #expect(wholes.contains(text) || Self.fault(text) != nil || Self.seed(in: text) == nil)
            #expect(wholes.contains(text) || Self.stateFault(text) != nil)
        }
    }

    static let alice = Identity.id(ofSeed: seed())

    static func stateFault(_ text: [UInt8], of identity: PeerID = alice) -> FileFault? {
        do throws(FileFault) {
            _ = try IdentityState(reading: text.span, of: identity)
            return nil
        } catch {
            return error
        }
    }

    private static func seal(of seed: consuming Secret = seed()) -> SeedSeal {
        SeedSeal.derived(from: seed, purpose: IdentityState.purpose)
    }

    static func peers(_ range: Range<Int>) -> [PeerID] {
        range.compactMap { PeerID([UInt8](repeating: 0, count: 30) + [UInt8($0 >> 8), UInt8($0 & 0xff)]) }
    }

    @Test func `a state is read as it was written, full tables too, and in no more bytes than are read`() throws {
        let full = IdentityState(
            epoch: .max, verified: Self.peers(0..<4_096), blocked: Self.peers(4_096..<8_192),
            accepted: Self.peers(0..<256), nickname: String(repeating: "가", count: 32),
            about: String(repeating: "나", count: 85), contacts: Self.contacts(256))
        for state in [IdentityState(), IdentityState(epoch: 1_790_000_000_000, verified: Self.peers(0..<2)), full] {
            let text = state.write(of: Self.alice)
            #expect(text.count <= IdentityState.most)
            #expect(try IdentityState(reading: text.span, of: Self.alice) == state)
            let sealed = state.write(of: Self.alice, under: Self.seal())
            #expect(sealed.count <= IdentityState.most)
            #expect(try IdentityState(reading: sealed.span, of: Self.alice, under: Self.seal()) == state)
        }
    }

    /// Contacts with the longest names.
    static func contacts(_ count: Int) -> [IdentityState.Contact] {
        peers(0..<count).enumerated().map { index, key in
            let name = String(repeating: "x", count: 93) + String(1_000 + index).dropFirst()
            return IdentityState.Contact(key: key, name: name, lastHere: Timestamp(milliseconds: .max))
        }
    }

    @Test func `too many contacts are cut, and one that is there twice is damage`() throws {
        for contacts in [Self.contacts(2) + Self.contacts(1), Self.contacts(1) + [Self.renamed]] {
            let text = IdentityState(contacts: contacts).write(of: Self.alice)
            #expect(Self.stateFault(text) == .damagedState)
        }
        let text = IdentityState(contacts: Self.contacts(300)).write(of: Self.alice)
        #expect(try IdentityState(reading: text.span, of: Self.alice).contacts == Self.contacts(256))
    }

    private static var renamed: IdentityState.Contact {
        IdentityState.Contact(
            key: peers(5..<6)[0], name: contacts(1)[0].name, lastHere: Timestamp(milliseconds: 0))
    }

    @Test func `of too many marks the last are written`() throws {
        let state = IdentityState(blocked: Self.peers(0..<5_000))
        let text = state.write(of: Self.alice)
        #expect(try IdentityState(reading: text.span, of: Self.alice).blocked == Self.peers(904..<5_000))
        let talkative = IdentityState(accepted: Self.peers(0..<300)).write(of: Self.alice)
        #expect(try IdentityState(reading: talkative.span, of: Self.alice).accepted == Self.peers(44..<300))
    }

    @Test func `no changed or missing byte of a state goes unnoticed, and neither does another's state`() {
        let state = IdentityState(
            epoch: 17, verified: Self.peers(1..<2), blocked: Self.peers(2..<3), accepted: Self.peers(3..<4),
            nickname: "안녕", about: "a line",
            contacts: [
                IdentityState.Contact(key: Self.peers(4..<5)[0], name: "Bob", lastHere: Timestamp(milliseconds: 12))
            ])
        let whole = state.write(of: Self.alice)
        for bit in 0..<8 * whole.count {
            var text = whole
            text[bit / 8] ^= 1 << (bit % 8)
            #expect(Self.stateFault(text) != nil, "bit \(bit)")
        }
        for end in whole.indices { #expect(Self.stateFault(Array(whole[..<end])) != nil) }
        #expect(Self.stateFault(whole + whole) == .damagedState)
        #expect(Self.stateFault(whole, of: Self.peers(9..<10)[0]) == .damagedState)
    }

    @Test func `a sealed state tells no reader of the file which peers, or how many, the user talks to`() throws {
        let few = IdentityState(accepted: Self.peers(1..<2), nickname: "quiet-otter").write(
            of: Self.alice, under: Self.seal())
        let many = IdentityState(accepted: Self.peers(1..<200), contacts: Self.contacts(200)).write(
            of: Self.alice, under: Self.seal())
        #expect(few.count == many.count)
        for text in [few, many] {
            #expect(!String(decoding: text, as: UTF8.self).contains(Self.peers(1..<2)[0].hexadecimal))
            #expect(!String(decoding: text, as: UTF8.self).contains("quiet-otter"))
        }
        #expect(few != IdentityState(accepted: Self.peers(1..<2)).write(of: Self.alice, under: Self.seal()))
    }

    @Test(arguments: ["", String(repeating: "a", count: 97), "a\nb"])
    func `a nickname that has no line of its own is damage`(name: String) {
        let text = IdentityState(nickname: name).write(of: Self.alice)
        #expect(Self.stateFault(text) == .damagedState)
    }

    @Test func `a sealed part that is changed, missing, of another seed or not expected is damage`() throws {
        func fault(_ text: [UInt8], _ seal: consuming SeedSeal? = Self.seal()) -> Storage.FileFault? {
            do throws(Storage.FileFault) {
                _ = try IdentityState(reading: text.span, of: Self.alice, under: seal)
                return nil
            } catch {
                return error
            }
        }
        /// The text with another line for the sealed one, and its right sum.
        func summed(_ line: String) -> [UInt8] {
            let text = Array("earshot-state-3\nepoch: 0\n\(line)".utf8)
            let sum = SHA256.hash("earshot/3 state\0", (Self.alice.bytes + text).span).prefix(16)
            return text + Array("sum: \(Hexadecimal.encode(Array(sum)))\n".utf8)
        }
        let whole = IdentityState(accepted: Self.peers(1..<2)).write(of: Self.alice, under: Self.seal())
        let line = try #require(String(decoding: whole, as: UTF8.self).firstMatch(of: /sealed: [0-9a-f]+\n/)?.0)
        #expect(summed(String(line)) == whole)
        #expect(fault(whole) == nil)
        let changed = line.dropLast(2) + (line.dropLast().last == "0" ? "1" : "0") + "\n"
        for other in [String(changed), "", "sealed: \n", "sealed: 00\n", "accepted: \(Self.alice.hexadecimal)\n"] {
            #expect(fault(summed(other)) == .damagedState)
        }
        #expect(fault(whole, Self.seal(of: Self.secret([UInt8](repeating: 1, count: 32)))) == .damagedState)
        #expect(fault(whole, nil) == .damagedState)
    }

    @Test func `the next epoch is later, and the last of all stays`() {
        #expect(IdentityState(epoch: 17).nextEpoch == 18)
        #expect(IdentityState(epoch: .max).nextEpoch == .max)
    }

    @Test func `the holder of a lock is found in the kernel's table, and other locks are not taken for it`() {
        let table = """
            1: POSIX  ADVISORY  WRITE 11 fe:00:42 0 EOF
            2: FLOCK  ADVISORY  READ  12 fe:00:42 0 EOF
            3: FLOCK  ADVISORY  WRITE 13 fe:01:42 0 EOF
            4: FLOCK  ADVISORY  WRITE 14 fe:00:421 0 EOF
            5: -> FLOCK  ADVISORY  WRITE 15 fe:00:42 0 EOF
            6: FLOCK  ADVISORY  WRITE 0 fe:00:42 0 EOF
            7: FLOCK
            8: FLOCK  ADVISORY  WRITE 16 fe:00:42 0 EOF

            """
        #expect(LockTable.holder(in: table, device: 0xfe00, inode: 42) == 16)
        #expect(LockTable.holder(in: table, device: 0xfe01, inode: 42) == 13)
        #expect(LockTable.holder(in: table, device: 0xfe00, inode: 43) == nil)
        #expect(LockTable.holder(in: "", device: 0xfe00, inode: 42) == nil)
    }
}
