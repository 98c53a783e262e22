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
    package static let summary = "many nodes in one process on a simulated network"
    package static let operands = ""
    package static let options: [Option<SimulateSettings>] = talk + network + harm + presentation

    private static let talk: [Option<SimulateSettings>] = [
        Option(
            name: "--nodes", help: "how many nodes there are (default 20)",
            kind: .value("N", wanted: "a number from 1 to \(ExperimentSettings.mostNodes)") { settings, value in
                whole(value, 1...ExperimentSettings.mostNodes).map { settings.experiment.nodes = $0 } != nil
            }),
        Option(
            name: "--rooms", help: "rooms that each is in, by a node in each; one is open (default 1)",
            kind: .value("N", wanted: "a number from 1 to \(Limits.rooms)") { settings, value in
                whole(value, 1...Limits.rooms).map { settings.experiment.rooms = $0 } != nil
            }),
        Option(
            name: "--messages", help: "how many messages they send, each from a random node (default 100)",
            kind: .value("N", wanted: "a number from 0 to \(ExperimentSettings.mostMessages)") { settings, value in
                whole(value, 0...ExperimentSettings.mostMessages).map { settings.experiment.messages = $0 } != nil
            }),
        Option(
            name: "--rate", help: "messages a second, of all together (default 10)",
            kind: .value("N", wanted: "a number of messages a second from 0.001 to 10000") { settings, value in
                number(value, 0.001...10_000).map { settings.experiment.rate = $0 } != nil
            }),
    ]

    private static let network: [Option<SimulateSettings>] = [
        Option(
            name: "--networks",
            help: "networks of --nodes nodes each, joined over a broker (default 1)",
            kind: .value("N", wanted: "a number from 1 to \(ExperimentSettings.mostNetworks)") { settings, value in
                whole(value, 1...ExperimentSettings.mostNetworks).map { settings.experiment.networks = $0 } != nil
            }),
        Option(
            name: "--outages", help: "with --networks: lost connections to the broker a minute (default 0)",
            kind: .value("N", wanted: "a number a minute from 0 to 6000") { settings, value in
                number(value, 0...6_000).map { settings.experiment.outagesPerMinute = $0 } != nil
            }),
        Option(
            name: "--latency", help: "of the network, one way, in milliseconds (default 1-20)",
            kind: .value("MS", wanted: "milliseconds from 0 to 10000, or a range of them, like 1-20") {
                settings, value in
                latency(value).map { settings.experiment.latency = $0 } != nil
            }),
        Option(
            name: "--loss", help: "packets that are lost, and sent again as by TCP, in percent (default 0)",
            kind: .value("PERCENT", wanted: "a percentage from 0 to 50") { settings, value in
                number(value, 0...50).map { settings.experiment.loss = $0 / 100 } != nil
            }),
        Option(
            name: "--links",
            help: "others in sight of each: 2 to 256, or all (default all)",
            kind: .value("N", wanted: "a number from 2 to \(ExperimentSettings.mostLinks), or all") {
                settings, value in
                if value == "all" { settings.links = .all }
                let links = whole(value, 2...ExperimentSettings.mostLinks)
                if let links { settings.links = .limit(links) }
                return value == "all" || links != nil
            }),
        Option(
            name: "--partition", help: "cut the room in halves for so long while they talk (default 0)",
            kind: .value("SECONDS", wanted: "a number of seconds from 0 to 3600") { settings, value in
                number(value, 0...3_600).map { settings.experiment.partition = .milliseconds(Int($0 * 1_000)) } != nil
            }),
        Option(
            name: "--churn", help: "nodes a minute that leave or are killed; others come instead (default 0)",
            kind: .value("N", wanted: "a number of nodes a minute from 0 to 6000") { settings, value in
                number(value, 0...6_000).map { settings.experiment.churnPerMinute = $0 } != nil
            }),
        Option(
            name: "--residents", help: "nodes that never leave (default 0)",
            kind: .value("N", wanted: "a number from 0 to \(ExperimentSettings.mostNodes)") { settings, value in
                whole(value, 0...ExperimentSettings.mostNodes).map { settings.experiment.residents = $0 } != nil
            }),
        Option(
            name: "--sample", help: "with --json: how often the residents' tables are counted (default never)",
            kind: .value("SECONDS", wanted: "a number of seconds from 1 to 86400") { settings, value in
                whole(value, 1...86_400).map { settings.experiment.sampling = .seconds($0) } != nil
            }),
        Option(
            name: "--seed", help: "what all chance comes from: the same seed, the same run (default 1)",
            kind: .value("N", wanted: "a whole number") { settings, value in
                UInt64(decimal: value).map { settings.experiment.seed = $0 } != nil
            }),
    ]

    private static let harm: [Option<SimulateSettings>] = [
        Option(
            name: "--kill",
            help: "nodes that are killed, in percent, so long after the first message",
            kind: .value("PERCENT@SECONDS", wanted: "a percentage from 0 to 90 and seconds from 0 to 3600, like 20@5") {
                settings, value in
                massKill(value).map { settings.experiment.massKill = $0 } != nil
            }),
        Option(
            name: "--vanish",
            help: "killed nodes vanish without a sign; their links stay half open",
            kind: .flag { $0.experiment.vanishes = true }),
        Option(
            name: "--attackers",
            help: "nodes that do harm, in percent, and how: \(attacks.joined(separator: ", "))",
            kind: .value(
                "PERCENT:KIND",
                wanted: "a percentage from 0 to 50 and one of \(attacks.joined(separator: ", ")), like 20:silent"
            ) { settings, value in
                attackers(value).map { settings.experiment.attackers = $0 } != nil
            }),
        Option(
            name: "--limits",
            help: "limits on rates and handshakes hold, as in the program",
            kind: .flag { $0.experiment.isLimited = true }),
    ]

    private static let presentation: [Option<SimulateSettings>] = [
        Option(name: "--json", help: "one line of JSON instead of a table", kind: .flag { $0.isJSON = true })
    ]

    package mutating func take(operands: [String]) throws(UsageError) {
        if let first = operands.first {
            throw UsageError("unexpected \(UsageError.quoted(first)); see earshot simulate --help")
        }
        chooseLinks()
        try checkNetworks()
        try checkHarm()
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
        guard isSteady else {
            throw UsageError("--networks goes without --rooms, --links, --partition, --churn, --kill and --attackers")
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
        if experiment.attackers != nil, experiment.rooms > 1 {
            throw UsageError("attackers are in one room only; leave --attackers or --rooms out")
        }
    }

    private static func whole(_ text: String, _ range: ClosedRange<Int>) -> Int? {
        Int(decimal: text).flatMap { range.contains($0) ? $0 : nil }
    }

    private static func number(_ text: String, _ range: ClosedRange<Double>) -> Double? {
        Double(decimal: text).flatMap { range.contains($0) ? $0 : nil }
    }

    /// `20@5`: percent and seconds.
    private static func massKill(_ text: String) -> ExperimentSettings.MassKill? {
        guard let (share, rest) = percentage(text, 0...90, before: "@"), let seconds = number(rest, 0...3_600) else {
            return nil
        }
        return ExperimentSettings.MassKill(share: share, after: .milliseconds(Int(seconds * 1_000)))
    }

    /// `20:silent`: percent and kind.
    private static func attackers(_ text: String) -> ExperimentSettings.Attackers? {
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
    private static func latency(_ text: String) -> ClosedRange<Duration>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { number(String($0), 0...10_000) }
        guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last else {
            return nil
        }
        return .microseconds(Int(first * 1_000))...(.microseconds(Int(last * 1_000)))
    }
}
