import Testing
import Wire

@testable import Noise

@Suite struct HandshakeAttackTests {
    @Test(arguments: 1...3)
    func `a flip of any bit of any message is refused`(number: Int) {
        let size = [51, 99, 69][number - 1]
        for bit in 0..<8 * size {
            var duo = Duo(seed: 10)
            let refusal = duo.shake { current, message in
                if current == number { message[bit / 8] ^= 1 << UInt8(bit % 8) }
            }
            #expect(refusal?.message == number, "bit \(bit)")
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
            #expect(refusal?.message == target, "message \(target), bit \(bit)")
        }
    }

    @Test(arguments: 1...3)
    func `every prefix and every extension of a message is refused`(number: Int) {
        let size = [51, 99, 69][number - 1]
        for length in Array(0..<size) + Array(size + 1...size + 40) {
            var duo = Duo(seed: 12)
            let refusal = duo.shake { current, message in
                guard current == number else { return }
                message = Array((message + [UInt8](repeating: 0, count: 40)).prefix(length))
            }
            #expect(refusal?.message == number, "length \(length)")
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
        #expect(duo.shake() == Duo.Refusal(message: 1, error: .decryptionFailed))
    }

    @Test func `without the room's key neither side reads a message of the other`() {
        let other = PreSharedKey(Secret(copying: [UInt8](repeating: 9, count: 31) + [8]))
        var duo = Duo(seed: 19, bobRoom: other)
        #expect(duo.shake() == Duo.Refusal(message: 1, error: .decryptionFailed))
        #expect(duo.transcript.count == 1)
        // A node that called gets an answer of a stranger, and says nothing more.
        var strangers = Duo(seed: 20)
        var caller = Duo(seed: 21, bobRoom: other)
        let refused = refusal { () throws(NoiseError) in
            _ = try caller.alice.write()
            try strangers.bob.read(strangers.alice.write())
            try caller.alice.read(strangers.bob.write())
        }
        #expect(refused == .decryptionFailed)
        #expect(refusal { () throws(NoiseError) in _ = try caller.alice.write() } == .dead)
    }

    @Test func `a recorded first message is answered, and the answer says nothing without its ephemeral key`() {
        var first = Duo(seed: 22)
        #expect(first.shake() == nil)
        var second = Duo(seed: 22)
        var stranger = Duo(seed: 23)
        let refused = refusal { () throws(NoiseError) in
            try second.bob.read(first.transcript[0])
            let answer = try second.bob.write(Duo.shortPayloads[1])
            _ = try stranger.alice.write()
            try stranger.alice.read(answer)
        }
        #expect(refused == .decryptionFailed)
    }

    @Test func `neither static key nor sealed payload is on the wire`() {
        var duo = Duo(seed: 18)
        #expect(duo.shake() == nil)
        let wire = duo.transcript.flatMap { $0 }
        for secret in [duo.aliceKey.publicKey.bytes, duo.bobKey.publicKey.bytes] + Duo.shortPayloads {
            #expect(!contains(wire, secret))
        }
        // The search does find what is there: the ephemeral key.
        #expect(contains(wire, Array(duo.transcript[0].prefix(32))))
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard bytes.count >= part.count else { return false }
        return (0...bytes.count - part.count).contains { Array(bytes[$0..<$0 + part.count]) == part }
    }
}
