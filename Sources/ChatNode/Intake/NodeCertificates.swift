import Chat
import Noise
import Wire

/// Certificates on links (Protocol.md section 9).
extension Node {
    /// Handles a certificate: the neighbour's own, one of another session of our identity, or one of a third identity.
    func receivedCertificate(_ body: Span<UInt8>, on link: LinkInfo) {
        guard let certificate = readCertificate(body, on: link) else { return }
        if certificate.identity == context.me {
            handleOwnCertificate(certificate)
        } else if let current = link.certificate, certificate.isOfSameRun(as: current) {
            guard certificate.isBetter(than: current) || certificate.isRenewal(of: current) else { return }
            links.renew(link, certificate)
            withEffects { intake.renew(certificate, on: link, environment, &$0) }
        } else {
            learn(certificate, from: link)
        }
    }

    /// Handles a better certificate of our own identity.
    func receivedSuperseded(_ body: Span<UInt8>, on link: LinkInfo) {
        guard let certificate = readCertificate(body, on: link) else { return }
        guard certificate.identity == context.me else {
            links.tally.unexpectedFrames += 1
            return
        }
        handleOwnCertificate(certificate)
    }

    /// The certificate in a frame, if it is a genuine one. A bad signature bans the neighbour, which has to verify certificates before
    /// it forwards them.
    private func readCertificate(_ body: Span<UInt8>, on link: LinkInfo) -> Certificate? {
        guard crowd.takesAnswer(body.count, on: link.id, now: scheduler.now) || takeRelayed(on: link) else {
            intake.refuseCertificate()
            return nil
        }
        do throws(CertificateError) {
            return try intake.readCertificate(body, environment)
        } catch .badSignature {
            ban(link)
        } catch {
            links.tally.unexpectedFrames += 1
        }
        return nil
    }

    /// Takes a token for a frame about another peer. A bridge brings those of whole networks.
    func takeRelayed(on link: LinkInfo) -> Bool {
        let rate: LinkRate = isTrustedBridge(link) ? .bridged : isCrowd ? .relayedInCrowd : .relayed
        return link.take(rate, now: scheduler.now)
    }

    private func isTrustedBridge(_ link: LinkInfo) -> Bool { isBridge(link) && consentsToBridges }

    /// Handles a verified certificate of a third identity.
    func learn(_ certificate: Certificate, from link: LinkInfo) {
        guard let peer = link.peer else { return }
        let isBridge = isTrustedBridge(link)
        let isTaken = withEffects {
            intake.learn(certificate, from: peer, isBridge: isBridge, on: link, connections, environment, &$0)
        }
        guard isTaken else { return }
        recordPath(to: certificate.identity, via: peer)
        publishUncertified(certificate.identity)
    }

    /// Sends an author's certificate on a link, once, before the first payload of that author.
    func sendCertificate(for author: PeerID, on link: LinkInfo) {
        guard author != link.peer, let certificate = intake.certificate(of: author, now: scheduler.now) else { return }
        links.sendOnce(certificate, on: link)
        askForTurnEnd()
    }

    /// Marks a renewed certificate as unsent on links that received the previous one. A relay sends it at once, because its
    /// neighbours can seal for an author without receiving its payloads; other nodes send it with the next payload.
    func resendCertificate(of identity: PeerID) {
        for link in Array(connections.active) where links.markUnsent(identity, on: link) {
            if configuration.relaysSealed { sendCertificate(for: identity, on: link) }
        }
    }
}
