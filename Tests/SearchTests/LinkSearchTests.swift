import Testing

/// Crossed dials of two nodes.
struct LinkSearchTests {
    @Test(arguments: SearchSize.isLarge ? [[4, 1], [4, 2], [5, 2]] : [[4, 1]])
    func `of two connections of two nodes one stays, and both agree`(_ bounds: [Int]) {
        let setting = LinkScene.Setting(connections: bounds[0], losses: bounds[1])
        let found = Search.report("links \(bounds)", [Replay<LinkScene>(setting)])
        #expect(found.breach == nil && found.isWhole)
        #expect(found.states >= 600 && found.quiet >= 100)
    }

    @Test(arguments: LinkScene.Mutant.allCases)
    func `each rule that is left out is missed`(_ mutant: LinkScene.Mutant) {
        let found = Search.report("links \(mutant)", [Replay<LinkScene>(LinkScene.Setting(mutant: mutant))])
        #expect(found.breach?.invariant == mutant.invariant)
    }
}

extension LinkScene.Mutant {
    fileprivate var invariant: String {
        switch self {
        case .ownStays: "agreement"
        case .noGoodbye: "one"
        }
    }
}
