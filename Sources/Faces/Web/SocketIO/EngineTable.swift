import Commands
import Hub
import Model
import Wire

/// The sessions of Engine.IO, and the sessions of Socket.IO whose clients may come back.
struct EngineTable {
    static let most = 64
    /// How long a client may be away and come back for what it missed.
    static let patience = Duration.seconds(120)

    private struct Lost {
        let session: SocketIOSession.Earlier
        let until: Instant
    }

    /// By their ids; with those that are over while the node performs what came.
    private var sessions: [String: EngineSession] = [:]
    /// In the order in which they were lost.
    private var lost: [Lost] = []
    var events = SocketIOEvents()

    /// The sessions that are not over.
    var live: [EngineSession] { sessions.values.filter { !$0.isEnded } }

    /// A session that is not over.
    subscript(id: String) -> EngineSession? { sessions[id].flatMap { $0.isEnded ? nil : $0 } }

    /// A session, over or not.
    func any(_ id: String) -> EngineSession? { sessions[id] }

    mutating func add(_ session: EngineSession) { sessions[session.id] = session }

    /// Ends a session; its client may come back unless it has ended the session itself.
    mutating func end(_ session: EngineSession, at now: Instant) {
        guard !session.isEnded else { return }
        session.isEnded = true
        session.packets = []
        if let room = session.session.room, !session.session.isOver {
            let (id, pid) = (session.session.id, session.session.pid)
            let earlier = SocketIOSession.Earlier(id: id, pid: pid, room: room, offset: nil)
            lost.append(Lost(session: earlier, until: now + EngineTable.patience))
            if lost.count > EngineTable.most { lost.removeFirst() }
        }
        removeIfIdle(session)
    }

    /// Lets go of a session that is over, once all that came has taken effect.
    mutating func removeIfIdle(_ session: EngineSession) {
        if session.isEnded, session.session.isIdle { sessions[session.id] = nil }
    }

    /// Takes the session out that a client comes back to.
    mutating func takeLost(_ pid: String, offset: Int, at now: Instant) -> SocketIOSession.Earlier? {
        lost.removeAll { $0.until <= now }
        guard let index = lost.firstIndex(where: { $0.session.pid.utf8.elementsEqual(pid.utf8) }) else { return nil }
        let earlier = lost.remove(at: index).session
        return SocketIOSession.Earlier(id: earlier.id, pid: earlier.pid, room: earlier.room, offset: offset)
    }

    /// Takes an event of the nodes.
    ///
    /// - Returns: its offset; nil if no client is to get it, nor may come back for it.
    mutating func take(_ report: RoomReport, at now: Instant) -> Int? {
        if report.isEnd { lost.removeAll { $0.session.room == report.room } }
        lost.removeAll { $0.until <= now }
        guard !lost.isEmpty || sessions.values.contains(where: { $0.session.isConnected }) else {
            events.removeAll()
            return nil
        }
        return events.append(report)
    }

    mutating func erase(_ erasure: Erasure) {
        events.erase(erasure)
        for session in sessions.values { session.erase(erasure) }
    }
}
