import Chat
import ChatNode
import Wire

/// Carries lines from standard input to the node, one at a time, and what comes of them to where it is shown.
package struct InputLoop: Sendable {
    package let input: any LineSource
    package let executor: CommandExecutor
    package let reports: ReportQueue
    private let isTyped: Bool

    /// - Parameter isTyped: whether a user types the lines, and can correct one that was refused.
    package init(input: any LineSource, executor: CommandExecutor, reports: ReportQueue, isTyped: Bool) {
        self.input = input
        self.executor = executor
        self.reports = reports
        self.isTyped = isTyped
    }

    /// Returns at the end of the input, or when the node leaves.
    package func run() async {
        while await mayGoOn(), let line = await input.next() {
            await input.settle(line, isAccepted: await obey(line))
        }
        _ = executor.departure.note(.asked)
        await executor.current.node.leave()
    }

    /// Waits while what was said and answered has still to be shown: a reader that is slow slows the input.
    private func mayGoOn() async -> Bool {
        await reports.waitForRoom()
        return !executor.departure.isDecided
    }

    /// Performs a line. Its answer follows the events of earlier lines: those are queued in the node's own turn.
    ///
    /// - Returns: whether it was done.
    private func obey(_ line: InputLine) async -> Bool {
        do throws(ChatError) {
            let text = try line.content.text()
            if !line.isPaced, text.allSatisfy(\.isWhitespace) { return true }
            let command = try Command(line: text)
            // A message is shown by its own event.
            if !command.isPaced { reports.append([.entered(text)]) }
            return await executor.obey(command, isPaced: line.isPaced) { tell($0) }
        } catch {
            tell(.error(error))
            return false
        }
    }

    /// Queues the result of a line.
    private func tell(_ result: Report) {
        if case .error = result, !isTyped { executor.departure.noteRefusal() }
        reports.append([result])
    }
}
