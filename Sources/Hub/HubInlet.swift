package import ChatNode
import Commands
import Synchronization

/// The side of a hub that other threads use: it counts the events on their way from the nodes' thread to the server's, of
/// which there is a bounded number, and has the counters of `/stats`.
package final class HubInlet: Sendable {
    /// The fate of events.
    package enum Passage: Sendable {
        case taken
        /// Too many are on their way: the clients miss these. The first loss is to be reported to the hub.
        case lost(isFirst: Bool)
    }

    private let backlog = Atomic(0)
    private let hasGap = Atomic(false)
    private let clientCount = Atomic(0)
    private let listenerCount = Atomic(0)
    private let refusalCount = Atomic(0)
    private let dropCount = Atomic(0)

    package init() {}

    /// Counts events that are to be handed over, as many as wait for the display at most. From any thread.
    package func take(_ count: Int) -> Passage {
        if backlog.add(count, ordering: .relaxed).newValue <= ReportQueue.capacity { return .taken }
        backlog.subtract(count, ordering: .relaxed)
        return .lost(isFirst: !hasGap.exchange(true, ordering: .relaxed))
    }

    /// Events that were taken have come to the hub.
    func arrived(_ count: Int) { backlog.subtract(count, ordering: .relaxed) }

    /// The clients know that events were lost.
    func closeGap() { hasGap.store(false, ordering: .relaxed) }

    package var clients: Int { clientCount.load(ordering: .relaxed) }

    /// Counts a client or a request that was refused. From any thread.
    package func countRefusal() { refusalCount.add(1, ordering: .relaxed) }

    package func countDrop() { dropCount.add(1, ordering: .relaxed) }

    /// - Parameter listeners: the clients that hear of events.
    func count(clients: Int, listeners: Int) {
        clientCount.store(clients, ordering: .relaxed)
        listenerCount.store(listeners, ordering: .relaxed)
    }

    /// The counters in `/stats`; those without a metric are left out.
    package func counters(
        clients: Metric, listeners: Metric? = nil, refusals: Metric? = nil, drops: Metric
    ) -> [Counter] {
        let rows: [(Metric?, Int)] = [
            (clients, self.clients), (listeners, listenerCount.load(ordering: .relaxed)),
            (refusals, refusalCount.load(ordering: .relaxed)), (drops, dropCount.load(ordering: .relaxed)),
        ]
        return rows.compactMap { metric, value in metric.map { Counter($0, value) } }
    }
}
