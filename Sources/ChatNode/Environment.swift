import Chat
import Wire

/// One point in time, on each clock that a part may read.
struct Moment {
    /// The monotonic clock.
    let instant: Instant
    /// The clock of this machine.
    let wallClock: Timestamp
    /// `wallClock` with its correction by the neighbours' clocks: signed times are compared with it.
    let roomClock: Timestamp
}

/// The facts that every part may read, taken once for each call.
struct Environment {
    let moment: Moment
    let me: PeerID
    let mode: RoomMode
    /// Peers are here by their presences, not by their links.
    let isCrowd: Bool
    /// The node has started and is not leaving.
    let isRunning: Bool

    var now: Instant { moment.instant }
    var wallClock: Timestamp { moment.wallClock }
    var roomClock: Timestamp { moment.roomClock }
}

extension Node {
    var environment: Environment {
        let wallClock = scheduler.wallClock
        let isRunning = if case .running = phase { true } else { false }
        return Environment(
            moment: Moment(instant: scheduler.now, wallClock: wallClock, roomClock: clock.time(at: wallClock)),
            me: context.me, mode: overlay.mode, isCrowd: people.isCrowd, isRunning: isRunning)
    }
}
