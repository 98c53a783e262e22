import Chat
import Noise
import Testing
import Wire

@testable import ChatNode

/// The parts of the overlay, each alone.
@Suite struct OverlayValueTests {
    private var randomness = Randomness.seeded(24)
    private let start = Instant(nanoseconds: 0)

    private func peer(_ number: UInt8) throws -> PeerID { try #require(PeerID([UInt8](repeating: number, count: 32))) }

    private func neighbours(_ numbers: ClosedRange<UInt8>) throws -> Neighbours {
        var neighbours = Neighbours()
        for number in numbers {
            let isOpen = neighbours.open(try peer(number), isOutgoing: number % 2 == 0, now: start)
            #expect(isOpen)
            neighbours.update(try peer(number)) { $0.hello = Hello(isOverlay: true) }
        }
        return neighbours
    }

    @Test func `the size of a room is what more than half of three neighbours or more know of`() throws {
        func told(_ sizes: [UInt16?]) throws -> Int {
            var neighbours = try neighbours(1...UInt8(sizes.count))
            for (number, size) in sizes.enumerated() {
                neighbours.update(try peer(UInt8(number + 1))) { neighbour in
                    neighbour.hello = size.map {
                        var hello = Hello(isOverlay: true)
                        hello.known = $0
                        return hello
                    }
                    neighbour.known = Int(size ?? 0)
                }
            }
            return neighbours.toldSize
        }
        #expect(try told([900, 900]) == 0)
        #expect(try told([900, nil, 800]) == 800)
        #expect(try told([900, nil, 800, nil]) == 0)
        #expect(try told([65_535, 20, 65_535, 20, 20]) == 20)
    }

    @Test func `neighbours of one host, or of one IPv6 network, have one vote about the size of a room`() throws {
        var neighbours = Neighbours()
        func open(_ number: UInt8, at address: [UInt8], known: Int) throws {
            let witness = LinkSource(Endpoint(address: address, port: 5_000 + UInt16(number)).witnessNumber)
            _ = neighbours.open(try peer(number), isOutgoing: false, witness: witness, now: start)
            neighbours.update(try peer(number)) { neighbour in
                (neighbour.hello, neighbour.known) = (Hello(isOverlay: true), known)
            }
        }
        let network = [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11)
        for number in 1...4 as ClosedRange<UInt8> { try open(number, at: [10, 0, 0, 1], known: 200) }
        for number in 5...8 as ClosedRange<UInt8> { try open(number, at: network + [number], known: 300) }
        #expect(neighbours.toldSize == 0 && neighbours.knownSize == nil)
        try open(9, at: [10, 0, 0, 2], known: 20)
        #expect(neighbours.toldSize == 200)
        // Each node of this machine is a witness of its own, and silent neighbours are none of what the room gives.
        try open(10, at: [127, 0, 0, 1], known: 20)
        try open(11, at: [127, 0, 0, 1], known: 20)
        #expect(neighbours.toldSize == 20 && neighbours.givingSize(at: start) == nil)
        for number in [9, 10, 11] as [UInt8] { neighbours.update(try peer(number)) { $0.gaveAt = start } }
        #expect(neighbours.givingSize(at: start) == 20)
        #expect(neighbours.givingSize(at: start + Limits.presenceInterval) == nil)
    }

    @Test func `slots are distinct, and are free again when their neighbour is gone`() throws {
        var neighbours = try neighbours(1...200)
        #expect(Set(neighbours.table.values.map(\.slot)).count == 200)
        let slot = neighbours.close(try peer(7))
        let again = neighbours.open(try peer(250), isOutgoing: true, now: start)
        let newcomer = try peer(250)
        #expect(again && neighbours[newcomer]?.slot == slot)
        var slots = SlotSet()
        for slot in [0, 63, 64, 191, 255] as [UInt8] {
            #expect(!slots.contains(slot))
            slots.insert(slot)
            #expect(slots.contains(slot))
        }
        slots.remove(64)
        #expect(!slots.contains(64) && slots.contains(63) && slots.contains(191))
    }

    @Test mutating func `the trees that a strike takes from a neighbour are grafted elsewhere in the same tick`()
        throws
    {
        let (liar, other) = (try peer(1), try peer(2))
        var overlay = overlay(with: [liar, other])
        _ = overlay.tick(now: start + .milliseconds(100), using: &randomness)
        #expect(overlay.trees.count(from: liar) > 0)
        overlay.announced([7], by: liar, now: start + .milliseconds(200))
        _ = overlay.tick(now: start + .milliseconds(240), using: &randomness)
        let broken = start + .milliseconds(240) + Limits.promiseTime
        _ = overlay.tick(now: broken, using: &randomness)
        #expect(overlay.trees.count(from: other) == Trees.count)
        #expect(try #require(overlay.nextDeadline) > broken)
    }

    @Test mutating func `each tree gets one parent, and the trees are dealt out among the neighbours`() throws {
        var neighbours = try neighbours(1...12)
        var trees = Trees()
        trees.graft(at: start + .milliseconds(100))
        let early = trees.due(now: start, neighbours: &neighbours, strikes: Strikes(), using: &randomness)
        #expect(early.isEmpty)
        let grafts = trees.due(
            now: start + .milliseconds(100), neighbours: &neighbours, strikes: Strikes(), using: &randomness)
        #expect(grafts.reduce(0) { $0 ^ $1.mask } == Trees.all)
        #expect(grafts.allSatisfy { neighbours[$0.peer]?.pushes == $0.mask })
        #expect((grafts.map { $0.mask.nonzeroBitCount }.max() ?? 0) <= 3)
        let first = try #require(grafts.first)
        trees.lose(first.peer, now: start + .seconds(1))
        neighbours.update(first.peer) { $0.avoidedUntil = start + .seconds(9) }
        let again = trees.due(
            now: start + .seconds(1), neighbours: &neighbours, strikes: Strikes(), using: &randomness)
        #expect(again.reduce(0) { $0 ^ $1.mask } == first.mask)
        #expect(again.allSatisfy { $0.peer != first.peer })
    }

    @Test func `a tree goes wide at first and after 400 payloads if the links changed, and is not taken so too soon`() {
        var (author, receiver) = (TreeReset(), TreeReset())
        func due(_ tree: Int, _ id: UInt64) -> TreeMask { author.due(tree, id, links: 12, now: start + .seconds(44)) }
        // The first makes all trees, since none has carried anything.
        #expect(due(3, 17) == Trees.all)
        let taken = (author.accept(Trees.all, wide(70), now: start), receiver.accept(Trees.all, wide(70), now: start))
        #expect(taken == (Trees.all, Trees.all) && due(3, 16) == 0 && due(4, 16) == 0)
        for _ in 0..<2 { author.recordChange() }
        for _ in 0..<400 { author.count(3, now: start) }
        #expect(due(3, 16) == 0)
        author.recordChange()
        #expect(due(3, 16) == Trees.bit(3) && due(3, 17) == 0 && due(4, 16) == 0)
        for _ in 0..<199 { receiver.count(3, now: start) }
        let early = receiver.accept(Trees.bit(3), wide(71), now: start + .seconds(29))
        receiver.count(3, now: start)
        let late = receiver.accept(Trees.bit(3), wide(72), now: start + .seconds(29))
        let afterPause = receiver.accept(Trees.bit(3), wide(73), now: start + .seconds(59))
        #expect(early == 0 && late == Trees.bit(3) && afterPause == Trees.bit(3))
        #expect(receiver.mask(of: 73) == Trees.bit(3) && receiver.mask(of: 70) == ~Trees.bit(3))
        // A newcomer that heard one payload of a tree knows that there is a tree.
        var newcomer = TreeReset()
        newcomer.count(5, now: start)
        let isDue = (5...6).map { newcomer.due($0, 16, links: 12, now: start) }
        #expect(isDue == [0, ~Trees.bit(5)])
    }

    @Test func `the trees of a slow room are made anew together, once they have carried 200 payloads and are old`() {
        var (author, receiver) = (TreeReset(), TreeReset())
        _ = author.accept(Trees.all, wide(70), now: start)
        _ = receiver.accept(Trees.all, wide(70), now: start + .seconds(1))
        func due(at seconds: Int) -> TreeMask { author.due(3, 16, links: 12, now: start + .seconds(seconds)) }
        for _ in 0..<3 { author.recordChange() }
        for _ in 0..<24 { for tree in 0..<Trees.count { author.count(tree, now: start) } }
        for tree in 0..<Trees.count - 1 { author.count(tree, now: start) }
        #expect(due(at: 45) == 0)
        author.count(7, now: start)
        #expect(due(at: 44) == 0 && due(at: 45) == Trees.all)
        // One was made anew a moment ago.
        _ = author.accept(Trees.bit(5), wide(71), now: start + .seconds(40))
        #expect(due(at: 45) == 0)
        for _ in 0..<25 { author.count(3, now: start) }
        #expect(due(at: 45) == ~Trees.bit(5))
        // Other nodes heard of the last one later, and take what may be made anew there.
        _ = receiver.accept(Trees.bit(5), wide(71), now: start + .seconds(41))
        let taken = receiver.accept(Trees.all, wide(72), now: start + .seconds(45))
        let again = receiver.accept(Trees.all, wide(80), now: start + .seconds(50))
        let later = receiver.accept(Trees.bit(5), wide(81), now: start + .seconds(80))
        #expect(taken == ~Trees.bit(5) && again == 0 && later == Trees.bit(5))
    }

    @Test func `a node that took no wide payload makes no tree anew before others would take it`() {
        var newcomer = TreeReset()
        for _ in 0..<12 { newcomer.recordChange() }
        for _ in 0..<200 { for tree in 0..<Trees.count { newcomer.count(tree, now: start) } }
        #expect(newcomer.due(3, 16, links: 12, now: start + .seconds(44)) == 0)
        #expect(newcomer.due(3, 16, links: 12, now: start + .seconds(45)) == Trees.all)
    }

    @Test func `of wide payloads that are under way at once the one that was said first makes the trees, in any order`()
    {
        let named: [UInt64: TreeMask] = [14: 0b10_1000, 15: Trees.all, 16: 0b1100]
        let orders: [[UInt64]] = [[16, 14, 15], [14, 15, 16], [15, 16, 14], [16, 15, 14]]
        for order in orders {
            var reset = TreeReset()
            for (step, id) in order.enumerated() {
                _ = reset.accept(named[id] ?? 0, wide(id), now: start + .milliseconds(100 * step))
            }
            #expect(reset.mask(of: 14) == named[14] && reset.mask(of: 15) == Trees.all & ~(named[14] ?? 0))
        }
        var reset = TreeReset()
        for step in 0..<3 {
            _ = reset.accept(Trees.all, wide(UInt64(20 - step)), now: start + .milliseconds(100 * step))
        }
        #expect(reset.isInTransition(5, now: start + .milliseconds(999)))
        // The first of them begins the time in which they contend.
        #expect(!reset.isInTransition(5, now: start + .milliseconds(1_200)))
        #expect(reset.accept(Trees.all, wide(1), now: start + .milliseconds(1_200)) == 0)
        var dated = TreeReset()
        _ = dated.accept(Trees.all, TreeReset.Wide(time: Timestamp(milliseconds: 9_000), id: 2), now: start)
        let tooEarly = dated.accept(8, TreeReset.Wide(time: Timestamp(milliseconds: 6_999), id: 1), now: start)
        let justBefore = dated.accept(8, TreeReset.Wide(time: Timestamp(milliseconds: 7_000), id: 1), now: start)
        #expect(tooEarly == 0 && justBefore == 8)
        var flooded = TreeReset()
        let taken = (0..<100).reversed().count { flooded.accept(8, wide($0), now: start) != 0 }
        #expect(taken == 1 + Limits.wideContests)
    }

    @Test
    mutating func `a tree moves at the second payload that had to be asked for, and at once if its parent was drawn`()
        throws
    {
        var neighbours = try neighbours(1...4)
        var trees = Trees()
        let parent = try peer(1)
        func misses(_ tree: Int, at milliseconds: Int) -> Bool {
            trees.recordMiss(tree, UInt64(milliseconds), now: start + .milliseconds(milliseconds))
        }
        trees.setParent(of: Trees.all, to: parent)
        #expect(!misses(2, at: 0) && misses(2, at: 400))
        // All that was said meanwhile is missing too.
        #expect(!misses(2, at: 500) && !misses(2, at: 600) && misses(2, at: 900))
        #expect(!misses(3, at: 0) && !misses(3, at: 60_000))
        // A copy of another payload says nothing about the one that was missed.
        trees.forgiveMiss(3, 0)
        #expect(misses(3, at: 60_100) && !misses(3, at: 70_000))
        trees.forgiveMiss(3, 70_000)
        #expect(!misses(3, at: 70_100))
        let (again, anew) = (trees.graftAgain(3), trees.graftAgain(3))
        #expect(again && !anew)
        trees.becomeRoot(of: Trees.bit(4))
        #expect((0..<4).map { misses(4, at: 100 * $0) } == [false, false, false, true])
        trees.lose(parent, Trees.bit(5), now: start)
        _ = trees.due(now: start, neighbours: &neighbours, strikes: Strikes(), using: &randomness)
        #expect(misses(5, at: 0))
    }

    @Test mutating func `a tree without a parent gets none that is below this node, as far as it knows`() throws {
        var neighbours = try neighbours(1...6)
        var trees = Trees()
        let (parent, child, near) = (try peer(1), try peer(2), try peer(3))
        neighbours.update(parent) { $0.distances.set(Trees.all, to: 2) }
        trees.setParent(of: Trees.all, to: parent, distance: 3)
        neighbours.update(child) { $0.pushes = Trees.all }
        neighbours.update(near) { $0.distances.set(Trees.all, to: 2) }
        let asNear = try peer(4)
        neighbours.update(asNear) { $0.distances.set(Trees.all, to: 3) }
        for number in [5, 6] as [UInt8] {
            neighbours.update(try peer(number)) { $0.distances.set(Trees.all, to: 4) }
        }
        _ = neighbours.close(parent)
        trees.lose(parent, now: start)
        let grafts = trees.due(now: start, neighbours: &neighbours, strikes: Strikes(), using: &randomness)
        #expect(grafts == [Trees.Graft(peer: near, mask: Trees.all)])
        neighbours.update(near) { $0.avoidedUntil = start + .seconds(9) }
        trees.lose(near, now: start)
        let second = trees.due(now: start, neighbours: &neighbours, strikes: Strikes(), using: &randomness)
        #expect(second == [Trees.Graft(peer: asNear, mask: Trees.all)])
        // The root of a tree needs none.
        trees.becomeRoot(of: ~Trees.bit(0))
        trees.lose(asNear, now: start)
        let third = trees.due(now: start, neighbours: &neighbours, strikes: Strikes(), using: &randomness)
        #expect(third.map(\.mask) == [Trees.bit(0)])
        trees.becomeRoot(of: Trees.all)
        trees.graft(at: start)
        #expect(trees.due(now: start, neighbours: &neighbours, strikes: Strikes(), using: &randomness).isEmpty)
    }

    @Test mutating func `new neighbours tell each other how near to the roots they are, and a parent is drawn by it`()
        throws
    {
        let (first, near, far) = (try peer(1), try peer(2), try peer(3))
        var overlay = overlay(with: [first, near, far])
        func hello(_ hello: Hello, from peer: PeerID) -> [TreeFrame] {
            frames(overlay.received(.hello(hello), from: peer, now: start, using: &randomness)).0
        }
        #expect(hello(Hello(isOverlay: true), from: near) == [])
        let payload = message(1, by: Identity.generate(using: &randomness))
        _ = overlay.received(.wide(payload.id.prefix, Trees.all), from: first, now: start, using: &randomness)
        _ = overlay.receiveNew(payload, hops: 4, from: first, now: start, using: &randomness)
        #expect(hello(Hello(isOverlay: true), from: near) == [.distances(TreeDistances(repeating: 4))])
        var guest = Hello(isOverlay: true)
        guest.isGuest = true
        #expect(hello(Hello(isOverlay: false), from: far) == [] && hello(guest, from: far) == [])
        _ = hello(Hello(isOverlay: true), from: far)
        for (peer, distance) in [(near, 2), (far, 250)] as [(PeerID, UInt8)] {
            let distances = TreeDistances(repeating: distance)
            _ = overlay.received(.distances(distances), from: peer, now: start, using: &randomness)
        }
        overlay.closed(first, now: start)
        _ = overlay.tick(now: start + Limits.graftPause, using: &randomness)
        #expect((0..<Trees.count).allSatisfy { overlay.trees.parent(of: $0) == near })
        #expect(hello(Hello(isOverlay: true), from: far).contains(.distances(TreeDistances(repeating: 3))))
        // A distance that no room has is unknown: the own one stays.
        overlay.closed(near, now: start)
        _ = overlay.tick(now: start + Limits.graftPause, using: &randomness)
        #expect((0..<Trees.count).allSatisfy { overlay.trees.parent(of: $0) == far })
        #expect(hello(Hello(isOverlay: true), from: far).contains(.distances(TreeDistances(repeating: 3))))
    }

    @Test mutating func `payloads of several authors that are under way at once prune no link of the tree`() throws {
        let (parent, child, other) = (try peer(1), try peer(2), try peer(3))
        var overlay = overlay(with: [parent, child, other])
        let author = Identity.generate(using: &randomness)
        func payload(_ number: UInt64) -> VerifiedPayload { message(number, by: author) }
        let (wide, tree) = (payload(1), Trees.bit(Trees.index(of: author.id)))
        _ = overlay.received(.wide(wide.id.prefix, Trees.all), from: parent, now: start, using: &randomness)
        let spread = overlay.receiveNew(wide, hops: 2, from: parent, now: start, using: &randomness)
        let (grafts, receivers) = frames(spread)
        #expect(grafts == [.graft(Trees.all, ids: [])] && receivers == [[child, other]])
        // Later payloads go behind the wide one, also where no answer came yet.
        let second = overlay.receiveNew(payload(2), hops: 2, from: parent, now: start, using: &randomness)
        #expect(frames(second).1 == [[child, other]])
        _ = overlay.received(.graft(Trees.all, ids: []), from: child, now: start, using: &randomness)
        _ = overlay.received(.wide(wide.id.prefix, Trees.all), from: other, now: start, using: &randomness)
        #expect(overlay.repeated(wide.id.prefix, of: author.id, hops: 2, from: other, now: start).isEmpty)
        let later = start + Limits.wideContest
        let third = overlay.receiveNew(payload(3), hops: 2, from: child, now: later, using: &randomness)
        #expect(frames(third).1 == [[parent]])
        for peer in [parent, child] {
            #expect(overlay.repeated(payload(3).id.prefix, of: author.id, hops: 2, from: peer, now: later).isEmpty)
        }
        let pruned = overlay.repeated(payload(3).id.prefix, of: author.id, hops: 2, from: other, now: later)
        #expect(frames(pruned).0 == [.prune(tree)])
        #expect(overlay.trees.count(from: parent) == Trees.count)
    }

    @Test(arguments: [.zero, .seconds(0.1)] as [Duration])
    mutating func `after a wide payload a silent neighbour gets four round trips of payloads, and a guest none`(
        roundTrip: Duration
    ) throws {
        let (parent, silent, guest) = (try peer(1), try peer(2), try peer(3))
        var overlay = overlay(with: [parent, silent])
        overlay.opened(guest, isOutgoing: true, isGuest: true, now: start, using: &randomness)
        _ = overlay.received(.hello(Hello(isOverlay: true)), from: guest, now: start, using: &randomness)
        overlay.patience = max(overlay.patience, roundTrip * 4)
        let author = Identity.generate(using: &randomness)
        let wide = message(1, by: author)
        _ = overlay.received(.wide(wide.id.prefix, Trees.all), from: parent, now: start, using: &randomness)
        _ = overlay.receiveNew(wide, hops: 2, from: parent, now: start, using: &randomness)
        let end = start + max(Limits.offerTime, roundTrip * 4)
        func receivers(_ number: UInt64, _ now: Instant) -> [[PeerID]] {
            let payload = message(number, by: author)
            return frames(overlay.receiveNew(payload, hops: 2, from: parent, now: now, using: &randomness)).1
        }
        #expect(receivers(2, end + .seconds(-0.001)) == [[silent]])
        #expect(receivers(3, end) == [])
        // It may graft the tree later.
        _ = overlay.received(.graft(Trees.all, ids: []), from: silent, now: end, using: &randomness)
        #expect(receivers(4, end) == [[silent]])
    }

    @Test mutating func `a parent that lost its own comes below a node that has another neighbour, and below no other`()
        throws
    {
        let (parent, child, other) = (try peer(1), try peer(2), try peer(3))
        var overlay = overlay(with: [parent, child, other])
        let author = Identity.generate(using: &randomness)
        let wide = message(1, by: author)
        _ = overlay.received(.wide(wide.id.prefix, Trees.all), from: parent, now: start, using: &randomness)
        _ = overlay.receiveNew(wide, hops: 2, from: parent, now: start, using: &randomness)
        _ = overlay.received(.graft(Trees.all, ids: []), from: child, now: start, using: &randomness)
        let turned = overlay.received(.graft(3, ids: []), from: parent, now: start, using: &randomness)
        #expect(frames(turned).0 == [.graft(3, ids: [])])
        #expect(loopChecks(turned).map(\.receiver) == [other])
        #expect((0..<3).map(overlay.trees.parent(of:)) == [other, other, parent])
        // A graft of a child turns nothing.
        #expect(overlay.received(.graft(3, ids: []), from: child, now: start, using: &randomness).isEmpty)
        overlay.closed(other, now: start)
        let refused = overlay.received(.graft(4, ids: []), from: parent, now: start, using: &randomness)
        #expect(frames(refused).0 == [.prune(4), .graft(4, ids: [])])
        #expect(overlay.trees.parent(of: 2) == parent)
        // One that has no other neighbour is not refused without end.
        #expect(overlay.received(.graft(4, ids: []), from: parent, now: start, using: &randomness).isEmpty)
        #expect(overlay.trees.parent(of: 2) == parent)
    }

    @Test mutating func `a parent whose link ends soon gives its trees until another does`() throws {
        let (old, child, new) = (try peer(1), try peer(2), try peer(3))
        var overlay = overlay(with: [old, child, new])
        let author = Identity.generate(using: &randomness)
        func payload(_ number: UInt64) -> VerifiedPayload { message(number, by: author) }
        let (wide, tree) = (payload(1), Trees.index(of: author.id))
        _ = overlay.received(.wide(wide.id.prefix, Trees.all), from: old, now: start, using: &randomness)
        _ = overlay.receiveNew(wide, hops: 2, from: old, now: start, using: &randomness)
        for (other, hops) in [(child, 2), (new, 1)] as [(PeerID, UInt8)] {
            _ = overlay.received(.wide(wide.id.prefix, Trees.all), from: other, now: start, using: &randomness)
            _ = overlay.repeated(wide.id.prefix, of: author.id, hops: hops, from: other, now: start)
        }
        _ = overlay.received(.graft(Trees.all, ids: []), from: child, now: start, using: &randomness)
        let later = start + .seconds(10)
        #expect(overlay.setLeaving(old, true, now: later).isEmpty)
        #expect(frames(overlay.tick(now: later, using: &randomness)).0.contains(.graft(Trees.all, ids: [])))
        #expect((0..<Trees.count).allSatisfy { overlay.trees.parent(of: $0) == new })
        // Until the new one gives a payload, the old one may.
        let given = frames(overlay.receiveNew(payload(2), hops: 2, from: old, now: later, using: &randomness))
        #expect(given.0 == [] && given.1 == [[child, new]])
        // A copy that came through this node is no gift of the new one.
        #expect(overlay.repeated(payload(2).id.prefix, of: author.id, hops: 3, from: new, now: later).isEmpty)
        let copy = overlay.repeated(payload(2).id.prefix, of: author.id, hops: 2, from: new, now: later)
        #expect(frames(copy).0 == [.prune(Trees.bit(tree))])
        let next = frames(overlay.receiveNew(payload(3), hops: 2, from: new, now: later, using: &randomness))
        #expect(next.0 == [] && next.1 == [[child]])
        // A link that stays after all is pruned in the other trees too, and drawn again.
        let kept = frames(overlay.setLeaving(old, false, now: later)).0
        #expect(kept == [.prune(~Trees.bit(tree))])
        #expect(overlay.setLeaving(new, true, now: later).isEmpty)
        _ = overlay.tick(now: later, using: &randomness)
        #expect((0..<Trees.count).allSatisfy { overlay.trees.parent(of: $0) == old })
        let last = frames(overlay.receiveNew(payload(4), hops: 2, from: old, now: later, using: &randomness))
        #expect(last.0 == [.prune(Trees.bit(tree))] && last.1 == [[child]])
    }

    @Test mutating func `the only parent stays until its link ends, or until another neighbour comes`() throws {
        let (only, child) = (try peer(1), try peer(2))
        var overlay = overlay(with: [only, child])
        let author = Identity.generate(using: &randomness)
        func payload(_ number: UInt64) -> VerifiedPayload { message(number, by: author) }
        _ = overlay.setLeaving(only, true, now: start)
        _ = overlay.received(.wide(payload(1).id.prefix, Trees.all), from: only, now: start, using: &randomness)
        _ = overlay.receiveNew(payload(1), hops: 2, from: only, now: start, using: &randomness)
        _ = overlay.received(.graft(Trees.all, ids: []), from: child, now: start, using: &randomness)
        let later = start + .seconds(2)
        _ = overlay.tick(now: later, using: &randomness)
        #expect((0..<Trees.count).allSatisfy { overlay.trees.parent(of: $0) == only })
        let given = frames(overlay.receiveNew(payload(2), hops: 2, from: only, now: later, using: &randomness))
        #expect(given.0 == [] && given.1 == [[child]])
        // A newcomer takes its place.
        let new = try peer(3)
        overlay.opened(new, isOutgoing: true, now: later, using: &randomness)
        _ = overlay.received(.hello(Hello(isOverlay: true)), from: new, now: later, using: &randomness)
        _ = overlay.tick(now: later + Limits.graftPause, using: &randomness)
        #expect((0..<Trees.count).allSatisfy { overlay.trees.parent(of: $0) == new })
    }

    /// A node in overlay mode, with neighbours in overlay mode that it dialled.
    private mutating func overlay(with peers: [PeerID]) -> TreeSpread {
        var overlay = TreeSpread()
        overlay.setMode(.overlay, now: start, using: &randomness)
        for peer in peers {
            overlay.opened(peer, isOutgoing: true, now: start, using: &randomness)
            _ = overlay.received(.hello(Hello(isOverlay: true)), from: peer, now: start, using: &randomness)
        }
        return overlay
    }

    private func message(_ number: UInt64, by author: borrowing Identity) -> VerifiedPayload {
        VerifiedPayload(
            signing: .publicMessage(stage: .newcomer, nickname: "a", text: "\(number)"), by: author,
            in: Room.lobby.id, epoch: 1, sequence: number, timestamp: Timestamp(milliseconds: 1))
    }

    /// Said in the order of their numbers; two of one time have their ids.
    private func wide(_ number: UInt64) -> TreeReset.Wide {
        TreeReset.Wide(time: Timestamp(milliseconds: number / 8 + 1), id: number)
    }

    @Test mutating func `a parent that gives payloads only when it is asked is left, and so is one that gives none`()
        throws
    {
        let (parent, other) = (try peer(1), try peer(2))
        var overlay = overlay(with: [parent, other])
        let author = Identity.generate(using: &randomness)
        let (tree, bit) = (Trees.index(of: author.id), Trees.bit(Trees.index(of: author.id)))
        func payload(_ number: UInt64) -> VerifiedPayload { message(number, by: author) }
        let first = payload(1)
        _ = overlay.received(.wide(first.id.prefix, Trees.all), from: parent, now: start, using: &randomness)
        _ = overlay.receiveNew(first, hops: 2, from: parent, now: start, using: &randomness)
        var now = start + .seconds(2)
        /// A neighbour announces a payload, is asked for it and gives it.
        func give(_ number: UInt64, from peer: PeerID) -> [TreeFrame] {
            let payload = payload(number)
            overlay.announced([payload.id.prefix], by: peer, now: now)
            now = now + .seconds(1)
            _ = overlay.tick(now: now, using: &randomness)
            overlay.arrived(payload.id.prefix, from: peer)
            return frames(overlay.receiveNew(payload, hops: 2, from: peer, now: now, using: &randomness)).0
        }
        #expect(give(2, from: other) == [] && give(3, from: other) == [.graft(bit, ids: []), .prune(bit)])
        #expect(overlay.trees.parent(of: tree) == other)
        #expect(give(4, from: other) == [] && give(5, from: other) == [.graft(bit, ids: [])])
        #expect(give(6, from: other) == [] && give(7, from: other) == [.prune(bit)])
        #expect(overlay.trees.parent(of: tree) == nil)
    }

    @Test mutating func `an own payload of an earlier run that comes back as a wide one makes no tree`() throws {
        let giver = try peer(1)
        var overlay = overlay(with: [giver])
        let own = VerifiedPayload(
            signing: .publicMessage(stage: .newcomer, nickname: "a", text: "1"),
            by: Identity.generate(using: &randomness),
            in: Room.lobby.id, epoch: 1, sequence: 1, timestamp: Timestamp(milliseconds: 1))
        _ = overlay.received(.wide(own.id.prefix, Trees.all), from: giver, now: start, using: &randomness)
        let actions = overlay.receiveNew(own, hops: 0, from: giver, now: start, using: &randomness)
        #expect(!frames(actions).0.contains(.graft(Trees.all, ids: [])))
    }

    /// The frames that are no loop checks, and the receivers of payloads.
    private func frames(_ actions: [TreeSpread.Action]) -> ([TreeFrame], [[PeerID]]) {
        var (frames, receivers): ([TreeFrame], [[PeerID]]) = ([], [])
        for action in actions {
            switch action {
            case .send(let bytes, _):
                frames += [TreeFrame(Array(bytes.dropFirst()).span)].compactMap(\.self)
                if case .loopCheck = frames.last { frames.removeLast() }
            case .push(_, let peers, _): receivers.append(peers)
            case .probe, .demoteUnlessHeard, .end: break
            }
        }
        return (frames, receivers)
    }

    private func loopChecks(_ actions: [TreeSpread.Action]) -> [(check: LoopCheck, receiver: PeerID)] {
        actions.compactMap { action in
            guard case .send(let bytes, let receiver) = action,
                case .loopCheck(let check) = TreeFrame(Array(bytes.dropFirst()).span)
            else { return nil }
            return (check, receiver)
        }
    }

    /// A node with `child` below it in all trees and a drawn parent, and the loop check of that.
    private mutating func drawn(
        _ parent: PeerID, over child: PeerID, beside others: [PeerID] = []
    ) throws -> (TreeSpread, LoopCheck) {
        var overlay = overlay(with: [child, parent] + others)
        // The trees have carried something.
        for number in 0..<64 as Range<UInt64> {
            let payload = message(number, by: Identity.generate(using: &randomness))
            _ = overlay.receiveNew(payload, hops: 2, from: child, now: start, using: &randomness)
        }
        overlay.closed(child, now: start)
        overlay.opened(child, isOutgoing: true, now: start, using: &randomness)
        _ = overlay.received(.hello(Hello(isOverlay: true)), from: child, now: start, using: &randomness)
        _ = overlay.received(.graft(Trees.all, ids: []), from: child, now: start, using: &randomness)
        for other in others { overlay.closed(other, now: start) }
        let begun = loopChecks(overlay.tick(now: start + Limits.graftPause, using: &randomness))
        #expect(begun.map(\.receiver) == [parent])
        return (overlay, try #require(begun.first?.check))
    }

    @Test mutating func `a parent that is below this node, as a loop check shows, is left for another`() throws {
        let (child, parent, other) = (try peer(1), try peer(2), try peer(3))
        var (overlay, check) = try drawn(parent, over: child)
        #expect(check.mask == Trees.all)
        #expect((Limits.loopCheckLinksLeast...Limits.loopCheckLinksMost).contains(check.linksLeft))
        let drawn = start + Limits.graftPause
        // A neighbour that is no child shows nothing.
        overlay.opened(other, isOutgoing: true, now: drawn, using: &randomness)
        _ = overlay.received(.hello(Hello(isOverlay: true)), from: other, now: drawn, using: &randomness)
        #expect(overlay.received(.loopCheck(check), from: other, now: drawn, using: &randomness).isEmpty)
        (check.mask, check.linksLeft) = (3, 0)
        let left = overlay.received(.loopCheck(check), from: child, now: drawn, using: &randomness)
        #expect(frames(left).0 == [.prune(3)] && loopChecks(left).isEmpty)
        #expect((0..<3).map(overlay.trees.parent(of:)) == [nil, nil, parent])
        // It came back, and is none of this node's any more.
        #expect(overlay.received(.loopCheck(check), from: child, now: drawn, using: &randomness).isEmpty)
        // A payload that was under way does not make it the parent again, and it is not drawn.
        var author = Identity.generate(using: &randomness)
        while Trees.index(of: author.id) != 0 { author = Identity.generate(using: &randomness) }
        let late = overlay.receiveNew(message(1, by: author), hops: 2, from: parent, now: drawn, using: &randomness)
        #expect(frames(late).0 == [.prune(1)] && overlay.trees.parent(of: 0) == nil)
        _ = overlay.tick(now: drawn + Limits.graftPause + Limits.loopPause, using: &randomness)
        #expect((0..<3).map(overlay.trees.parent(of:)) == [other, other, parent])
    }

    @Test mutating func `where all are below this node, a child is to find a parent`() throws {
        let (child, parent) = (try peer(1), try peer(2))
        var (overlay, check) = try drawn(parent, over: child)
        let drawn = start + Limits.graftPause
        _ = overlay.received(.loopCheck(check), from: child, now: drawn, using: &randomness)
        let next = overlay.tick(now: drawn + Limits.graftPause + Limits.loopPause, using: &randomness)
        #expect(frames(next).0 == [.graft(Trees.all, ids: [])])
        #expect(loopChecks(next).map(\.receiver) == [child])
    }

    @Test mutating func `a loop check of a child goes on to the parents of its trees, as far and as often as it may`()
        throws
    {
        let (child, parent) = (try peer(1), try peer(2))
        var overlay = overlay(with: [child, parent])
        let wide = message(1, by: Identity.generate(using: &randomness))
        _ = overlay.received(.wide(wide.id.prefix, Trees.all), from: parent, now: start, using: &randomness)
        _ = overlay.receiveNew(wide, hops: 2, from: parent, now: start, using: &randomness)
        _ = overlay.received(.graft(7, ids: []), from: child, now: start, using: &randomness)
        func passed(_ id: UInt64, _ mask: TreeMask, _ linksLeft: UInt8, from peer: PeerID) -> [LoopCheck] {
            let check = LoopCheck(id: id, mask: mask, linksLeft: linksLeft)
            let actions = overlay.received(.loopCheck(check), from: peer, now: start, using: &randomness)
            #expect(loopChecks(actions).allSatisfy { $0.receiver == parent } && frames(actions).0.isEmpty)
            return loopChecks(actions).map(\.check)
        }
        #expect(passed(9, 0x0c, 5, from: child) == [LoopCheck(id: 9, mask: 4, linksLeft: 4)])
        // In each tree once, and with no more links than an honest one may pass.
        #expect(passed(9, Trees.all, 255, from: child) == [LoopCheck(id: 9, mask: 3, linksLeft: 30)])
        #expect(passed(9, Trees.all, 255, from: child).isEmpty)
        #expect(passed(10, 7, 0, from: child).isEmpty && passed(11, 8, 5, from: child).isEmpty)
        // Nothing goes back to the parent.
        #expect(passed(12, 7, 5, from: parent).isEmpty)
        #expect((13..<99).count { !passed($0, 1, 1, from: child).isEmpty } == Int(Limits.sentLoopChecksBurst) - 2)
    }

    @Test func `loop checks end the choice of a parent six times at once, then the node is the root of the tree`()
        throws
    {
        var trees = Trees()
        let parent = try peer(1)
        func isRoot(_ instant: Instant) -> Bool {
            trees.setParent(of: 3, to: parent)
            let left = trees.breakLoops(1, with: parent, now: instant, after: .zero)
            #expect(left == 1 && trees.parent(of: 0) == nil && trees.parent(of: 1) == parent)
            return trees.isRoot(of: 0)
        }
        #expect((0..<7).map { _ in isRoot(start) } == [false, false, false, false, false, false, true])
        #expect(!isRoot(start + .seconds(10)) && isRoot(start + .seconds(11)))
        #expect(trees.breakLoops(3, with: try peer(2), now: start + .seconds(99), after: .zero) == 0)
    }

    @Test mutating func `the newest loop check of a tree counts alone, and none of a tree that a wide payload made`()
        throws
    {
        let (one, other) = (try peer(1), try peer(2))
        var checks = LoopChecks()
        let first = checks.begin(3, with: one, using: &randomness)
        #expect(checks.returned(first).map { $0.parent == one && $0.mask == 3 } == true)
        let second = checks.begin(2, with: other, using: &randomness)
        #expect(checks.returned(first).map { $0.parent == one && $0.mask == 1 } == true)
        checks.forget(1)
        #expect(checks.returned(first) == nil && checks.returned(second)?.parent == other)
    }

    @Test func `neighbours that answer pings late delay repairs by half a second at most`() {
        let late = [0.001, 9, 9, 9].map(Duration.seconds)
        #expect(Spread.patience(late) == Limits.announcementPatienceMost)
        #expect(Spread.patience([0.001, 0.02, 9].map(Duration.seconds)) == .seconds(0.08))
        #expect(Spread.patience([]) == Limits.announcementPatience)
        #expect(Spread.patience([.zero]) == Limits.announcementPatience)
    }

    @Test func `the third broken promise in ten minutes ends the link`() throws {
        var strikes = Strikes()
        let (one, other) = (try peer(1), try peer(2))
        let (first, second) = (strikes.record(one, now: start), strikes.record(one, now: start))
        #expect(!first && !second)
        #expect(strikes.has(one, now: start + .seconds(599)))
        #expect(!strikes.has(one, now: start + .seconds(600)) && !strikes.has(other, now: start))
        let third = strikes.record(one, now: start + .seconds(599))
        let later = strikes.record(one, now: start + .seconds(700))
        #expect(third && !later)
    }

    @Test func `an announced payload is grafted after a while, at one announcer after the other, and then given up`()
        throws
    {
        var news = LazyPush()
        let patience = Duration.milliseconds(40)
        for number in 1...3 as ClosedRange<UInt8> {
            news.announced(7, by: try peer(number), now: start, patience: patience)
        }
        #expect(news.isMissing(7) && news.nextDeadline == start + patience)
        var asked: [PeerID] = []
        for step in 1...4 as ClosedRange<Int64> {
            asked += news.due(now: start + .milliseconds(40 * step), patience: patience).grafts.map(\.peer)
        }
        let announcers = [try peer(1), try peer(2), try peer(3)]
        #expect(asked == announcers)
        // The second keeps its promise, though the payload came from elsewhere before.
        news.kept(7, by: try peer(2))
        let broken = news.due(now: start + .milliseconds(2_200), patience: patience).broken
        let breakers = [try peer(1), try peer(3)]
        #expect(broken == breakers)
        #expect(!news.isMissing(7) && news.nextDeadline == nil)
    }

    @Test func `a payload that came is neither asked for nor a broken promise`() throws {
        var news = LazyPush()
        news.announced(7, by: try peer(1), now: start, patience: .milliseconds(40))
        let grafts = news.due(now: start + .milliseconds(40), patience: .milliseconds(40)).grafts
        #expect(grafts.map(\.ids) == [[7]])
        news.settle(7)
        news.kept(7, by: try peer(1))
        #expect(news.isSettled(7) && !news.isMissing(7))
        let due = news.due(now: start + .seconds(3), patience: .milliseconds(40))
        #expect(due.grafts.isEmpty && due.broken.isEmpty)
    }

    @Test func `a neighbour that says what it lacks breaks no promise, and the next announcer is asked at once`() throws
    {
        var news = LazyPush()
        let patience = Duration.milliseconds(40)
        for number in 1...2 as ClosedRange<UInt8> {
            news.announced(7, by: try peer(number), now: start, patience: patience)
        }
        let (first, second) = (try peer(1), try peer(2))
        #expect(news.due(now: start + patience, patience: patience).grafts.map(\.peer) == [first])
        // A payload that this neighbour was not asked for changes nothing.
        news.refused([7, 8], by: second, now: start + .milliseconds(42))
        #expect(news.awaits(first))
        news.refused([7], by: first, now: start + .milliseconds(45))
        #expect(!news.awaits(first) && news.nextDeadline == start + .milliseconds(45))
        #expect(news.due(now: start + .milliseconds(45), patience: patience).grafts.map(\.peer) == [second])
        news.refused([7], by: second, now: start + .milliseconds(50))
        #expect(news.due(now: start + .seconds(4), patience: patience).broken.isEmpty)
    }

    @Test func `no neighbour is asked for more than it gives`() throws {
        var news = LazyPush()
        for id in 0..<10 as Range<UInt64> {
            news.announced(id, by: try peer(1), now: start, patience: .milliseconds(40))
        }
        var left = 4
        let asked = news.due(now: start + .milliseconds(40), patience: .milliseconds(40)) { _ in
            left -= 1
            return left >= 0
        }
        #expect(asked.grafts.flatMap(\.ids).count == 4)
        let later = news.due(now: start + .milliseconds(80), patience: .milliseconds(40))
        #expect(later.grafts.flatMap(\.ids).count == 6)
        #expect(Limits.askedPayloadsBurst < Limits.graftedPayloadsBurst)
        #expect(Limits.askedPayloadsPerSecond < Limits.graftedPayloadsPerSecond)
    }

    @Test func `a neighbour that announces without end takes no place from what another announces`() throws {
        var news = LazyPush()
        let (liar, honest) = (try peer(1), try peer(2))
        for id in 0..<5_000 as Range<UInt64> { news.announced(id, by: liar, now: start, patience: .zero) }
        news.announced(9_000, by: honest, now: start, patience: .zero)
        let grafts = news.due(now: start, patience: .zero).grafts
        #expect(grafts.first { $0.peer == liar }?.ids.count == Limits.missingPerNeighbour)
        #expect(grafts.first { $0.peer == honest }?.ids == [9_000])
        // A payload that came, or is not awaited any more, makes room.
        news.settle(0)
        news.announced(9_001, by: liar, now: start, patience: .zero)
        news.announced(9_002, by: liar, now: start, patience: .zero)
        #expect(news.isMissing(9_001) && !news.isMissing(9_002))
        _ = news.due(now: start + Limits.promiseTime, patience: .zero)
        news.announced(9_003, by: liar, now: start + Limits.promiseTime, patience: .zero)
        #expect(news.isMissing(9_003) && !news.isMissing(1))
    }

    @Test func `a flood of announcements fills no table beyond its bound`() throws {
        var news = LazyPush()
        for id in 0..<5_000 as Range<UInt64> {
            for number in 1...12 as ClosedRange<UInt8> {
                news.announced(id, by: try peer(number), now: start, patience: .milliseconds(40))
            }
        }
        var count = 0
        for step in 1...60 as ClosedRange<Int64> {
            let due = news.due(now: start + .milliseconds(40 * step), patience: .milliseconds(40))
            count += due.grafts.reduce(0) { $0 + $1.ids.count }
        }
        #expect(count <= Limits.missing * Limits.announcersKept)
        var census = TableCensus()
        census.count(news, at: "news")
        #expect(census.sizes.values.allSatisfy { $0 <= Limits.seenMessages })
    }

    @Test mutating func `the latest are compared with a neighbour that was dialled, seldom in silence`() throws {
        let neighbours = try neighbours(1...6)
        var latest = AntiEntropy()
        latest.start(now: start, using: &randomness)
        var now = start
        var asked: [PeerID] = []
        for _ in 0..<20 {
            let deadline = try #require(latest.nextDeadline)
            #expect(deadline >= now + .milliseconds(1_600) && deadline <= now + .milliseconds(2_400))
            now = deadline
            if let peer = latest.due(now: now, neighbours: neighbours, isQuiet: false, using: &randomness) {
                asked.append(peer)
            }
        }
        #expect(asked.count == 20 && asked.allSatisfy { neighbours[$0]?.isOutgoing == true })
        now = try #require(latest.nextDeadline)
        _ = latest.due(now: now, neighbours: neighbours, isQuiet: true, using: &randomness)
        let late = try #require(latest.nextDeadline)
        #expect(late >= now + .seconds(8) && late <= now + .seconds(12))
        latest.hasten(now: now, using: &randomness)
        let soon = try #require(latest.nextDeadline)
        #expect(soon <= now + .milliseconds(2_400))
    }

    /// Payloads that came one after the other, 10 ms apart, as `LazyPush` and `RecentPayloads` hear of them.
    private mutating func gathered(_ count: Int, _ news: inout LazyPush, _ recent: inout RecentPayloads) -> [UInt64] {
        let identity = Identity.generate(using: &randomness)
        var ids: [UInt64] = []
        for number in 0..<count {
            let payload = VerifiedPayload(
                signing: .publicMessage(stage: .newcomer, nickname: "a", text: "\(number)"), by: identity,
                in: Room.lobby.id, epoch: 1, sequence: UInt64(number + 1), timestamp: Timestamp(milliseconds: 1))
            let at = start + .milliseconds(10 * number)
            recent.insert(RecentPayloads.Entry(payload: payload, hops: 1, at: at))
            news.gather(payload.id.prefix, now: at, using: &randomness)
            ids.append(payload.id.prefix)
        }
        return ids
    }

    @Test mutating func `ids ride to each neighbour once, as many as fit, and none that is young or known`()
        throws
    {
        var (news, recent) = (LazyPush(), RecentPayloads())
        let ids = gathered(6, &news, &recent)
        var neighbours = try neighbours(1...3)
        let peers = [try peer(1), try peer(2), try peer(3)]
        let tree = try #require(recent[ids[0]]).tree
        neighbours.update(peers[2]) { $0.pushes = Trees.bit(tree) }
        func ride(_ place: Int, _ most: Int, at milliseconds: Int) throws -> [UInt64] {
            let neighbour = try #require(neighbours[peers[place]])
            return news.riders(
                for: neighbour, atMost: most, now: start + .milliseconds(milliseconds), recent: &recent)
        }
        let (young, ripe) = (try ride(0, 60, at: 149), try ride(0, 60, at: 160))
        #expect(young == [] && ripe == Array(ids.prefix(2)))
        let rest = [try ride(0, 3, at: 900), try ride(0, 3, at: 900), try ride(0, 3, at: 900)]
        #expect(rest == [Array(ids[2..<5]), [ids[5]], []])
        recent.record(ids[0], knownAt: try #require(neighbours[peers[1]]).slot)
        // One that became a child behind the payloads has not got them.
        let (known, child) = (try ride(1, 60, at: 900), try ride(2, 60, at: 900))
        #expect(known == Array(ids.dropFirst()) && child == ids)
    }

    @Test mutating func `ids that few neighbours have go to two in records of their own, seldom`() throws {
        var (news, recent) = (LazyPush(), RecentPayloads())
        let ids = gathered(2, &news, &recent)
        var neighbours = try neighbours(1...12)
        // A neighbour that has given nothing yet may be one that only takes: the ids that ride to it go to two others all the same.
        let taker = try peer(12)
        for number in 1...11 as ClosedRange<UInt8> { neighbours.update(try peer(number)) { $0.servedAt = start } }
        let now = start + .seconds(1)
        let first = try #require(news.announceAt)
        #expect(first >= start + .milliseconds(150) && first <= start + .milliseconds(250))
        // The first id rode to two neighbours, the second to one.
        let (one, two) = (try peer(1), try peer(2))
        let toOne = news.riders(for: try #require(neighbours[one]), atMost: 2, now: now, recent: &recent)
        let toTwo = news.riders(for: try #require(neighbours[two]), atMost: 1, now: now, recent: &recent)
        #expect(toOne == ids && toTwo == [ids[0]])
        let toTaker = news.riders(for: try #require(neighbours[taker]), atMost: 2, now: now, recent: &recent)
        #expect(toTaker == ids)
        let told = news.announcements(now: now, neighbours: neighbours, recent: &recent, using: &randomness)
        #expect(told.map(\.ids) == [[ids[1]]] && told.first?.peer != one && news.announceAt == nil)
        _ = gathered(2, &news, &recent)
        let second = try #require(news.announceAt)
        #expect(second >= now + .milliseconds(1_600) && second <= now + .milliseconds(2_400))
        let early = now + .milliseconds(1_199)
        let none = news.announcements(now: early, neighbours: neighbours, recent: &recent, using: &randomness)
        let batch = news.announcements(now: second, neighbours: neighbours, recent: &recent, using: &randomness)
        #expect(none.isEmpty && batch.map(\.ids.count) == [2, 2] && batch.first?.peer != batch.last?.peer)
    }

    @Test mutating func `news for a record that goes anyway fit into it, seldom for one neighbour`() throws {
        var overlay = TreeSpread()
        let other = try peer(2)
        overlay.setMode(.overlay, now: start, using: &randomness)
        overlay.opened(other, isOutgoing: true, now: start, using: &randomness)
        let identity = Identity.generate(using: &randomness)
        for number in 0..<20 {
            let payload = VerifiedPayload(
                signing: .publicMessage(stage: .newcomer, nickname: "a", text: "\(number)"), by: identity,
                in: Room.lobby.id, epoch: 1, sequence: UInt64(number + 1), timestamp: Timestamp(milliseconds: 1))
            _ = overlay.say(payload, hops: 1, now: start, using: &randomness)
        }
        let later = start + .seconds(1)
        let toStranger = overlay.news(for: other, within: 500, now: later)
        // The neighbour joins the trees behind the payloads: as one that was there before it would have got them.
        overlay.closed(other, now: start)
        overlay.opened(other, isOutgoing: true, now: start, using: &randomness)
        _ = overlay.received(.hello(Hello(isOverlay: true)), from: other, now: start, using: &randomness)
        let tooSmall = overlay.news(for: other, within: 9, now: later)
        #expect(toStranger == nil && tooSmall == nil)
        for (room, count) in [(10, 1), (17, 1), (18, 2), (100, 12)] {
            let now = later + .milliseconds(50 * room)
            let found = overlay.news(for: other, within: room, now: now)
            let news = try #require(found)
            #expect(news.ids.count == count && news.bytes.count <= room)
            let soon = overlay.news(for: other, within: room, now: now + .milliseconds(49))
            #expect(soon == nil)
        }
    }

    @Test mutating func `the payloads of the last half minute are kept, as many as there is room for`() throws {
        let identity = Identity.generate(using: &randomness)
        var recent = RecentPayloads()
        var ids: [UInt64] = []
        for number in 0..<Limits.recentPayloads + 50 {
            let payload = VerifiedPayload(
                signing: .publicMessage(stage: .newcomer, nickname: "a", text: "\(number)"), by: identity,
                in: Room.lobby.id, epoch: 1, sequence: UInt64(number + 1), timestamp: Timestamp(milliseconds: 1))
            ids.append(payload.id.prefix)
            recent.insert(RecentPayloads.Entry(payload: payload, hops: 1, at: start + .milliseconds(10 * number)))
        }
        #expect(ids.prefix(50).allSatisfy { recent[$0] == nil } && ids.dropFirst(50).allSatisfy { recent[$0] != nil })
        let now = start + .milliseconds(10 * ids.count)
        #expect(recent.latest(at: now) == Array(ids.suffix(Limits.latestPayloads).reversed()))
        #expect(recent.latest(at: now + .seconds(29.95)).count == 5)
        #expect(recent.latest(at: now + .seconds(60)) == [])
        let isKnown = recent.record(ids[60], knownAt: 9)
        let isUnknown = recent.record(ids[0], knownAt: 9)
        #expect(isKnown && !isUnknown && recent[ids[60]]?.known.contains(9) == true)
        recent.forget(9)
        #expect(recent[ids[60]]?.known.contains(9) == false)
    }
}
