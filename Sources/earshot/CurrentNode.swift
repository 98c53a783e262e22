import ChatNode
import Synchronization

/// The node that the program runs: one after the other, because `/wipe` ends one and begins the next.
final class CurrentNode: Sendable {
    private struct State {
        var node: Node
        /// What the node knew, once it is to be forgotten.
        var lost: Holdings?
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>

    init(_ node: Node) {
        state = Mutex(State(node: node))
    }

    /// Not to be kept: what was wiped is gone when the last lets go of it.
    var node: Node { state.withLock { $0.node } }

    /// Whether the node ends because of `/wipe`.
    var isWiping: Bool { state.withLock { $0.lost != nil } }

    /// Ends the node for good. Returns when another one is ready, or when the program leaves instead.
    func wipe() async {
        let lost = await node.holdings()
        await withCheckedContinuation { continuation in
            state.withLock {
                $0.lost = lost
                $0.waiting = continuation
            }
            Task { await node.beginLeaving() }
        }
    }

    /// What is forgotten with the node that has ended; nil if it ended for another reason.
    func takeLost() -> Holdings? { state.withLock { $0.lost.take() } }

    /// Lets go of the node.
    func replace(with node: Node) { state.withLock { $0.node = node } }

    /// Lets whoever waits for the end of a wipe go on; false if nobody does.
    func goOn() -> Bool {
        guard let waiting = state.withLock({ $0.waiting.take() }) else { return false }
        waiting.resume()
        return true
    }
}
