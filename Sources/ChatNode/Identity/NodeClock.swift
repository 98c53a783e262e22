import Chat
import Phrases
import Wire

/// Compares our clock with the clocks of neighbours (Protocol.md section 7).
extension Node {
    /// Our wall clock with its correction: received times are compared with it.
    var roomClock: Timestamp { clock.time(at: scheduler.wallClock) }

    /// The time that neighbours compare their clocks with.
    private var comparedTime: Timestamp { router.session.clock.uncorrectedTime(at: scheduler.wallClock) }

    /// Sends our clock on a link.
    func sendClock(on link: LinkInfo) {
        withEffects { RoomClock.send(comparedTime, on: link.id, &$0) }
    }

    func receivedClock(_ body: Span<UInt8>, on link: LinkInfo) {
        // Nodes of one machine have one clock.
        let source = links.isOnThisMachine(link.id) ? link.endpoint.onThisMachine : link.endpoint
        let environment = environment
        var effects = Effects()
        let isTaken = clock.receive(
            body, on: link, at: source, telling: comparedTime, environment, &effects)
        perform(effects)
        guard isTaken else { return links.tally.unexpectedFrames += 1 }
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
            withEffects { clock.ask(connections, telling: comparedTime, &$0) }
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
