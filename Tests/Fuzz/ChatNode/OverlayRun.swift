import Chat
import Noise
import Wire

@testable import ChatNode

/// One node's overlay, with neighbours that do anything.
struct OverlayRun {
    private static let peers = (0..<12 as Range<UInt8>).compactMap {
        PeerID([UInt8](repeating: $0 * 20 + 1, count: PeerID.byteCount))
    }
    /// Payloads of eight authors.
    private static let payloads: [VerifiedPayload] = (0..<64 as Range<UInt64>).map { number in
        var randomness = Randomness.seeded(number % 8)
        let author = Identity.generate(using: &randomness)
        return VerifiedPayload(
            signing: .publicMessage(stage: .newcomer, nickname: "a", text: "\(number)"), by: author, in: Room.lobby.id,
            epoch: 1, sequence: number + 1, timestamp: Timestamp(milliseconds: 1))
    }

    private var now = Instant(nanoseconds: 0)
    private var randomness = Randomness.seeded(1)
    private var overlay = TreeSpread()
    private var linked: Set<PeerID> = []

    static func seeds() -> [[UInt8]] {
        let open: [UInt8] = (0..<9 as Range<UInt8>).flatMap { [0, $0, 1, 3, $0, 1, 0, 0] as [UInt8] }
        let talk: [UInt8] = (0..<24 as Range<UInt8>).flatMap {
            [6, $0 % 9, $0, $0 % 5, 7, ($0 + 1) % 9, $0, 9, 0, 100, 4, $0 % 8, 0, 255, 1, 0] as [UInt8]
        }
        let news: [UInt8] = [
            8, 1, 0, 9, 1, 8, 2, 30, 9, 1, 9, 0, 200, 9, 0, 200, 8, 3, 0, 20, 0, 1, 6, 1, 40, 0, 9, 0, 255,
        ]
        let trees: [UInt8] = [
            5, 1, 1, 255, 5, 2, 0, 1, 7, 255, 9, 5, 3, 0, 0, 1, 3, 3, 3, 3, 3, 3, 3, 3, 5, 4, 0, 0, 0, 9, 255, 6, 4, 9,
            0, 1, 1, 9, 0, 250,
        ]
        return [
            [2, 0, 1] + open + talk + news + trees + talk, open + [2, 0, 1] + trees + talk + news + news,
            [2, 0, 0, 1] + open + talk + news,
            [2, 0, 1] + open + [9, 4, 6, 0, 3, 9, 4, 5, 1, 7, 1, 9, 200, 6, 1, 4, 9, 9],
            open + [2, 0, 1, 9, 8, 5, 2, 9, 7, 3, 2, 1, 8, 9, 60, 4, 1, 255, 9, 3, 1, 1],
        ]
    }

    mutating func step(_ choices: inout Choices) {
        let operation = choices.below(10)
        let peer = OverlayRun.peers[choices.below(OverlayRun.peers.count)]
        switch operation {
        case 0:
            linked.insert(peer)
            overlay.opened(peer, isOutgoing: choices.flag(), now: now, using: &randomness)
        case 1:
            linked.remove(peer)
            overlay.closed(peer, now: now)
        case 2:
            let mode: RoomMode = choices.flag() ? .overlay : choices.flag() ? .relaying : .mesh
            overlay.setMode(mode, now: now, using: &randomness)
        case 3: receive(.hello(hello(&choices)), from: peer)
        case 4 where choices.flag():
            receive(.lacking(ids(&choices, most: Limits.graftedPayloads)), from: peer)
        case 4: receive(.graft(choices.byte(), ids: ids(&choices, most: Limits.graftedPayloads)), from: peer)
        case 5 where choices.flag(): receive(.prune(choices.byte()), from: peer)
        case 5 where choices.flag():
            let check = LoopCheck(id: UInt64(choices.byte()), mask: choices.byte(), linksLeft: choices.byte())
            receive(.loopCheck(check), from: peer)
        case 5 where choices.flag():
            var distances = TreeDistances.unknown
            for tree in distances.indices { distances[tree] = choices.byte() }
            receive(.distances(distances), from: peer)
        case 5: receive(.wide(payload(&choices).id.prefix, choices.byte()), from: peer)
        case 6:
            let payload = payload(&choices)
            let hops = UInt8(choices.below(8))
            look(overlay.receiveNew(payload, hops: hops, from: peer, now: now, using: &randomness))
        case 7: again(payload(&choices), from: peer, &choices)
        case 8: listed(ids(&choices, most: Limits.newsPayloads), by: peer, &choices)
        default: now = now + .milliseconds(choices.below(256) * 20)
        }
        // A neighbour that the first tick finds silent loses its trees, which the second one grafts elsewhere.
        for _ in 0..<2 where overlay.isEngaged { look(overlay.tick(now: now, using: &randomness)) }
        if let deadline = overlay.nextDeadline { demand(deadline > now, "something stays due") }
    }

    private mutating func receive(_ frame: TreeFrame, from peer: PeerID) {
        look(overlay.received(frame, from: peer, now: now, using: &randomness))
    }

    private func hello(_ choices: inout Choices) -> Hello {
        var hello = Hello(isOverlay: choices.flag())
        (hello.mask, hello.isGuest) = (choices.byte(), choices.below(8) == 7)
        return hello
    }

    private func payload(_ choices: inout Choices) -> VerifiedPayload { choices.pick(OverlayRun.payloads) }

    private func ids(_ choices: inout Choices, most: Int) -> [UInt64] {
        let first = UInt64(choices.byte())
        return (0..<choices.below(most + 1)).map { number in
            let place = Int(first) + number
            return place < 64 ? OverlayRun.payloads[place].id.prefix : UInt64(place)
        }
    }

    private mutating func again(_ payload: VerifiedPayload, from peer: PeerID, _ choices: inout Choices) {
        let id = payload.id.prefix
        if overlay.recent[id] == nil {
            if choices.flag() { return overlay.refused(id) }
            return look(overlay.say(payload, hops: 1, now: now, using: &randomness))
        }
        look(overlay.repeated(id, of: payload.author, hops: 1, from: peer, now: now))
    }

    private mutating func listed(_ ids: [UInt64], by peer: PeerID, _ choices: inout Choices) {
        if choices.flag() { return overlay.announced(ids, by: peer, now: now) }
        look(overlay.received(LatestFrame(wantsAnswer: choices.flag(), ids: ids), from: peer, now: now))
    }

    private mutating func look(_ effects: [TreeSpread.Action]) {
        for effect in effects {
            switch effect {
            case .send(let frame, let peer):
                demand(linked.contains(peer), "a frame for a neighbour that is gone")
                demand(frame.count <= FramePacker.largestFrame, "a frame of \(frame.count) bytes")
            case .push(_, let peers, _):
                demand(Set(peers).count == peers.count, "a payload goes twice to one neighbour")
                demand(linked.isSuperset(of: peers), "a payload for a neighbour that is gone")
            case .probe(let peer), .end(let peer), .demoteUnlessHeard(let peer, _):
                demand(linked.contains(peer), "a neighbour that is gone is looked at")
                if case .demoteUnlessHeard = effect { overlay.demote(peer, now: now) }
            }
        }
    }

    func checkTables() {
        demand(overlay.neighbours.count == linked.count, "\(overlay.neighbours.count) neighbours of \(linked.count)")
        var census = TableCensus()
        census.count(overlay, at: "overlay")
        for (path, size) in census.sizes { demand(size <= Limits.seenMessages, "\(path) has \(size) entries") }
    }
}
