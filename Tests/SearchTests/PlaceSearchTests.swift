import Testing

/// Two runs of one identity, and their peer.
struct PlaceSearchTests {
    @Test func `of two runs of one identity one goes on, and its peer knows it`() {
        let found = Search.report("place", PlaceWorld.Setting.all().map { PlaceWorld($0) })
        #expect(found.breach == nil && found.isWhole)
        #expect(found.states >= 40_000 && found.quiet >= 100)
    }

    @Test(arguments: PlaceWorld.Mutant.allCases)
    func `each rule that is left out is missed`(_ mutant: PlaceWorld.Mutant) {
        let found = Search.report("place \(mutant)", PlaceWorld.Setting.all(mutant).map { PlaceWorld($0) })
        #expect(found.breach?.invariant == mutant.invariant)
    }
}

extension PlaceWorld.Mutant {
    fileprivate var invariant: String {
        switch self {
        case .noVerdict: "end"
        case .alwaysYoung: "last"
        case .earlierLinkStays, .worseHandshakeStays: "one"
        case .reissueIsSecret: "known"
        }
    }
}
