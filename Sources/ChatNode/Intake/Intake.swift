import Chat
import Noise
import Wire

/// Judges the payloads and certificates of others: the only maker of a `VerifiedPayload` from outside
/// (Protocol.md sections 7 and 9).
struct Intake {
    private var admission: Admission
    /// The best session certificate of each identity.
    private var certificates = KnownCertificates()
    /// Better certificates from the broker of this node's bridge, as `LinkRate.betterCertificates` of a link.
    private var betterFromBroker: TokenBucket
    /// Certificates over a link's rate.
    private var certificatesRefused = 0
    /// Public messages that came live, by the links that they passed, less one.
    private(set) var hops = [Int](repeating: 0, count: Int(Limits.relayHops) + 1)

    init(_ configuration: NodeConfiguration, me: PeerID, now: Instant) {
        admission = Admission(
            room: configuration.room.id, me: me,
            rates: AdmissionRates(messagesPerSecond: configuration.messagesPerSecond))
        betterFromBroker = TokenBucket(
            Rate(perSecond: Limits.betterCertificatesPerMinute / 60, burst: Limits.betterCertificatesBurst), now: now)
    }

    var counters: [Counter] {
        [Counter(.payloadsAdmitted, admission.admitted), Counter(.payloadsReceived, admission.received)]
            + PayloadType.allCases.map { Counter(.admitted($0), admission.tally[$0]) }
            + DropReason.allCases.map { Counter(.dropped($0), admission.drops[$0] ?? 0) }
            + [Counter(.certificatesRefused, certificatesRefused)]
    }

    /// The tables, for the census of their entries.
    var tables: [(name: String, value: Any)] { [("admission", admission), ("certificates", certificates)] }
}

/// Payloads.
extension Intake {
    /// Judges a payload frame.
    mutating func judge(
        _ frame: borrowing PayloadFrame, from origin: Origin, _ environment: Environment
    ) -> AdmissionResult {
        admission.judge(frame, from: origin, now: environment.now, wallClock: environment.roomClock)
    }

    /// Counts a public message that came live.
    mutating func recordHops(_ count: UInt8) { hops[min(Int(count), Int(Limits.relayHops))] += 1 }

    /// Counts a payload frame that could not be parsed.
    mutating func refuse(malformed reason: DropReason) { admission.refuse(malformed: reason) }

    /// Counts input that never became a payload, or a payload that is not shown after all.
    mutating func drop(_ reason: DropReason) { admission.drop(reason) }

    /// Reads the content of a sealed message that was opened.
    ///
    /// - Throws: `.malformed`, or `.oldEpoch` for one of an earlier run of its author.
    func readSealed(_ opened: [UInt8], _ environment: Environment) throws(DropReason) -> SealedContent {
        let content = try SealedContent(opened)
        if case .worse = news(of: content.certificate, environment) { throw .oldEpoch }
        return content
    }

    /// Checks a signature that was left unchecked when the payload came over its author's own link.
    ///
    /// - Returns: the payload as `.signed`, or the ban of the neighbour that it came from.
    mutating func verifySignature(of payload: VerifiedPayload) -> AdmissionResult {
        admission.verifySignature(of: payload)
    }

    /// As above, of a payload that the router keeps.
    ///
    /// - Parameter id: the first 8 bytes of its id.
    mutating func verifySignature(of id: UInt64, in router: inout MessageRouter) -> SignatureCheck {
        router.verifySignature(of: id, with: &admission)
    }

    /// True for a time at which a public payload may be signed that comes unasked.
    func isFresh(_ payload: VerifiedPayload, _ environment: Environment) -> Bool {
        admission.isFresh(payload.payload.timestamp, environment.roomClock)
    }
}

/// Certificates.
extension Intake {
    /// The best certificate of an identity; nil if none came for a day.
    func certificate(of peer: PeerID, now: Instant) -> Certificate? { certificates.best(of: peer, now: now) }

    /// The relation of a certificate to the known one.
    func news(of certificate: Certificate, _ environment: Environment) -> KnownCertificates.Novelty {
        certificates.news(of: certificate, now: environment.now)
    }

    /// Counts a certificate over a link's rate.
    mutating func refuseCertificate() { certificatesRefused += 1 }

    /// Reads the body of a frame with a certificate. One that repeats a known certificate, as most do, costs no verification.
    func readCertificate(
        _ body: Span<UInt8>, _ environment: Environment
    ) throws(CertificateError) -> Certificate {
        if body.count == Certificate.byteCount,
            let known = knownCertificate([UInt8](copying: body), environment)
        {
            return known
        }
        return try Certificate(verifying: body)
    }

    /// The known certificate of these bytes; nil if they are another.
    func knownCertificate(_ bytes: [UInt8], _ environment: Environment) -> Certificate? {
        guard let identity = PeerID(Array(bytes.dropFirst(2).prefix(PeerID.byteCount))),
            let known = certificate(of: identity, now: environment.now), bytes == known.bytes
        else { return nil }
        return known
    }

    /// Takes the certificate of a link's own peer whose handshake is complete.
    mutating func keep(_ certificate: Certificate, _ environment: Environment) {
        certificates.keep(certificate, now: environment.now)
    }

    /// Takes the epoch of a link's own peer.
    mutating func learnEpoch(of certificate: Certificate, _ environment: Environment) {
        _ = admission.learn(epoch: certificate.epoch, of: certificate.identity, via: nil, now: environment.now)
    }

    /// Takes a verified certificate of a third identity.
    ///
    /// - Parameters:
    ///   - neighbour: the peer that it came from, or what stands for this node's bridge.
    ///   - isBridge: the neighbour may bring people of other networks.
    ///   - link: where it came on; nil for the broker.
    /// - Returns: false if it is superseded, or one too many.
    mutating func learn(
        _ certificate: Certificate, from neighbour: PeerID, isBridge: Bool, on link: LinkInfo?,
        _ connections: Connections, _ environment: Environment, _ effects: inout Effects
    ) -> Bool {
        switch news(of: certificate, environment) {
        case .nothing: break
        case .worse(let best):
            // The neighbour can have missed the better one during a partition.
            if let link { effects.append(.send(best.frame(as: .certificate), to: .link(link.id))) }
            return false
        case .first:
            let isTaken = admission.learn(
                epoch: certificate.epoch, of: certificate.identity, via: neighbour, isBridge: isBridge,
                now: environment.now)
            guard isTaken else { return false }
        case .renewal: keepRenewed(certificate, environment, &effects)
        case .better:
            guard takeBetter(from: link, environment) else {
                if link != nil { certificatesRefused += 1 }
                return false
            }
            replace(by: certificate, from: link?.id, connections, environment, &effects)
        }
        keep(certificate, environment)
        return true
    }

    /// Takes a certificate of a neighbour's run with a new dm key or a later epoch.
    mutating func renew(
        _ certificate: Certificate, on link: LinkInfo, _ environment: Environment, _ effects: inout Effects
    ) {
        learnEpoch(of: certificate, environment)
        let news = news(of: certificate, environment)
        keep(certificate, environment)
        switch news {
        case .nothing, .first, .worse: break
        case .renewal: keepRenewed(certificate, environment, &effects)
        case .better: if takeBetter(from: link, environment) { passOn(certificate, from: link.id, &effects) }
        }
    }

    /// A better certificate came with a handshake: closes the links of all earlier runs of its identity and passes it on.
    func supersede(
        by certificate: Certificate, from link: ConnectionID?, _ connections: Connections, _ effects: inout Effects
    ) {
        for other in connections.links(of: certificate.identity)
        where other.certificate?.isOfSameRun(as: certificate) == false {
            effects.append(.close(.link(other.id), .superseded(by: certificate)))
        }
        passOn(certificate, from: link, &effects)
    }

    /// Takes over a better certificate of a third identity.
    private mutating func replace(
        by certificate: Certificate, from link: ConnectionID?, _ connections: Connections, _ environment: Environment,
        _ effects: inout Effects
    ) {
        // A link of the same run receives the later epoch itself, in order with the payloads of each epoch.
        let isLinked = connections.links(of: certificate.identity).contains {
            $0.certificate?.isOfSameRun(as: certificate) ?? false
        }
        if !isLinked { learnEpoch(of: certificate, environment) }
        supersede(by: certificate, from: link, connections, &effects)
    }

    /// Sends a certificate on all links but those of its identity and the one that it came on.
    private func passOn(_ certificate: Certificate, from link: ConnectionID?, _ effects: inout Effects) {
        effects.append(
            .send(certificate.frame(as: .certificate), to: .others(than: link, notTo: certificate.identity)))
    }

    /// Takes a certificate with a new dm key. Links that received the previous one need it again.
    private mutating func keepRenewed(
        _ certificate: Certificate, _ environment: Environment, _ effects: inout Effects
    ) {
        keep(certificate, environment)
        effects.append(.resendCertificate(of: certificate.identity))
    }

    private mutating func takeBetter(from link: LinkInfo?, _ environment: Environment) -> Bool {
        guard let link else { return betterFromBroker.take(now: environment.now) }
        return link.takeToken(.betterCertificates, now: environment.now)
    }
}

extension Certificate {
    /// The frame that carries it, type byte first.
    func frame(as type: FrameType) -> [UInt8] { [type.rawValue] + bytes }
}
