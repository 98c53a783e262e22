import Chat
import Wire

/// Reports of a node to the program. The events that are not delivered yet have two buffers, one of which fills while the other is
/// delivered.
///
/// A class, because the receiver of events may emit events.
final class Outlet {
    /// So many events are delivered before the turn ends, so that a flood needs no large buffer.
    private static let portion = 64

    private let receiver: ([NodeEvent]) -> Void
    let epochChanged: (UInt64) -> Void
    private let directsChanged: ([PeerID]) -> Void
    var events: [NodeEvent] = []
    private var spare: [NodeEvent] = []

    init(
        deliver: @escaping ([NodeEvent]) -> Void, epochChanged: @escaping (UInt64) -> Void,
        directsChanged: @escaping ([PeerID]) -> Void
    ) {
        receiver = deliver
        (self.epochChanged, self.directsChanged) = (epochChanged, directsChanged)
    }

    var isFull: Bool { events.count >= Self.portion }

    /// Removes those of the last events that are not to be reported.
    func remove(from start: Int, where isHidden: (NodeEvent) -> Bool) {
        var index = start
        while index < events.count {
            if isHidden(events[index]) { events.remove(at: index) } else { index += 1 }
        }
    }

    /// - Parameter accepted: the peers of accepted direct conversations if they are others, else nil. They go before the events: when the
    ///   user sees these, the change is on its way to the disk.
    func deliver(accepted: [PeerID]?) {
        if let accepted { directsChanged(accepted) }
        guard !events.isEmpty else { return }
        var delivered = exchange(&events, with: exchange(&spare, with: []))
        receiver(delivered)
        // The buffer of delivered events serves again unless it is large.
        guard delivered.count <= 2 * Self.portion else { return }
        delivered.removeAll(keepingCapacity: true)
        spare = delivered
    }
}
