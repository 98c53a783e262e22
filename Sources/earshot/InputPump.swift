import Chat
import ChatNode
import Wire

/// Carries lines from standard input to the node and what comes of them to the display, one line at a time.
struct InputPump: Sendable {
    let input: any LineSource
    let node: Node
    let display: any ReportDisplay
    let departure: Departure
    /// What `/stats` tells about the process, which the node does not know.
    let counters: @Sendable () -> [Counter]

    /// Returns at the end of the input, or when the node leaves.
    func run() async {
        while !departure.isDecided, let line = await input.next() {
            let (reports, isAccepted) = await reports(on: line)
            await input.settle(line, isAccepted: isAccepted)
            guard await display.show(reports) else { break }
        }
        _ = departure.note(.asked)
        await node.leave()
    }

    private func reports(on line: InputLine) async -> (reports: [Report], isAccepted: Bool) {
        do throws(ChatError) {
            let text = try InputPump.text(of: line.content)
            if !line.isPaced, text.allSatisfy(\.isWhitespace) { return ([], true) }
            let command = try Command(line: text)
            if command == .quit { _ = departure.note(.asked) }
            if command.isPaced, line.isPaced { await node.waitUntilMaySend() }
            return (try await node.perform(command).map { [.answer(completed($0))] } ?? [], true)
        } catch {
            return ([.error(error)], false)
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

    private func completed(_ answer: Answer) -> Answer {
        guard case .statistics(let nodeCounters) = answer else { return answer }
        return .statistics(nodeCounters + counters())
    }
}
