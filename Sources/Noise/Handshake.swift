import Wire

/// Noise_XXpsk0_25519_ChaChaPoly_SHA256: three messages after which the two sides know each other's static key, and no
/// observer does; a side without the room's key reads none of them (Protocol.md section 3; Noise specification 5.3, 7.5, 9).
///
/// Any error leaves it dead: the state is moved out before each step and comes back only if the step succeeds.
package struct Handshake: ~Copyable {
    /// The side that sends first, or the other.
    package enum Role: Sendable {
        case initiator
        case responder
    }

    package let role: Role
    private let memory: Memory

    /// Apart, so that the link that comes of it does not keep the room of it.
    private final class Memory {
        var state: HandshakeState?

        init(_ state: consuming HandshakeState) { self.state = consume state }
    }

    /// - Parameters:
    ///   - prologue: what both sides must agree on before they begin (Protocol.md section 3).
    ///   - room: the key that both sides must have.
    package init(
        role: Role, prologue: [UInt8], room: PreSharedKey, key: StaticKey, using randomness: inout Randomness
    ) {
        let ephemeral = KeyPair.generate(using: &randomness, protection: .transient)
        self.init(role: role, prologue: prologue, room: room, key: key, ephemeral: ephemeral)
    }

    /// With an ephemeral key that must never be used again.
    init(role: Role, prologue: [UInt8], room: PreSharedKey, key: StaticKey, ephemeral: consuming KeyPair) {
        self.role = role
        memory = Memory(
            HandshakeState(role: role, prologue: prologue, room: room, key: key, ephemeral: ephemeral))
    }

    /// True once all three messages have passed; false again after an error.
    package var isComplete: Bool { alive { $0.isComplete } ?? false }

    /// Whether the next message is ours to write.
    package var isOurTurn: Bool { alive { $0.isOurTurn } ?? false }

    /// The other side's static key, once it is proven.
    package var remoteStatic: PublicKey? { alive { $0.remoteStatic } ?? nil }

    /// Names this handshake and no other, 32 bytes; nil until it is complete.
    package var handshakeHash: [UInt8]? { alive { $0.isComplete ? $0.hash : nil } ?? nil }

    /// The next message, with the payload sealed in it.
    package mutating func writeMessage(payload: Span<UInt8>) throws(NoiseError) -> [UInt8] {
        guard var step = memory.state.take() else { throw .dead }
        let message = try step.write(payload)
        memory.state = consume step
        return message
    }

    /// The payload of the other side's next message.
    package mutating func readMessage(_ message: Span<UInt8>) throws(NoiseError) -> [UInt8] {
        guard var step = memory.state.take() else { throw .dead }
        let payload = try step.read(message)
        memory.state = consume step
        return payload
    }

    /// The session that the handshake was for.
    package consuming func finish() throws(NoiseError) -> Session {
        guard let state = memory.state.take() else { throw .dead }
        guard state.isComplete else { throw .outOfTurn }
        return Session(keys: state.split(), role: role)
    }

    /// The result of `body` on the state; nil if it is dead.
    private func alive<R>(_ body: (borrowing HandshakeState) -> R) -> R? {
        switch memory.state {
        case .some(let state): body(state)
        case .none: nil
        }
    }
}
