import Chat
import Noise
import Wire

/// Our own certificate, and our identity in another place (Protocol.md sections 1 and 9).
extension Node {
    /// Which run of the identity this is; a re-issue raises it.
    package var epoch: UInt64 { context.certificate.epoch }

    /// A connection led to another session of our own identity. It is kept while the two settle which one goes on.
    func metOurselves(_ certificate: Certificate, on slot: Connection) {
        slot.isOurselves = true
        let shown = context.certificate
        heard(ofOurselves: certificate)
        guard !slot.isForgotten else { return }
        // A re-issue has been told on all links.
        if context.certificate == shown { tell(shown, as: .superseded, on: slot) }
        finishLater(slot)
    }

    /// There is another session of our identity, or there was.
    func heard(ofOurselves theirs: Certificate) {
        guard case .running = phase, let startedAt else { return }
        switch login.meet(theirs, ours: context.certificate, sinceStart: scheduler.now - startedAt) {
        case .stay:
            break
        case .reissue(let epoch):
            session.advance(to: epoch)
            renewCertificate()
            epochChanged(epoch)
        case .signOut:
            signOut(because: theirs)
        }
    }

    /// Replaces the dm key when its time has come.
    func armRelayKeys() {
        let deadline = relayKeys.nextDeadline
        scheduler.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { node in
                guard case .running = node.phase else { return }
                if node.relayKeys.tick(now: node.scheduler.now, using: &node.randomness) { node.renewCertificate() }
                node.armRelayKeys()
            }
        }
    }

    /// The secret halves of all keys that outlive a link are zeroed.
    func forgetKeys() {
        session.forgetKey()
        context.staticKey.forget()
        relayKeys.forget()
    }

    /// Issues a certificate for the epoch and the dm key as they are now, and tells it on every link.
    private func renewCertificate() {
        // A clock that was set back must not make it look like an earlier one.
        let earliest = Timestamp(milliseconds: context.certificate.issuedAt.milliseconds + 1)
        context.certificate = session.certify(
            noise: context.staticKey.publicKey, dm: relayKeys.publicKey, at: max(scheduler.wallClock, earliest))
        for slot in connections where !slot.isRetiring {
            tell(context.certificate, as: slot.isOurselves ? .superseded : .certificate, on: slot)
        }
    }

    /// Gives way to a later session: everybody is told of it, nobody that we leave, since our identity stays.
    private func signOut(because better: Certificate) {
        emit(.notice(.signedOut, "signed in elsewhere; if that was not you, discard this identity"))
        stopReason = .signedOut
        phase = .leaving
        closeDoors()
        for slot in connections {
            tell(better, as: .certificate, on: slot)
            slot.link.enqueue([FrameType.goodbye.rawValue, GoodbyeReason.superseded.rawValue])
            finish(slot)
        }
        forgetKeys()
        wakeSenders()
        goOnLeaving()
    }
}
