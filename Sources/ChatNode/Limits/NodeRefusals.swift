import Chat

/// What came to nothing elsewhere than in admission, for `/stats`.
extension Node {
    var refusalCounters: [Counter] {
        let refused = router.refusals
        return Refusal.allCases.map { Counter(name: "refused_\($0.rawValue)", value: refused[$0] ?? 0) }
            + transport.refusals + discoveries.flatMap(\.refusals)
    }
}
