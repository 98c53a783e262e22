import Chat
import Wire

/// Compares our clock with the clocks of neighbours (Protocol.md section 7).
extension Node {
    /// Our wall clock with its correction: received times are compared with it.
    var roomClock: Timestamp { clock.time(at: scheduler.wallClock) }

    /// Tells our clock on a link.
    func tellClock(on connection: Connection, wantsAnswer: Bool = false) {
        let time = router.session.clock.uncorrectedTime(at: scheduler.wallClock)
        enqueue(ClockFrame(wantsAnswer: wantsAnswer, time: time).bytes, on: connection)
    }

    func receivedClock(_ body: Span<UInt8>, on connection: Connection) {
        guard let peer = connection.peer, let frame = ClockFrame(body),
            LinkInfo(connection).take(.clocks, now: scheduler.now)
        else {
            links.tally.unexpectedFrames += 1
            return
        }
        if frame.wantsAnswer, !connection.isRetiring { tellClock(on: connection) }
        // Nodes of one machine have one clock.
        let source = links.isOnThisMachine(connection.id) ? connection.endpoint.onThisMachine : connection.endpoint
        if let error = clock.record(frame.time, of: peer, at: source, wallClock: scheduler.wallClock) {
            emit(.notice(.clockSkew, RoomClock.warning(error)))
        }
        clockChanged()
    }

    /// The neighbour's clock is no witness any more.
    func forgetClock(of peer: PeerID) {
        clock.forget(peer)
        clockChanged()
    }

    /// Notices that our wall clock was set. To be called when time may have passed.
    func watchClock() {
        let (wallClock, now) = (scheduler.wallClock, scheduler.now)
        if clock.wasSet(wallClock, now: now) {
            clockChanged()
            for connection in connections.activeLinks { tellClock(on: connection, wantsAnswer: true) }
        } else if clock.hasMoved(wallClock, now: now) {
            clockMoved()
        }
    }

    /// The correction may be another.
    private func clockChanged() {
        router.correctClock(by: clock.correction)
        if clock.hasMoved(scheduler.wallClock, now: scheduler.now) { clockMoved() }
    }

    /// The corrected clock moved by more than a minute: signed times are judged otherwise, and ours are other ones.
    private func clockMoved() {
        reopenRefused(isAll: true)
        // Nodes without a link have dropped the presence that was signed before.
        if isCrowd { sendPresence(router.signPresence(at: moment)) }
    }
}
