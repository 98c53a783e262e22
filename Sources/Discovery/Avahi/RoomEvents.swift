import ChatNode
import Reactor
import Synchronization
import Wire

/// The tables of the rooms, and the resolvers that they ask for.
extension AvahiDiscovery {
    private static let checkInterval = Duration.milliseconds(20)

    /// Changes the table of a room, if it still runs, and does what the table requests.
    func change(_ room: RoomNumber, _ change: (inout InstanceTable, Instant) -> [ListingAction]) {
        perform(room, change)
        noteInstances(of: room)
        serveRooms(after: room)
        arm()
    }

    /// Gives the resolvers that are free to listings of the rooms, those after `room` first; it has served itself.
    func serveRooms(after room: RoomNumber = -1) {
        let waiting = rooms.keys.filter { rooms[$0]?.table.isWaiting == true }.sorted()
        for other in waiting.filter({ $0 > room }) + waiting.filter({ $0 < room }) {
            perform(other) { $0.serveWaiting(now: $1) }
        }
    }

    func resolved(_ listing: Listing, _ answer: Resolution, in room: RoomNumber) {
        let endpoint =
            answer.isOurVersion
            ? view.endpoint(address: answer.address, port: answer.port, interface: listing.interface) : nil
        change(room) { [.cancel(listing)] + $0.resolved(listing, endpoint, now: $1) }
    }

    /// - Parameter weight: the number of nodes that the sender stands for if the instance is at its address.
    func heard(_ heard: HeardInstance, _ listing: Listing, weight: Int = 1, in room: RoomNumber) {
        // While the network changes, the network that the packet came from is unknown.
        guard heard.isOurVersion, !isReading,
            let endpoint = heard.endpoint(in: view, at: listing.interface, first: listing.family)
        else { return }
        let weight = heard.isProof && endpoint.address == heard.sender ? weight : 0
        change(room) { $0.heard(listing, endpoint, weight: weight, now: $1) }
    }

    private func perform(_ room: RoomNumber, _ change: (inout InstanceTable, Instant) -> [ListingAction]) {
        guard let index = rooms.index(forKey: room) else { return }
        let actions = change(&rooms.values[index].table, loop.now)
        let (tell, dropped) = (rooms.values[index].tell, rooms.values[index].table.dropped)
        claims.withLock { $0.note(dropped, in: room) }
        for action in actions {
            switch action {
            case .resolve(let listing, let family):
                self[listing.source]?.responder.resolve(listing, family, for: room)
            case .cancel(let listing): self[listing.source]?.responder.cancel(listing, for: room)
            case .tell(let event): tell(event)
            }
        }
    }

    func arm() {
        guard let next = rooms.values.lazy.compactMap(\.nextDue).min() else { return }
        // Many things fall due within milliseconds of each other, and each check looks through the whole table.
        let due = max(next, loop.now + Self.checkInterval)
        guard nextCheck.map({ due < $0 }) ?? true else { return }
        nextCheck = due
        loop.schedule(at: due) { self.assumeIsolated { $0.check(due) } }
    }

    private func check(_ instant: Instant) {
        if nextCheck == instant { nextCheck = nil }
        for room in Array(rooms.keys) {
            if let next = rooms[room]?.table.nextDue, next <= loop.now { perform(room) { $0.due(now: $1) } }
            checkCrowd(of: room)
        }
        serveRooms()
        arm()
    }
}
