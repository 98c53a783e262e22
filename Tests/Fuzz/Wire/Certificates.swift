import Chat
import Noise
import Wire

@testable import ChatNode

extension FuzzTarget {
    /// Only a certificate with a valid signature is accepted, and all nodes prefer the same one of two.
    static let certificate = FuzzTarget(name: "certificate", seeds: CertificateRules.seeds) { input in
        var choices = Choices(input)
        switch choices.below(3) {
        case 0: CertificateRules.checkForeign(choices.rest())
        case 1: CertificateRules.checkChanged(&choices)
        default: CertificateRules.checkOrder(&choices)
        }
    }
}

private enum CertificateRules {
    static func seeds() -> [[UInt8]] {
        let genuine = Stranger(1).certificate
        return [[0] + genuine.bytes, [1, 0], [1, 3, 0, 100, 1], [2] + (0..<24).map { $0 }]
    }

    static func checkForeign(_ bytes: [UInt8]) {
        guard let certificate = try? Certificate(verifying: bytes.span) else { return }
        demand(certificate.bytes == bytes && bytes.count == Certificate.byteCount, "a certificate has other bytes")
    }

    static func checkChanged(_ choices: inout Choices) {
        let genuine = Stranger(UInt64(choices.below(3))).certificate
        var bytes = genuine.bytes
        choices.mutate(&bytes, times: 4)
        let accepted = try? Certificate(verifying: bytes.span)
        demand((accepted != nil) == (bytes == genuine.bytes), "a changed certificate is accepted, or a true one not")
        demand(accepted == nil || accepted?.epoch == genuine.epoch, "a certificate is read wrongly")
    }

    /// The table of known certificates, which arrive in any order at any time.
    static func checkOrder(_ choices: inout Choices) {
        let alice = Stranger(0)
        let bob = Stranger(1)
        var known = KnownCertificates(capacity: 4)
        var now = Instant(nanoseconds: 0)
        while !choices.isOver {
            let (epoch, time, run) = (UInt64(choices.below(4)), UInt64(choices.below(4)), choices.flag())
            let isAlice = choices.flag()
            let certificate =
                isAlice
                ? alice.certify(epoch: epoch, serial: time, run: run)
                : bob.certify(epoch: epoch, serial: time, run: run)
            let before = known.best(of: certificate.identity, now: now)
            if let before {
                let isOneWay = !(certificate.isBetter(than: before) && before.isBetter(than: certificate))
                demand(isOneWay, "each of two certificates is better than the other")
            }
            known.keep(certificate, now: now)
            let best = known.best(of: certificate.identity, now: now)
            demand(best != nil, "a certificate that was just kept is not known")
            if let before, let best { demand(!before.isBetter(than: best), "a worse certificate took the place") }
            now = now + .seconds(choices.below(4) * 30_000)
        }
    }
}

/// An identity with keys, derived from a number.
struct Stranger: ~Copyable {
    let identity: Identity
    let noise: KeyPair
    let otherNoise: KeyPair
    let dm: KeyPair

    init(_ number: UInt64) {
        var randomness = Randomness.seeded(number)
        identity = Identity.generate(using: &randomness)
        noise = KeyPair.generate(using: &randomness, protection: .transient)
        otherNoise = KeyPair.generate(using: &randomness, protection: .transient)
        dm = KeyPair.generate(using: &randomness, protection: .transient)
    }

    var id: PeerID { identity.id }
    var certificate: Certificate { certify(epoch: 1, serial: 1, run: false) }

    func certify(epoch: UInt64, serial: UInt64, run: Bool) -> Certificate {
        Certificate.issue(
            by: identity, noise: run ? otherNoise.publicKey : noise.publicKey, dm: dm.publicKey, epoch: epoch,
            serial: serial)
    }
}
