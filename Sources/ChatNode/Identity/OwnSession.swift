import Chat
import Noise
import Phrases
import Wire

/// The run of our own identity: its certificate, and whether it continues when another session of the identity runs
/// (Protocol.md sections 1 and 9).
struct OwnSession: ~Copyable {
    /// The keys and the certificate that all links show.
    private let context: LinkContext
    private var login = LoginGuard()
    private var startedAt: Instant?

    init(_ context: LinkContext) { self.context = context }

    /// The epoch of a run: its start, less a random time of up to ten minutes, because any peer may read it; and above those
    /// of the identity's earlier runs.
    ///
    /// - Parameter minimum: the least that is above them.
    static func epoch(startingAt start: Timestamp, above minimum: UInt64, using randomness: inout Randomness) -> UInt64
    {
        let offset = UInt64.random(in: 0...Limits.epochJitterMilliseconds, using: &randomness)
        return max(start.milliseconds - min(offset, start.milliseconds), minimum)
    }

    var certificate: Certificate { context.certificate }

    /// The tables, for the census of their entries.
    var tables: [(name: String, value: Any)] { [("login", login)] }

    mutating func start(now: Instant) { startedAt = now }

    /// The time since the node started; zero before.
    func age(now: Instant) -> Duration { startedAt.map { now - $0 } ?? .zero }

    /// Decides which of two sessions continues.
    ///
    /// - Parameter theirs: the verified certificate of another session of our identity, which can have ended.
    private mutating func decide(between theirs: Certificate, _ environment: Environment) -> LoginGuard.Verdict {
        guard environment.isRunning, let startedAt else { return .stay }
        return login.meet(theirs, ours: certificate, sinceStart: environment.now - startedAt)
    }

    /// Handles the certificate of another session of our identity: continues, under a later epoch where it has to, or signs out.
    ///
    /// - Parameter theirs: verified; the session can have ended.
    /// - Returns: how this session goes on.
    @discardableResult
    mutating func receive(
        _ theirs: Certificate, _ mail: inout SealedMail, _ router: inout MessageRouter, _ connections: Connections,
        _ environment: Environment, _ effects: inout Effects
    ) -> LoginGuard.Verdict {
        let answer = decide(between: theirs, environment)
        switch answer {
        case .stay: break
        case .reissue(let epoch):
            router.advance(to: epoch)
            // No node admits payloads of the epoch before: they have failed, and do not wait for ever.
            effects.append(.apply(Outcome(events: router.giveUp())))
            renewCertificate(&mail, &router, connections, environment, &effects)
            effects.append(.keepEpoch(epoch))
        case .signOut:
            effects.append(.report(.notice(.signedOut, Sentence(.signedInElsewhere))))
            effects.append(.signOut(because: theirs))
        }
        return answer
    }

    /// A handshake reached another session of our own identity. The link stays open while the two decide which one continues.
    mutating func meet(
        _ theirs: Certificate, on link: LinkInfo, _ mail: inout SealedMail, _ router: inout MessageRouter,
        _ links: borrowing Links, _ environment: Environment, _ effects: inout Effects
    ) {
        links.markAsOurs(link)
        switch receive(theirs, &mail, &router, links.connections, environment, &effects) {
        case .stay: effects.append(.send(certificate.frame(as: .superseded), to: .link(link.id)))
        // Its certificate goes to all links.
        case .reissue: break
        // All links end.
        case .signOut: return
        }
        effects.append(.close(.link(link.id), .ownSession))
    }

    /// Issues a certificate for the epoch of the session and the dm key, and sends it on every link. In a crowd others learn it
    /// behind our presence.
    func renewCertificate(
        _ mail: inout SealedMail, _ router: inout MessageRouter, _ connections: Connections, _ environment: Environment,
        _ effects: inout Effects
    ) {
        context.certificate = router.session.certify(
            noise: context.staticKey.publicKey, dm: mail.publicKey, serial: certificate.serial + 1)
        mail.record(certificate)
        for link in connections.all where !link.isRetiring {
            let type: FrameType = link.isOurselves ? .superseded : .certificate
            effects.append(.send(certificate.frame(as: type), to: .link(link.id)))
        }
        if environment.isCrowd {
            effects.append(.sendSigned(router.signPresence(at: environment.moment), to: .everyone))
        }
    }

    /// Zeroes the secret half of the key that handshakes show.
    func forgetKey() { context.staticKey.forget() }
}

extension Limits {
    /// The most that is taken off the start time for the epoch, at random, in milliseconds. A larger one lets a run
    /// that starts soon after another have the older epoch more often; a smaller one tells peers when the program was
    /// started.
    static let epochJitterMilliseconds: UInt64 = 600_000
}
