import Chat
import Noise
import Phrases
import Wire

/// Renews our own certificate and handles other sessions of our identity (Protocol.md sections 1 and 9).
extension Node {
    /// The epoch of our certificate; a re-issue raises it.
    package var epoch: UInt64 { ownSession.certificate.epoch }

    /// A handshake reached another session of our own identity. The link stays open while the two decide which
    /// one continues.
    func metOurselves(_ certificate: Certificate, on link: LinkInfo) {
        links.markAsOurs(link)
        let shown = ownSession.certificate
        handleOwnCertificate(certificate)
        guard !link.isForgotten else { return }
        // A re-issue was sent on all links already.
        if ownSession.certificate == shown { links.send(shown, as: .superseded, on: link) }
        close(link, .ownSession)
    }

    /// Handles the certificate of another session of our identity, which can have ended.
    func handleOwnCertificate(_ theirs: Certificate) {
        switch ownSession.decide(between: theirs, environment) {
        case .stay: break
        case .reissue(let epoch):
            router.advance(to: epoch)
            // No node admits payloads of the epoch before: they have failed, and do not wait for ever.
            apply(router.giveUp())
            renewCertificate()
            epochChanged(epoch)
        case .signOut: signOut(because: theirs)
        }
    }

    /// Zeroes the secret halves of all keys that outlive a link.
    func forgetKeys() {
        router.forgetKey()
        ownSession.forgetKey()
        mail.forgetKeys()
    }

    /// Issues a certificate for the current epoch and dm key, and sends it on every link.
    func renewCertificate() {
        let dm = mail.publicKey
        withEffects { ownSession.renewCertificate(in: router.session, dm: dm, connections, &$0) }
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
