import Chat
import ChatNode
import Storage
import Wire

/// Where commands are done, whoever gives them: by the node that there is, and what the program has to do besides.
struct CommandExecutor: Sendable {
    let current: CurrentNode
    let files: IdentityFiles?
    let diagnostics: Diagnostics
    let departure: Departure
    /// What `/stats` tells about the process, which the node does not know.
    let counters: @Sendable () -> [Counter]

    /// Does a command of the person's.
    ///
    /// - Parameters:
    ///   - isPaced: whether it waits until it may be sent, instead of being refused when it comes too soon.
    ///   - report: takes its answer or error in the node's own turn. A wipe has none: it is told by itself, between the
    ///     last event of the one node and the first of the other.
    /// - Returns: whether it was done.
    func obey(_ command: Command, isPaced: Bool, report: @escaping @Sendable (Report) -> Void) async -> Bool {
        if command == .quit { _ = departure.note(.asked) }
        if command == .wipe {
            await current.wipe()
            return true
        }
        let isDone = await inTurn(isPaced: isPaced && command.isPaced) { node in
            node.perform(command, keep: keep) { report(completed($0)) }
        }
        return isDone ?? false
    }

    /// Does a command for somebody who hears nothing else of the node, and paces it.
    ///
    /// - Returns: the events that came of it, and its answer or error; nil if the node leaves instead.
    func reports(of command: Command) async -> [Report]? {
        if command == .quit { _ = departure.note(.asked) }
        if command == .wipe { return await [current.wipe()].compactMap { $0.map(Report.answer) } }
        return await inTurn(isPaced: command.isPaced) { node in
            node.performApart(command, keep: keep).map(completed)
        }
    }

    /// Hands over what a tail begins with, in a turn of the node: what it tells later comes behind that.
    func beginTail(withHistory: Bool, _ hand: @Sendable ([Report]) -> Void) async {
        _ = await inTurn(isPaced: false) { hand($0.beginTail(withHistory: withHistory)) }
    }

    /// Does something in one turn of the node: of the next one while one is wiped.
    private func inTurn<Result: Sendable>(
        isPaced: Bool, _ body: @Sendable (isolated Node) -> Result
    ) async -> Result? {
        while true {
            let node = await current.settled()
            guard isPaced else { return await node.inTurn(body) }
            if let result = await node.whenMaySend(body) { return result }
            // It leaves: to be forgotten, or for good.
            if !current.isWiping, current.node === node { return nil }
        }
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

    @Sendable private func completed(_ report: Report) -> Report {
        guard case .answer(let answer) = report else { return report }
        return switch answer {
        case .statistics(let nodeCounters): .answer(.statistics(nodeCounters + counters()))
        case .verification(let who, let code, let isVerified, isKept: _):
            .answer(.verification(who, code: code, isVerified: isVerified, isKept: files?.isInUse ?? false))
        case .peers, .requests, .history, .unread, .help, .active, .done, .wiped: report
        }
    }
}
