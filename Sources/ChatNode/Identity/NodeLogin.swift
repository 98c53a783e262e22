import Chat
import Noise
import Phrases
import Wire

/// Renews our own certificate and handles other sessions of our identity (Protocol.md sections 1 and 9).
extension Node {
    /// The epoch of our certificate; a re-issue raises it.
    package var epoch: UInt64 { context.certificate.epoch }

    /// The epoch of a run: its start, less a random time of up to ten minutes, because any peer may read it; and above those
    /// of the identity's earlier runs.
    ///
    /// - Parameter minimum: the least that is above them.
    static func epoch(startingAt start: Timestamp, above minimum: UInt64, using randomness: inout Randomness) -> UInt64
    {
        let offset = UInt64.random(in: 0...Limits.epochJitterMilliseconds, using: &randomness)
        return max(start.milliseconds - min(offset, start.milliseconds), minimum)
    }

    /// A handshake reached another session of our own identity. The link stays open while the two decide which
    /// one continues.
    func metOurselves(_ certificate: Certificate, on connection: Connection) {
        links.markAsOurs(connection)
        let shown = context.certificate
        handleOwnCertificate(certificate)
        guard !connection.isForgotten else { return }
        // A re-issue was sent on all links already.
        if context.certificate == shown { sendCertificate(shown, as: .superseded, on: connection) }
        close(LinkInfo(connection), .ownSession)
    }

    /// Handles the certificate of another session of our identity, which can have ended.
    func handleOwnCertificate(_ theirs: Certificate) {
        guard case .running = phase, let startedAt else { return }
        switch login.meet(theirs, ours: context.certificate, sinceStart: scheduler.now - startedAt) {
        case .stay:
            break
        case .reissue(let epoch):
            router.advance(to: epoch)
            // No node admits payloads of the epoch before: they have failed, and do not wait for ever.
            apply(router.giveUp())
            renewCertificate()
            epochChanged(epoch)
        case .signOut:
            signOut(because: theirs)
        }
    }

    /// Zeroes the secret halves of all keys that outlive a link.
    func forgetKeys() {
        router.forgetKey()
        context.staticKey.forget()
        mail.forgetKeys()
    }

    /// Issues a certificate for the current epoch and dm key, and sends it on every link.
    func renewCertificate() {
        context.certificate = router.session.certify(
            noise: context.staticKey.publicKey, dm: mail.publicKey, serial: context.certificate.serial + 1)
        for link in connections.all where !link.isRetiring {
            links.send(context.certificate, as: link.isOurselves ? .superseded : .certificate, on: link)
        }
        askForTurnEndIfDirty()
        certificateChanged()
    }

    /// Ends this session in favour of a later one. Sends its certificate on all links, and no presence that we left,
    /// since our identity stays in the room.
    private func signOut(because better: Certificate) {
        emit(.notice(.signedOut, Sentence(.signedInElsewhere)))
        stopReason = .signedOut
        phase = .leaving
        closeDoors()
        for link in connections.all { close(link, .signedOut(by: better)) }
        forgetKeys()
        wakeSenders()
        goOnLeaving()
    }
}
