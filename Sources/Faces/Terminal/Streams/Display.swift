import ChatNode
package import Commands
package import Reactor
package import Rendering
import Chat
import Wire

/// The only writer of standard output where there is no line editor: shows reports in the order in which they come.
///
/// It lives on a thread of its own, because a reader that stops makes writing block, and the node must not wait for it.
package actor Display: EventLoopActor, ReportDisplay {
    package nonisolated let loop: EventLoop
    private var presentation: any Presentation
    /// Nil where no user types into a terminal.
    private var terminal: Terminal?
    private let departure: Departure
    private var isOpen = true

    /// - Parameters:
    ///   - loop: the display's alone.
    ///   - departure: takes the failure of standard output.
    package init(on loop: EventLoop, presentation: any Presentation, terminal: Terminal?, departure: Departure) {
        self.loop = loop
        self.presentation = presentation
        self.terminal = terminal
        self.departure = departure
    }

    /// Writes reports out at once.
    ///
    /// - Returns: false once standard output takes nothing any more: there is nothing left to do but to leave.
    package func show(_ reports: [RoomReport]) -> Bool {
        var lines = Rendering()
        var isRinging = false
        for report in reports {
            if terminal?.rings(for: report) == true { isRinging = true }
            // A hidden line is a part of the chat: a later edit is one of it.
            let rendering = presentation.rendering(of: report, at: loop.wallClock)
            if terminal == nil || !Terminal.hides(report) { lines += rendering }
        }
        if isRinging { lines.output.append(0x07) }
        write(lines)
        return isOpen
    }

    package func finish() {}

    private func write(_ lines: Rendering) {
        if !lines.diagnostics.isEmpty { try? Descriptors.write(lines.diagnostics, to: Descriptors.diagnostics) }
        print(lines.output)
    }

    private func print(_ bytes: [UInt8]) {
        guard isOpen, !bytes.isEmpty else { return }
        do throws(SystemError) {
            try Descriptors.write(bytes, to: Descriptors.output)
        } catch {
            isOpen = false
            departure.outputFailed(error.reason, isClosedByReader: Descriptors.isClosedByReader(error))
        }
    }
}

extension Rendering {
    static func += (all: inout Rendering, next: Rendering) {
        all.output += next.output
        all.diagnostics += next.diagnostics
    }
}
