import Noise
import Testing

/// Consent and receipts of direct messages, between two routers.
struct DirectSearchTests {
    @Test(arguments: SearchSize.isLarge ? [[2, 1], [2, 2]] : [[2, 1]])
    func `nothing is shown without consent, and each message gets an outcome`(_ messages: [Int]) {
        let found = Search.report("direct \(messages)", [DirectWorld(DirectWorld.Setting(messages: messages))])
        #expect(found.breach == nil && found.isWhole)
        #expect(found.states >= 20_000 && found.quiet >= 500)
    }

    @Test(arguments: DirectWorld.Mutant.allCases)
    func `each rule that is left out is missed`(_ mutant: DirectWorld.Mutant) {
        let found = Search.report("direct \(mutant)", [DirectWorld(DirectWorld.Setting(mutant: mutant))])
        #expect(found.breach?.invariant == mutant.invariant)
    }

    @Test func `a copy of a router goes on as the router does`() throws {
        var randomness = Randomness.seeded(1)
        for _ in 0..<100 {
            var (copied, other) = (DirectWorld(DirectWorld.Setting()), DirectWorld(DirectWorld.Setting(copies: false)))
            while let step = copied.steps.randomElement(using: &randomness) {
                try copied.take(step)
                try other.take(step)
                var digests = (Digest(), Digest())
                copied.write(to: &digests.0)
                other.write(to: &digests.1)
                #expect(digests.0.content == digests.1.content, "\(step)")
            }
        }
    }
}

extension DirectWorld.Mutant {
    fileprivate var invariant: String {
        switch self {
        case .requestIsConsent: "consent"
        case .receiptBeforeConsent: "receipt"
        case .nothingAgain: "settled"
        case .failsAtCut: "outcome"
        }
    }
}
