package import ChatNode
import Synchronization

/// The node that the program runs: one after the other, because `/wipe` ends one and begins the next.
package final class CurrentNode: Sendable {
    private struct State {
        var node: Node
        var isWiping = false
        /// What the node knew, once it is to be forgotten.
        var forgotten: MemoryUsage?
        /// What is told of it once it is.
        var told: Answer?
        var waiting: [CheckedContinuation<Answer?, Never>] = []
    }

    /// Where a node that is to be forgotten stands, because of somebody else who asked the same.
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

    /// What is forgotten with the node that has ended; nil if it ended for another reason.
    package func takeForgotten() -> MemoryUsage? { state.withLock { $0.forgotten.take() } }

    /// Notes what is told of a wipe, for whoever has asked for it.
    package func note(_ answer: Answer) { state.withLock { $0.told = answer } }

    /// Lets go of the node.
    package func replace(with node: Node) { state.withLock { $0.node = node } }

    /// Lets whoever waits for the end of a wipe go on; false if there was none.
    package func goOn() -> Bool {
        let (wasWiping, told, waiting) = state.withLock { state in
            defer { (state.isWiping, state.told, state.waiting) = (false, nil, []) }
            return (state.isWiping, state.told, state.waiting)
        }
        for continuation in waiting { continuation.resume(returning: told) }
        return wasWiping
    }
}
