import Testing

/// The repair of trees among three nodes.
struct TreeSearchTests {
    @Test func `no tree stays broken when a link is lost`() {
        let found = Search.report("trees", [TreeWorld(TreeWorld.Setting(authors: [0, 0]))])
        #expect(found.breach == nil && found.isWhole)
        #expect(found.states >= 2_000 && found.quiet >= 50)
    }

    @Test(
        .enabled(if: SearchSize.isLarge),
        arguments: [
            TreeWorld.Setting(authors: [0, 1], losses: 0), TreeWorld.Setting(returns: 1), TreeWorld.Setting(hurries: 1),
            TreeWorld.Setting(authors: [0, 1]),
        ])
    func `no tree stays broken within larger bounds`(_ setting: TreeWorld.Setting) {
        let found = Search.report("trees \(setting)", [TreeWorld(setting)], states: 30_000)
        #expect(found.breach == nil)
    }

    @Test(arguments: TreeWorld.Mutant.allCases)
    func `each rule that is left out is missed`(_ mutant: TreeWorld.Mutant) {
        let found = Search.report("trees \(mutant)", [TreeWorld(TreeWorld.Setting(mutant: mutant))])
        #expect(found.breach?.invariant == mutant.invariant)
    }
}

extension TreeWorld.Mutant {
    fileprivate var invariant: String {
        switch self {
        case .lossUnheard, .graftsLost: "whole"
        case .noTimers: "complete"
        }
    }
}
