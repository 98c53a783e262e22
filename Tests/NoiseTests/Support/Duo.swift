@testable import Noise

/// Alice, who calls, and Bob, who answers: both ends of one handshake, with every key drawn from a seed.
struct Duo: ~Copyable {
    /// Where a handshake stopped, and why.
    struct Refusal: Equatable {
        /// The message, counted from 1, that was not accepted.
        let message: Int
        let error: NoiseError
    }

    static let prologue: [UInt8] = Array("earshot/3\0".utf8) + [UInt8](repeating: 7, count: 16)

    /// The key of the room that both are in.
    static let room = PreSharedKey(Secret(copying: [UInt8](repeating: 9, count: 32)))

    /// Short payloads, so that most bits of a message belong to keys and seals.
    static let shortPayloads: [[UInt8]] = [Array("one".utf8), Array("two".utf8), Array("three".utf8)]

    let aliceKey: StaticKey
    let bobKey: StaticKey
    var alice: Handshake
    var bob: Handshake
    /// The written messages, before any tampering.
    private(set) var transcript: [[UInt8]] = []
    /// The payloads as they were read.
    private(set) var heard: [[UInt8]] = []

    init(seed: UInt64, bobPrologue: [UInt8] = Duo.prologue, bobRoom: PreSharedKey = Duo.room) {
        var randomness = Randomness.seeded(seed)
        aliceKey = StaticKey(KeyPair.generate(using: &randomness, protection: .transient))
        bobKey = StaticKey(KeyPair.generate(using: &randomness, protection: .transient))
        alice = Handshake(role: .initiator, prologue: Duo.prologue, room: Duo.room, key: aliceKey, using: &randomness)
        bob = Handshake(role: .responder, prologue: bobPrologue, room: bobRoom, key: bobKey, using: &randomness)
    }

    /// Passes the three messages to and fro; `tamper` sees each on its way, with its number from 1.
    mutating func shake(
        payloads: [[UInt8]] = Duo.shortPayloads, tamper: (Int, inout [UInt8]) -> Void = { _, _ in }
    ) -> Refusal? {
        for number in 1...3 {
            do throws(NoiseError) {
                let byAlice = !number.isMultiple(of: 2)
                let payload = payloads[number - 1]
                var message =
                    try byAlice ? alice.write(payload) : bob.write(payload)
                transcript.append(message)
                tamper(number, &message)
                heard.append(try byAlice ? bob.read(message) : alice.read(message))
            } catch {
                return Refusal(message: number, error: error)
            }
        }
        return nil
    }

    consuming func finish() throws(NoiseError) -> Line {
        Line(alice: try alice.finish(), bob: try bob.finish())
    }
}

/// The two ends of an open session.
struct Line: ~Copyable {
    var alice: Session
    var bob: Session

    init(alice: consuming Session, bob: consuming Session) {
        self.alice = alice
        self.bob = bob
    }

    /// A session without a handshake: the same keys for the same seed.
    init(seed: UInt64, nonce: UInt64 = 0) {
        var randomness = Randomness.seeded(seed)
        let first = randomness.bytes(32)
        let second = randomness.bytes(32)
        let cipher = { (key: [UInt8]) in CipherState(key: Secret(copying: key), nonce: nonce) }
        alice = Session(sending: cipher(first), receiving: cipher(second))
        bob = Session(sending: cipher(second), receiving: cipher(first))
    }
}
