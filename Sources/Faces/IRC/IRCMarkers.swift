import Model
import Synchronization
import Wire

/// The read markers that clients have set, for all clients of a gateway. Bounded: 4,096 conversations.
final class IRCMarkers: Sendable {
    private struct State {
        var times: [ConversationID: Timestamp] = [:]
        var version = 0
    }

    private static let capacity = 4_096

    private let state = Mutex(State())

    /// Grows with each change.
    var version: Int { state.withLock(\.version) }

    /// The conversations that have markers.
    var conversations: [ConversationID] { state.withLock { Array($0.times.keys) } }

    subscript(id: ConversationID) -> Timestamp? { state.withLock { $0.times[id] } }

    /// Sets a marker, unless it is at a later time already.
    ///
    /// - Returns: whether it was set.
    func raise(_ id: ConversationID, to time: Timestamp) -> Bool {
        state.withLock { state in
            guard state.times[id].map({ $0 < time }) ?? true else { return false }
            if state.times.count >= IRCMarkers.capacity, let any = state.times.keys.first { state.times[any] = nil }
            state.times[id] = time
            state.version += 1
            return true
        }
    }
}
