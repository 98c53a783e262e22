import Chat
import ChatNode
import Noise
import Reactor
import Transports

/// The program put together: a node, a display, standard input and the signals, each on a thread of its own.
struct App: Sendable {
    private let arguments: Arguments
    private let startUp: StartUp
    private let diagnostics: Diagnostics
    private let departure: Departure
    private let node: Node
    private let reports: ReportQueue
    private let display: any ReportDisplay
    /// Nil where there is no line editor.
    private let terminal: TerminalOwner?
    private let pump: InputPump
    private let signals: Signals

    /// Begins nothing yet but the threads.
    ///
    /// - Parameter loop: where the node will live; it is run by the caller.
    init(_ arguments: Arguments, startUp: StartUp, loop: EventLoop) throws(SystemError) {
        self.arguments = arguments
        self.startUp = startUp
        diagnostics = Diagnostics(level: arguments.logLevel)
        let departure = Departure()
        self.departure = departure
        let place = Place(arguments)
        if case .terminal = place { TerminalSignals.block() }
        let reports = ReportQueue()
        self.reports = reports
        let node = try App.makeNode(arguments, on: loop) { reports.append($0.map(Report.event)) }
        self.node = node
        let input: any LineSource
        switch place {
        case .stream(let isTyped):
            terminal = nil
            display = try App.makeDisplay(arguments, isTyped: isTyped, departure: departure)
            input = StandardInput(on: try App.runningLoop("input"), isTyped: isTyped)
        case .terminal(let hasColors):
            let owner = try App.makeTerminal(arguments, hasColors: hasColors, departure: departure) { isOn in
                loop.execute { node.assumeIsolated { $0.setTyping(isOn) } }
            }
            (terminal, display, input) = (owner, owner, owner)
        }
        signals = Signals(on: try App.runningLoop("signals"))
        pump = InputPump(input: input, node: node, reports: reports, departure: departure) {
            startUp.counters + [Counter(name: "events_not_shown", value: reports.dropped)]
        }
    }

    /// Chats until somebody or something ends it.
    ///
    /// - Returns: the exit code.
    func run() async throws(StartFailure) -> CInt {
        for name in arguments.interfaces where !Environment.hasInterface(name) { throw StartFailure(noInterface: name) }
        do throws(TransportError) {
            try await node.start()
        } catch {
            throw StartFailure(listeningOn: arguments.port, error)
        }
        await terminal?.begin()
        Task { await obeySignals() }
        var hasStopped = false
        while !hasStopped {
            let batch = await reports.next()
            let goesOn = await display.show(batch)
            if !goesOn { await node.beginLeaving() }
            for case .event(let event) in batch {
                note(event)
                if case .stopped = event { hasStopped = true }
            }
        }
        await display.finish()
        if let complaint = departure.complaint { diagnostics.say(.error, complaint) }
        return departure.exitCode
    }

    private func note(_ event: NodeEvent) {
        switch event {
        case .ready(_, let port, let room, let discovery):
            startUp.noteReady()
            diagnostics.say(
                .info, "ready after \(startUp.elapsed) us: room \(room), port \(port), discovery \(discovery.rawValue)")
            Task { await pump.run() }
        case .stopped(let reason): departure.nodeStopped(reason)
        case .peer, .message, .request, .direct, .edited, .deleted, .delivered, .read, .failed, .typing, .notice:
            break
        }
    }

    /// The first signal asks politely, the second one does not.
    private func obeySignals() async {
        let first = await signals.next()
        _ = departure.note(.signal(first))
        Task {
            await node.leave()
            // The display may be stuck behind a reader that does not read; it is not waited for without end.
            try? await Task.sleep(for: .seconds(1))
            Ending.now(128 + first)
        }
        Ending.now(128 + (await signals.next()))
    }
}
