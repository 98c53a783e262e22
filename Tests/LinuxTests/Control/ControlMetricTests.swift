import Chat
import ChatNode
import Discovery
import Reactor
import Simulator
import Testing
import Transports

@testable import Commands
@testable import Rendering
@testable import earshot

/// Counters as Prometheus reads them.
@Suite struct ControlMetricTests {
    /// Every counter that there is, of a node and of the program.
    private static func counters() throws -> [Counter] {
        let simulation = Simulation(seed: 7)
        let alice = simulation.node("alice")
        simulation.advance(by: .seconds(1))
        let loop = try EventLoop(name: "metrics")
        let process = StartUp()
        process.noteReady()
        let control = ["control_clients", "control_tails", "control_tails_dropped"].map { Counter(name: $0, value: 1) }
        let network =
            try AvahiDiscovery(policy: .embedded, interfaces: ["lo"]).refusals + TCPTransport(loop: loop).refusals
        return alice.with { $0.statistics() } + network + process.counters + ReportQueue().counters + loop.counters
            + control
    }

    @Test func `every counter is a sample of one metric, and every sample is a counter`() throws {
        let names = try Self.counters().map(\.name)
        #expect(Set(names).count == names.count)
        let samples = MetricFamily.all.flatMap(\.samples).map(\.counter)
        #expect(Set(samples).count == samples.count)
        #expect(Set(names).subtracting(MetricFamily.sums) == Set(samples))
        #expect(Set(names).isSuperset(of: MetricFamily.sums))
    }

    @Test func `names and descriptions are as Prometheus wants them`() {
        #expect(Set(MetricFamily.all.map(\.name)).count == MetricFamily.all.count)
        for family in MetricFamily.all {
            #expect(family.name.hasSuffix("_total") == (family.kind == .counter), "\(family.name)")
            #expect(family.name.wholeMatch(of: /earshot_[a-z][a-z_]*/) != nil, "\(family.name)")
            #expect(family.help.hasSuffix(".") && !family.help.contains { $0 == "\n" || $0 == "\\" })
            #expect(family.samples.allSatisfy { ($0.label == nil) == family.label.isEmpty })
        }
    }

    @Test func `values are in seconds, bytes or things`() {
        let text = PrometheusText.of([
            Counter(name: "loop_last_turn_us", value: 1_500), Counter(name: "resident_bytes", value: 42),
            Counter(name: "dropped_stale", value: 3), Counter(name: "of no metric", value: 4),
        ])
        #expect(
            text == """
                # HELP earshot_info The version that runs.
                # TYPE earshot_info gauge
                earshot_info{version="\(Version.current)"} 1
                # HELP earshot_payloads_dropped_total Payloads that went no further.
                # TYPE earshot_payloads_dropped_total counter
                earshot_payloads_dropped_total{reason="stale"} 3
                # HELP earshot_resident_memory_bytes Memory in use.
                # TYPE earshot_resident_memory_bytes gauge
                earshot_resident_memory_bytes 42
                # HELP earshot_loop_last_turn_seconds How long the last turn of the node's event loop took.
                # TYPE earshot_loop_last_turn_seconds gauge
                earshot_loop_last_turn_seconds 0.0015

                """)
    }
}
