import Chat
import ChatNode
import Storage
import Wire

/// Carries lines from standard input to the node and what comes of them to the display, one line at a time.
struct InputPump: Sendable {
    let input: StandardInput
    let current: CurrentNode
    let files: IdentityFiles?
    let diagnostics: Diagnostics
    let display: Display
    let departure: Departure
    /// Typed input is refused when it comes too soon; any other waits, so that a pipe loses nothing.
    let isTyped: Bool
    /// What `/stats` tells about the process, which the node does not know.
    let counters: @Sendable () -> [Counter]

    /// Returns at the end of the input, or when the node leaves.
    func run() async {
        while !departure.isDecided, let line = await input.next() {
            let reports = await reports(on: line)
            guard await display.show(reports) else { break }
        }
        _ = departure.note(.asked)
        await current.node.leave()
    }

    private func reports(on line: LineSplitter.Line) async -> [Report] {
        do throws(ChatError) {
            let text = try InputPump.text(of: line)
            if isTyped, text.allSatisfy(\.isWhitespace) { return [] }
            let command = try Command(line: text)
            if command == .quit { _ = departure.note(.asked) }
            // It says itself what came of it, between the last event of the one node and the first of the other.
            if command == .wipe { return await wipe() }
            if command.isPaced, !isTyped { await current.node.waitUntilMaySend() }
            let answer = try await current.node.perform(command)
            if command.changesMarks { keep(await current.node.marks) }
            return answer.map { [.answer(completed($0))] } ?? []
        } catch {
            return [.error(error)]
        }
    }

    private func wipe() async -> [Report] {
        await current.wipe()
        return []
    }

    /// The node goes on with what could not be written.
    private func keep(_ marks: PeerMarks) {
        do throws(StorageError) {
            try files?.store { state in
                state.verified = marks.verified.inOrder
                state.blocked = marks.blocked.inOrder
            }
        } catch {
            diagnostics.say(.error, "\(error)")
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
        switch answer {
        case .statistics(let nodeCounters): .statistics(nodeCounters + counters())
        case .verification(let who, let code, let isVerified, isKept: _):
            .verification(who, code: code, isVerified: isVerified, isKept: files?.isInUse ?? false)
        case .peers, .requests, .history, .unread, .help, .active, .done, .wiped: answer
        }
    }
}
