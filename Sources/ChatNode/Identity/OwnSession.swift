import Chat
import Noise
import Wire

/// The run of our own identity: its certificate, and whether it continues when another session of the identity runs
/// (Protocol.md sections 1 and 9).
struct OwnSession {
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
    mutating func decide(between theirs: Certificate, _ environment: Environment) -> LoginGuard.Answer {
        guard environment.isRunning, let startedAt else { return .stay }
        return login.meet(theirs, ours: certificate, sinceStart: environment.now - startedAt)
    }

    /// Issues a certificate for the epoch of the session and the dm key, and sends it on every link.
    func renewCertificate(
        in session: borrowing UserSession, dm: PublicKey, _ connections: Connections, _ effects: inout Effects
    ) {
        context.certificate = session.certify(
            noise: context.staticKey.publicKey, dm: dm, serial: certificate.serial + 1)
        for link in connections.all where !link.isRetiring {
            let type: FrameType = link.isOurselves ? .superseded : .certificate
            effects.append(.send(certificate.frame(as: type), to: .link(link.id)))
        }
    }

    /// Zeroes the secret half of the key that handshakes show.
    func forgetKey() { context.staticKey.forget() }
}
