/// The settings of an experiment: number of nodes or, in several rooms, of processes, kind of network, rate of messages.
package struct ExperimentSettings: Hashable, Sendable {
    package var nodes = 20
    /// The rooms that each process is in, by a node of its own in each; the first is open, the others are private.
    package var rooms = 1
    package var messages = 100
    /// Messages a second, of all nodes together.
    package var rate = 10.0
    /// One way, of each segment.
    package var latency: ClosedRange<Duration> = .milliseconds(1)...(.milliseconds(20))
    /// The share of segments that are lost and sent again, from 0 to 0.5.
    package var loss = 0.0
    /// How many others each node sees; nil for all.
    package var links: Int?
    /// For how long the room is cut in halves.
    package var partition = Duration.zero
    /// Nodes a minute that leave or are killed; for each of them another comes.
    package var churnPerMinute = 0.0
    /// Nodes that never leave: those in the first places.
    package var residents = 0
    /// How often the tables of the residents are counted; nil for never.
    package var sampling: Duration?
    package var seed: UInt64 = 1

    package init() {}

    package static let mostNodes = 1_000
    package static let mostMessages = 1_000_000
    /// The most links of a node (Protocol.md section 11): a fully linked room can have one node more.
    package static let mostLinks = 256
}
