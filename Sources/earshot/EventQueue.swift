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

    /// The way in for one node. What comes behind its end is not taken: it is of a run that is over.
    func entrance() -> @Sendable ([NodeEvent]) -> Void {
        let hasEnded = Flag()
        return { [self] batch in
            guard !hasEnded.isSet.load(ordering: .acquiring) else { return }
            if case .stopped = batch.last { hasEnded.isSet.store(true, ordering: .releasing) }
            append(batch)
        }
    }

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    /// From any thread.
    func append(_ batch: [NodeEvent]) {
        if case .dropped(let oldest) = continuation.yield(batch) { dropped.add(oldest.count, ordering: .relaxed) }
    }

    /// What `/stats` tells about it.
    var counters: [Counter] { [Counter(name: "events_not_shown", value: dropped.load(ordering: .relaxed))] }
}
