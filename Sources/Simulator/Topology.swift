import Noise

/// Which places of a simulated network hear each other's announcements; each host has one place.
package struct Topology: Sendable {
    /// For each place those that it sees; nil where all see all.
    private let neighbours: [Set<Int>]?

    private init(neighbours: [Set<Int>]?) {
        self.neighbours = neighbours
    }

    /// All hosts hear each other, as on one network.
    package static let full = Topology(neighbours: nil)

    /// Networks of `size` places each, which do not hear each other.
    package static func separate(_ networks: Int, of size: Int) -> Topology {
        Topology(
            neighbours: (0..<networks * size).map { place in
                let first = place / size * size
                return Set(first..<first + size).subtracting([place])
            })
    }

    /// A connected graph: a ring of all places, and random chords until each place sees `links` others, or nearly.
    ///
    /// - Parameter links: at least 2. Where there are no more places than that, it is the full graph.
    package static func limited(places: Int, links: Int, seed: UInt64) -> Topology {
        precondition(links >= 2, "a ring needs 2 links at each place")
        guard links < places - 1 else { return .full }
        var randomness = Randomness.seeded(seed)
        var neighbours = (0..<places).map { Set([($0 + 1) % places, ($0 + places - 1) % places]) }
        // Each round pairs those that have room left; a pair that is one already has another chance in the next.
        for _ in 0..<(2 * links) {
            let free = (0..<places).filter { neighbours[$0].count < links }.shuffled(using: &randomness)
            for index in stride(from: 0, to: free.count - 1, by: 2) {
                neighbours[free[index]].insert(free[index + 1])
                neighbours[free[index + 1]].insert(free[index])
            }
        }
        return Topology(neighbours: neighbours)
    }

    package func sees(_ first: Int, _ second: Int) -> Bool {
        guard let neighbours else { return true }
        return neighbours.indices.contains(first) && neighbours[first].contains(second)
    }

    /// How many others of `places` a place sees.
    package func degree(of place: Int, among places: Int) -> Int {
        neighbours.map { $0[place].count } ?? places - 1
    }
}
