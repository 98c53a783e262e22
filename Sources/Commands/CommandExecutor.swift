import Chat
package import ChatNode
import Wire

/// Performs commands on the current node, for every face.
package struct CommandExecutor: Sendable {
    /// Submits a change to be stored, in the node's turn; the returned function returns when it is, or can not be. Nil if no
    /// file keeps the identity.
    package typealias Store = @Sendable (KeptChange) -> (@Sendable () async -> Void)?

    package let current: CurrentNode
    package let departure: Departure
    private let store: Store
    private let keepsMarks: @Sendable () -> Bool
    private let counters: @Sendable () -> [Counter]

    /// - Parameters:
    ///   - keepsMarks: whether marks outlast the program.
    ///   - counters: those of the process, which `/stats` adds to the node's.
    package init(
        current: CurrentNode, departure: Departure, store: @escaping Store,
        keepsMarks: @escaping @Sendable () -> Bool, counters: @escaping @Sendable () -> [Counter]
    ) {
        self.current = current
        self.departure = departure
        self.store = store
        self.keepsMarks = keepsMarks
        self.counters = counters
    }

    /// Performs a command of the user.
    ///
    /// - Parameters:
    ///   - isPaced: whether it waits until it may be sent, instead of being refused when it comes too soon.
    ///   - report: takes its answer or error: in the node's own turn, or once its change is stored. A wipe has none: it
    ///     is reported between the last event of the one node and the first of the other.
    /// - Returns: whether it was done.
    package func obey(_ command: Command, isPaced: Bool, report: @escaping @Sendable (Report) -> Void) async -> Bool {
        if command == .quit { _ = departure.note(.asked) }
        if command == .wipe {
            await current.wipe()
            return true
        }
        let step = await inTurn(isPaced: isPaced && command.isPaced) { node in
            let outcome = command.perform(on: node)
            let stored = outcome.kept.flatMap(store)
            if stored == nil, let reply = outcome.reply { report(completed(reply)) }
            return Step(outcome: outcome, stored: stored)
        }
        guard let step else { return false }
        if let stored = step.stored {
            await stored()
            if let reply = step.outcome.reply { report(completed(reply)) }
        }
        return step.outcome.isDone
    }

    /// Performs a command for a client that receives no other events, and paces it.
    ///
    /// - Returns: the events of the command, and its answer or error; nil if the node leaves instead.
    package func reports(of command: Command) async -> [Report]? {
        if command == .quit { _ = departure.note(.asked) }
        if command == .wipe { return await [current.wipe()].compactMap { $0.map(Report.answer) } }
        let step = await inTurn(isPaced: command.isPaced) { node in
            let outcome = command.performApart(on: node)
            return Step(outcome: outcome, stored: outcome.kept.flatMap(store))
        }
        guard let step else { return nil }
        await step.stored?()
        return step.outcome.events.map(Report.event) + [step.outcome.reply.map(completed)].compactMap(\.self)
    }

    private struct Step: Sendable {
        let outcome: CommandOutcome
        let stored: (@Sendable () async -> Void)?
    }

    /// Delivers the first reports of a tail in a turn of the node: its later events come behind them.
    package func beginTail(withHistory: Bool, _ deliver: @Sendable ([Report]) -> Void) async {
        _ = await inTurn(isPaced: false) { deliver(Report.tailStart(withHistory: withHistory, of: $0)) }
    }

    /// Runs `body` in one turn of the node: of the next node while one is wiped.
    private func inTurn<Result: Sendable>(
        isPaced: Bool, _ body: @Sendable (isolated Node) -> Result
    ) async -> Result? {
        while true {
            let node = await current.awaitCurrent()
            guard isPaced else { return await node.inTurn(body) }
            if let result = await node.whenMaySend(body) { return result }
            // It leaves: to be forgotten, or for good.
            if !current.isWiping, current.node === node { return nil }
        }
    }

    @Sendable private func completed(_ report: Report) -> Report {
        guard case .answer(let answer) = report else { return report }
        return switch answer {
        case .statistics(let nodeCounters): .answer(.statistics(nodeCounters + counters()))
        case .verification(let who, let code, let isVerified, isKept: _):
            .answer(.verification(who, code: code, isVerified: isVerified, isKept: keepsMarks()))
        case .peers, .requests, .history, .found, .unread, .help, .active, .whoami, .person, .done, .wiped: report
        }
    }
}
