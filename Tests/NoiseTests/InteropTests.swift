import Testing
import Wire

@testable import Noise

/// Against noiseprotocol and cryptography from PyPI, which share no code with this module, over TCP.
@Suite struct InteropTests {
    /// Enough to change the keys twice.
    private let records = 520

    @Test func `an independent initiator shakes hands, verifies and echoes`() throws {
        try converse(as: .responder, peer: "initiator")
    }

    @Test func `an independent responder shakes hands, verifies and echoes`() throws {
        try converse(as: .initiator, peer: "responder")
    }

    /// That the peer does look: what it accepts above, it refuses when one bit is wrong.
    @Test(arguments: [0, 40, 100, 150, 463])
    func `an independent responder refuses an altered certificate`(byte: Int) throws {
        let code = try with(peer: "responder") { connection in
            var randomness = Randomness.seeded(91)
            let key = StaticKey(KeyPair.generate(using: &randomness))
            let own = Certificate.issue(
                by: Identity.generate(using: &randomness), noise: key.publicKey, dm: key.publicKey, epoch: 77,
                serial: 5)
            var payload = Handshake.payload(carrying: own, by: .initiator)
            payload[byte] ^= 1
            var handshake = Handshake(role: .initiator, prologue: prologue, room: room, key: key, using: &randomness)
            try connection.send([2, 16] + handshake.write(Handshake.openingPayload))
            try handshake.read(receive(connection))
            try connection.send([2, 16] + handshake.write(payload))
        }
        #expect(code == 3)
    }

    private func converse(as role: Handshake.Role, peer name: String) throws {
        let code = try with(peer: name) { try exchange(over: $0, as: role) }
        #expect(code == 0)
    }

    /// The peer's exit code after `body`; the peer never outlives the test.
    private func with(peer role: String, _ body: (LoopbackConnection) throws -> Void) throws -> CInt? {
        var peer: PythonPeer?
        do {
            let connection = try LoopbackConnection.accept { port in
                peer = try PythonPeer(role: role, port: port, records: records)
            }
            try body(connection)
            return try peer?.exitCode()
        } catch {
            try peer?.end()
            throw error
        }
    }

    private func exchange(over connection: LoopbackConnection, as role: Handshake.Role) throws {
        var randomness = Randomness.seeded(90)
        let key = StaticKey(KeyPair.generate(using: &randomness))
        let identity = Identity.generate(using: &randomness)
        let own = Certificate.issue(
            by: identity, noise: key.publicKey, dm: key.publicKey, epoch: 77, serial: 5)
        var handshake = Handshake(role: role, prologue: prologue, room: room, key: key, using: &randomness)
        let theirs = try shake(&handshake, over: connection, own)
        let (agreed, remoteStatic) = (handshake.handshakeHash, handshake.remoteStatic)
        let hash = try #require(agreed)
        #expect(theirs.noise == remoteStatic)
        #expect(theirs.epoch == 41)
        var session = try handshake.finish()
        var epoch = ByteWriter()
        epoch.write(UInt64(77))
        let seen = try session.open(receive(connection))
        #expect(seen == hash + key.publicKey.bytes + identity.id.bytes + epoch.bytes)
        try echo(&session, over: connection, using: &randomness)
    }

    /// Carries out the handshake as Protocol.md section 4 says; the certificate that came back, verified.
    private func shake(
        _ handshake: inout Handshake, over connection: LoopbackConnection, _ own: Certificate
    ) throws -> Certificate {
        var theirs: [UInt8] = []
        for number in 1...3 {
            if handshake.isOurTurn {
                let payload =
                    number == 1
                    ? Handshake.openingPayload
                    : Handshake.payload(carrying: own, by: handshake.role)
                try connection.send([2, 16] + handshake.write(payload))
            } else {
                theirs = try handshake.read(receive(connection))
            }
        }
        return try Handshake.certificate(in: theirs.span)
    }

    private func echo(
        _ session: inout Session, over connection: LoopbackConnection, using randomness: inout Randomness
    ) throws {
        for number in 0..<records {
            let size = number < 2 ? 4_000 * number : Int.random(in: 0...4_000, using: &randomness)
            let plaintext = randomness.bytes(size)
            var record: [UInt8] = []
            try session.seal(plaintext.span, appendingTo: &record)
            try connection.send(record)
            #expect(try session.open(receive(connection)) == plaintext, "record \(number)")
        }
    }

    private let name: [UInt8] = Array("lobby".utf8)
    private var room: PreSharedKey { RoomSecret.open.preSharedKey("earshot/3 psk\0", name: name) }
    private var prologue: [UInt8] {
        Array("earshot/3\0".utf8) + RoomSecret.open.identifier("earshot/3 room\0", name: name).prefix(16)
    }

    private func receive(_ connection: LoopbackConnection) throws -> [UInt8] {
        let length = try connection.receive(2)
        return try connection.receive(Int(length[0]) << 8 | Int(length[1]))
    }
}
