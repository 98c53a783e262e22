import Chat
import Wire

/// When the lines of one room are shown: those with the first peer, folded arrivals, and the advice to a user without peers.
struct RoomTiming: Sendable {
    /// A user that met peers within this time was alone until then.
    static let reunionTime = Duration.seconds(30)

    var arrivals = ArrivalBlock()
    var joins = JoinFolder()
    var reactions = ReactionFolder()
    /// The time at which a user hears of the cards that came as history; nil for never.
    var boardAt: Instant?
    /// The time at which a user without peers gets advice; nil for never.
    private(set) var lonelyAt: Instant?
    private var hasMet = false
    /// When the first peer came, or the first one after the last had gone; nil while the user is alone.
    private var metAt: Instant?

    /// The next time that something is due; nil for never.
    var deadline: Instant? {
        [arrivals.deadline, joins.deadline, reactions.deadline, boardAt, lonelyAt].compactMap(\.self).min()
    }

    /// The user entered the room: without a peer it gets advice after a while.
    mutating func enter(at now: Instant) {
        if !hasMet { lonelyAt = now + ChatView.lonelyTime }
    }

    /// Whether the advice is due, once.
    mutating func takeLoneliness(at now: Instant) -> Bool {
        guard let due = lonelyAt, due <= now else { return false }
        lonelyAt = nil
        return true
    }

    /// Whether the user is or was until now without peers.
    func wasAlone(at now: Instant) -> Bool { metAt.map { now - $0 <= RoomTiming.reunionTime } ?? true }

    mutating func record(_ state: PresenceState, online: Int, at now: Instant) {
        record(online: state == .left && !hasMet ? 0 : online, at: now)
    }

    /// Records how many peers are here; the first ones begin the block of what comes with them.
    mutating func record(online: Int, at now: Instant) {
        metAt = online > 0 ? metAt ?? now : nil
        guard !hasMet, online > 0 else { return }
        (hasMet, lonelyAt) = (true, nil)
        arrivals.begin(at: now)
    }
}
