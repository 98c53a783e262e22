import Chat
import Noise
import Wire

/// The best session certificate of each identity, kept for a day after it was last received (Protocol.md section 9).
struct KnownCertificates {
    /// Relation of a received certificate to the known one of its identity.
    enum Novelty: Equatable {
        /// This certificate, or a later one of the same run, is known.
        case nothing
        /// No certificate of its identity is known.
        case first
        /// Same run, new dm key.
        case renewal
        /// A later run than the known one, or the same run under a later epoch.
        case better
        /// A later run is known, with the given certificate.
        case worse(than: Certificate)
    }

    private struct Entry {
        let certificate: Certificate
        let heardAt: Instant
    }

    private var entries: RecentTable<PeerID, Entry>

    init(capacity: Int = Limits.certificates) {
        entries = RecentTable(capacity: capacity)
    }

    func best(of peer: PeerID, now: Instant) -> Certificate? {
        guard let entry = entries[peer], now < entry.heardAt + Limits.certificateMemory else { return nil }
        return entry.certificate
    }

    func news(of certificate: Certificate, now: Instant) -> Novelty {
        guard let known = best(of: certificate.identity, now: now) else { return .first }
        if certificate.isBetter(than: known) { return .better }
        guard certificate.isOfSameRun(as: known) else { return .worse(than: known) }
        return certificate.isRenewal(of: known) ? .renewal : .nothing
    }

    /// Stores a certificate unless a better one is known.
    mutating func keep(_ certificate: Certificate, now: Instant) {
        switch news(of: certificate, now: now) {
        case .first, .renewal, .better:
            entries.set(Entry(certificate: certificate, heardAt: now), for: certificate.identity)
        case .nothing where best(of: certificate.identity, now: now) == certificate:
            entries.set(Entry(certificate: certificate, heardAt: now), for: certificate.identity)
        case .nothing, .worse:
            break
        }
    }
}

extension Limits {
    /// Certificates that are remembered; the oldest goes. More cost memory; with fewer, relayed payloads of a large
    /// room lack the certificate that proves their authors.
    static let certificates = 16_384
    /// How long a certificate is remembered after it was last heard of. A longer one keeps those of people who left;
    /// with a shorter one, messages from yesterday's history cannot be checked.
    static let certificateMemory = Duration.seconds(24 * 3_600)
}
