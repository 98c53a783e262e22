import Chat
import ChatNode
import Storage
import Wire

/// Carries lines from standard input to the node, one at a time, and what comes of them to where it is shown.
struct InputPump: Sendable {
    let input: any LineSource
    let current: CurrentNode
    let files: IdentityFiles?
    let diagnostics: Diagnostics
    let reports: ReportQueue
    let departure: Departure
    /// What `/stats` tells about the process, which the node does not know.
    let counters: @Sendable () -> [Counter]

    /// Returns at the end of the input, or when the node leaves.
    func run() async {
        while await mayGoOn(), let line = await input.next() {
            await input.settle(line, isAccepted: await obey(line))
        }
        _ = departure.note(.asked)
        await current.node.leave()
    }

    /// Waits while what was said and answered has still to be shown: a reader that is slow slows the input.
    private func mayGoOn() async -> Bool {
        await reports.waitForRoom()
        return !departure.isDecided
    }

    /// What a line is answered comes behind the events of the lines before it: those are queued in the node's own turn.
    ///
    /// - Returns: whether it was done.
    private func obey(_ line: InputLine) async -> Bool {
        do throws(ChatError) {
            let text = try InputPump.text(of: line.content)
            if !line.isPaced, text.allSatisfy(\.isWhitespace) { return true }
            let command = try Command(line: text)
            if command == .quit { _ = departure.note(.asked) }
            // What is said shows by itself.
            if !command.isPaced { reports.append([.entered(text)]) }
            // It says itself what came of it, between the last event of the one node and the first of the other.
            if command == .wipe { return await wipe() }
            if command.isPaced, line.isPaced { await current.node.waitUntilMaySend() }
            return await current.node.perform(command, keep: keep) { reports.append([completed($0)]) }
        } catch {
            reports.append([.error(error)])
            return false
        }
    }

    private func wipe() async -> Bool {
        await current.wipe()
        return true
    }

    /// The node goes on with what could not be written.
    @Sendable private func keep(_ marks: PeerMarks) {
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

    private func completed(_ report: Report) -> Report {
        guard case .answer(let answer) = report else { return report }
        return switch answer {
        case .statistics(let nodeCounters): .answer(.statistics(nodeCounters + counters()))
        case .verification(let who, let code, let isVerified, isKept: _):
            .answer(.verification(who, code: code, isVerified: isVerified, isKept: files?.isInUse ?? false))
        case .peers, .requests, .history, .unread, .help, .active, .done, .wiped: report
        }
    }
}
