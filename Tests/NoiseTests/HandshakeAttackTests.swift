import Testing
import Wire

@testable import Noise

@Suite struct HandshakeAttackTests {
    @Test(arguments: 1...3)
    func `a flip of any bit of any message is refused`(number: Int) {
        let size = [35, 99, 69][number - 1]
        for bit in 0..<8 * size {
            var duo = Duo(seed: 10)
            let refusal = duo.shake { current, message in
                if current == number { message[bit / 8] ^= 1 << UInt8(bit % 8) }
            }
            let stopped = refusal?.message
            // Message 1 is in the clear: it is the answer that shows that it was changed.
            #expect(stopped == max(number, 2), "bit \(bit)")
            #expect(duo.transcript[number - 1].count == size)
        }
    }

    @Test func `a flip in a padded message is refused`() {
        var randomness = Randomness.seeded(11)
        let payloads = Handshake.payloadSizes.map { [UInt8](repeating: 0, count: $0) }
        for _ in 0..<300 {
            let target = Int.random(in: 1...3, using: &randomness)
            let bit = Int.random(in: 0..<8 * Handshake.messageSize, using: &randomness)
            var duo = Duo(seed: 11)
            let refusal = duo.shake(payloads: payloads) { current, message in
                if current == target { message[bit / 8] ^= 1 << UInt8(bit % 8) }
            }
            #expect(refusal?.message == max(target, 2), "message \(target), bit \(bit)")
        }
    }

    @Test(arguments: 1...3)
    func `every prefix and every extension of a message is refused`(number: Int) {
        let size = [35, 99, 69][number - 1]
        for length in Array(0..<size) + Array(size + 1...size + 40) {
            var duo = Duo(seed: 12)
            let refusal = duo.shake { current, message in
                guard current == number else { return }
                message = Array((message + [UInt8](repeating: 0, count: 40)).prefix(length))
            }
            // A change of the payload's length in message 1 shows only in the answer.
            let earliest = number == 1 && length < 32 ? 1 : max(number, 2)
            #expect(refusal?.message == earliest, "length \(length)")
        }
    }

    @Test func `random bytes are refused by either side`() {
        var randomness = Randomness.seeded(13)
        var accepted = 0
        for _ in 0..<7_000 {
            var duo = Duo(seed: randomness.next())
            let garbage = (0..<2).map { _ in randomness.bytes(Int.random(in: 0...600, using: &randomness)) }
            let alice = refusal { () throws(NoiseError) in
                _ = try duo.alice.write()
                try duo.alice.read(garbage[0])
            }
            let bob = refusal { () throws(NoiseError) in
                try duo.bob.read(garbage[0])
                _ = try duo.bob.write()
                try duo.bob.read(garbage[1])
            }
            accepted += (alice == nil ? 1 : 0) + (bob == nil ? 1 : 0)
            if duo.alice.isComplete || duo.bob.isComplete { accepted += 1 }
        }
        #expect(accepted == 0)
    }

    @Test func `an old initiator's messages do not convince a new responder`() throws {
        var first = Duo(seed: 14)
        #expect(first.shake() == nil)
        let old = first.transcript
        var second = Duo(seed: 15)
        let error = refusal { () throws(NoiseError) in
            try second.bob.read(old[0])
            _ = try second.bob.write(Duo.shortPayloads[1])
            try second.bob.read(old[2])
        }
        #expect(error == .decryptionFailed)
        #expect(refusal { () throws(NoiseError) in try second.bob.read(old[2]) } == .dead)
    }

    @Test func `a message reflected to its writer is refused`() {
        var duo = Duo(seed: 16)
        let error = refusal { () throws(NoiseError) in
            let padded = [UInt8](repeating: 0, count: Handshake.payloadSizes[0])
            let message = try duo.alice.write(padded)
            try duo.alice.read(message)
        }
        #expect(error == .decryptionFailed)
    }

    @Test func `another prologue, that is another room or version, is refused`() {
        var duo = Duo(seed: 17, bobPrologue: Array("earshot/2\0".utf8) + [UInt8](repeating: 7, count: 16))
        #expect(duo.shake() == Duo.Refusal(message: 2, error: .decryptionFailed))
    }

    @Test func `neither static key nor sealed payload is on the wire`() {
        var duo = Duo(seed: 18)
        #expect(duo.shake() == nil)
        let wire = duo.transcript.flatMap { $0 }
        for secret in [duo.aliceKey.publicKey.bytes, duo.bobKey.publicKey.bytes] + Duo.shortPayloads[1...] {
            #expect(!contains(wire, secret))
        }
        // The search does find what is there: the ephemeral key and the first payload.
        #expect(contains(wire, Array(duo.transcript[0].prefix(32))))
        #expect(contains(wire, Duo.shortPayloads[0]))
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard bytes.count >= part.count else { return false }
        return (0...bytes.count - part.count).contains { Array(bytes[$0..<$0 + part.count]) == part }
    }
}
