package import Wire

/// Peers in other networks, whose presence comes over a bridge (Docs/Bridge.md).
extension Roster {
    /// The part of the peer's last presence about bridges.
    package func bridging(of peer: PeerID) -> Bridging { known[peer]?.bridging ?? Bridging() }

    /// The peers of this network that are bridges, in the order of their keys.
    package var bridges: [PeerID] {
        known.compactMap { peer, entry in entry.isHere && entry.bridging.isBridge && peer != me ? peer : nil }
            .sorted()
    }

    package var elsewhereCount: Int { elsewhere.count }

    /// True if the peer is in another network.
    package func isElsewhere(_ peer: PeerID) -> Bool { elsewhere.contains(peer) }

    /// True if the peer with this address of sealed messages is in another network.
    package func isElsewhere(sealedAddress address: some Collection<UInt8>) -> Bool {
        elsewhere.contains { SealedMessage.address(of: $0).elementsEqual(address) }
    }

    /// Takes over a presence that came over a bridge.
    ///
    /// - Parameter end: when the peer is gone, unless another one comes.
    mutating func recordElsewhere(
        _ presence: Presence, of author: PeerID, as authorClock: AuthorClock, until end: Instant, at moment: Moment,
        into events: inout [NodeEvent]
    ) {
        let index = meet(author)
        guard !known.values[index].isHere else { return }
        guard presence.state != .left else {
            if elsewhere.contains(author) { events.append(ifPresent: departElsewhere(author)) }
            return
        }
        let isNew = !elsewhere.contains(author)
        let news = update(
            presence.nickname, presence.stage, presence, of: author, at: index, as: authorClock, into: &events)
        if isNew {
            if elsewhere.count >= Limits.bridgedPeople, let first = earliestElsewhere {
                events.append(ifPresent: departElsewhere(first))
            }
            elsewhere.insert(author)
            known.values[index].isElsewhere = true
            known.values[index].isAnnounced = false
            known.values[index].since = moment.wallClock
        }
        deadlines[author] = end
        if isNew {
            events.append(report(author, known.values[index]))
        } else if case .change(let before) = news {
            events.append(report(author, known.values[index], from: before))
        }
    }

    /// The peer has left the other network, or was not heard from.
    mutating func departElsewhere(_ peer: PeerID) -> NodeEvent? {
        deadlines[peer] = nil
        elsewhere.remove(peer)
        if let index = known.index(forKey: peer) { known.values[index].isElsewhere = false }
        return .elsewhere(.left, who(peer))
    }

    /// The peer in another network that was not heard from for longest.
    private var earliestElsewhere: PeerID? {
        let last = Instant(nanoseconds: .max)
        return elsewhere.min { (deadlines[$0] ?? last, $0) < (deadlines[$1] ?? last, $1) }
    }
}

extension Limits {
    /// People in other networks that are listed and remembered; the one whose time ends first goes. More let a hostile
    /// broker fill memory; with fewer, a large bridged room is listed in part.
    package static let bridgedPeople = 1_024
}
