package import ChatNode
import Synchronization

/// The node that the program runs: one after the other, because `/wipe` ends one and begins the next.
package final class CurrentNode: Sendable {
    private struct State {
        var node: Node
        var isWiping = false
        /// The memory of a node that `/wipe` ends.
        var forgotten: MemoryUsage?
        /// The answer of a wipe that is done.
        var told: Answer?
        var waiting: [CheckedContinuation<Answer?, Never>] = []
    }

    /// The step of a wipe at the time of a second request.
    private enum WipeStep { case begins, isUnderWay, isDone }

    private let state: Mutex<State>

    package init(_ node: Node) {
        state = Mutex(State(node: node))
    }

    /// Not to be kept: what was wiped is gone when the last lets go of it.
    package var node: Node { state.withLock { $0.node } }

    /// Whether the node ends because of `/wipe`.
    package var isWiping: Bool { state.withLock { $0.isWiping } }

    /// The node; while one is wiped, the next one, waited for.
    func awaitCurrent() async -> Node {
        if !isWiping { return node }
        _ = await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                guard state.isWiping else { return true }
                state.waiting.append(continuation)
                return false
            }
            if goesOn { continuation.resume(returning: nil) }
        }
        return node
    }

    /// Ends the node for good. Returns when another one is ready, or when the program leaves instead; what is asked for
    /// twice at a time is done once.
    ///
    /// - Returns: what was forgotten.
    @discardableResult
    func wipe() async -> Answer? {
        let node = node
        let forgotten = await node.memoryUsage()
        return await withCheckedContinuation { continuation in
            let step = state.withLock { state -> WipeStep in
                if !state.isWiping, state.node !== node { return .isDone }
                state.waiting.append(continuation)
                guard !state.isWiping else { return .isUnderWay }
                (state.isWiping, state.forgotten) = (true, forgotten)
                return .begins
            }
            switch step {
            case .isDone: continuation.resume(returning: nil)
            case .isUnderWay: break
            case .begins: Task { await node.beginLeaving() }
            }
        }
    }

    /// The memory of the ended node; nil if it ended for another reason than a wipe.
    package func takeForgotten() -> MemoryUsage? { state.withLock { $0.forgotten.take() } }

    /// Keeps the answer of a wipe for the callers that wait.
    package func note(_ answer: Answer) { state.withLock { $0.told = answer } }

    /// Lets go of the node.
    package func replace(with node: Node) { state.withLock { $0.node = node } }

    /// Resumes the callers that wait for the end of a wipe; false if there was none.
    package func goOn() -> Bool {
        let (wasWiping, told, waiting) = state.withLock { state in
            defer { (state.isWiping, state.told, state.waiting) = (false, nil, []) }
            return (state.isWiping, state.told, state.waiting)
        }
        for continuation in waiting { continuation.resume(returning: told) }
        return wasWiping
    }
}
