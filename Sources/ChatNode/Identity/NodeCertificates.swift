import Chat
import Noise
import Wire

/// Certificates that links tell of (Protocol.md section 9).
extension Node {
    /// A neighbour tells of an identity's certificate: its own, ours elsewhere, or another's.
    func receivedCertificate(_ body: Span<UInt8>, on slot: Connection) {
        guard let certificate = readCertificate(body, on: slot) else { return }
        if certificate.identity == context.me {
            heard(ofOurselves: certificate)
        } else if let current = slot.certificate, certificate.isOfSameRun(as: current) {
            renewed(certificate, instead: current, on: slot)
        } else if slot.certificate != nil {
            learn(certificate, from: slot)
        }
    }

    /// A neighbour knows a better certificate of our own identity.
    func receivedSuperseded(_ body: Span<UInt8>, on slot: Connection) {
        guard let certificate = readCertificate(body, on: slot) else { return }
        guard certificate.identity == context.me else {
            counts.unexpectedFrames += 1
            return
        }
        heard(ofOurselves: certificate)
    }

    /// Sends an author's certificate before the first payload of that author that is passed on on a link.
    func sendCertificate(for author: PeerID, on slot: Connection) {
        guard author != slot.peer, let certificate = certificates.best(of: author, now: scheduler.now) else { return }
        if slot.certificatesSent.count >= Limits.certificatesSentPerLink { slot.certificatesSent.removeAll() }
        guard slot.certificatesSent.insert(author).inserted else { return }
        tell(certificate, as: .certificate, on: slot)
    }

    /// Sends a certificate.
    func tell(_ certificate: Certificate, as type: FrameType, on slot: Connection) {
        slot.link.enqueue([type.rawValue] + certificate.bytes)
        markDirty(slot)
    }

    /// Ends a link whose certificate is worse than one that is known, and says so.
    func supersede(_ slot: Connection, by better: Certificate) {
        counts.superseded += 1
        tell(better, as: .superseded, on: slot)
        slot.link.enqueue([FrameType.goodbye.rawValue, GoodbyeReason.superseded.rawValue])
        finish(slot)
    }

    /// Ends the links of all earlier runs of a certificate's identity.
    func supersedeRuns(before certificate: Certificate) {
        for slot in linksByPeer[certificate.identity] ?? [] {
            guard let theirs = slot.certificate, !theirs.isOfSameRun(as: certificate) else { continue }
            supersede(slot, by: certificate)
        }
    }

    /// Takes in what a neighbour tells of somebody else's certificate, whose signature was checked.
    func learn(_ certificate: Certificate, from slot: Connection) {
        let now = scheduler.now
        switch certificates.news(of: certificate, now: now) {
        case .nothing:
            break
        case .worse(let best):
            // So that what was missed during a partition is made up for.
            return tell(best, as: .certificate, on: slot)
        case .first:
            let isTaken = admission.learn(epoch: certificate.epoch, of: certificate.identity, via: slot.peer, now: now)
            guard isTaken else { return }
        case .renewal:
            vouchAgain(for: certificate)
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

    /// A better certificate than the one that is known is passed on once.
    func passOn(_ certificate: Certificate, from slot: Connection) {
        for other in activeLinks where other !== slot && other.peer != certificate.identity {
            tell(certificate, as: .certificate, on: other)
        }
    }

    /// The link's own peer has another dm key, or goes on under a later epoch.
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
            vouchAgain(for: certificate)
        case .better:
            if slot.betterCertificates.take(now: now) { passOn(certificate, from: slot) }
        }
    }

    private func replace(by certificate: Certificate, from slot: Connection) {
        let links = linksByPeer[certificate.identity] ?? []
        // A link of the same run is told of the later epoch itself, between the payloads that it holds for.
        if !links.contains(where: { $0.certificate?.isOfSameRun(as: certificate) ?? false }) {
            _ = admission.learn(epoch: certificate.epoch, of: certificate.identity, via: nil, now: scheduler.now)
        }
        supersedeRuns(before: certificate)
        passOn(certificate, from: slot)
    }

    /// Who was told of the certificate before is told of the new one: at once by a relay, whose links write to its peers
    /// without hearing from them, else with the next payload.
    private func vouchAgain(for certificate: Certificate) {
        certificates.keep(certificate, now: scheduler.now)
        for slot in activeLinks where slot.certificatesSent.contains(certificate.identity) {
            slot.certificatesSent.remove(certificate.identity)
            if configuration.relaysSealed { sendCertificate(for: certificate.identity, on: slot) }
        }
    }

    /// The genuine certificate in a frame. One that is not convicts the neighbour, who has to check before it tells.
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

    /// What has been checked before need not be again: most frames tell of what everybody tells of.
    private func knownCertificate(_ body: Span<UInt8>, on slot: Connection) -> Certificate? {
        guard body.count == Certificate.byteCount else { return nil }
        let bytes = [UInt8](copying: body)
        guard let identity = PeerID(Array(bytes.dropFirst(2).prefix(PeerID.byteCount))),
            let known = certificates.best(of: identity, now: scheduler.now), bytes == known.bytes
        else { return nil }
        return known
    }
}
