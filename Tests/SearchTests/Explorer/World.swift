/// A small system of values whose steps can happen in any order.
///
/// Equal digests have equal futures: a property that a world leaves out of its digest decides nothing that an invariant reads.
protocol World {
    associatedtype Step: Sendable, CustomStringConvertible

    /// The steps that can happen now, within the bounds of the world.
    var steps: [Step] { get }

    /// Nothing is under way: no step that is left has to happen.
    var isQuiet: Bool { get }

    /// Takes one of `steps`. Throws the breach of an invariant that holds at any moment.
    mutating func take(_ step: Step) throws(Breach)

    /// Writes all that decides what can still happen.
    func write(to digest: inout Digest)

    /// Throws the breach of an invariant that holds where all is quiet.
    func judge() throws(Breach)
}

/// An invariant that does not hold.
struct Breach: Error, Hashable, CustomStringConvertible {
    let invariant: String
    let description: String

    init(_ invariant: String, _ description: String) {
        self.invariant = invariant
        self.description = description
    }
}
