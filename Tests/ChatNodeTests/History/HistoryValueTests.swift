import Chat
import ChatNode
import Testing
import Wire

/// The three values of history, without a network: what is offered, what is asked for, and what is answered, when.
struct HistoryValueTests {
    private static func peer(_ number: UInt8) -> PeerID {
        PeerID([UInt8](repeating: number, count: PeerID.byteCount)) ?? me
    }

    private static let me = LinkSide.context(seed: 1).me
    private let low = peer(0)
    private let high = peer(255)
    private let author = peer(7)
    private let start = Instant(nanoseconds: 0)

    private func after(_ seconds: Double) -> Instant { start + .milliseconds(Int(seconds * 1_000)) }

    private func item(_ id: UInt64, from neighbour: PeerID) -> Archive.Item {
        Archive.Item(id: id, author: author, neighbour: neighbour)
    }

    /// Each offer made within `seconds`, as `second: ids`.
    private func run(_ offers: inout IHave, until seconds: Double, all: [UInt64]) -> [String] {
        var told: [String] = []
        while let deadline = offers.nextDeadline, deadline <= after(seconds) {
            for (peer, ids) in offers.due(now: deadline, all: { all }) {
                told.append("\((deadline - start) / .seconds(1)) \(peer == high ? "high" : "low") \(ids)")
            }
        }
        return told
    }

    @Test func `everything is offered on a new link, then new messages after 2 s, to each peer that may lack them`() {
        var offers = IHave(me: HistoryValueTests.me)
        offers.opened(to: low, now: start)
        offers.opened(to: high, now: start)
        #expect(run(&offers, until: 1, all: [1, 2]) == ["0.0 low [1, 2]", "0.0 high [1, 2]"])
        offers.recordArchived(item(3, from: low), now: after(10))
        #expect(run(&offers, until: 100, all: [1, 2, 3]) == ["12.0 high [3]"])
        #expect(offers.nextDeadline == nil)
    }

    @Test func `of more news than are remembered the latest are offered`() {
        var offers = IHave(me: HistoryValueTests.me)
        offers.opened(to: high, now: start)
        _ = run(&offers, until: 1, all: [1])
        let ids = Array(1...700 as ClosedRange<UInt64>)
        for id in ids { offers.recordArchived(item(id, from: low), now: after(10)) }
        let first = run(&offers, until: 13, all: ids).first
        #expect(first == "12.0 high \(Array(ids.suffix(Limits.offeredPayloads)))")
    }

    @Test func `offers that nothing is wanted of come more seldom, up to 32 s, and a want brings them back`() {
        var offers = IHave(me: HistoryValueTests.me)
        offers.opened(to: high, now: start)
        _ = run(&offers, until: 1, all: [])
        var waits: [Double] = []
        for round in 0..<7 as Range<UInt64> {
            let now = Double(round) * 100 + 10
            offers.recordArchived(item(round, from: low), now: after(now))
            let told = run(&offers, until: now + 90, all: Array(0...round))
            waits += told.compactMap { Double($0.prefix { $0 != " " }).map { $0 - now } }
        }
        #expect(waits == [2, 2, 4, 8, 16, 32, 32])
        offers.wanted(by: high)
        offers.recordArchived(item(50, from: low), now: after(1_000))
        #expect(run(&offers, until: 1_100, all: [50]) == ["1001.0 high [50]"])
    }

    @Test func `where 50 wait, they are offered, however seldom offers are of use`() {
        var offers = IHave(me: HistoryValueTests.me)
        offers.opened(to: high, now: start)
        _ = run(&offers, until: 1, all: [])
        var told: [String] = []
        for id in 0..<3_000 as Range<UInt64> {
            let now = 10 + Double(id) / 10
            offers.recordArchived(item(id, from: low), now: after(now))
            told += run(&offers, until: now, all: Array(0...id))
        }
        let moments = told.compactMap { Double($0.prefix { $0 != " " }) }
        let waits = zip(moments, moments.dropFirst()).map { $1 - $0 }
        #expect(waits.count > 50)
        #expect(waits.dropFirst(10).allSatisfy { $0 <= 6 })
        // Where little is said, 32 s stay 32 s.
        for id in 3_000..<3_100 as Range<UInt64> {
            let now = 400 + Double(id - 3_000) * 4
            offers.recordArchived(item(id, from: low), now: after(now))
            _ = run(&offers, until: now, all: [id])
        }
        #expect(run(&offers, until: 830, all: Array(3_000..<3_100)).count == 1)
    }

    @Test func `floods that replace everything at once are offered as seldom as all else`() {
        var offers = IHave(me: HistoryValueTests.me)
        offers.opened(to: high, now: start)
        _ = run(&offers, until: 1, all: [])
        var count = 0
        // All that is kept, every three seconds.
        for id in 0..<6_600 as Range<UInt64> {
            let now = 10 + Double(id / 100 * 3)
            count += run(&offers, until: now, all: Array(id < 100 ? 0..<id : id - 100..<id)).count
            offers.recordArchived(item(id, from: low), now: after(now))
        }
        #expect((5..<12).contains(count))
    }

    @Test func `an offered message is not offered again, however many more came than are remembered`() {
        var offers = IHave(me: HistoryValueTests.me)
        offers.opened(to: high, now: start)
        _ = run(&offers, until: 1, all: [])
        for id in 0..<1_000 as Range<UInt64> { offers.recordArchived(item(id, from: low), now: after(10)) }
        #expect(run(&offers, until: 12, all: Array(900..<1_000)).count == 1)
        #expect(run(&offers, until: 100, all: Array(900..<1_000)).isEmpty)
        #expect(offers.nextDeadline == nil)
    }

    @Test func `where all is replaced before it can be offered, that is not found out for each message`() {
        var offers = IHave(me: HistoryValueTests.me)
        for peer in [low, high] { offers.opened(to: peer, now: start) }
        _ = run(&offers, until: 1, all: [])
        var looks = 0
        // A hundred a second, of which the last hundred are kept: a second of them.
        for id in 0..<2_000 as Range<UInt64> {
            let now = after(10 + Double(id) / 100)
            let kept = id < 100 ? 0..<id : id - 100..<id
            while let deadline = offers.nextDeadline, deadline <= now {
                looks += 1
                #expect(offers.due(now: deadline, all: { Array(kept) }).isEmpty)
            }
            offers.recordArchived(item(id, from: author), now: now)
        }
        #expect((9...40).contains(looks))
        // Messages kept when it has ended are offered to both.
        let last = Array(1_900..<2_000 as Range<UInt64>)
        var offered: [PeerID: [UInt64]] = [:]
        while let deadline = offers.nextDeadline, deadline <= after(34) {
            for (peer, ids) in offers.due(now: deadline, all: { last }) { offered[peer, default: []] += ids }
        }
        #expect(offered == [low: last, high: last])
    }

    @Test func `a message is not offered to its author, sender or offerer, and a new message waits`() {
        var offers = IHave(me: HistoryValueTests.me)
        offers.opened(to: high, now: start)
        _ = run(&offers, until: 1, all: [])
        offers.recordArchived(item(1, from: high), now: after(10))
        offers.recordArchived(Archive.Item(id: 2, author: high, neighbour: low), now: after(10))
        offers.recordArchived(item(3, from: low), now: after(10))
        offers.recordArchived(item(4, from: low), now: after(10))
        offers.recordArchived(Archive.Item(id: 6, author: HistoryValueTests.me, neighbour: nil), now: after(10))
        offers.recordArchived(item(5, from: low), now: after(11.9))
        offers.offered([3, 9], by: high, isUseful: false)
        #expect(run(&offers, until: 13, all: [1, 2, 3, 4, 5, 6]) == ["12.0 high [4]"])
        offers.offered([5], by: high, isUseful: false)
        #expect(run(&offers, until: 100, all: [1, 2, 3, 4, 5, 6]).isEmpty)
    }

    @Test func `a node that loses a link offers everything to the others, once in 2 s; a goodbye does not matter`() {
        var offers = IHave(me: HistoryValueTests.me)
        for peer in [low, high, author] { offers.opened(to: peer, now: start) }
        _ = run(&offers, until: 0, all: [1])
        offers.closed(to: author, isLost: false, now: after(1))
        #expect(run(&offers, until: 60, all: [1]).isEmpty)
        offers.opened(to: author, now: after(60))
        _ = run(&offers, until: 60, all: [1])
        offers.closed(to: author, isLost: true, now: after(61))
        offers.closed(to: low, isLost: true, now: after(61))
        #expect(run(&offers, until: 62, all: [1]) == ["61.0 high [1]"])
        offers.opened(to: low, now: after(62))
        offers.closed(to: low, isLost: true, now: after(62))
        #expect(run(&offers, until: 90, all: [1]) == ["63.0 high [1]"])
    }

    /// Each want within `seconds`, as `second: count@peer`.
    private func run(_ wants: inout IWant, until seconds: Double, here: Set<UInt64> = []) -> [String] {
        var told: [String] = []
        while let deadline = wants.nextDeadline, deadline <= after(seconds) {
            for (peer, ids) in wants.due(now: deadline, lacking: { $0.filter { !here.contains($0) } }) {
                told.append("\((deadline - start) / .seconds(1)) \(peer == high ? "high" : "low") \(ids.count)")
            }
        }
        return told
    }

    @Test func `at most 100 are asked for at once, the newest first, each group oldest first`() {
        var wants = IWant()
        wants.offered(Array(1...250), by: low, now: start)
        let first = wants.due(now: start) { $0 }
        #expect(first.map(\.ids) == [Array(151...250)])
        for id in 151...250 as ClosedRange<UInt64> { wants.arrived(id, from: low) }
        #expect(run(&wants, until: 4, here: Set(51...250)) == ["2.5 low 50"])
        #expect(wants.isAwaited(50, from: low))
        #expect(!wants.isAwaited(50, from: high))
        #expect(!wants.isAwaited(151, from: low))
    }

    @Test func `a message that does not come is asked of another peer, and of each three times at most`() {
        var wants = IWant()
        wants.offered([1, 2], by: low, now: start)
        wants.offered([2, 3], by: high, now: start)
        #expect(run(&wants, until: 4) == ["0.0 low 2", "0.0 high 1"])
        wants.arrived(3, from: high)
        #expect(run(&wants, until: 6, here: [3]) == ["5.0 low 1", "5.0 high 1"])
        wants.arrived(2, from: high)
        #expect(run(&wants, until: 100, here: [2, 3]) == ["10.0 low 1"])
        #expect(wants.nextDeadline == nil)
        #expect(!wants.isAwaitingAnything(from: low))
    }

    @Test func `requests that follow each other have the time of the first, for a minute at most`() {
        var wants = IWant()
        var told: [Double] = []
        for (id, seconds) in [(1, 0.0), (2, 0.2), (3, 2.7), (4, 5.3), (5, 5.5)] as [(UInt64, Double)] {
            wants.offered([id], by: id % 2 == 0 ? high : low, now: after(seconds))
            _ = wants.due(now: after(seconds)) { $0 }
            let begun = wants.arrived(id, from: id % 2 == 0 ? high : low)
            if let begun { told.append((begun - start) / .seconds(1)) }
        }
        #expect(told == [0, 0, 0, 5.3, 5.3])
        for second in 6...80 {
            wants.offered([UInt64(second)], by: low, now: after(Double(second)))
            _ = wants.due(now: after(Double(second))) { $0 }
            let begun = wants.arrived(UInt64(second), from: low)
            #expect(begun == after(second < 66 ? 5.3 : 66))
        }
    }

    @Test func `a message offered again right after it came, and still lacking, is asked for once`() {
        var wants = IWant()
        wants.offered([1], by: low, now: start)
        #expect(wants.due(now: start) { $0 }.map(\.ids) == [[1]])
        wants.arrived(1, from: low)
        wants.offered([1], by: low, now: after(3))
        #expect(wants.due(now: after(3)) { $0 }.map(\.ids) == [[1]])
    }

    @Test func `when a link ends, what was asked there is asked of another at once`() {
        var wants = IWant()
        wants.offered([1], by: low, now: start)
        wants.offered([1], by: high, now: start)
        #expect(run(&wants, until: 1) == ["0.0 low 1"])
        wants.closed(to: low, now: after(2))
        #expect(run(&wants, until: 3) == ["2.0 high 1"])
    }

    @Test func `all links of a giver are asked for 100 at once and 20 a second, and another giver for as many`() {
        var wants = IWant()
        let machine = Giver(address: [10, 0, 0, 1])
        let peers = (1...8 as ClosedRange<UInt8>).map(HistoryValueTests.peer)
        for (index, peer) in peers.enumerated() {
            wants.opened(to: peer, from: machine)
            wants.offered((0..<300).map { UInt64(index * 1_000 + $0) }, by: peer, now: start)
        }
        wants.offered((0..<100).map { 100_000 + UInt64($0) }, by: high, now: start)
        var asked: [Int] = []
        while let deadline = wants.nextDeadline, deadline <= after(4.5) {
            let ids = wants.due(now: deadline) { $0 }
            asked.append(ids.filter { peers.contains($0.peer) }.reduce(0) { $0 + $1.ids.count })
            if deadline == start { #expect(ids.first { $0.peer == high }?.ids.count == 100) }
        }
        let total = asked.reduce(0, +)
        #expect(asked.first == 100)
        #expect((160...190).contains(total), "\(total) in 4.5 s")
        wants.closed(to: peers[0], now: after(4.5))
        wants.opened(to: peers[0], from: machine)
        wants.offered((0..<300).map { 200_000 + UInt64($0) }, by: peers[0], now: after(4.6))
        let more = wants.due(now: after(4.6)) { $0 }.reduce(0) { $0 + $1.ids.count }
        #expect(more <= 20, "a new link is no new beginning")
    }

    @Test func `a peer that offers without end fills no more than 500 places`() {
        var wants = IWant()
        for round in 0..<50 as Range<UInt64> {
            wants.offered(Array(round * 500..<(round + 1) * 500), by: low, now: start)
        }
        var asked = 0
        while let deadline = wants.nextDeadline {
            asked += wants.due(now: deadline) { $0 }.reduce(0) { $0 + $1.ids.count }
        }
        #expect(asked == 500 * Limits.historyTries)
    }

    @Test func `offers that follow each other at once do not check all peers again for each`() {
        var wants = IWant()
        let peers = (1...50 as ClosedRange<UInt8>).map(HistoryValueTests.peer)
        for (index, peer) in peers.enumerated() {
            wants.offered((0..<300).map { UInt64(index * 1_000 + $0) }, by: peer, now: start)
        }
        var checked = 0
        for round in 0..<100 as Range<UInt64> {
            let now = start + .milliseconds(Int(round))
            wants.offered([1_000_000 + round], by: low, now: now)
            _ = wants.due(now: now) { ids in
                checked += ids.count
                return ids
            }
        }
        // Each pass over all peers checks at least 15,000 ids.
        #expect(checked < 2 * 16_000)
    }

    @Test func `in any 2 s a peer is answered 100, in the order asked, each once`() {
        var answers = HistoryAnswers()
        var sent: [(at: Double, id: UInt64)] = []
        var refused = 0
        for tick in 0..<100 {
            let now = Double(tick) / 10
            let ids = (0..<7).map { UInt64(tick * 7 + $0) }
            if !answers.wanted(ids + ids, by: low, now: after(now)) { refused += 1 }
            // It reads nothing for a while, then everything.
            guard !(20..<50).contains(tick) else { continue }
            while let id = answers.next(for: low, now: after(now)) { sent.append((now, id)) }
        }
        #expect(refused > 0)
        #expect(sent.count > 300)
        #expect(sent.map(\.id) == sent.map(\.id).sorted() && Set(sent.map(\.id)).count == sent.count)
        for (start, _) in sent { #expect(sent.count { $0.at >= start && $0.at < start + 2 } <= 100) }
    }

    @Test func `a peer that returns is not answered more`() {
        var answers = HistoryAnswers()
        let first = answers.wanted(Array(0..<100), by: low, now: start)
        while answers.next(for: low, now: start) != nil {}
        answers.closed(to: low)
        let again = answers.wanted([7], by: low, now: after(1.9))
        let other = answers.wanted([7], by: high, now: after(1.9))
        let later = answers.wanted([7], by: low, now: after(2))
        #expect(first && !again && other && later)
    }
}
