/// An exhaustive search of a world: every order of its steps, breadth first, so that a breach is shown with the fewest steps.
///
/// Where no bound of the search cut anything off, it also looks whether each state leads to a quiet one: else the world can come to go round
/// without end.
struct Search<Subject: World> {
    /// The steps from the beginning that are followed.
    var depth = 1_000
    /// The states that are kept; the search is not whole beyond them.
    var states = 4_000_000

    /// The findings of a search.
    struct Result {
        var states = 0
        var transitions = 0
        /// States in which nothing was under way.
        var quiet = 0
        /// The steps to the last state that was new.
        var depth = 0
        /// No bound of the search cut anything off.
        var isWhole = true
        var breach: Breach?
        /// The steps that lead to the breach.
        var trace: [String] = []

        /// A row for a person who reads the output of the tests.
        func row(_ name: String) -> String {
            "-- search \(name): \(states) states, \(transitions) transitions, \(quiet) quiet, depth \(depth)"
                + (isWhole ? "" : ", cut off") + (breach.map { ", breach of \($0.invariant): \($0)" } ?? "")
        }
    }

    /// A state that was reached, and how.
    private struct Visit {
        let before: Int
        let step: Subject.Step?
    }

    private var visits: [Visit] = []
    private var known: [StateKey: Int] = [:]
    /// The states before each state.
    private var sources: [[Int32]] = []
    private var quiet: [Int] = []
    private var result = Result()

    init(depth: Int = 1_000, states: Int = 4_000_000) {
        (self.depth, self.states) = (depth, states)
    }

    /// Searches from the given states.
    mutating func run(from beginnings: [Subject]) -> Result {
        var frontier: [(place: Int, world: Subject)] = []
        for world in beginnings where enter(world, from: -1, by: nil) { frontier.append((visits.count - 1, world)) }
        for level in 0..<depth {
            var next: [(place: Int, world: Subject)] = []
            for (place, world) in frontier {
                do throws(Breach) {
                    try expand(world, at: place, into: &next)
                } catch {
                    return ended(by: error)
                }
            }
            guard !next.isEmpty else { return ended(by: result.isWhole ? findTrap() : nil) }
            result.depth = level + 1
            frontier = next
        }
        result.isWhole = false
        return ended(by: nil)
    }

    private mutating func expand(
        _ world: Subject, at place: Int, into next: inout [(place: Int, world: Subject)]
    ) throws(Breach) {
        if world.isQuiet {
            result.quiet += 1
            quiet.append(place)
            do throws(Breach) {
                try world.judge()
            } catch {
                result.trace = trace(to: place)
                throw error
            }
        }
        for step in world.steps {
            result.transitions += 1
            var following = world
            do throws(Breach) {
                try following.take(step)
            } catch {
                result.trace = trace(to: place) + [step.description]
                throw error
            }
            guard visits.count < states else {
                result.isWhole = false
                continue
            }
            if enter(following, from: place, by: step) { next.append((visits.count - 1, following)) }
        }
    }

    /// False for a state that was visited.
    private mutating func enter(_ world: Subject, from before: Int, by step: Subject.Step?) -> Bool {
        var digest = Digest()
        world.write(to: &digest)
        let place = known[digest.key] ?? visits.count
        let isNew = place == visits.count
        if isNew {
            known[digest.key] = place
            visits.append(Visit(before: before, step: step))
            sources.append([])
        }
        if before >= 0 { sources[place].append(Int32(before)) }
        return isNew
    }

    /// The state with the fewest steps from which no quiet state can be reached.
    private mutating func findTrap() -> Breach? {
        var leads = [Bool](repeating: false, count: visits.count)
        var waiting = quiet
        for place in quiet { leads[place] = true }
        while let place = waiting.popLast() {
            for before in sources[place] where !leads[Int(before)] {
                leads[Int(before)] = true
                waiting.append(Int(before))
            }
        }
        guard let trap = leads.firstIndex(of: false) else { return nil }
        result.trace = trace(to: trap)
        return Breach("end", "from here nothing leads to rest")
    }

    private mutating func ended(by breach: Breach?) -> Result {
        result.breach = breach
        result.states = visits.count
        return result
    }

    private func trace(to place: Int) -> [String] {
        var (steps, place): ([String], Int) = ([], place)
        while place >= 0 {
            if let step = visits[place].step { steps.append(step.description) }
            place = visits[place].before
        }
        return steps.reversed()
    }
}

extension Search {
    /// Searches, and prints what was found, with the steps to a breach.
    static func report(_ name: String, _ beginnings: [Subject], states: Int = 4_000_000) -> Result {
        let start = ContinuousClock.now
        var search = Search(states: states)
        let result = search.run(from: beginnings)
        print(result.row(name), ContinuousClock.now - start)
        for step in result.trace { print("--   \(step)") }
        return result
    }
}
