package import Wire

/// Arrivals and departures, counted for a crowd, where not each of them has an event.
package struct Movements: Hashable, Sendable {
    package var came = 0
    package var left = 0

    package init(came: Int = 0, left: Int = 0) { (self.came, self.left) = (came, left) }

    package var isEmpty: Bool { came == 0 && left == 0 }
}

/// A crowd: most peers are here by their presence alone, without a link (Protocol.md section 13).
extension Roster {
    /// Notes what the newest presence of a peer says, or that the last one no longer holds.
    ///
    /// - Parameter isHere: false if it left, or if its presence has lapsed. A link says that it is here all the same.
    /// - Returns: the events of peers whose names change or that came or left.
    package mutating func recordPresence(
        of peer: PeerID, isHere: Bool, at moment: Moment
    ) -> [NodeEvent] {
        guard peer != me, isHere || known[peer] != nil else { return [] }
        let index = meet(peer)
        var events = drainRenamed()
        if isHere, known.values[index].isElsewhere {
            known.values[index].isElsewhere = false
            elsewhere.remove(peer)
        }
        guard known.values[index].isHere != isHere else { return events }
        if isHere {
            known.values[index].arrive(at: moment.wallClock)
            online += 1
            if known.values[index].isAnnounced {
                deadlines[peer] = nil
            } else {
                events.append(ifPresent: announce(peer))
            }
        } else if !known.values[index].isLinked {
            known.values[index].depart(at: moment.wallClock)
            online -= 1
            if known.values[index].isAnnounced { events.append(ifPresent: depart(peer)) } else { deadlines[peer] = nil }
        }
        return events
    }

    /// True if the arrivals and departures of a peer have events in a crowd too: the user gave it a name or a mark.
    package func isNoted(_ peer: PeerID) -> Bool {
        contacts[peer] != nil || marks.verified.contains(peer) || muted.contains(peer) || isBlocked(peer)
    }

    /// An event for each peer that is here, the first to come first: a small room reports each, a crowd does not.
    package var arrivals: [NodeEvent] {
        let here = known.filter { $0.value.isHere && $0.value.isAnnounced && $0.key != me }
        let ordered = here.sorted {
            ($0.value.since?.milliseconds ?? 0, $0.key) < ($1.value.since?.milliseconds ?? 0, $1.key)
        }
        return ordered.map { report($0.key, $0.value) }
    }

    /// The arrivals and departures since the last call.
    package mutating func takeMovements() -> Movements {
        defer { movements = Movements() }
        return movements
    }
}
