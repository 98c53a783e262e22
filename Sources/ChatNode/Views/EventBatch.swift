import Chat

/// The events that a node has not delivered yet: two buffers, one of which fills while the other is delivered.
struct EventBatch {
    /// So many events are delivered before the turn ends, so that a flood needs no large buffer.
    private static let portion = 64

    var events: [NodeEvent] = []
    private var spare: [NodeEvent] = []

    var isFull: Bool { events.count >= Self.portion }

    mutating func append(_ event: consuming NodeEvent) { events.append(event) }

    /// Removes those of the last events that are not to be reported.
    mutating func remove(from start: Int, where isHidden: (NodeEvent) -> Bool) {
        var index = start
        while index < events.count {
            if isHidden(events[index]) { events.remove(at: index) } else { index += 1 }
        }
    }

    mutating func takeEvents() -> [NodeEvent] {
        let taken = events
        events = spare
        spare = []
        return taken
    }

    /// The buffer of delivered events serves again unless it is large.
    mutating func reuse(_ delivered: consuming [NodeEvent]) {
        guard delivered.count <= 2 * Self.portion else { return }
        delivered.removeAll(keepingCapacity: true)
        spare = delivered
    }
}
