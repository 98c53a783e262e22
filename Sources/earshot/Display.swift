import Chat
import Reactor
import Wire

/// The only writer of standard output: shows reports in the order in which they come.
///
/// It lives on a thread of its own, because a reader that stops makes writing block, and the node must not wait for it.
actor Display {
    private let loop: EventLoop
    private var presentation: any Presentation
    /// Nil where nobody types into a terminal.
    private var terminal: Terminal?
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// - Parameter loop: nothing else may live on it.
    init(on loop: EventLoop, presentation: any Presentation, terminal: Terminal?) {
        self.loop = loop
        self.presentation = presentation
        self.terminal = terminal
    }

    /// Writes reports out at once.
    ///
    /// - Returns: false once nobody reads standard output any more.
    func show(_ reports: [Report]) -> Bool {
        var lines = Rendering()
        var isRinging = false
        for report in reports {
            if terminal?.note(report) == true { isRinging = true }
            guard terminal == nil || !Terminal.hides(report) else { continue }
            lines += presentation.rendering(of: report, at: loop.wallClock)
        }
        if isRinging { lines.output.append(0x07) }
        write(lines)
        return !isClosed
    }

    /// Takes the prompt away: nothing more is typed.
    func finish() {
        guard let terminal else { return }
        print(terminal.before)
        self.terminal = nil
    }

    private func write(_ lines: Rendering) {
        print(terminal?.before ?? "")
        if !lines.diagnostics.isEmpty { _ = Descriptors.write(lines.diagnostics, to: Descriptors.diagnostics) }
        print(lines.output + Array((terminal?.after ?? "").utf8))
    }

    private func print(_ text: String) { print(Array(text.utf8)) }

    private func print(_ bytes: [UInt8]) {
        guard !isClosed, !bytes.isEmpty else { return }
        isClosed = !Descriptors.write(bytes, to: Descriptors.output)
    }
}

extension Rendering {
    static func += (all: inout Rendering, next: Rendering) {
        all.output += next.output
        all.diagnostics += next.diagnostics
    }
}
