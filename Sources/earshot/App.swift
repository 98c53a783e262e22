import Commands
import ControlFace
import Process
import Settings
import StreamFace
import TerminalFace
import Chat
import ChatNode
import Noise
import Reactor
import Storage
import Transports

/// The program put together: a node, a display, standard input and the signals, each on a thread of its own.
struct App: Sendable {
    private let arguments: Arguments
    private let room: Room
    private let startUp: StartUp
    private let diagnostics: Diagnostics
    private let departure: Departure
    private let loop: EventLoop
    private let files: IdentityFiles?
    private let writer: StateWriter?
    private let current: CurrentNode
    private let reports: ReportQueue
    private let display: any ReportDisplay
    /// Nil where there is no line editor.
    private let terminal: TerminalOwner?
    private let pump: InputLoop
    /// Nil where no other program reaches this node.
    private let control: ControlServer?
    private let signals: Signals

    /// Opens the identity's file, if there is one, and begins nothing else yet but the threads.
    ///
    /// - Parameters:
    ///   - room: the room of the arguments.
    ///   - loop: where the node will live; it is run by the caller.
    init(_ arguments: Arguments, in room: Room, startUp: StartUp, loop: EventLoop) throws(StartFailure) {
        (self.arguments, self.room) = (arguments, room)
        self.startUp = startUp
        self.loop = loop
        MemoryReturn.keep(on: loop)
        let diagnostics = Diagnostics(level: arguments.logLevel)
        self.diagnostics = diagnostics
        let departure = Departure()
        self.departure = departure
        let place = Place(arguments)
        if case .terminal = place { TerminalSignals.block() }
        let reports = ReportQueue()
        self.reports = reports
        let control = try App.makeControl(arguments, diagnostics)
        self.control = control
        let (node, files, writer) = try App.makeFirstNode(
            arguments, in: room, on: loop, diagnostics, deliver: reports.entrance(and: control?.tell))
        self.files = files
        self.writer = writer
        let current = CurrentNode(node)
        self.current = current
        let input: any LineSource
        switch place {
        case .stream(let isTyped):
            terminal = nil
            display = try App.makeDisplay(arguments, isTyped: isTyped, departure: departure)
            input = StandardInput(on: try App.runningLoop("input"), isTyped: isTyped)
        case .terminal(let colors):
            let owner = try App.makeTerminal(arguments, colors: colors, departure: departure) { isOn in
                loop.execute { current.node.assumeIsolated { $0.setTyping(isOn) } }
            }
            (terminal, display, input) = (owner, owner, owner)
        }
        signals = Signals(on: try App.runningLoop("signals"))
        let executor = CommandExecutor(
            current: current, departure: departure, store: App.store(with: writer),
            keepsMarks: { files?.isInUse ?? false }
        ) { startUp.counters + reports.counters + loop.counters + (control?.counters ?? []) }
        pump = InputLoop(input: input, executor: executor, reports: reports, isTyped: place.isTyped)
    }

    /// Chats until the user, a signal or a failure ends it.
    ///
    /// - Returns: the exit code.
    func run() async throws(StartFailure) -> CInt {
        defer { control?.removeName() }
        for name in arguments.interfaces where !Environment.hasInterface(name) { throw StartFailure(noInterface: name) }
        try await begin(current.node)
        await terminal?.begin()
        Task { await obeySignals() }
        var goesOn = true
        while goesOn {
            let batch = await reports.next()
            let isShown = await display.show(batch)
            if !isShown { await current.node.beginLeaving() }
            for case .event(let event) in batch { note(event) }
            if batch.contains(where: \.isEnd) { goesOn = try await beginAnew() }
        }
        await control?.end()
        await display.finish()
        await writer?.end()
        if let complaint = departure.complaint { diagnostics.say(.error, complaint) }
        return departure.exitCode
    }

    /// The epoch of the run is on the disk before any peer hears of the node, with the nickname that was asked for.
    private func begin(_ node: Node) async throws(StartFailure) {
        let epoch = await node.epoch
        do throws(StorageError) {
            try files?.store { state in
                state.epoch = epoch
                state.nickname = arguments.nickname ?? state.nickname
            }
        } catch {
            throw StartFailure(error)
        }
        do throws(TransportError) {
            try await node.start()
        } catch {
            throw StartFailure(listeningOn: arguments.port, error)
        }
    }

    /// The node has ended: if `/wipe` ended it, reports what is forgotten, and starts a node of another identity.
    ///
    /// - Returns: false if the program leaves instead.
    private func beginAnew() async throws(StartFailure) -> Bool {
        guard let forgotten = current.takeForgotten() else { return false }
        let (removed, failures) = files?.remove() ?? ([], [])
        for failure in failures { diagnostics.say(.error, "\(failure)") }
        let told = Answer.wiped(forgotten, files: removed)
        current.note(told)
        let isShown = await display.show([.answer(told)])
        guard isShown, !departure.isDecided else { return false }
        current.replace(
            with: try App.makeNextNode(arguments, in: room, on: loop, deliver: reports.entrance(and: control?.tell)))
        try await begin(current.node)
        // A request to leave in the meantime went to the earlier node.
        if departure.isDecided { await current.node.beginLeaving() }
        return true
    }

    private func note(_ event: NodeEvent) {
        switch event {
        case .ready(_, let port, let room, let discovery):
            startUp.noteReady()
            diagnostics.say(
                .info, "ready after \(startUp.elapsed) us: room \(room), port \(port), discovery \(discovery.rawValue)")
            if !current.goOn() { startInput() }
        case .stopped(let reason): if reason != .asked || !current.isWiping { departure.nodeStopped(reason) }
        case .peer, .message, .request, .direct, .edited, .deleted, .delivered, .read, .failed, .typing, .notice:
            break
        }
    }

    /// Reads lines and accepts other programs' requests once a node can perform them.
    private func startInput() {
        Task { await pump.run() }
        Task { await control?.begin(pump.executor) }
    }

    /// The first signal asks politely, the second one does not.
    private func obeySignals() async {
        let first = await signals.next()
        _ = departure.note(.signal(first))
        Task {
            await current.node.leave()
            // The display may be stuck behind a reader that does not read; it is not waited for without end.
            try? await Task.sleep(for: .seconds(1))
            Ending.now(128 + first)
        }
        Ending.now(128 + (await signals.next()))
    }
}
