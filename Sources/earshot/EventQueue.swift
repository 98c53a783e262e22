import ChatNode
import Synchronization

/// What the node told and the display has not shown yet.
///
/// Bounded, because a reader that stops must not fill the memory: the oldest batches are dropped then, and counted.
final class EventQueue: Sendable {
    /// In batches; hours of a busy room.
    private static let capacity = 65_536

    let batches: AsyncStream<[NodeEvent]>
    private let continuation: AsyncStream<[NodeEvent]>.Continuation
    private let dropped = Atomic<Int>(0)

    init() {
        (batches, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(EventQueue.capacity))
    }

    /// From any thread.
    func append(_ batch: [NodeEvent]) {
        if case .dropped(let oldest) = continuation.yield(batch) { dropped.add(oldest.count, ordering: .relaxed) }
    }

    /// What `/stats` tells about it.
    var counters: [Counter] { [Counter(name: "events_not_shown", value: dropped.load(ordering: .relaxed))] }
}
