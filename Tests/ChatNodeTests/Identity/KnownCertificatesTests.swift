import Noise
import Testing
import Wire

@testable import ChatNode

@Suite struct KnownCertificatesTests {
    private let start = Instant(nanoseconds: 0)

    @Test func `a certificate's effect depends on the run, its epoch and its time of issue`() {
        var runs = Runs(identitySeed: 2)
        let noise = runs.key()
        let known = runs.certificate(epoch: 10, noise: noise, serial: 100)
        var table = KnownCertificates()
        #expect(table.news(of: known, now: start) == .first)
        table.keep(known, now: start)
        #expect(table.news(of: known, now: start) == .nothing)
        #expect(table.news(of: runs.certificate(epoch: 10, noise: noise, serial: 99), now: start) == .nothing)
        #expect(table.news(of: runs.certificate(epoch: 10, noise: noise, serial: 101), now: start) == .renewal)
        #expect(table.news(of: runs.certificate(epoch: 11, noise: noise, serial: 1), now: start) == .better)
        #expect(table.news(of: runs.certificate(epoch: 9, noise: noise, serial: 200), now: start) == .nothing)
        #expect(table.news(of: runs.certificate(epoch: 11), now: start) == .better)
        #expect(table.news(of: runs.certificate(epoch: 9), now: start) == .worse(than: known))
    }

    @Test func `only what is better or later is kept`() {
        var runs = Runs(identitySeed: 2)
        let noise = runs.key()
        let kept = runs.certificate(epoch: 10, noise: noise, serial: 100)
        var table = KnownCertificates()
        table.keep(kept, now: start)
        for other in [
            runs.certificate(epoch: 10, noise: noise, serial: 99), runs.certificate(epoch: 9),
            runs.certificate(epoch: 9, noise: noise, serial: 500),
        ] {
            table.keep(other, now: start)
            #expect(table.best(of: runs.id, now: start) == kept)
        }
        let renewed = runs.certificate(epoch: 10, noise: noise, serial: 101)
        table.keep(renewed, now: start)
        #expect(table.best(of: runs.id, now: start) == renewed)
        let better = runs.certificate(epoch: 11)
        table.keep(better, now: start)
        #expect(table.best(of: runs.id, now: start) == better)
    }

    @Test func `a certificate is forgotten a day after it was last heard of`() {
        var runs = Runs(identitySeed: 2)
        let certificate = runs.certificate(epoch: 10)
        var table = KnownCertificates()
        table.keep(certificate, now: start)
        let later = start + .seconds(3_600)
        table.keep(certificate, now: later)
        #expect(table.best(of: runs.id, now: start + Limits.certificateMemory) == certificate)
        #expect(table.best(of: runs.id, now: later + Limits.certificateMemory) == nil)
        #expect(table.news(of: runs.certificate(epoch: 1), now: later + Limits.certificateMemory) == .first)
    }

    @Test func `a flood of identities leaves the latest half and no more than the capacity`() {
        var table = KnownCertificates(capacity: 8)
        var ids: [PeerID] = []
        for seed in 1...40 as ClosedRange<UInt64> {
            var runs = Runs(identitySeed: seed)
            ids.append(runs.id)
            table.keep(runs.certificate(epoch: 1), now: start)
        }
        let kept = ids.filter { table.best(of: $0, now: start) != nil }
        #expect(kept.count <= 8)
        #expect(ids.suffix(4).allSatisfy(kept.contains))
    }
}
