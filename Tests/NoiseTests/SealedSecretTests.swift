import Testing
import Wire

@testable import Noise

@Suite struct SealedSecretTests {
    /// As little as libsodium allows: these tests are about the box.
    static let cheap = SealedSecret.Cost(passes: 1, memory: 8)

    private func seal(_ secret: [UInt8], under phrase: String) throws -> SealedSecret {
        var randomness = Randomness.seeded(1)
        return try SealedSecret(
            sealing: Secret(copying: secret), under: Secret(copying: Array(phrase.utf8)),
            cost: try #require(Self.cheap), purpose: "earshot/3 test\0", using: &randomness)
    }

    private func open(_ sealed: SealedSecret, with phrase: String, purpose: Domain = "earshot/3 test\0") -> [UInt8]? {
        guard let secret = try? sealed.open(with: Secret(copying: Array(phrase.utf8)), purpose: purpose) else {
            return nil
        }
        return [UInt8](copying: secret.span)
    }

    @Test func `the phrase opens what it sealed, and no other phrase does`() throws {
        let sealed = try seal([1, 2, 3], under: "correct horse")
        #expect(open(sealed, with: "correct horse") == [1, 2, 3])
        for wrong in ["correct horsE", "correct horse ", "correct hors", "\0correct horse"] {
            #expect(open(sealed, with: wrong) == nil)
        }
    }

    @Test func `a box of another purpose does not open`() throws {
        #expect(open(try seal([1], under: "x"), with: "x", purpose: "earshot/3 other\0") == nil)
    }

    @Test func `no changed bit of salt or box, and no other cost, opens it`() throws {
        let sealed = try seal([1, 2, 3], under: "x")
        for bit in 0..<8 * (sealed.salt.count + sealed.box.count) {
            var bytes = sealed.salt + sealed.box
            bytes[bit / 8] ^= 1 << (bit % 8)
            let changed = SealedSecret(
                cost: sealed.cost, salt: Array(bytes.prefix(sealed.salt.count)),
                box: Array(bytes.dropFirst(sealed.salt.count)))
            #expect(open(try #require(changed), with: "x") == nil)
        }
        for (passes, memory) in [(UInt64(2), 8), (1, 9)] {
            let cost = try #require(SealedSecret.Cost(passes: passes, memory: memory))
            let changed = SealedSecret(cost: cost, salt: sealed.salt, box: sealed.box)
            #expect(open(try #require(changed), with: "x") == nil)
        }
    }

    @Test func `a cost that would exhaust the machine is none, and neither is one below libsodium's least`() {
        for (passes, memory) in [(0, 8), (65, 8), (UInt64.max, 8), (1, 7), (1, -1), (1, 1_048_577), (1, Int.max)] {
            #expect(SealedSecret.Cost(passes: passes, memory: memory) == nil)
        }
        #expect(SealedSecret.Cost(passes: 64, memory: 1_048_576) != nil)
        #expect(SealedSecret.Cost(passes: 3, memory: 65_536) == .standard)
    }

    @Test func `a salt or a box of an impossible length is none`() throws {
        let cost = try #require(Self.cheap)
        let box = [UInt8](repeating: 0, count: SealedSecret.overhead + 1)
        let salt = [UInt8](repeating: 0, count: SealedSecret.saltBytes)
        #expect(SealedSecret(cost: cost, salt: salt, box: box) != nil)
        #expect(SealedSecret(cost: cost, salt: salt + [0], box: box) == nil)
        #expect(SealedSecret(cost: cost, salt: salt, box: Array(box.dropLast())) == nil)
        #expect(SealedSecret(cost: cost, salt: salt, box: []) == nil)
    }
}
