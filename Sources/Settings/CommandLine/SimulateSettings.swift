import Commands
package import Simulator
import Wire

/// The settings of `earshot simulate`.
package struct SimulateSettings: Sendable {
    package var experiment = ExperimentSettings()
    /// Nil for all, where a node holds so many.
    package var links: Links?
    package var isJSON = false

    package init() {}

    package enum Links: Hashable, Sendable {
        case all
        case limit(Int)
    }

    static let attacks = ExperimentSettings.Attack.allCases.map(\.rawValue)
}

extension SimulateSettings: CommandSettings {
    package static let command = Invocation.CommandName.simulate
    package static let summary = "many nodes in one process on a simulated network"
    package static let options: [Option<SimulateSettings>] = talk + network + room + harm

    private static let talk: [Option<SimulateSettings>] = [
        whole("--nodes", "how many nodes there are (default 20)", 1...ExperimentSettings.mostNodes) { $0.nodes = $1 },
        whole("--rooms", "rooms that each is in, by a node in each; one is open (default 1)", 1...Limits.rooms) {
            $0.rooms = $1
        },
        whole(
            "--messages", "how many messages they send, each from a random node (default 100)",
            0...ExperimentSettings.mostMessages
        ) { $0.messages = $1 },
        number(
            "--rate", "N", "messages a second, of all together (default 10)",
            wanted: "a number of messages a second from 0.001 to 10000", 0.001...10_000
        ) { $0.rate = $1 },
        number(
            "--reactions", "N", "reactions a second to the latest messages, of all together (default 0)",
            wanted: "a number of reactions a second from 0 to 10000", 0...10_000
        ) { $0.reactions = $1 },
    ]

    private static let network: [Option<SimulateSettings>] = [
        whole(
            "--networks", "networks of --nodes nodes each, joined over a broker (default 1)",
            1...ExperimentSettings.mostNetworks
        ) { $0.networks = $1 },
        number(
            "--outages", "N", "with --networks: lost connections to the broker a minute (default 0)",
            wanted: "a number a minute from 0 to 6000", 0...6_000
        ) { $0.outagesPerMinute = $1 },
        .value(
            "--latency", "MS", "of the network, one way, in milliseconds (default 1-20)",
            wanted: "milliseconds from 0 to 10000, or a range of them, like 1-20", latency
        ) { $0.experiment.latency = $1 },
        number(
            "--loss", "PERCENT", "packets that are lost, and sent again as by TCP, in percent (default 0)",
            wanted: "a percentage from 0 to 50", 0...50
        ) { $0.loss = $1 / 100 },
        .flag("--sack", "with --loss: packets are sent again once later ones are acknowledged") {
            $0.experiment.hasSACK = true
        },
        .flag("--asymmetric", "each direction of a link has a latency of its own") {
            $0.experiment.isAsymmetric = true
        },
        .value(
            "--slow", "PERCENT:KB/S", "nodes that read slowly, in percent, and how many kB a second each reads",
            wanted: "a percentage from 0 to 100 and kB a second from 1 to 1000000, like 10:50", slowReaders
        ) { $0.experiment.slowReaders = $1 },
        .value(
            "--links", "N", "others in sight of each: 2 to 256, or all (default all)",
            wanted: "a number from 2 to \(ExperimentSettings.mostLinks), or all",
            { $0 == "all" ? .all : whole($0, 2...ExperimentSettings.mostLinks).map(Links.limit) }
        ) { $0.links = $1 },
        number(
            "--partition", "SECONDS", "cut the room in halves for so long while they talk (default 0)",
            wanted: "a number of seconds from 0 to 3600", 0...3_600
        ) { $0.partition = .milliseconds(Int($1 * 1_000)) },
    ]

    private static let room: [Option<SimulateSettings>] = [
        whole(
            "--growth", "nodes at first; it grows to --nodes and shrinks again (default all)",
            1...ExperimentSettings.mostNodes
        ) { $0.growth = $1 },
        number(
            "--churn", "N", "nodes a minute that leave or are killed; others come instead (default 0)",
            wanted: "a number of nodes a minute from 0 to 6000", 0...6_000
        ) { $0.churnPerMinute = $1 },
        whole("--residents", "nodes that never leave (default 0)", 0...ExperimentSettings.mostNodes) {
            $0.residents = $1
        },
        .value(
            "--sample", "SECONDS", "with --json: how often the residents' tables are counted (default never)",
            wanted: "a number of seconds from 1 to 86400", { whole($0, 1...86_400) }
        ) { $0.experiment.sampling = .seconds($1) },
        .value(
            "--seed", "N", "what all chance comes from: the same seed, the same run (default 1)",
            wanted: "a whole number", { UInt64(decimal: $0) }
        ) { $0.experiment.seed = $1 },
    ]

    private static let harm: [Option<SimulateSettings>] = [
        .value(
            "--kill", "PERCENT@SECONDS", "nodes that are killed, in percent, so long after the first message",
            wanted: "a percentage from 0 to 90 and seconds from 0 to 3600, like 20@5", massKill
        ) { $0.experiment.massKill = $1 },
        .flag("--vanish", "killed nodes vanish without a sign; their links stay half open") {
            $0.experiment.vanishes = true
        },
        .value(
            "--attackers", "PERCENT:KIND",
            "nodes that do harm, in percent, and how: \(attacks.joined(separator: ", "))",
            wanted: "a percentage from 0 to 50 and one of \(attacks.joined(separator: ", ")), like 20:silent", attackers
        ) { $0.experiment.attackers = $1 },
        whole(
            "--addresses", "addresses of one more attacker, a member with links at each (default 0)",
            0...ExperimentSettings.mostAddresses
        ) { $0.attackerAddresses = $1 },
        .flag("--limits", "limits on rates and handshakes hold, as in the program") { $0.experiment.isLimited = true },
        .flag("--json", "one line of JSON instead of a table") { $0.isJSON = true },
    ]

    private static func whole(
        _ name: String, _ help: String, _ range: ClosedRange<Int>,
        _ set: @escaping @Sendable (inout ExperimentSettings, Int) -> Void
    ) -> Option<SimulateSettings> {
        let wanted = "a number from \(range.lowerBound) to \(range.upperBound)"
        return .value(name, "N", help, wanted: wanted, { whole($0, range) }) { set(&$0.experiment, $1) }
    }

    private static func number(
        _ name: String, _ placeholder: String, _ help: String, wanted: String, _ range: ClosedRange<Double>,
        _ set: @escaping @Sendable (inout ExperimentSettings, Double) -> Void
    ) -> Option<SimulateSettings> {
        .value(name, placeholder, help, wanted: wanted, { number($0, range) }) { set(&$0.experiment, $1) }
    }

    package mutating func take(operands: [String]) throws(UsageError) {
        try refuse(operands)
        chooseLinks()
        try checkNetworks()
        try checkGrowth()
        try checkHarm()
    }

    /// Refuses a room that does not grow, and one whose places have to be taken from the beginning.
    private func checkGrowth() throws(UsageError) {
        guard let growth = experiment.growth else { return }
        guard growth < experiment.nodes else {
            throw UsageError("--growth is how many nodes the room begins with; give more --nodes")
        }
        guard experiment.links == nil, experiment.attackers == nil else {
            throw UsageError("--growth goes without --links and --attackers")
        }
    }

    /// Refuses options that several networks do not go with, and more nodes than a run may have.
    private func checkNetworks() throws(UsageError) {
        guard experiment.networks > 1 else {
            guard experiment.outagesPerMinute == 0 else {
                throw UsageError("--outages is about the broker of several networks; add --networks")
            }
            return
        }
        guard experiment.places <= ExperimentSettings.mostNodes else {
            throw UsageError("all networks together have at most \(ExperimentSettings.mostNodes) nodes")
        }
        let isSteady =
            experiment.rooms == 1 && experiment.links == nil && experiment.partition == .zero
            && experiment.churnPerMinute == 0 && experiment.massKill == nil && experiment.attackers == nil
            && experiment.growth == nil && experiment.attackerAddresses == 0
        guard isSteady else {
            throw UsageError(
                "--networks goes without --rooms, --links, --partition, --growth, --churn, --kill, --attackers and "
                    + "--addresses")
        }
    }

    /// How many others each node sees, where that is not the number of all.
    private mutating func chooseLinks() {
        switch links {
        case .limit(let count): experiment.links = count < experiment.nodes - 1 ? count : nil
        case .all, nil: experiment.links = nil
        }
    }

    /// Refuses options about harm that would have no effect.
    private func checkHarm() throws(UsageError) {
        if experiment.vanishes, experiment.massKill == nil, experiment.churnPerMinute == 0 {
            throw UsageError("--vanish is about killed nodes; add --kill or --churn")
        }
        if let kill = experiment.massKill, kill.after >= experiment.talk {
            throw UsageError("--kill comes after the last message; give more --messages or a lower --rate")
        }
        if experiment.attackers != nil || experiment.attackerAddresses > 0, experiment.rooms > 1 {
            throw UsageError("attackers are in one room only; leave --attackers, --addresses or --rooms out")
        }
        if experiment.attackerAddresses > 0, experiment.links != nil {
            throw UsageError("an attacker with many addresses is in sight of all; leave --addresses or --links out")
        }
        if experiment.hasSACK, experiment.loss == 0 {
            throw UsageError("--sack is about lost packets; add --loss")
        }
        if experiment.isAsymmetric, experiment.latency.lowerBound == experiment.latency.upperBound {
            throw UsageError("--asymmetric draws from a range; give one to --latency, like 10-50")
        }
    }

    private static func whole(_ text: String, _ range: ClosedRange<Int>) -> Int? {
        Int(decimal: text).flatMap { range.contains($0) ? $0 : nil }
    }

    private static func number(_ text: String, _ range: ClosedRange<Double>) -> Double? {
        Double(decimal: text).flatMap { range.contains($0) ? $0 : nil }
    }

    /// `20@5`: percent and seconds.
    @Sendable private static func massKill(_ text: String) -> ExperimentSettings.MassKill? {
        guard let (share, rest) = percentage(text, 0...90, before: "@"), let seconds = number(rest, 0...3_600) else {
            return nil
        }
        return ExperimentSettings.MassKill(share: share, after: .milliseconds(Int(seconds * 1_000)))
    }

    /// `10:50`: percent and kB a second.
    @Sendable private static func slowReaders(_ text: String) -> ExperimentSettings.SlowReaders? {
        guard let (share, rest) = percentage(text, 0...100, before: ":"), let rate = whole(rest, 1...1_000_000) else {
            return nil
        }
        return ExperimentSettings.SlowReaders(share: share, rate: rate * 1_000)
    }

    /// `20:silent`: percent and kind.
    @Sendable private static func attackers(_ text: String) -> ExperimentSettings.Attackers? {
        guard let (share, rest) = percentage(text, 0...50, before: ":"),
            let attack = ExperimentSettings.Attack(rawValue: rest)
        else { return nil }
        return ExperimentSettings.Attackers(share: share, attack: attack)
    }

    /// A percentage as a share of 1, and the text behind the separator.
    private static func percentage(
        _ text: String, _ range: ClosedRange<Double>, before separator: Character
    ) -> (Double, String)? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let percent = number(parts[0], range) else { return nil }
        return (percent / 100, parts[1])
    }

    /// `20`, or `1-20`, in milliseconds.
    @Sendable private static func latency(_ text: String) -> ClosedRange<Duration>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { number(String($0), 0...10_000) }
        guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last else {
            return nil
        }
        return .microseconds(Int(first * 1_000))...(.microseconds(Int(last * 1_000)))
    }
}
