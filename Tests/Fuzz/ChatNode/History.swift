import Chat
import ChatNode
import Wire

extension FuzzTarget {
    /// Offers, wants and answers keep their limits, and no deadline is in the past.
    static let history = FuzzTarget(name: "history", seeds: HistoryRun.seeds) { input in
        var choices = Choices(input)
        var run = HistoryRun()
        while !choices.isOver { run.step(&choices) }
    }
}

private struct HistoryRun {
    private static let peers = (0..<4 as Range<UInt8>).compactMap {
        PeerID([UInt8](repeating: $0 * 60, count: PeerID.byteCount))
    }

    private var now = Instant(nanoseconds: 0)
    private var offers = IHave(me: HistoryRun.peers[3])
    private var wants = IWant()
    private var answers = HistoryAnswers()
    private var kept: [UInt64] = []
    private var archived: UInt64 = 1_000
    /// The times at which each peer was sent payloads.
    private var given: [(peer: PeerID, at: Instant)] = []

    static func seeds() -> [[UInt8]] {
        [
            [0, 0, 0, 1, 2, 0, 9, 7, 5, 0, 7, 3, 0, 20, 1, 7, 5, 4, 0, 5, 6, 0, 200],
            [
                0, 0, 0, 0, 1, 0, 7, 0, 9, 9, 0, 60, 3, 0, 7, 0, 200, 9, 0, 120, 3, 1, 9, 0, 120, 3, 0, 8, 0, 1, 7, 0,
                200, 7, 0, 200,
            ],
            [
                0, 0, 0, 7, 0, 1, 9, 0, 40, 3, 0, 7, 0, 100, 9, 0, 30, 3, 0, 9, 0, 30, 3, 1, 9, 0, 250, 3, 1, 7, 0, 250,
                7, 0, 250,
            ],
            [0, 0, 3, 0, 100, 1, 7, 0, 4, 0, 1, 7, 20, 7, 255, 3, 1, 100, 1, 7, 0, 1, 0, 0, 7, 9],
        ]
    }

    mutating func step(_ choices: inout Choices) {
        let operation = choices.below(10)
        let peer = HistoryRun.peers[choices.below(3)]
        switch operation {
        case 0:
            offers.opened(to: peer, now: now)
            wants.opened(to: peer, from: Giver(address: [192, 0, 2, UInt8(choices.below(2))]))
        case 1: close(peer, isLost: choices.flag())
        case 2:
            let item = Archive.Item(id: UInt64(choices.byte()), author: choices.pick(HistoryRun.peers), neighbour: peer)
            if !kept.contains(item.id) { kept.append(item.id) }
            offers.recordArchived(item, now: now)
        case 3: offered(ids(&choices), by: peer)
        case 4: wants.arrived(UInt64(choices.byte()), from: peer)
        case 5:
            if answers.wanted(ids(&choices), by: peer, now: now) { offers.wanted(by: peer) }
        case 8: offers.setServedByTrees(choices.flag(), peer)
        case 9: archive(choices.below(256), &choices)
        case 6: give(to: peer, choices.below(256))
        default: now = now + .milliseconds(choices.below(256) * 50)
        }
        lookAtOffers()
        lookAtWants()
    }

    private func ids(_ choices: inout Choices) -> [UInt64] {
        let first = choices.byte()
        return (0..<choices.below(Limits.offeredPayloads)).map { UInt64(first) + UInt64($0) }
    }

    /// Archives payloads as a crowd says them, of which an archive keeps the last alone.
    private mutating func archive(_ count: Int, _ choices: inout Choices) {
        let author = choices.pick(HistoryRun.peers)
        let items = (0..<count).map { Archive.Item(id: archived + UInt64($0), author: author, neighbour: author) }
        archived += UInt64(count)
        kept = (kept + items.map(\.id)).suffix(choices.flag() ? 16 : 400)
        offers.recordArchived(items, now: now)
    }

    private mutating func close(_ peer: PeerID, isLost: Bool) {
        offers.closed(to: peer, isLost: isLost, now: now)
        wants.closed(to: peer, now: now)
        answers.closed(to: peer)
        demand(!wants.isAwaitingAnything(from: peer) && !answers.hasSomething(for: peer), "a peer that left is kept")
    }

    private mutating func offered(_ ids: [UInt64], by peer: PeerID) {
        let lacking = ids.filter { !kept.contains($0) }
        offers.offered(ids, by: peer, isUseful: !lacking.isEmpty)
        wants.offered(lacking, by: peer, now: now)
    }

    private mutating func give(to peer: PeerID, _ count: Int) {
        for _ in 0..<count {
            guard answers.next(for: peer, now: now) != nil else { break }
            given.append((peer, now))
        }
        let recent = given.count { $0.peer == peer && now < $0.at + Limits.historyAnswerInterval }
        demand(recent <= Limits.wantedPayloads, "\(recent) payloads in 2 s")
    }

    private mutating func lookAtOffers() {
        for offer in offers.due(now: now, all: { [kept] in kept }) {
            demand(!offer.ids.isEmpty && offer.ids.count <= Limits.offeredPayloads, "an offer of \(offer.ids.count)")
            demand(Set(offer.ids).isSubset(of: kept), "something is offered that is not here")
        }
        if let deadline = offers.nextDeadline { demand(deadline > now, "an offer stays due") }
    }

    private mutating func lookAtWants() {
        let lacking = { [kept] (ids: [UInt64]) in ids.filter { !kept.contains($0) } }
        for want in wants.due(now: now, lacking: lacking) {
            demand(!want.ids.isEmpty && want.ids.count <= Limits.wantedPayloads, "a want of \(want.ids.count)")
            demand(Set(want.ids).count == want.ids.count, "the same is asked for twice at once")
            for id in want.ids { demand(wants.isAwaited(id, from: want.peer), "what was asked for is not awaited") }
        }
        if let deadline = wants.nextDeadline { demand(deadline > now, "a want stays due") }
    }
}
