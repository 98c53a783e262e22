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
        process.recordReady()
        let control = [Metric.controlClients, .controlTails, .controlTailsDropped].map { Counter($0, 1) }
        let network =
            try SharedDiscovery(policy: .embedded, interfaces: ["lo"]).port().refusals
            + TCPTransport(loop: loop).refusals
        return alice.with { $0.statistics() } + network + process.counters + ReportQueue().counters + loop.counters
            + control
    }

    @Test func `every counter has a name and a sample of its own`() throws {
        let metrics = try Self.counters().map(\.metric)
        #expect(Set(metrics.map(\.name)).count == metrics.count)
        let samples = metrics.compactMap { metric in metric.family.map { [$0, metric.labelValue] } }
        #expect(Set(samples).count == samples.count)
        #expect(metrics.filter { $0.family == nil } == [.payloadsAdmitted])
    }

    @Test func `names and descriptions are as Prometheus requires them`() throws {
        let metrics = try Self.counters().map(\.metric)
        for metric in metrics {
            guard let family = metric.family else { continue }
            #expect(family.hasSuffix("_total") == (metric.kind == .counter), "\(family)")
            #expect(family.wholeMatch(of: /earshot_[a-z][a-z_]*/) != nil, "\(family)")
            #expect(metric.help.hasSuffix(".") && !metric.help.contains { $0 == "\n" || $0 == "\\" })
            #expect((metric.label == nil) == metric.labelValue.isEmpty)
            // Samples of one family have one description, type, unit and label.
            let others = metrics.filter { $0.family == family }
            #expect(others.allSatisfy { $0.help == metric.help && $0.kind == metric.kind && $0.unit == metric.unit })
            #expect(others.count == 1 || others.allSatisfy { $0.label != nil && $0.label == metric.label }, "\(family)")
        }
    }

    @Test func `values are in seconds, bytes or things`() {
        let text = PrometheusText.of([
            Counter(.dropped(.stale), 3), Counter(.payloadsAdmitted, 4), Counter(.residentBytes, 42),
            Counter(.dropped(.duplicate), 5), Counter(.loopLastTurn, 1_500),
        ])
        #expect(
            text == """
                # HELP earshot_info The version that runs.
                # TYPE earshot_info gauge
                earshot_info{version="\(Version.current)"} 1
                # HELP earshot_payloads_dropped_total Payloads that were not admitted.
                # TYPE earshot_payloads_dropped_total counter
                earshot_payloads_dropped_total{reason="stale"} 3
                earshot_payloads_dropped_total{reason="duplicate"} 5
                # HELP earshot_resident_memory_bytes Memory in use.
                # TYPE earshot_resident_memory_bytes gauge
                earshot_resident_memory_bytes 42
                # HELP earshot_loop_last_turn_seconds Duration of the last turn of the node's event loop.
                # TYPE earshot_loop_last_turn_seconds gauge
                earshot_loop_last_turn_seconds 0.0015

                """)
    }
}
