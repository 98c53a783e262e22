import Testing
import Wire

@testable import Noise

@Suite struct VectorTests {
    @Test func `every XXpsk0 vector of this suite is reproduced, byte for byte`() throws {
        let vectors = try Vector.all(of: "Noise_XXpsk0_25519_ChaChaPoly_SHA256")
        #expect(vectors.count == 4)
        for vector in vectors {
            #expect(vector.messageCount == 5)
            #expect(try mismatches(xx: vector) == [])
        }
    }

    @Test func `every N vector of this suite is reproduced, byte for byte`() throws {
        let vectors = try Vector.all(of: "Noise_N_25519_ChaChaPoly_SHA256")
        #expect(vectors.count == 4)
        for vector in vectors {
            #expect(vector.messageCount == 3)
            #expect(try mismatches(n: vector) == [])
        }
    }

    @Test(arguments: 0..<5)
    func `a vector with one bit changed is noticed`(message: Int) throws {
        var vector = try #require(try Vector.all(of: "Noise_XXpsk0_25519_ChaChaPoly_SHA256").last)
        vector.fields["msg_\(message)_ciphertext"]?[7] ^= 1
        #expect(try mismatches(xx: vector) == [message])
    }

    /// Which messages differ from the vector when written, or from their payload when read.
    private func mismatches(xx vector: Vector) throws -> [Int] {
        var alice = handshake(.initiator, "init", vector)
        var bob = handshake(.responder, "resp", vector)
        var wrong: [Int] = []
        for index in 0..<3 {
            let payload = vector.field("msg_\(index)_payload")
            let byAlice = index.isMultiple(of: 2)
            let message =
                try byAlice ? alice.write(payload) : bob.write(payload)
            let heard = try byAlice ? bob.read(message) : alice.read(message)
            if message != vector.field("msg_\(index)_ciphertext") || heard != payload { wrong.append(index) }
        }
        return try wrong + mismatches(from: 3, vector, initiator: alice.finish(), responder: bob.finish())
    }

    private func mismatches(n vector: Vector) throws -> [Int] {
        let recipient = KeyPair(copying: vector.field("resp_static"))
        let payload = vector.field("msg_0_payload")
        var sealing = SealedBox.start(to: recipient.publicKey, prologue: vector.field("prologue"))
        let message = try SealedBox.seal(
            to: recipient.publicKey, plaintext: payload.span,
            ephemeral: KeyPair(copying: vector.field("gen_init_ephemeral")), mixing: &sealing)
        var opening = SealedBox.start(to: recipient.publicKey, prologue: vector.field("prologue"))
        let heard = try SealedBox.open(with: recipient, message: message.span, mixing: &opening)
        let wrong = message != vector.field("msg_0_ciphertext") || heard != payload ? [0] : []
        return try wrong
            + mismatches(
                from: 1, vector, initiator: Session(keys: sealing.split(), role: .initiator),
                responder: Session(keys: opening.split(), role: .responder))
    }

    /// After the handshake the file has one message of the initiator and one of the responder.
    private func mismatches(
        from first: Int, _ vector: Vector, initiator: consuming Session, responder: consuming Session
    ) throws -> [Int] {
        var wrong: [Int] = []
        var record: [UInt8] = []
        var heard: [UInt8] = []
        for index in first..<vector.messageCount {
            let payload = vector.field("msg_\(index)_payload")
            record.removeAll()
            if index == first {
                try initiator.seal(payload.span, appendingTo: &record)
                try responder.open(record.span.extracting(2...), into: &heard)
            } else {
                try responder.seal(payload.span, appendingTo: &record)
                try initiator.open(record.span.extracting(2...), into: &heard)
            }
            if Array(record.dropFirst(2)) != vector.field("msg_\(index)_ciphertext") || heard != payload {
                wrong.append(index)
            }
        }
        return wrong
    }

    private func handshake(_ role: Handshake.Role, _ side: String, _ vector: Vector) -> Handshake {
        Handshake(
            role: role, prologue: vector.field("prologue"),
            room: PreSharedKey(Secret(copying: vector.field("preshared_key"))),
            key: StaticKey(KeyPair(copying: vector.field("\(side)_static"))),
            ephemeral: KeyPair(copying: vector.field("gen_\(side)_ephemeral")))
    }
}
