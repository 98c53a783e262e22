import Glibc
import Simulator
import Testing

@testable import Settings
@testable import earshot

/// `earshot simulate`: its options, its report, and the program itself.
@Suite(.timeLimit(.minutes(2))) struct ProgramSimulateTests {
    @Test func `every option is taken`() throws {
        let arguments = try SimulateSettings(parsing: [
            "--nodes", "50", "--rooms", "2", "--messages", "7", "--rate", "2.5", "--latency", "0.5-30", "--loss=1.5",
            "--links", "8",
            "--partition", "20", "--churn", "6", "--residents", "2",
            "--sample", "60", "--seed", "18446744073709551615", "--json",
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
        #expect(arguments.experiment == settings)
        #expect(arguments.isJSON)
        #expect(
            try SimulateSettings(parsing: ["--latency", "7"]).experiment.latency == .milliseconds(
                7)...(.milliseconds(7))
        )
    }

    @Test func `all see all, but for a crowd, unless it is said how many`() throws {
        #expect(try SimulateSettings(parsing: []).experiment == ExperimentSettings())
        #expect(try SimulateSettings(parsing: ["--nodes", "100"]).experiment.links == nil)
        #expect(try SimulateSettings(parsing: ["--nodes", "101"]).experiment.links == 20)
        #expect(try SimulateSettings(parsing: ["--nodes", "257", "--links", "all"]).experiment.links == nil)
        #expect(try SimulateSettings(parsing: ["--nodes", "9", "--links", "8"]).experiment.links == nil)
        #expect(try SimulateSettings(parsing: ["--nodes", "10", "--links", "8"]).experiment.links == 8)
    }

    @Test(arguments: [
        ["--nodes", "0"], ["--nodes", "1001"], ["--nodes", "-1"], ["--rooms", "0"], ["--rooms", "17"],
        ["--messages", "1000001"], ["--rate", "0"],
        ["--rate", "nan"], ["--latency", ""], ["--latency", "-"], ["--latency", "5-"], ["--latency", "-5"],
        ["--latency", "20-1"], ["--latency", "1-2-3"], ["--latency", "10001"], ["--loss", "51"], ["--loss", "x"],
        ["--links", "1"], ["--links", "257"], ["--links", "none"], ["--partition", "3601"],
        ["--churn", "6001"], ["--residents", "1001"], ["--sample", "0"], ["--sample", "86401"], ["--seed", "-1"],
        ["--seed", "18446744073709551616"],
    ])
    func `a value that is none is refused`(words: [String]) {
        #expect(throws: UsageError.self) { try SimulateSettings(parsing: words) }
    }

    @Test func `more than a node holds, and words that mean nothing, are refused`() {
        #expect(throws: UsageError("a node holds 256 links at most; give fewer nodes, or fewer --links")) {
            try SimulateSettings(parsing: ["--nodes", "258", "--links", "all"])
        }
        #expect(throws: UsageError("unexpected \"now\"; see earshot simulate --help")) {
            try SimulateSettings(parsing: ["now"])
        }
        #expect(throws: UsageError("no option \"--node\"; did you mean --nodes?")) {
            try SimulateSettings(parsing: ["--node", "3"])
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
