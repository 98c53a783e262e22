package import ChatNode
import Noise
import Wire

/// The figures of a crowd: its overlay, its control traffic, and the time that it takes to get over a shock. Attackers are not
/// counted.
package struct CrowdFigures: Hashable, Sendable {
    /// Public messages that nodes sent to a link since all had met, as history too.
    package var messagesSent = 0
    /// Links of a node at the end of the talk, on average, in thousandths.
    package var linksMean = 0
    /// The most links that a node had in any second of the talk.
    package var linksMost = 0
    /// Messages that came live, by the links that they passed, less one; the last number also stands for all above it.
    package var hops: [Int] = []
    /// Records without a payload since all had met.
    package var control = ControlTally()
    /// Nodes that no chain of links between honest nodes joins to the largest part of the room, at the end of the talk.
    package var cutOff = 0
    /// Nil without a kill and without attackers that begin with the talk.
    package var shock: Shock?

    /// The time after a kill, or after the beginning of an attack.
    package struct Shock: Hashable, Sendable {
        /// From the shock until the last message was said that came late: more than 400 ms after it was said, as history, or
        /// not at all; zero if none did.
        package let recovery: Duration
        /// Of the messages that were said 5 s after the shock or later.
        package let afterwards: Deliveries
    }

    /// Links that messages passed on average, in thousandths; nil if none came.
    package var hopsMean: Int? {
        let count = hops.reduce(0, +)
        let sum = hops.enumerated().reduce(0) { $0 + $1.element * ($1.offset + 1) }
        return count == 0 ? nil : (sum * 1_000 + count / 2) / count
    }

    /// The most links that a message passed; nil if none came.
    package var hopsMost: Int? { hops.lastIndex { $0 > 0 }.map { $0 + 1 } }

    static let late = Duration.milliseconds(400)
    static let recoveryTime = Duration.seconds(5)

    /// How many of `nodes` are not in the largest part that links join.
    ///
    /// - Parameter links: the nodes that each has a link to; others than the keys are left out.
    static func countCutOff(_ links: [PeerID: [PeerID]]) -> Int {
        var seen: Set<PeerID> = []
        var largest = 0
        for start in links.keys where seen.insert(start).inserted {
            var (open, size) = ([start], 0)
            while let node = open.popLast() {
                size += 1
                open += (links[node] ?? []).filter { links[$0] != nil && seen.insert($0).inserted }
            }
            largest = max(largest, size)
        }
        return links.count - largest
    }
}
