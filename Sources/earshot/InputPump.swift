import Chat
import ChatNode
import Wire

/// Carries lines from standard input to the node, one at a time, and what comes of them to where it is shown.
struct InputPump: Sendable {
    let input: StandardInput
    let node: Node
    let reports: ReportQueue
    let departure: Departure
    /// Typed input is refused when it comes too soon; any other waits, so that a pipe loses nothing.
    let isTyped: Bool
    /// What `/stats` tells about the process, which the node does not know.
    let counters: @Sendable () -> [Counter]

    /// Returns at the end of the input, or when the node leaves.
    func run() async {
        while await mayGoOn(), let line = await input.next() { await obey(line) }
        _ = departure.note(.asked)
        await node.leave()
    }

    /// Waits while what was said and answered has still to be shown: a reader that is slow slows the input.
    private func mayGoOn() async -> Bool {
        await reports.waitForRoom()
        return !departure.isDecided
    }

    /// What a line is answered comes behind the events of the lines before it: those are queued in the node's own turn.
    private func obey(_ line: LineSplitter.Line) async {
        do throws(ChatError) {
            let text = try InputPump.text(of: line)
            if isTyped, text.allSatisfy(\.isWhitespace) { return }
            let command = try Command(line: text)
            if command == .quit { _ = departure.note(.asked) }
            if command.isPaced, !isTyped { await node.waitUntilMaySend() }
            await node.perform(command) { reports.append([completed($0)]) }
        } catch {
            reports.append([.error(error)])
        }
    }

    private static func text(of line: LineSplitter.Line) throws(ChatError) -> String {
        switch line {
        case .text(let text): return text
        case .invalidUTF8: throw ChatError(.invalidUTF8, "line is not valid UTF-8")
        case .tooLong:
            let most = Limits.messageBytes
            throw ChatError(
                .tooManyBytes, "line is over \(LineSplitter.longest) bytes; \(most) is the most in a message")
        }
    }

    private func completed(_ report: Report) -> Report {
        guard case .answer(.statistics(let nodeCounters)) = report else { return report }
        return .answer(.statistics(nodeCounters + counters()))
    }
}
