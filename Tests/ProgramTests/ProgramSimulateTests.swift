import Glibc
import Simulator
import TestSupport
import Testing

@testable import Settings
@testable import earshot

/// `earshot simulate`: its options, its report, and the program itself.
@Suite(.timeLimit(.minutes(5))) struct ProgramSimulateTests {
    @Test func `every option is taken`() throws {
        let arguments = try SimulateSettings(parsing: [
            "--nodes", "50", "--rooms", "2", "--messages", "7", "--rate", "2.5", "--latency", "0.5-30", "--loss=1.5",
            "--links", "8",
            "--partition", "20", "--churn", "6", "--residents", "2",
            "--sample", "60", "--seed", "18446744073709551615", "--json", "--kill", "12.5@1.5", "--vanish", "--limits",
        ])
        var settings = ExperimentSettings()
        settings.nodes = 50
        settings.rooms = 2
        settings.messages = 7
        settings.rate = 2.5
        settings.latency = .microseconds(500)...(.milliseconds(30))
        settings.loss = 0.015
        settings.links = 8
        settings.partition = .seconds(20)
        settings.churnPerMinute = 6
        settings.residents = 2
        settings.sampling = .seconds(60)
        settings.seed = .max
        settings.massKill = ExperimentSettings.MassKill(share: 0.125, after: .milliseconds(1_500))
        settings.vanishes = true
        settings.isLimited = true
        #expect(arguments.experiment == settings)
        #expect(arguments.isJSON)
        #expect(
            try SimulateSettings(parsing: ["--latency", "7"]).experiment.latency == .milliseconds(
                7)...(.milliseconds(7))
        )
    }

    @Test func `the network and the room may be hard in several ways`() throws {
        let arguments = try SimulateSettings(parsing: [
            "--nodes", "50", "--loss", "1", "--sack", "--asymmetric", "--slow", "12.5:50", "--growth", "20",
            "--addresses", "1000",
        ])
        var settings = ExperimentSettings()
        settings.nodes = 50
        settings.loss = 0.01
        settings.hasSACK = true
        settings.isAsymmetric = true
        settings.slowReaders = ExperimentSettings.SlowReaders(share: 0.125, rate: 50_000)
        settings.growth = 20
        settings.attackerAddresses = 1_000
        #expect(arguments.experiment == settings)
        let table = SimulationTable(ExperimentReport(settings: settings)).text
        for line in [
            "Lost packets were sent again once later ones were acknowledged.",
            "Each direction of a link had a latency of its own.", "12.5 % of the nodes read 50 kB a second each.",
            "The room had 20 nodes at first, grew, and shrank to as many while they talked.",
            "One attacker took part at 1000 addresses.",
        ] {
            #expect(table.contains("\n" + line + "\n"))
        }
    }

    @Test func `several networks are of so many nodes each`() throws {
        let words = ["--networks", "20", "--nodes", "10", "--outages", "6.5"]
        let settings = try SimulateSettings(parsing: words).experiment
        #expect((settings.networks, settings.nodes, settings.places) == (20, 10, 200))
        #expect(settings.outagesPerMinute == 6.5)
        #expect(!settings.isCrowd)
    }

    @Test func `all see all, unless it is said how many`() throws {
        #expect(try SimulateSettings(parsing: []).experiment == ExperimentSettings())
        #expect(try SimulateSettings(parsing: ["--nodes", "10000"]).experiment.links == nil)
        #expect(try SimulateSettings(parsing: ["--nodes", "258", "--links", "all"]).experiment.links == nil)
        #expect(try SimulateSettings(parsing: ["--nodes", "9", "--links", "8"]).experiment.links == nil)
        #expect(try SimulateSettings(parsing: ["--nodes", "10", "--links", "8"]).experiment.links == 8)
    }

    @Test(arguments: ExperimentSettings.Attack.allCases)
    func `a share of the nodes are attackers of a kind`(attack: ExperimentSettings.Attack) throws {
        let settings = try SimulateSettings(parsing: ["--attackers", "20:\(attack.rawValue)"])
        #expect(settings.experiment.attackers == ExperimentSettings.Attackers(share: 0.2, attack: attack))
    }

    @Test(arguments: [
        ["--nodes", "0"], ["--nodes", "10001"], ["--nodes", "-1"], ["--rooms", "0"], ["--rooms", "17"],
        ["--messages", "1000001"], ["--rate", "0"], ["--networks", "0"], ["--networks", "257"], ["--outages", "6001"],
        ["--rate", "nan"], ["--latency", ""], ["--latency", "-"], ["--latency", "5-"], ["--latency", "-5"],
        ["--latency", "20-1"], ["--latency", "1-2-3"], ["--latency", "10001"], ["--loss", "51"], ["--loss", "x"],
        ["--links", "1"], ["--links", "257"], ["--links", "none"], ["--partition", "3601"],
        ["--churn", "6001"], ["--residents", "10001"], ["--kill", "20"], ["--kill", "91@1"], ["--kill", "-1@1"],
        ["--kill", "20@3601"], ["--kill", "20@"], ["--kill", "@5"], ["--kill", "20@1@2"], ["--kill", "x@1"],
        ["--attackers", "20"], ["--attackers", "51:mute"], ["--attackers", "20:loud"], ["--attackers", "20:"],
        ["--attackers", ":silent"], ["--attackers", "20:mute:fill"], ["--attackers", "nan:mute"], ["--vanish=1"],
        ["--slow", "10"], ["--slow", "101:50"], ["--slow", "10:0"], ["--slow", "10:1000001"], ["--slow", "10:1.5"],
        ["--growth", "0"], ["--growth", "10001"], ["--addresses", "10001"], ["--addresses", "-1"],
        ["--sample", "0"], ["--sample", "86401"], ["--seed", "-1"],
        ["--seed", "18446744073709551616"],
    ])
    func `a value that is none is refused`(words: [String]) {
        #expect(throws: UsageError.self) { try SimulateSettings(parsing: words) }
    }

    @Test func `options without an effect, and words that mean nothing, are refused`() {
        #expect(throws: UsageError("--vanish is about killed nodes; add --kill or --churn")) {
            try SimulateSettings(parsing: ["--vanish"])
        }
        #expect(throws: UsageError("--kill comes after the last message; give more --messages or a lower --rate")) {
            try SimulateSettings(parsing: ["--kill", "20@10"])
        }
        #expect(throws: UsageError("--outages is about the broker of several networks; add --networks")) {
            try SimulateSettings(parsing: ["--outages", "6"])
        }
        #expect(throws: UsageError("all networks together have at most 10000 nodes")) {
            try SimulateSettings(parsing: ["--networks", "101", "--nodes", "100"])
        }
        let steady =
            "--networks goes without --rooms, --links, --partition, --growth, --churn, --kill, --attackers and --addresses"
        for words in [
            ["--rooms", "2"], ["--links", "3"], ["--partition", "1"], ["--churn", "1"], ["--growth", "2"],
            ["--addresses", "1"],
        ] {
            #expect(throws: UsageError(steady)) { try SimulateSettings(parsing: ["--networks", "2"] + words) }
        }
        #expect(
            throws: UsageError(
                "--kill can not be \"20\"; give a percentage from 0 to 90 and seconds from 0 to 3600, like 20@5")
        ) {
            try SimulateSettings(parsing: ["--kill", "20"])
        }
        #expect(throws: UsageError("unexpected \"now\"; see earshot simulate --help")) {
            try SimulateSettings(parsing: ["now"])
        }
        #expect(throws: UsageError("no option \"--node\"; did you mean --nodes?")) {
            try SimulateSettings(parsing: ["--node", "3"])
        }
    }

    @Test(arguments: [
        ("--growth 20", "--growth is how many nodes the room begins with; give more --nodes"),
        ("--growth 9 --links 4", "--growth goes without --links and --attackers"),
        ("--growth 9 --attackers 9:mute", "--growth goes without --links and --attackers"),
        ("--sack", "--sack is about lost packets; add --loss"),
        ("--asymmetric --latency 5", "--asymmetric draws from a range; give one to --latency, like 10-50"),
        (
            "--addresses 9 --links 4",
            "an attacker with many addresses is in sight of all; leave --addresses or --links out"
        ),
        (
            "--addresses 9 --rooms 2",
            "attackers are in one room only; leave --attackers, --addresses or --rooms out"
        ),
        (
            "--attackers 20:mute --rooms 2",
            "attackers are in one room only; leave --attackers, --addresses or --rooms out"
        ),
    ])
    func `a room that is hard in ways that do not go together is refused`(words: String, refusal: String) {
        #expect(throws: UsageError(refusal)) {
            try SimulateSettings(parsing: words.split(separator: " ").map(String.init))
        }
    }

    @Test func `the table is aligned and says what was simulated`() {
        var settings = ExperimentSettings()
        settings.loss = 0.015
        settings.partition = .milliseconds(2_500)
        var report = ExperimentReport(settings: settings)
        report.messages = 1_234_567
        report.deliveries.expected = 3
        report.deliveries.live = 2
        let lines = SimulationTable(report).text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0].contains("20 nodes, each in sight of all"))
        #expect(lines[0].contains("1.5 % loss; seed 1."))
        #expect(lines[1] == "For 2.5 s it was cut in halves.")
        #expect(lines[3].hasSuffix("1 234 567"))
        #expect(lines[5].hasPrefix("  delivered") && lines[5].hasSuffix("66.666 %"))
        #expect(lines[5].dropFirst(lines[3].count - 1).first == "2")
    }

    @Test func `the program prints the same line for the same seed, and nothing else`() async throws {
        let words = [
            "simulate", "--nodes", "4", "--rooms", "2", "--messages", "10", "--loss", "3", "--churn", "60", "--json",
        ]
        let first = try ProgramProcess(words)
        let lines = await first.remainingLines()
        #expect(await first.ended() == .exited(0))
        #expect(lines.count == 1)
        let report = try TestedJSON(lines.first ?? "")
        #expect(report["event"]?.text == "simulation")
        #expect(report["settings"]?["nodes"]?.integer == 4)
        #expect(report["messages"]?.integer == 10)
        #expect(report["duplicates"]?.integer == 0)
        #expect(report["settings"]?["rooms"]?.integer == 2)
        #expect(report["strays"]?.integer == 0)
        let second = try ProgramProcess(words)
        #expect(await second.remainingLines() == lines)
    }

    @Test func `a small room is as it was before there were crowds`() throws {
        let table = Simulate(try SimulateSettings(parsing: ["--nodes", "20"])).run()
        #expect(table == RecordedReports.table)
        let words = "--nodes 32 --messages 40 --rate 20 --loss 2 --churn 60 --partition 1 --seed 7 --json"
        let line = Simulate(try SimulateSettings(parsing: words.split(separator: " ").map(String.init))).run()
        #expect(line == RecordedReports.line)
    }

    @Test func `a crowd has figures of its own, in the table and in JSON`() throws {
        let words = ["--nodes", "12", "--messages", "100", "--kill", "25@2", "--vanish", "--attackers", "10:silent"]
        let table = Simulate(try SimulateSettings(parsing: words)).run()
        for line in [
            "25 % of the nodes were killed at once, 2 s after the first message.",
            "Killed nodes vanished without a sign.",
            "10 % of the nodes were attackers: silent.", "  links per node", "  nodes cut off", "  recovered after",
        ] {
            #expect(table.contains("\n" + line))
        }
        let line = Simulate(try SimulateSettings(parsing: words + ["--limits", "--json"])).run()
        let report = try TestedJSON(String(line.dropLast()))
        #expect(report["settings"]?["kill"]?["percent"]?.integer == 25)
        #expect(report["settings"]?["attackers"]?["kind"]?.text == "silent")
        #expect(report["nodesKilled"]?.integer == 2)
        #expect(report["crowd"]?["linksMost"]?.integer == 11)
        #expect(report["crowd"]?["cutOff"]?.integer == 0)
        #expect(report["crowd"]?["hopsMost"]?.integer == 1)
        #expect(report["crowd"]?["controlRecords"]?.integer ?? 0 > 0)
        #expect(report["crowd"]?["shock"]?["expected"]?.integer ?? 0 > 0)
    }

    @Test func `a long run tells in a terminal how far it is, and the second signal ends it`() async throws {
        let program = try ProgramProcess(
            inTerminal: ["simulate", "--nodes", "1000", "--messages", "100000"], environment: ["TZ=UTC"])
        #expect(await program.reads("messages sent, shown"))
        await program.signal(SIGINT)
        await program.signal(SIGTERM)
        #expect(await program.ended() == .exited(143))
    }

    @Test func `a run that is called off tells what had happened until then`() async throws {
        let program = try ProgramProcess(
            inTerminal: ["simulate", "--nodes", "4", "--messages", "1000000"], environment: ["TZ=UTC"])
        #expect(await program.reads("messages sent, shown"))
        await program.signal(SIGINT)
        #expect(await program.reads("100 %"))
        #expect(await program.ended() == .exited(130))
    }
}
