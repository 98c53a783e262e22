import Chat
import Noise
import Wire

/// Exchanges certificates with linked peers (Protocol.md section 9).
extension Node {
    /// Handles a certificate: the neighbour's own, one of another session of our identity, or one of a third identity.
    func receivedCertificate(_ body: Span<UInt8>, on connection: Connection) {
        guard let certificate = readCertificate(body, on: connection) else { return }
        if certificate.identity == context.me {
            handleOwnCertificate(certificate)
        } else if let current = connection.certificate, certificate.isOfSameRun(as: current) {
            renewed(certificate, instead: current, on: connection)
        } else if connection.certificate != nil {
            learn(certificate, from: connection)
        }
    }

    /// Handles a better certificate of our own identity.
    func receivedSuperseded(_ body: Span<UInt8>, on connection: Connection) {
        guard let certificate = readCertificate(body, on: connection) else { return }
        guard certificate.identity == context.me else {
            links.tally.unexpectedFrames += 1
            return
        }
        handleOwnCertificate(certificate)
    }

    /// Sends an author's certificate on a link, once, before the first payload of that author.
    func sendCertificate(for author: PeerID, on link: LinkInfo) {
        guard author != link.peer, let certificate = certificates.best(of: author, now: scheduler.now) else { return }
        links.sendOnce(certificate, on: link)
        askForTurnEnd()
    }

    /// Closes the links of all earlier runs of a certificate's identity.
    func supersedeRuns(before certificate: Certificate) {
        for link in connections.allInfo(of: certificate.identity) {
            guard let theirs = link.certificate, !theirs.isOfSameRun(as: certificate) else { continue }
            close(link, .superseded(by: certificate))
        }
    }

    /// Handles a verified certificate of a third identity.
    func learn(_ certificate: Certificate, from connection: Connection) {
        let now = scheduler.now
        switch certificates.news(of: certificate, now: now) {
        case .nothing:
            break
        case .worse(let best):
            // The neighbour can have missed the better one during a partition.
            return sendCertificate(best, as: .certificate, on: connection)
        case .first:
            let isTaken = admission.learn(
                epoch: certificate.epoch, of: certificate.identity, via: connection.peer,
                isBridge: isTrustedBridge(connection), now: now)
            guard isTaken else { return }
        case .renewal:
            resendCertificate(for: certificate)
        case .better:
            guard LinkInfo(connection).take(.betterCertificates, now: now) else {
                counts.certificatesRefused += 1
                return
            }
            replace(by: certificate, from: connection)
        }
        certificates.keep(certificate, now: now)
        recordPath(to: certificate.identity, via: connection)
        publishUncertified(certificate.identity)
    }

    /// Forwards a certificate to all other links.
    func passOn(_ certificate: Certificate, from connection: Connection?) {
        for other in connections.activeLinks where other.id != connection?.id && other.peer != certificate.identity {
            sendCertificate(certificate, as: .certificate, on: other)
        }
    }

    /// Handles a certificate of the neighbour's run with a new dm key or a later epoch.
    private func renewed(_ certificate: Certificate, instead current: Certificate, on connection: Connection) {
        let now = scheduler.now
        guard certificate.isBetter(than: current) || certificate.isRenewal(of: current) else { return }
        links.renew(connection, certificate)
        _ = admission.learn(epoch: certificate.epoch, of: certificate.identity, via: nil, now: now)
        let news = certificates.news(of: certificate, now: now)
        certificates.keep(certificate, now: now)
        switch news {
        case .nothing, .first, .worse:
            break
        case .renewal:
            resendCertificate(for: certificate)
        case .better:
            if LinkInfo(connection).take(.betterCertificates, now: now) { passOn(certificate, from: connection) }
        }
    }

    /// Takes over a better certificate of a third identity.
    ///
    /// - Parameter connection: where it came from; nil for a bridge.
    func replace(by certificate: Certificate, from connection: Connection?) {
        let links = connections.links(of: certificate.identity)
        // A link of the same run receives the later epoch itself, in order with the payloads of each epoch.
        if !links.contains(where: { $0.certificate?.isOfSameRun(as: certificate) ?? false }) {
            _ = admission.learn(epoch: certificate.epoch, of: certificate.identity, via: nil, now: scheduler.now)
        }
        supersedeRuns(before: certificate)
        passOn(certificate, from: connection)
    }

    /// Marks a renewed certificate as unsent on links that received the previous one. A relay sends it at once, because its
    /// neighbours can seal for an author without receiving its payloads; other nodes send it with the next payload.
    func resendCertificate(for certificate: Certificate) {
        certificates.keep(certificate, now: scheduler.now)
        for link in Array(connections.active) where links.markUnsent(certificate.identity, on: link) {
            if configuration.relaysSealed { sendCertificate(for: certificate.identity, on: link) }
        }
    }

    /// Returns the verified certificate in a frame, else nil. A bad signature bans the neighbour, which has to verify
    /// certificates before it forwards them.
    private func readCertificate(_ body: Span<UInt8>, on connection: Connection) -> Certificate? {
        guard
            crowd.takesAnswer(body.count, on: connection.id, now: scheduler.now)
                || takeRelayed(on: connection)
        else {
            counts.certificatesRefused += 1
            return nil
        }
        if let known = knownCertificate(body, on: connection) { return known }
        do throws(CertificateError) {
            return try Certificate(verifying: body)
        } catch .badSignature {
            ban(connection)
        } catch {
            links.tally.unexpectedFrames += 1
        }
        return nil
    }

    /// Takes a token for a frame about another peer. A bridge brings those of whole networks.
    func takeRelayed(on connection: Connection) -> Bool {
        if isTrustedBridge(connection) { return LinkInfo(connection).take(.bridged, now: scheduler.now) }
        if isCrowd { return LinkInfo(connection).take(.relayedInCrowd, now: scheduler.now) }
        return LinkInfo(connection).take(.relayed, now: scheduler.now)
    }

    private func isTrustedBridge(_ connection: Connection) -> Bool { isBridge(connection) && consentsToBridges }

    /// Returns the known certificate if the frame repeats it, which saves a second verification; most frames do.
    private func knownCertificate(_ body: Span<UInt8>, on connection: Connection) -> Certificate? {
        guard body.count == Certificate.byteCount else { return nil }
        let bytes = [UInt8](copying: body)
        guard let identity = PeerID(Array(bytes.dropFirst(2).prefix(PeerID.byteCount))),
            let known = certificates.best(of: identity, now: scheduler.now), bytes == known.bytes
        else { return nil }
        return known
    }
}
