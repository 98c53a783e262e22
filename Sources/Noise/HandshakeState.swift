/// The state of one side of a handshake between two messages (Noise specification 5.3).
struct HandshakeState: ~Copyable {
    /// One step of a message: a key that is sent, or an agreement that is mixed in.
    private enum Token {
        case psk
        case e
        case s
        case mix(Agreement)
    }

    /// Which two keys agree, the initiator's first.
    private enum Agreement {
        case ee
        case es
        case se
    }

    /// XXpsk0: -> psk, e; <- e, ee, s, es; -> s, se.
    private static let pattern: [[Token]] = [
        [.psk, .e], [.e, .mix(.ee), .s, .mix(.es)], [.s, .mix(.se)],
    ]

    private let role: Handshake.Role
    private let room: PreSharedKey
    private let key: StaticKey
    private let ephemeral: KeyPair
    private var remoteEphemeral: PublicKey?
    private(set) var remoteStatic: PublicKey?
    private var symmetric = SymmetricState(protocolName: "Noise_XXpsk0_25519_ChaChaPoly_SHA256")
    private var messages = 0

    init(
        role: Handshake.Role, prologue: [UInt8], room: PreSharedKey, key: StaticKey, ephemeral: consuming KeyPair
    ) {
        self.role = role
        self.room = room
        self.key = key
        self.ephemeral = ephemeral
        symmetric.mixHash(prologue.span)
    }

    var isComplete: Bool { messages == HandshakeState.pattern.count }

    var isOurTurn: Bool { !isComplete && messages.isMultiple(of: 2) == (role == .initiator) }

    var hash: [UInt8] { symmetric.hash }

    mutating func write(_ payload: Span<UInt8>) throws(NoiseError) -> [UInt8] {
        guard isOurTurn else { throw .outOfTurn }
        var message: [UInt8] = []
        for token in HandshakeState.pattern[messages] {
            switch token {
            case .psk: room.withSecret { symmetric.mixKeyAndHash($0) }
            case .e:
                message += ephemeral.publicKey.bytes
                symmetric.mixEphemeral(ephemeral.publicKey)
            case .s: try symmetric.encryptAndHash(key.publicKey.span, appendingTo: &message)
            case .mix(let agreement): try mix(agreement)
            }
        }
        try symmetric.encryptAndHash(payload, appendingTo: &message)
        guard message.count <= CipherState.largestMessage else { throw .messageTooLong }
        messages += 1
        return message
    }

    mutating func read(_ message: Span<UInt8>) throws(NoiseError) -> [UInt8] {
        guard !isOurTurn, !isComplete else { throw .outOfTurn }
        guard message.count <= CipherState.largestMessage else { throw .messageTooLong }
        var position = 0
        for token in HandshakeState.pattern[messages] {
            switch token {
            case .psk: room.withSecret { symmetric.mixKeyAndHash($0) }
            case .e: remoteEphemeral = try readEphemeral(message, at: &position)
            case .s: remoteStatic = try readStatic(message, at: &position)
            case .mix(let agreement): try mix(agreement)
            }
        }
        let payload = try symmetric.decryptAndHash(message.extracting(position...))
        messages += 1
        return payload
    }

    consuming func split() -> DerivedKeys {
        symmetric.split()
    }

    private mutating func readEphemeral(
        _ message: Span<UInt8>, at position: inout Int
    ) throws(NoiseError) -> PublicKey {
        let end = position + PublicKey.byteCount
        guard end <= message.count, let key = PublicKey(message.extracting(position..<end)) else {
            throw .messageTooShort
        }
        symmetric.mixEphemeral(key)
        position = end
        return key
    }

    private mutating func readStatic(_ message: Span<UInt8>, at position: inout Int) throws(NoiseError) -> PublicKey {
        let end = position + PublicKey.byteCount + Sodium.sealBytes
        guard end <= message.count else { throw .messageTooShort }
        let bytes = try symmetric.decryptAndHash(message.extracting(position..<end))
        guard let key = PublicKey(bytes.span) else { throw .messageTooShort }
        position = end
        return key
    }

    private mutating func mix(_ agreement: Agreement) throws(NoiseError) {
        let shared = try secret(of: agreement)
        symmetric.mixKey(shared)
    }

    private func secret(of agreement: Agreement) throws(NoiseError) -> Secret {
        switch (agreement, role) {
        case (.ee, _): try agree(ephemeral, remoteEphemeral)
        case (.es, .initiator), (.se, .responder): try agree(ephemeral, remoteStatic)
        case (.es, .responder), (.se, .initiator): try agree(key.pair, remoteEphemeral)
        }
    }

    private func agree(_ own: borrowing KeyPair, _ remote: PublicKey?) throws(NoiseError) -> Secret {
        guard let remote else { fatalError("the pattern mixes a key that has not been received") }
        return try own.agree(with: remote)
    }
}
