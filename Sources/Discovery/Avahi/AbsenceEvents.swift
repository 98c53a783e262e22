import ChatNode
import Reactor
import Wire

/// Peers that fell silent (Protocol.md section 10).
extension AvahiDiscovery {
    func peersMissed(_ areMissed: Bool, in room: RoomNumber) {
        guard areMissed else {
            rooms[room]?.absence.ended()
            return pursue(room)
        }
        guard rooms[room]?.absence.began() == true else { return }
        var generator = SystemRandomNumberGenerator()
        after(.random(in: Absence.wait, using: &generator)) { $0.lookForMissed(room) }
    }

    /// Says once that this node is there, and asks for others often.
    private func lookForMissed(_ room: RoomNumber) {
        guard rooms[room]?.absence.waited(now: loop.now) == true else { return }
        if !isReading, let publication = rooms[room]?.publication(in: view) {
            announce(publication, of: room, in: heardView)
        }
        pursue(room)
    }

    /// Asks as often as the absence of peers wants: by the browser of our own, or beside the daemon.
    func pursue(_ room: RoomNumber) {
        guard let state = rooms[room] else { return }
        let end = state.absence.pursuesUntil
        if let embedded, embedded.isReady { embedded.responder.pursue(until: end, of: room) }
        let known = Set(state.table.listings.map(\.instance)).filter { !state.table.own.contains($0) }
        listener?.pursue(room, known: known.sorted(), until: isDaemonUsed ? end : nil)
    }

    /// Goes on after a change of who asks.
    func pursueAll() {
        for (room, state) in rooms where state.absence.pursuesUntil != nil { pursue(room) }
    }
}
