import Testing
import Wire

@testable import Noise

@Suite struct HandshakeTests {
    @Test func `both sides learn the other's key, one hash and what was said`() throws {
        var duo = Duo(seed: 1)
        #expect(duo.alice.handshakeHash == nil)
        #expect(duo.shake() == nil)
        let (toAlice, toBob) = (duo.alice.remoteStatic, duo.bob.remoteStatic)
        #expect(toAlice == duo.bobKey.publicKey)
        #expect(toBob == duo.aliceKey.publicKey)
        let (aliceHash, bobHash) = (duo.alice.handshakeHash, duo.bob.handshakeHash)
        #expect(aliceHash?.count == 32)
        #expect(aliceHash == bobHash)
        var line = try duo.finish()
        #expect(try line.bob.open(line.alice.seal([1, 2, 3])) == [1, 2, 3])
    }

    /// Noise does not mind: it is the link that refuses a remote key which is its own.
    @Test func `a handshake with oneself completes, each with a hash of its own`() {
        var randomness = Randomness.seeded(3)
        let key = StaticKey(KeyPair.generate(using: &randomness))
        var hashes: Set<[UInt8]> = []
        for _ in 0..<4 {
            var alice = Handshake(role: .initiator, prologue: [], room: Duo.room, key: key, using: &randomness)
            var bob = Handshake(role: .responder, prologue: [], room: Duo.room, key: key, using: &randomness)
            let error = refusal { () throws(NoiseError) in
                try bob.read(alice.write())
                try alice.read(bob.write())
                try bob.read(alice.write())
            }
            #expect(error == nil)
            if alice.remoteStatic == key.publicKey, let hash = alice.handshakeHash { hashes.insert(hash) }
        }
        #expect(hashes.count == 4)
    }

    @Test func `padded messages are as long as the smallest record and carry a certificate`() throws {
        var randomness = Randomness.seeded(4)
        var duo = Duo(seed: 4)
        let certificate = Certificate.issue(
            by: Identity.generate(using: &randomness), noise: duo.bobKey.publicKey, dm: duo.bobKey.publicKey, epoch: 1,
            serial: 2)
        let payloads = [
            Handshake.openingPayload,
            Handshake.payload(carrying: certificate, by: .responder),
            Handshake.payload(carrying: certificate, by: .initiator),
        ]
        #expect(payloads.map(\.count) == [480, 432, 464])
        #expect(duo.shake(payloads: payloads) == nil)
        #expect(duo.transcript.map(\.count) == [528, 528, 528])
        #expect(duo.heard == payloads)
        let payload = duo.heard[1]
        let received = try Handshake.certificate(in: payload.span)
        #expect(received == certificate)
    }

    @Test func `padding behind a certificate is zeros or refused`() throws {
        var randomness = Randomness.seeded(5)
        let key = KeyPair.generate(using: &randomness).publicKey
        let certificate = Certificate.issue(
            by: Identity.generate(using: &randomness), noise: key, dm: key, epoch: 1, serial: 2)
        var payload = Handshake.payload(carrying: certificate, by: .initiator)
        payload[463] = 1
        #expect(throws: CertificateError.paddingNotZero) { try Handshake.certificate(in: payload.span) }
        #expect(throws: CertificateError.wrongLength) { try Handshake.certificate(in: payload.span.extracting(..<177)) }
    }

    @Test func `a message out of turn ends the handshake`() {
        var duo = Duo(seed: 6)
        #expect(refusal { () throws(NoiseError) in _ = try duo.bob.write() } == .outOfTurn)
        #expect(refusal { () throws(NoiseError) in _ = try duo.bob.write() } == .dead)
        #expect(refusal { () throws(NoiseError) in try duo.alice.read([]) } == .outOfTurn)
        #expect(refusal { () throws(NoiseError) in _ = try duo.alice.write() } == .dead)
    }

    @Test func `nothing is written or read after the last message`() {
        var duo = Duo(seed: 7)
        #expect(duo.shake() == nil)
        let (isAliceDone, isBobsTurn) = (duo.alice.isComplete, duo.bob.isOurTurn)
        #expect(isAliceDone)
        #expect(!isBobsTurn)
        let bytes = [UInt8](repeating: 0, count: 96)
        #expect(refusal { () throws(NoiseError) in try duo.alice.read(bytes) } == .outOfTurn)
        #expect(refusal { () throws(NoiseError) in _ = try duo.bob.write(bytes) } == .outOfTurn)
    }

    @Test func `no session comes of an unfinished or failed handshake`() {
        let unfinished = refusal { () throws(NoiseError) in _ = try Duo(seed: 8).finish() }
        #expect(unfinished == .outOfTurn)
        let failed = refusal { () throws(NoiseError) in
            var duo = Duo(seed: 8)
            _ = duo.shake { number, message in if number == 2 { message[20] ^= 1 } }
            _ = try duo.finish()
        }
        #expect(failed == .dead)
    }

    @Test func `a payload beyond what Noise allows is refused`() {
        let payload = [UInt8](repeating: 0, count: 65_535 - 47)
        #expect(
            refusal { () throws(NoiseError) in
                var duo = Duo(seed: 9)
                _ = try duo.alice.write(payload)
            } == .messageTooLong)
        #expect(
            refusal { () throws(NoiseError) in
                var duo = Duo(seed: 9)
                let largest = try duo.alice.write(Array(payload.dropFirst()))
                try duo.bob.read(largest)
            } == nil)
    }
}
