/// The settings of an experiment: number of nodes or, in several rooms, of processes, kind of network, rate of messages.
package struct ExperimentSettings: Hashable, Sendable {
    package var nodes = 20
    /// Networks of `nodes` nodes each, which only a broker joins; the first node of each is a bridge.
    package var networks = 1
    /// Connections of bridges to the broker that end, a minute, of all together.
    package var outagesPerMinute = 0.0
    /// The rooms that each process is in, by a node of its own in each; the first is open, the others are private.
    package var rooms = 1
    package var messages = 100
    /// Messages a second, of all nodes together.
    package var rate = 10.0
    /// Reactions a second to the latest messages, of all nodes together.
    package var reactions = 0.0
    /// One way, of each segment.
    package var latency: ClosedRange<Duration> = .milliseconds(1)...(.milliseconds(20))
    /// The share of segments that are lost and sent again, from 0 to 0.5.
    package var loss = 0.0
    /// Lost segments are sent again once later ones are acknowledged, not only after a timeout.
    package var hasSACK = false
    /// Each direction of a connection has a latency of its own, drawn once, instead of one for each segment.
    package var isAsymmetric = false
    /// Nodes that read slowly; nil for none.
    package var slowReaders: SlowReaders?
    /// How many others each node sees; nil for all.
    package var links: Int?
    /// For how long the room is cut in halves.
    package var partition = Duration.zero
    /// Nodes a minute that leave or are killed; for each of them another comes.
    package var churnPerMinute = 0.0
    /// How many nodes the room has at first and at last, if it grows to `nodes` and shrinks while they talk; nil if not.
    package var growth: Int?
    /// Nodes that never leave: those in the first places.
    package var residents = 0
    /// How often the tables of the residents are counted; nil for never.
    package var sampling: Duration?
    package var seed: UInt64 = 1
    /// Nodes that are killed all at once; nil for none.
    package var massKill: MassKill?
    /// Killed nodes vanish without a sign instead of closing their links.
    package var vanishes = false
    /// Nodes that take part to do harm; nil for none.
    package var attackers: Attackers?
    /// Addresses of one more attacker, which takes part with a key of its own at each.
    package var attackerAddresses = 0
    /// The limits on rates and handshakes hold, as in the program.
    package var isLimited = false

    package init() {}

    /// A share of the nodes, and when they die.
    package struct MassKill: Hashable, Sendable {
        /// From 0 to 0.9.
        package let share: Double
        /// From the beginning of the talk.
        package let after: Duration

        package init(share: Double, after: Duration) {
            (self.share, self.after) = (share, after)
        }
    }

    /// A share of the nodes, and how fast each of them reads.
    package struct SlowReaders: Hashable, Sendable {
        /// From 0 to 1.
        package let share: Double
        /// In bytes a second, of all connections together.
        package let rate: Int

        package init(share: Double, rate: Int) {
            (self.share, self.rate) = (share, rate)
        }
    }

    /// A share of the nodes, and what they do.
    package struct Attackers: Hashable, Sendable {
        /// From 0 to 0.5.
        package let share: Double
        package let attack: Attack

        package init(share: Double, attack: Attack) {
            (self.share, self.attack) = (share, attack)
        }
    }

    /// The harm that a member of the room does, from within it.
    package enum Attack: String, Hashable, Sendable, CaseIterable {
        /// It takes part in links, forwards nothing and announces nothing.
        case silent
        /// It behaves until the talk begins; from then on it only answers pings.
        case mute
        /// As silent; it also asks for all trees on each link, again whenever they are refused.
        case greedy
        /// As silent; it also opens as many links as it can, so that others find no room.
        case fill
    }

    /// The time from the first to the last message.
    package var talk: Duration { .nanoseconds(Int64(Double(messages) * (1 / rate) * 1e9)) }

    /// The nodes of all networks.
    package var places: Int { nodes * networks }

    /// The network that carries what nodes send.
    package var conditions: Conditions {
        Conditions(latency: latency, loss: loss, isAsymmetric: isAsymmetric, hasSACK: hasSACK)
    }

    /// True if the report has the figures of a crowd: smaller rooms are fully linked.
    package var isCrowd: Bool {
        nodes > ExperimentSettings.mostInMesh || massKill != nil || vanishes || attackers != nil || isLimited
            || attackerAddresses > 0
    }

    /// The nodes of a room whose nodes all link with each other.
    package static let mostInMesh = 32
    package static let mostNodes = 10_000
    package static let mostNetworks = 256
    package static let mostAddresses = 10_000
    package static let mostMessages = 1_000_000
    /// The most links of a node (Protocol.md section 11).
    package static let mostLinks = 256
}
