import Chat
import Wire

/// The facts that every part may read, taken once for each call.
struct Environment {
    let moment: Moment
    /// The wall clock with its correction by the neighbours' clocks: signed times are compared with it.
    let roomClock: Timestamp
    let me: PeerID
    let mode: RoomMode
    /// Peers are here by their presences, not by their links.
    let isCrowd: Bool
    /// The node has started and is not leaving.
    let isRunning: Bool

    var now: Instant { moment.instant }
    var wallClock: Timestamp { moment.wallClock }
}

extension Node {
    var environment: Environment {
        let moment = scheduler.moment
        let isRunning = if case .running = phase { true } else { false }
        return Environment(
            moment: moment, roomClock: clock.time(at: moment.wallClock), me: context.me,
            mode: overlay.mode, isCrowd: people.isCrowd, isRunning: isRunning)
    }
}
