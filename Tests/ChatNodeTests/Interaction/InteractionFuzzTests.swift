import Glibc
import Testing

/// Two rooms of 2 to 6 processes in which anything happens at any time. `EARSHOT_FUZZ_SEED=N` runs one seed alone and tells its
/// script; `EARSHOT_FUZZ_RUNS=N` runs as many as wished.
@Suite struct InteractionFuzzTests {
    private static let portion: UInt64 = 50
    private static let runs = number("EARSHOT_FUZZ_RUNS") ?? 500

    static let portions: [ClosedRange<UInt64>] =
        if let seed = number("EARSHOT_FUZZ_SEED") {
            [seed...seed]
        } else {
            stride(from: 1, through: max(1, runs), by: UInt64.Stride(portion)).map { $0...min($0 + portion - 1, runs) }
        }

    @Test(arguments: portions)
    func
        `under any actions of users and network, nothing is lost without cause, reported twice, invented or in another room`(
            seeds: ClosedRange<UInt64>
        )
    {
        for seed in seeds {
            let script = InteractionScript(seed: seed)
            let breaches = InteractionProcesses(script).play()
            if let first = breaches.first {
                Issue.record("\(breaches.count) breaches, first: \(first)\nEARSHOT_FUZZ_SEED=\(script)")
                break
            }
        }
    }

    private static func number(_ name: String) -> UInt64? {
        guard let value = unsafe getenv(name) else { return nil }
        return UInt64(unsafe String(cString: value))
    }
}
