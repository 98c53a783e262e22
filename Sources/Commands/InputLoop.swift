import Chat
import ChatNode
import Wire

/// Carries lines from standard input to the node, one at a time, and their results to the display.
package struct InputLoop: Sendable {
    package let input: any LineSource
    package let executor: CommandExecutor
    package let reports: ReportQueue
    private let isTyped: Bool
    private let isAddressed: Bool
    private let endsNode: Bool

    /// - Parameters:
    ///   - isTyped: whether a user types the lines, and can correct one that was refused.
    ///   - isAddressed: whether a line may begin with the room that it is for (`AddressedLine`).
    ///   - endsNode: whether the node leaves at the end of the input.
    package init(
        input: any LineSource, executor: CommandExecutor, reports: ReportQueue, isTyped: Bool, isAddressed: Bool,
        endsNode: Bool = true
    ) {
        self.input = input
        self.executor = executor
        self.reports = reports
        self.isTyped = isTyped
        self.isAddressed = isAddressed
        self.endsNode = endsNode
    }

    /// Returns at the end of the input, or when the node leaves; the end of the input is a request to leave, unless
    /// other faces are served.
    package func run() async {
        while await mayGoOn(), let line = await input.next() {
            await input.settle(line, await obey(line))
        }
        guard endsNode || executor.departure.isDecided else { return }
        executor.departure.record(.asked)
        await executor.rooms.leave()
    }

    /// Waits while many reports have still to be shown: a slow reader slows the input.
    private func mayGoOn() async -> Bool {
        await reports.waitForSpace()
        return !executor.departure.isDecided
    }

    /// Performs a line. Its answer follows the events of earlier lines: those are queued in the node's own turn.
    private func obey(_ line: InputLine) async -> LineOutcome {
        var text = ""
        do throws(ChatError) {
            text = try line.content.text()
            // An empty line says nothing, also between those of a file.
            if text.isEmpty || !line.isPaced && text.isBlank { return .done }
            let addressed =
                try await isAddressed
                ? AddressedLine(text, in: executor.rooms) : AddressedLine(text: text)
            let command = try Command(line: addressed.text)
            let room = addressed.room ?? line.room
            // A message is shown by its own event.
            if !command.entry.isPaced, let shown = await shown(room) {
                reports.append([RoomReport(shown, .entered(command.shown(as: text)))])
            }
            let outcome = await executor.obey(
                command, in: room, at: addressed.conversation, isPaced: line.isPaced, isTyped: isTyped
            ) { tell($0) }
            return LineOutcome(of: text, command, outcome)
        } catch {
            if let room = await shown(line.room) { tell(RoomReport(room, .error(error))) }
            return LineOutcome(refused: text, nil, error.code)
        }
    }

    /// The room of a line; the open one if it names none.
    private func shown(_ room: RoomLabel?) async -> RoomLabel? {
        if let room { room } else { await executor.rooms.openLabel }
    }

    /// Queues the result of a line.
    private func tell(_ result: RoomReport) {
        if case .error = result.report, !isTyped { executor.departure.recordRefusal() }
        reports.append([result])
    }
}
