import Glibc
import Reactor
import Synchronization
import Testing

/// The real program as a child process, for tests that talk to it as a script or a person does.
///
/// It lives on a thread of its own, because reading from a child blocks.
package actor ProgramProcess {
    /// How a process ended.
    package enum End: Equatable { case exited(CInt), killed(CInt) }

    private let loop: EventLoop
    private let child: CInt
    private let input: CInt
    private let output: CInt
    private let diagnostics: CInt
    private var pending: [UInt8] = []
    private var isInputOpen = true
    private var end: End?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Starts the program that was built with these tests.
    ///
    /// - Parameter wrapper: a program and its arguments that starts the command line appended to it.
    package init(_ options: [String], environment: [String] = ["TZ=UTC"], behind wrapper: [String] = []) throws {
        loop = try ProgramLoops.take()
        let streams = try (ProgramSpawn.pair(), ProgramSpawn.pair(), ProgramSpawn.pair())
        child = try ProgramSpawn.start(
            options, environment: environment, behind: wrapper,
            streams: [streams.0.theirs, streams.1.theirs, streams.2.theirs])
        (input, output, diagnostics) = (streams.0.ours, streams.1.ours, streams.2.ours)
    }

    /// Types into a terminal that the program runs in; what it writes comes back on the same descriptor.
    package init(inTerminal options: [String], environment: [String]) throws {
        loop = try ProgramLoops.take()
        let terminal = try ProgramSpawn.terminal()
        child = try ProgramSpawn.start(options, environment: environment, terminal: terminal.path)
        (input, output, diagnostics) = (terminal.ours, terminal.ours, -1)
    }

    /// Ends the child, whatever it does, and everything that belongs to it.
    isolated deinit {
        if end == nil {
            kill(child, SIGKILL)
            _ = waitpid(child, nil, 0)
        }
        closeInput()
        if output != input { _ = close(output) }
        if diagnostics >= 0 { _ = close(diagnostics) }
        ProgramLoops.giveBack(loop)
    }

    /// The process number.
    package nonisolated var id: CInt { child }

    /// Whether its terminal shows what is typed.
    package var echoes: Bool {
        var settings = termios()
        return unsafe tcgetattr(input, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Writes to the program's standard input, as it is.
    package func write(_ text: String) { write(bytes: Array(text.utf8)) }

    package func write(bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(input, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    package func closeInput() {
        guard isInputOpen else { return }
        isInputOpen = false
        _ = close(input)
    }

    /// Stops reading standard output for good, as `head` does.
    package func closeOutput() { _ = shutdown(output, CInt(SHUT_RDWR)) }

    package func signal(_ number: CInt) { kill(child, number) }

    /// The next line of standard output, waited for; nil at its end.
    package func line() -> String? {
        while true {
            if let end = pending.firstIndex(of: 0x0a) {
                defer { pending.removeFirst(end + 1) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            guard let more = ProgramSpawn.read(output) else { return nil }
            pending += more
        }
    }

    /// Reads until `text` has come, whatever else comes with it; false if the output ends before.
    package func reads(_ text: String) -> Bool {
        while true {
            let all = String(decoding: pending, as: UTF8.self)
            if let range = all.firstRange(of: text) {
                pending = Array(all[range.upperBound...].utf8)
                return true
            }
            guard let more = ProgramSpawn.read(output) else { return false }
            pending += more
        }
    }

    /// The next event for which `isWanted`, waited for; events before it are skipped.
    package func event(
        _ name: String, where isWanted: @Sendable (TestedJSON) -> Bool = { _ in true }
    ) throws -> TestedJSON {
        var skipped: [String] = []
        while let line = line() {
            let value = try TestedJSON(line)
            if value["event"]?.text == name, isWanted(value) { return value }
            skipped.append(line)
        }
        throw EndOfOutput(wanted: name, skipped: skipped)
    }

    package struct EndOfOutput: Error {
        package let wanted: String
        package let skipped: [String]
    }

    /// Everything that is still to come on standard output.
    package func remainingLines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }

    /// All of standard error, waited for to its end.
    package func complaints() -> String {
        var bytes: [UInt8] = []
        while let more = ProgramSpawn.read(diagnostics) { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// How the program ended, waited for.
    package func ended() -> End {
        if let end { return end }
        var status: CInt = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        let end = status & 0x7f == 0 ? End.exited(status >> 8 & 0xff) : End.killed(status & 0x7f)
        self.end = end
        return end
    }
}

/// Threads for the programs under test, used again and never ended: the last one to let go of a program may be its own.
enum ProgramLoops {
    private static let idle = Mutex<[EventLoop]>([])

    static func take() throws(SystemError) -> EventLoop {
        if let loop = idle.withLock({ $0.popLast() }) { return loop }
        let loop = try EventLoop(name: "program")
        try loop.start()
        return loop
    }

    static func giveBack(_ loop: EventLoop) { idle.withLock { $0.append(loop) } }
}
