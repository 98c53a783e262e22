import Chat
import Wire

/// The facts that every part may read, taken once for each call.
struct Environment {
    let moment: Moment
    let me: PeerID
    let mode: RoomMode
    /// The user lets bridges publish what this node says to the room.
    var consentsToBridges = false
    /// The node has started and is not leaving.
    let isRunning: Bool

    /// Peers are here by their presences, not by their links.
    var isCrowd: Bool { mode.isCrowd }
    var now: Instant { moment.instant }
    var wallClock: Timestamp { moment.wallClock }
    /// The wall clock with its correction: signed times are compared with it.
    var roomClock: Timestamp { moment.roomClock }
}
