import ChatNode
import Testing
import Wire

@testable import ChatNode

/// The rates of one link (Protocol.md section 11).
@Suite struct LinkRatesTests {
    struct Bound: Sendable {
        let rate: LinkRate
        let burst: Int
        let perSecond: Double
    }

    private static let bounds = [
        Bound(rate: .relayed, burst: 40, perSecond: 20), Bound(rate: .relayedInCrowd, burst: 400, perSecond: 200),
        Bound(rate: .bridged, burst: 400, perSecond: 200), Bound(rate: .clocks, burst: 4, perSecond: 0.1),
        Bound(rate: .betterCertificates, burst: 5, perSecond: 5.0 / 60),
    ]
    private let start = Instant(nanoseconds: 1_000_000_000)

    /// How many frames of a rate pass at a time.
    private func passing(_ rate: LinkRate, _ rates: inout LinkRates, at now: Instant) -> Int {
        var count = 0
        while count < 1_000, rates.takeToken(rate, now: now) { count += 1 }
        return count
    }

    @Test(arguments: bounds) func `a burst passes at once, then as much as the rate brings back`(bound: Bound) {
        var rates = LinkRates(now: start)
        #expect(passing(bound.rate, &rates, at: start) == bound.burst)
        let pause = Duration.nanoseconds(Int64(1e9 / bound.perSecond))
        #expect(passing(bound.rate, &rates, at: start + pause + .milliseconds(-1)) == 0)
        #expect(passing(bound.rate, &rates, at: start + pause + .milliseconds(1)) == 1)
        #expect(passing(bound.rate, &rates, at: start + .seconds(86_400)) == bound.burst)
    }

    @Test func `no rate takes of another`() {
        var rates = LinkRates(now: start)
        #expect(Self.bounds.map { passing($0.rate, &rates, at: start) } == Self.bounds.map(\.burst))
    }
}
