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
    /// The checks for loops that went out.
    private var checks: [LoopCheck] = []

    static func seeds() -> [[UInt8]] {
        let open: [UInt8] = (0..<9 as Range<UInt8>).flatMap { [0, $0, 1, 3, $0, 1, 0, 0] as [UInt8] }
        let starts = [[2, 0, 1] + open, open + [2, 0, 1], [2, 0, 0, 1] + open]
        return Choices.stories(48, behind: starts, bytes: 2_000) + [
            [2, 0, 1] + open + [9, 4, 6, 0, 3, 9, 4, 5, 1, 7, 1, 9, 200, 6, 1, 4, 9, 9],
            open + [2, 0, 1, 9, 8, 5, 2, 9, 7, 3, 2, 1, 8, 9, 60, 4, 1, 255, 9, 3, 1, 1],
        ]
    }

    mutating func step(_ choices: inout Choices) {
        let operation = choices.below(15)
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
        case 10...14: manage(operation, peer, &choices)
        default: now = now + .milliseconds(choices.below(256) * 20)
        }
        // A neighbour that the first tick finds silent loses its trees, which the second one grafts elsewhere.
        for _ in 0..<2 where overlay.isEngaged { look(overlay.tick(now: now, using: &randomness)) }
        if let deadline = overlay.nextDeadline { demand(deadline > now, "something stays due") }
    }

    /// Calls of the parts beside the overlay, and a check for loops that comes back.
    private mutating func manage(_ operation: Int, _ peer: PeerID, _ choices: inout Choices) {
        guard linked.contains(peer) else { return demand(!overlay.admitFrame(from: peer, now: now), "nobody sends") }
        switch operation {
        case 10: look(overlay.setLeaving(peer, choices.flag(), now: now))
        case 11:
            let id = payload(&choices).id.prefix
            overlay.arrived(id, from: peer)
            if choices.flag() { overlay.reopen(id) }
        case 12:
            let room = choices.below(600)
            guard let news = overlay.news(for: peer, within: room, now: now) else { return }
            demand(
                news.bytes.count <= room && news.ids.count <= Limits.newsPayloads, "news of \(news.bytes.count) bytes")
        case 13:
            if overlay.admitFrame(from: peer, now: now) { overlay.recordGift(of: peer, now: now) }
            overlay.recordSize(choices.below(1_024), by: peer)
            demand(!overlay.isOn || overlay.linkKind(of: peer) != .mesh, "a link of a mesh in another mode")
        default:
            guard let check = checks.last else { return }
            let linksLeft = choices.flag() ? check.linksLeft : choices.byte()
            receive(.loopCheck(LoopCheck(id: check.id, mask: check.mask, linksLeft: linksLeft)), from: peer)
        }
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
                recordCheck(in: frame)
            case .push(_, let peers, _):
                demand(Set(peers).count == peers.count, "a payload goes twice to one neighbour")
                demand(linked.isSuperset(of: peers), "a payload for a neighbour that is gone")
            case .probe(let peer), .end(let peer), .demoteUnlessHeard(let peer, _):
                demand(linked.contains(peer), "a neighbour that is gone is looked at")
                if case .demoteUnlessHeard = effect { overlay.demote(peer, now: now) }
            }
        }
    }

    /// Keeps a check for loops, which goes round where there is one.
    private mutating func recordCheck(in frame: [UInt8]) {
        let body = Array(frame.dropFirst())
        guard frame.first == FrameType.tree.rawValue, case .loopCheck(let check) = TreeFrame(body.span) else { return }
        checks.append(check)
    }

    func checkTables() {
        demand(overlay.neighbours.count == linked.count, "\(overlay.neighbours.count) neighbours of \(linked.count)")
        var census = TableCensus()
        census.count(overlay, at: "overlay")
        for (path, size) in census.sizes { demand(size <= Limits.seenMessages, "\(path) has \(size) entries") }
    }
}
