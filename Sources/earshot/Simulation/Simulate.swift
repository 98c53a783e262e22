import Commands
import Reactor
import Rendering
import Settings
import Simulator
import Synchronization

/// `earshot simulate`: runs the experiment, tells on standard error how far it is, and returns the report.
struct Simulate {
    private let settings: SimulateSettings

    init(_ settings: SimulateSettings) {
        self.settings = settings
    }

    /// The bytes for standard output: equal arguments give equal bytes.
    ///
    /// - Parameter isCalledOff: true ends the run; the report is then about the part that has run.
    func run(isCalledOff: @escaping () -> Bool = { false }) -> String {
        let line = ProgressLine(messages: settings.experiment.messages)
        var experiment = Experiment(settings.experiment, observe: { line.record($0) }, isCalledOff: isCalledOff)
        let report = experiment.run()
        line.end()
        guard settings.isJSON else { return SimulationTable(report).text }
        var writer = JSONWriter()
        writer.object { $0.members(of: report) }
        writer.endLine()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// How far a long run is, on standard error: nothing for the first 2 s, then at most a line a second; in a terminal one
/// line that is written over.
private final class ProgressLine {
    private let messages: Int
    private let isTerminal = Descriptors.isTerminal(Descriptors.diagnostics)
    private let startedAt = ProcessFacts.monotonicMicroseconds
    private var isShown = false
    private var nextAt = 2_000_000

    init(messages: Int) {
        self.messages = messages
    }

    func record(_ progress: ExperimentProgress) {
        let elapsed = ProcessFacts.monotonicMicroseconds - startedAt
        guard elapsed >= nextAt else { return }
        nextAt = elapsed + 1_000_000
        isShown = true
        let simulated = Thousandths(Int(progress.simulated / .milliseconds(100)) * 100).text
        write(
            "earshot: \(simulated) s simulated in \(elapsed / 1_000_000) s: \(progress.nodes) nodes, "
                + "\(progress.messages) of \(messages) messages sent, shown \(progress.shown) times")
    }

    func end() {
        guard isShown else { return }
        let elapsed = ProcessFacts.monotonicMicroseconds - startedAt
        write("earshot: done in \(Thousandths(elapsed / 100_000 * 100).text) s")
        if isTerminal { put("\n") }
    }

    private func write(_ line: String) {
        put(isTerminal ? "\r\u{1b}[K\(line)" : line + "\n")
    }

    private func put(_ text: String) {
        try? Descriptors.write(Array(text.utf8), to: Descriptors.diagnostics)
    }
}

/// The signal that has asked for an early end of something that goes on until it has a result. From any thread.
final class Interruption: Sendable {
    private let number = Atomic<CInt>(0)

    /// Nil while none has come.
    var signal: CInt? {
        let number = number.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    func come(_ signal: CInt) {
        number.store(signal, ordering: .relaxed)
    }
}
