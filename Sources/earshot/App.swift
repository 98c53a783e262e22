import Commands
import Discovery
import Reactor
import Settings
import TerminalFace
import Chat
import ChatNode
import Noise
import Storage
import Synchronization
import Wire
import Transports

/// The program put together: a node for each room, a display, standard input and the signals, each on a thread of its own.
struct App: Sendable {
    /// Enough for full rooms, listeners, discovery, loops, files and programs at the control socket: a shell often permits
    /// 1,024.
    static let descriptors = Limits.rooms * Limits.links + 512

    private let arguments: Arguments
    private let startUp: StartUp
    private let diagnostics: Diagnostics
    private let departure: Departure
    private let kept: KeptState?
    private let nodes: RoomNodes
    private let rooms: Program
    private let reports: ReportQueue
    private let display: any ReportDisplay
    /// That of the display, on which the program itself runs too.
    private let displayLoop: EventLoop
    /// Nil where there is no line editor.
    private let terminal: TerminalOwner?
    private let inputLoop: InputLoop
    private let served: ServedFaces
    private let signals: Signals
    private let signalLoop: EventLoop
    /// That of the nodes.
    private let loop: EventLoop
    private let openRooms: OpenRooms
    private let hasBegun = Begun()

    /// The rooms of the command line, until their nodes have them.
    private final class OpenRooms: Sendable {
        private let rooms: Mutex<[Room]>

        init(_ rooms: [Room]) { self.rooms = Mutex(rooms) }

        func take() -> [Room] { rooms.withLock { exchange(&$0, with: []) } }
    }

    /// Whether lines are read.
    private final class Begun: Sendable {
        private let value = Atomic(false)

        /// True for the first call alone.
        func begin() -> Bool { !value.exchange(true, ordering: .relaxed) }
    }

    /// Opens the identity's file, if there is one, and begins nothing else yet but the threads.
    ///
    /// - Parameters:
    ///   - openRooms: the rooms of the arguments, in their order.
    ///   - loop: where the nodes will live; it is run by the caller.
    init(_ arguments: Arguments, in openRooms: [Room], startUp: StartUp, loop: EventLoop) throws(StartFailure) {
        (self.arguments, self.startUp, self.loop) = (arguments, startUp, loop)
        MemoryReturn.keep(on: loop)
        let (diagnostics, departure) = (Diagnostics(level: arguments.logLevel), Departure())
        (self.diagnostics, self.departure) = (diagnostics, departure)
        let face = ChosenFace(arguments)
        if case .terminal = face { TerminalSignals.block() }
        let reports = ReportQueue()
        self.reports = reports
        let (served, rooms) = (try ServedFaces(arguments, diagnostics), Program(on: loop))
        (self.served, self.rooms) = (served, rooms)
        kept = try KeptState.open(arguments, diagnostics)
        let kept = kept
        nodes = RoomNodes(arguments, on: loop, keeping: kept, reports, and: served.tell)
        self.openRooms = OpenRooms(openRooms)
        let input: any LineSource
        switch face {
        case .stream(let isTyped):
            terminal = nil
            let stream = try App.makeDisplay(arguments, isTyped: isTyped, departure: departure)
            (display, displayLoop) = (stream, stream.loop)
            input = try App.makeInput(arguments, isTyped: isTyped)
        case .terminal(let colors):
            let owner = try App.makeTerminal(arguments, colors: colors, departure: departure) { isOn in
                rooms.execute { $0.setTyping(isOn) }
            }
            (terminal, display, displayLoop, input) = (owner, owner, owner.loop, owner)
        }
        signalLoop = try App.runningLoop("signals")
        signals = Signals(on: signalLoop)
        inputLoop = InputLoop(
            input: input,
            executor: App.makeExecutor(rooms, departure, nodes, kept, reports, served) {
                startUp.counters + reports.counters + loop.counters + served.counters
            },
            reports: reports, isTyped: face.isTyped, isAddressed: arguments.format == .json,
            endsNode: face.isTyped || !arguments.outlivesInput)
    }

    /// Begins a task on the thread of the display: none other wakes to show a report.
    func launch(_ task: @escaping @Sendable () async -> Void) { displayLoop.launch(task) }

    /// Chats until the user, a signal or a failure ends it.
    ///
    /// - Returns: the exit code.
    func run() async throws(StartFailure) -> CInt {
        defer { served.removeFiles() }
        if arguments.webPort != nil { App.prepareTasks() }
        for name in arguments.interfaces where !ProcessEnvironment.hasInterface(name) {
            throw StartFailure(noInterface: name)
        }
        try await nodes.add(openRooms.take(), to: rooms)
        try await nodes.start(rooms)
        await terminal?.begin()
        signalLoop.launch { await obeySignals() }
        var goesOn = true
        while goesOn {
            let batch = await reports.next()
            let isShown = await display.show(batch)
            if !isShown { await rooms.beginLeaving() }
            for report in batch { if case .event(let event) = report.report { await record(event, in: report.room) } }
            if batch.contains(where: \.isEnd), await rooms.isEmpty { goesOn = try await beginAnew() }
        }
        await served.end()
        await display.finish()
        await kept?.writer.end()
        if let complaint = departure.complaint { diagnostics.say(.error, complaint) }
        return departure.exitCode
    }

    /// The page's requests are tasks of the runtime, which opens descriptors for the first one: where they are refused later, it ends
    /// the process.
    private static func prepareTasks() {
        Task { try? await Task.sleep(for: .nanoseconds(1)) }
    }

    /// All nodes have ended: if `/wipe` ended them, reports what is forgotten, and starts a node of another identity.
    ///
    /// - Returns: false if the program leaves instead.
    private func beginAnew() async throws(StartFailure) -> Bool {
        guard let forgotten = await rooms.takeForgotten() else { return false }
        let (removed, failures) = kept?.remove() ?? ([], [])
        for failure in failures { diagnostics.say(.error, "\(failure)") }
        let pause = await rooms.drawPause()
        let told = Answer.wiped(forgotten, files: removed, pause: pause)
        await rooms.recordWipe(told)
        let label = try await nodes.addNext(to: rooms)
        let isShown = await display.show([RoomReport(label, .answer(told))])
        guard isShown, !departure.isDecided else { return false }
        await stayAway(seconds: pause)
        guard !departure.isDecided else { return false }
        try await nodes.start(rooms)
        // A request to leave in the meantime went to the earlier nodes.
        if departure.isDecided { await rooms.beginLeaving() }
        return true
    }

    /// Lets a pause pass in which the program has no node on the network, and shows what commands answer meanwhile.
    private func stayAway(seconds: Int) async {
        loop.launch {
            await rooms.pause(seconds: seconds)
            reports.wake()
        }
        while true {
            let batch = await reports.next()
            guard !batch.isEmpty else { break }
            if !(await display.show(batch)) { await rooms.beginLeaving() }
        }
    }

    private func record(_ event: NodeEvent, in room: RoomLabel) async {
        switch event {
        case .ready(_, let port, let name, isPrivate: _, let discovery):
            startUp.recordReady()
            diagnostics.say(
                .info, "ready after \(startUp.elapsed) us: room \(name), port \(port), discovery \(discovery.rawValue)")
            await rooms.recordReady(room)
            if hasBegun.begin() {
                let entering = await rooms.entering
                if entering > 0 { reports.append([RoomReport(room, .entering(entering))]) }
                startInput()
            }
            await rooms.goOn()
        case .stopped(let reason):
            kept?.recordEnd(of: room)
            await rooms.remove(room)
            await rooms.recordReady(room, false)
            let isWiping = await rooms.isWiping
            if await rooms.isEmpty, reason != .asked || !isWiping {
                departure.nodeStopped(reason)
            } else if case .failed(let why) = reason {
                diagnostics.say(.error, "room \(room.name): \(why)")
            }
        case .peer(let state, let who, reason: _, was: _, online: _):
            kept?.record(who.key, isHere: state != .left, in: room)
        case .crowd, .elsewhere, .message, .request, .direct, .invitation, .edited, .deleted, .reacted, .card,
            .cardRemoved, .delivered, .read,
            .failed,
            .typing, .notice, .renamed, .status, .person, .blocked:
            break
        }
    }

    /// Reads lines and accepts other programs' requests once a node can perform them.
    private func startInput() {
        loop.launch { await inputLoop.run() }
        loop.launch {
            let places = await served.begin(inputLoop.executor)
            guard let room = await rooms.openLabel else { return }
            reports.append(places.map { RoomReport(room, .listening($0)) })
        }
    }

    /// The first signal asks politely, the second one does not.
    private func obeySignals() async {
        let first = await signals.next()
        departure.record(.signal(first))
        loop.launch { [loop] in
            await rooms.leave()
            // The display may be stuck behind a reader that does not read; it is not waited for without end.
            loop.execute { loop.schedule(at: loop.now + .seconds(1)) { Ending.now(128 + first) } }
        }
        Ending.now(128 + (await signals.next()))
    }
}
