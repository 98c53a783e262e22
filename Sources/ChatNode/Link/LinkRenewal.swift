import Chat
package import Noise
package import Wire

/// The handshake in an open link by which its keys are replaced (Protocol.md section 4).
enum LinkRenewal: ~Copyable {
    case none
    /// We are the initiator, and wait for message 2.
    case begun(Handshake)
    /// We are the responder, and wait for message 3.
    case answered(Handshake)
    /// We are the initiator, seal with the new key, and wait for the last record under the responder's old one.
    case switching
}

extension Link {
    /// Begins to replace the keys: the initiator's part.
    mutating func beginRenewal(_ context: LinkContext, using randomness: inout Randomness) throws(LinkError) {
        var handshake = context.renewal(.initiator, using: &randomness)
        try write(Handshake.openingPayload, of: &handshake)
        renewal = .begun(handshake)
    }

    /// Takes a step of the handshake that replaces the keys.
    ///
    /// - Parameters:
    ///   - body: of a handshake frame: a message, or nothing, by which the responder says that its new key begins.
    ///   - peer: the key that the handshake of the connection proved.
    package mutating func receiveRenewal(
        _ body: Span<UInt8>, from peer: PublicKey, _ context: LinkContext, now: Instant,
        using randomness: inout Randomness
    ) throws(LinkError) {
        guard isOpen else { return }
        do throws(LinkError) {
            switch exchange(&renewal, with: .none) {
            case .none: try answerRenewal(body, context, now: now, using: &randomness)
            case .begun(var handshake):
                try Link.read(body, from: peer, of: &handshake, Handshake.emptyPayload(by: .responder))
                try write(Handshake.emptyPayload(by: .initiator), of: &handshake)
                // Message 3 is in the last record under the old key.
                seal()
                try state.switchSending(to: Link.finish(handshake))
                renewal = .switching
            case .answered(var handshake):
                try Link.read(body, from: peer, of: &handshake, Handshake.emptyPayload(by: .initiator))
                pack([FrameType.handshake.rawValue])
                seal()
                try state.switchBoth(to: Link.finish(handshake))
                recordRenewal(now: now, using: &randomness)
            case .switching:
                guard body.isEmpty else { throw .handshakeFailed }
                try state.switchReceiving()
                recordRenewal(now: now, using: &randomness)
            }
        } catch {
            die()
            throw error
        }
    }

    /// Answers message 1, which only the initiator sends, and not while the keys are too young for it.
    private mutating func answerRenewal(
        _ body: Span<UInt8>, _ context: LinkContext, now: Instant, using randomness: inout Randomness
    ) throws(LinkError) {
        guard role == .responder, timing.mayRenew(after: state.recordCount, at: now) else { throw .handshakeFailed }
        var handshake = context.renewal(.responder, using: &randomness)
        try Link.read(body, from: nil, of: &handshake, Handshake.openingPayload)
        try write(Handshake.emptyPayload(by: .responder), of: &handshake)
        renewal = .answered(handshake)
    }

    /// Reads a message, which has to have a known payload and to prove a known key; nil for none yet.
    private static func read(
        _ message: Span<UInt8>, from peer: PublicKey?, of handshake: inout Handshake, _ expected: [UInt8]
    ) throws(LinkError) {
        guard message.count == Handshake.messageSize else { throw .handshakeFailed }
        let payload: [UInt8]
        do throws(NoiseError) { payload = try handshake.readMessage(message) } catch { throw .handshakeFailed }
        guard payload == expected, handshake.remoteStatic == peer else { throw .handshakeFailed }
    }

    private mutating func write(_ payload: [UInt8], of handshake: inout Handshake) throws(LinkError) {
        let message: [UInt8]
        do throws(NoiseError) {
            message = try handshake.writeMessage(payload: payload.span)
        } catch {
            throw .handshakeFailed
        }
        pack([FrameType.handshake.rawValue] + message)
    }

    private static func finish(_ handshake: consuming Handshake) throws(LinkError) -> Session {
        do throws(NoiseError) { return try handshake.finish() } catch { throw .handshakeFailed }
    }

    private mutating func recordRenewal(now: Instant, using randomness: inout Randomness) {
        renewals += 1
        timing.beginKeys(at: now, using: &randomness)
    }
}
