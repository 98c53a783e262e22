import Chat
import Noise
import Wire

/// Exchanges certificates with linked peers (Protocol.md section 9).
extension Node {
    /// Handles a certificate: the neighbour's own, one of another session of our identity, or one of a third identity.
    func receivedCertificate(_ body: Span<UInt8>, on slot: Connection) {
        guard let certificate = readCertificate(body, on: slot) else { return }
        if certificate.identity == context.me {
            handleOwnCertificate(certificate)
        } else if let current = slot.certificate, certificate.isOfSameRun(as: current) {
            renewed(certificate, instead: current, on: slot)
        } else if slot.certificate != nil {
            learn(certificate, from: slot)
        }
    }

    /// Handles a better certificate of our own identity.
    func receivedSuperseded(_ body: Span<UInt8>, on slot: Connection) {
        guard let certificate = readCertificate(body, on: slot) else { return }
        guard certificate.identity == context.me else {
            counts.unexpectedFrames += 1
            return
        }
        handleOwnCertificate(certificate)
    }

    /// Sends an author's certificate on a link, once, before the first payload of that author.
    func sendCertificate(for author: PeerID, on slot: Connection) {
        guard author != slot.peer, let certificate = certificates.best(of: author, now: scheduler.now) else { return }
        if slot.certificatesSent.count >= Limits.certificatesSentPerLink { slot.certificatesSent.removeAll() }
        guard slot.certificatesSent.insert(author).inserted else { return }
        sendCertificate(certificate, as: .certificate, on: slot)
    }

    /// Sends a certificate.
    func sendCertificate(_ certificate: Certificate, as type: FrameType, on slot: Connection) {
        slot.link.enqueue([type.rawValue] + certificate.bytes)
        markDirty(slot)
    }

    /// Sends the better certificate and a goodbye, and closes the link.
    func supersede(_ slot: Connection, by better: Certificate) {
        counts.superseded += 1
        sendCertificate(better, as: .superseded, on: slot)
        slot.link.enqueue([FrameType.goodbye.rawValue, GoodbyeReason.superseded.rawValue])
        finish(slot)
    }

    /// Closes the links of all earlier runs of a certificate's identity.
    func supersedeRuns(before certificate: Certificate) {
        for slot in linksByPeer[certificate.identity] ?? [] {
            guard let theirs = slot.certificate, !theirs.isOfSameRun(as: certificate) else { continue }
            supersede(slot, by: certificate)
        }
    }

    /// Handles a verified certificate of a third identity.
    func learn(_ certificate: Certificate, from slot: Connection) {
        let now = scheduler.now
        switch certificates.news(of: certificate, now: now) {
        case .nothing:
            break
        case .worse(let best):
            // The neighbour can have missed the better one during a partition.
            return sendCertificate(best, as: .certificate, on: slot)
        case .first:
            let isTaken = admission.learn(epoch: certificate.epoch, of: certificate.identity, via: slot.peer, now: now)
            guard isTaken else { return }
        case .renewal:
            resendCertificate(for: certificate)
        case .better:
            guard slot.betterCertificates.take(now: now) else {
                counts.certificatesRefused += 1
                return
            }
            replace(by: certificate, from: slot)
        }
        certificates.keep(certificate, now: now)
        notePath(to: certificate.identity, via: slot)
    }

    /// Forwards a certificate to all other links.
    func passOn(_ certificate: Certificate, from slot: Connection) {
        for other in activeLinks where other !== slot && other.peer != certificate.identity {
            sendCertificate(certificate, as: .certificate, on: other)
        }
    }

    /// Handles a certificate of the neighbour's run with a new dm key or a later epoch.
    private func renewed(_ certificate: Certificate, instead current: Certificate, on slot: Connection) {
        let now = scheduler.now
        guard certificate.isBetter(than: current) || certificate.isRenewal(of: current) else { return }
        slot.certificate = certificate
        _ = admission.learn(epoch: certificate.epoch, of: certificate.identity, via: nil, now: now)
        let news = certificates.news(of: certificate, now: now)
        certificates.keep(certificate, now: now)
        switch news {
        case .nothing, .first, .worse:
            break
        case .renewal:
            resendCertificate(for: certificate)
        case .better:
            if slot.betterCertificates.take(now: now) { passOn(certificate, from: slot) }
        }
    }

    private func replace(by certificate: Certificate, from slot: Connection) {
        let links = linksByPeer[certificate.identity] ?? []
        // A link of the same run receives the later epoch itself, in order with the payloads of each epoch.
        if !links.contains(where: { $0.certificate?.isOfSameRun(as: certificate) ?? false }) {
            _ = admission.learn(epoch: certificate.epoch, of: certificate.identity, via: nil, now: scheduler.now)
        }
        supersedeRuns(before: certificate)
        passOn(certificate, from: slot)
    }

    /// Marks a renewed certificate as unsent on links that received the previous one. A relay sends it at once, because its
    /// neighbours can seal for an author without receiving its payloads; other nodes send it with the next payload.
    private func resendCertificate(for certificate: Certificate) {
        certificates.keep(certificate, now: scheduler.now)
        for slot in activeLinks where slot.certificatesSent.contains(certificate.identity) {
            slot.certificatesSent.remove(certificate.identity)
            if configuration.relaysSealed { sendCertificate(for: certificate.identity, on: slot) }
        }
    }

    /// Returns the verified certificate in a frame, else nil. A bad signature bans the neighbour, which has to verify
    /// certificates before it forwards them.
    private func readCertificate(_ body: Span<UInt8>, on slot: Connection) -> Certificate? {
        guard slot.relayed.take(now: scheduler.now) else {
            counts.certificatesRefused += 1
            return nil
        }
        if let known = knownCertificate(body, on: slot) { return known }
        do throws(CertificateError) {
            return try Certificate(verifying: body)
        } catch .badSignature {
            ban(slot)
        } catch {
            counts.unexpectedFrames += 1
        }
        return nil
    }

    /// Returns the known certificate if the frame repeats it, which saves a second verification; most frames do.
    private func knownCertificate(_ body: Span<UInt8>, on slot: Connection) -> Certificate? {
        guard body.count == Certificate.byteCount else { return nil }
        let bytes = [UInt8](copying: body)
        guard let identity = PeerID(Array(bytes.dropFirst(2).prefix(PeerID.byteCount))),
            let known = certificates.best(of: identity, now: scheduler.now), bytes == known.bytes
        else { return nil }
        return known
    }
}
