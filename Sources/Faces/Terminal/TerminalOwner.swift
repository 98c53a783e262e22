import Phrases
package import Commands
package import Reactor
import Chat
import ChatNode
import Glibc
import Wire

/// The only reader and writer of a terminal with a line editor.
///
/// It lives on a thread of its own, because a terminal that stops makes writing block. The session decides what it writes
/// and when.
package actor TerminalOwner: EventLoopActor, LineSource, ReportDisplay {
    package nonisolated let loop: EventLoop
    private var session: TerminalSession
    private let departure: Departure
    /// Takes true when the user writes a message, and false when the user stops.
    private let typing: @Sendable (Bool) -> Void
    private let signals: Descriptor
    private var waiter: CheckedContinuation<InputLine?, Never>?
    private var armed: Instant?
    private var isReading = false
    private var isOpen = true
    /// Whether the terminal listens to this process. In the background nothing is read, written or set.
    private var isInFront = false
    private var isAwaitingFront = false

    /// How soon the terminal is taken again. A shell sends nothing to a job that it takes to the front while it runs, so
    /// that this process has to look.
    private static let frontCheck = Duration.milliseconds(200)

    /// - Parameters:
    ///   - loop: the terminal's alone.
    ///   - departure: takes the failure of the terminal.
    package init(
        on loop: EventLoop, session: TerminalSession, departure: Departure, typing: @escaping @Sendable (Bool) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.session = session
        self.departure = departure
        self.typing = typing
        signals = try TerminalSignals.open()
    }

    /// Takes the terminal over.
    package func begin() {
        FatalSignals.handle()
        if Descriptors.isTerminal(Descriptors.diagnostics) { Diagnostics.divert { [weak self] in self?.tell($0) } }
        // Without it only changes of the window's size are missed.
        try? watch(signals.number, .readable) { owner, _ in owner.signalled() }
        takeOver()
    }

    package func next() async -> InputLine? {
        // Other jobs of the loop run before the closure does: a check in front of it may be out of date.
        await withCheckedContinuation { reader in
            if let line = session.nextLine() { return reader.resume(returning: line) }
            guard isOpen, !session.hasEnded else { return reader.resume(returning: nil) }
            waiter = reader
        }
    }

    package func settle(_ line: InputLine, _ outcome: LineOutcome) {
        session.settle(line, outcome)
        update()
    }

    package func show(_ reports: [RoomReport]) -> Bool {
        tellElsewhere(reports)
        session.show(reports, at: loop.now, wallClock: loop.wallClock)
        update()
        return isOpen
    }

    package func finish() {
        Diagnostics.divert(to: nil)
        if isInFront { print(session.hide()) }
        TerminalSettings.restore()
        isOpen = false
        stopReading()
        handOut()
    }

    /// Shows a line of diagnostics above the one that is being typed.
    private nonisolated func tell(_ line: String) {
        executeRetained { owner in
            guard owner.isOpen else {
                try? Descriptors.write(Array("\(line)\n".utf8), to: Descriptors.diagnostics)
                return
            }
            owner.session.tell(line)
            owner.update()
        }
    }

    /// Errors and warnings are shown in the terminal, where they are wanted, and go where standard error goes besides.
    private func tellElsewhere(_ reports: [RoomReport]) {
        guard !Descriptors.isTerminal(Descriptors.diagnostics) else { return }
        for report in reports {
            if case .error(let error) = report.report { Diagnostics(level: .error).say(.error, error.message) }
            if case .event(.notice(let code, let sentence)) = report.report, code.isWarning {
                Diagnostics(level: .warning).say(.warning, sentence.text(in: .english))
            }
        }
    }
}

/// Keys, and what comes of them.
extension TerminalOwner {
    private func startReading() {
        guard !isReading, isOpen, isInFront, !session.hasEnded else { return }
        do throws(SystemError) {
            try watch(Descriptors.input, .readable) { owner, _ in owner.readKeys() }
            isReading = true
        } catch {
            departure.record(.failed("the terminal can not be read: \(error.reason); see whether memory is short"))
            session.end()
        }
    }

    private func stopReading() {
        guard isReading else { return }
        isReading = false
        loop.unwatch(Descriptors.input)
    }

    private func readKeys() {
        guard TerminalSettings.isForeground else { return stepBack() }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = Descriptors.read(into: &buffer, from: Descriptors.input)
        session.take(buffer[..<count], at: loop.now, wallClock: loop.wallClock)
        if count == 0 { session.end() }
        update()
    }

    /// Writes what is to be written, does what the session asks for, and sets the clock for the next time.
    private func update() {
        if isInFront, !TerminalSettings.isForeground { stepBack() }
        if isInFront { draw() }
        for request in session.takeRequests() {
            switch request {
            case .typing(let isOn): typing(isOn)
            case .interrupt: kill(getpid(), SIGINT)
            }
        }
        if session.hasEnded { stopReading() }
        handOut()
        arm()
    }

    private func draw() {
        // A key may come before the signal of the window's change: the frame must not be drawn for the old size.
        let size = TerminalSettings.size
        session.resize(columns: size.columns, rows: size.rows)
        TerminalSettings.usesSecondScreen(session.isPaging)
        print(session.writing(at: loop.now))
    }

    private func handOut() {
        guard let waiter else { return }
        let line = isOpen ? session.nextLine() : nil
        guard line != nil || !isOpen || session.hasEnded else { return }
        self.waiter = nil
        waiter.resume(returning: line)
    }

    private func arm() {
        guard isOpen, let deadline = session.deadline, armed.map({ deadline < $0 }) ?? true else { return }
        armed = deadline
        schedule(at: deadline) { $0.wake(deadline) }
    }

    private func wake(_ deadline: Instant) {
        if armed == deadline { armed = nil }
        session.wake(at: loop.now, wallClock: loop.wallClock)
        update()
    }

    private func print(_ text: String) {
        guard isOpen, !text.isEmpty else { return }
        do throws(SystemError) {
            try Descriptors.write(Array(text.utf8), to: Descriptors.output)
        } catch {
            isOpen = false
            departure.outputFailed(error.reason, isClosedByReader: Descriptors.isClosedByReader(error))
        }
    }
}

/// The window and the shell around it.
extension TerminalOwner {
    private func signalled() {
        for signal in TerminalSignals.read(signals.number) {
            switch signal {
            case SIGWINCH: update()
            case SIGTSTP: suspend()
            default: takeOver()
            }
        }
    }

    private func suspend() {
        if isInFront, TerminalSettings.isForeground { print(session.hide()) }
        TerminalSettings.restore()
        stepBack()
        TerminalSignals.stop()
        // The signal to go on has been seen by now.
        _ = TerminalSignals.read(signals.number)
        takeOver()
    }

    /// Takes the terminal, for the first time or again; in the background another process has it.
    private func takeOver() {
        guard isOpen else { return }
        guard TerminalSettings.isForeground else { return stepBack() }
        isInFront = true
        TerminalSettings.change()
        session.reveal()
        startReading()
        update()
    }

    /// Another process has the terminal: leaves it alone until that has gone.
    private func stepBack() {
        isInFront = false
        session.stepBack()
        stopReading()
        awaitFront()
    }

    private func awaitFront() {
        guard !isAwaitingFront, isOpen, !isInFront else { return }
        isAwaitingFront = true
        schedule(after: TerminalOwner.frontCheck) { owner in
            owner.isAwaitingFront = false
            guard owner.isOpen, !owner.isInFront else { return }
            if TerminalSettings.isForeground { owner.takeOver() } else { owner.awaitFront() }
        }
    }
}
