import Noise
import Wire

/// Certificates of the runs of one identity, as a holder of its key can make them.
struct Runs: ~Copyable {
    private let identity: Identity
    private var randomness: Randomness

    /// - Parameter identitySeed: as for `Simulation.node`.
    init(identitySeed: UInt64) {
        var randomness = Randomness.seeded(identitySeed)
        identity = Identity.generate(using: &randomness)
        self.randomness = .seeded(identitySeed + 1_000)
    }

    var id: PeerID { identity.id }

    mutating func key() -> PublicKey {
        KeyPair.generate(using: &randomness, protection: .transient).publicKey
    }

    /// The dm key that the first certificate of a seed names, if no key is given.
    static func firstDM(identitySeed: UInt64) -> KeyPair {
        var randomness = Randomness.seeded(identitySeed + 1_000)
        _ = KeyPair.generate(using: &randomness, protection: .transient)
        return KeyPair.generate(using: &randomness, protection: .transient)
    }

    /// A certificate; keys that are not given are new.
    mutating func certificate(
        epoch: UInt64, noise: PublicKey? = nil, dm: PublicKey? = nil, serial: UInt64 = 0
    ) -> Certificate {
        Certificate.issue(
            by: identity, noise: noise ?? key(), dm: dm ?? key(), epoch: epoch, serial: serial)
    }
}

extension FrameType {
    /// A frame that carries a certificate.
    func frame(_ certificate: Certificate) -> [UInt8] { [rawValue] + certificate.bytes }
}
