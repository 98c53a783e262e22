import ChatNode
import Testing
import Wire

@testable import Discovery

@Suite struct RoomClaimTests {
    @Test func `the room that leaves last ends it, and a later one is refused`() {
        var claims = RoomClaims()
        let rooms = (0..<3).compactMap { _ in claims.claim() }
        let starts = [claims.start(), claims.start()]
        #expect(Set(rooms).count == 3)
        #expect(starts == [true, false])
        let ends = [1, 1, 0, 2].map { claims.release(rooms[$0]) }
        #expect(ends.map(\.?.isLast) == [false, nil, false, true])
        #expect(ends.map(\.?.isStarted) == [true, nil, true, true])
        let late = claims.claim()
        #expect(late == nil)
    }

    @Test func `where the system refuses the threads, the room is left as one that never began`() {
        var claims = RoomClaims()
        let room = claims.claim() ?? -1
        let isFirst = claims.start()
        claims.startFailed()
        let again = claims.start()
        #expect([isFirst, again] == [true, false])
        let late = claims.claim()
        #expect(late == nil)
        let end = claims.release(room)
        #expect(end?.isStarted == false)
    }

    @Test func `one room at a time speaks for the process, and each has its own count`() {
        var claims = RoomClaims()
        let (first, second) = (claims.claim() ?? -1, claims.claim() ?? -1)
        claims.record(3, in: second)
        #expect([first, second].map(claims.isFirst) == [true, false])
        #expect([first, second].map(claims.crowdedOut) == [0, 3])
        _ = claims.release(first)
        claims.record(5, in: first)
        #expect(claims.isFirst(second))
        #expect(claims.crowdedOut(of: first) == 0)
    }
}

@Suite struct RoomTableTests {
    private let start = Instant(nanoseconds: 0)
    private let endpoint = Endpoint(address: [192, 0, 2, 1], port: 9)

    private func listing(_ room: String, _ number: Int) -> Listing {
        Listing(source: .daemon, instance: "\(room)\(number)", interface: 2, family: .ipv4)
    }

    private func resolved(_ actions: [ListingAction]) -> [Listing] {
        actions.compactMap { if case .resolve(let listing, _) = $0 { listing } else { nil } }
    }

    @Test func `a crowd in one room leaves half of the resolvers to another room`() {
        let pool = ResolverPool()
        var crowded = InstanceTable(pool)
        var calm = InstanceTable(pool)
        var open = (0..<1_000).flatMap { resolved(crowded.listed(listing("a", $0), now: start)) }
        #expect(open.count == pool.window.size)
        var served = (0..<20).flatMap { resolved(calm.listed(listing("b", $0), now: start)) }
        #expect(served.isEmpty && calm.isWaiting)
        while served.count < 8, let listing = open.popLast() {
            open += resolved(crowded.resolved(listing, endpoint, now: start))
            served += resolved(calm.serveWaiting(now: start))
            #expect(pool.open <= pool.window.size)
        }
        #expect(served.count == 8)
        #expect(open.count >= 8)
    }

    @Test func `sixteen rooms have no more resolvers open than one, and each gets its turn`() {
        let pool = ResolverPool()
        var tables = (0..<16).map { _ in InstanceTable(pool) }
        var open: [(room: Int, listing: Listing)] = []
        for room in tables.indices {
            for number in 0..<40 {
                open += resolved(tables[room].listed(listing("r\(room)-", number), now: start)).map { (room, $0) }
            }
        }
        var answered = [Int](repeating: 0, count: 16)
        while let (room, listing) = open.popLast() {
            answered[room] += 1
            open += resolved(tables[room].resolved(listing, endpoint, now: start)).map { (room, $0) }
            for other in tables.indices {
                open += resolved(tables[other].serveWaiting(now: start)).map { (other, $0) }
            }
            #expect(open.count == pool.open && pool.open <= ResolverWindow.most)
        }
        #expect(answered == [Int](repeating: 40, count: 16))
        #expect(pool.claimants == 0)
    }

    @Test func `a room that ends gives its resolvers back`() {
        let pool = ResolverPool()
        var table = InstanceTable(pool)
        for number in 0..<100 { _ = table.listed(listing("a", number), now: start) }
        #expect(pool.open > 0 && pool.claimants == 1)
        table.close()
        #expect(pool.open == 0 && pool.claimants == 0)
    }

    @Test func `the own names of one room are found by another`() {
        let pool = ResolverPool()
        var (own, other) = (InstanceTable(pool), InstanceTable(pool))
        let listing = Listing(
            source: .embedded, instance: String(repeating: "a", count: 26), interface: 2, family: .ipv4)
        own.addOwn(listing.instance)
        #expect(own.listed(listing, now: start).isEmpty)
        #expect(resolved(other.listed(listing, now: start)) == [listing])
    }

    @Test func `a room's question lists its own instances alone, even after packets with others'`() throws {
        var generator = SystemRandomNumberGenerator()
        let names = ["_r0000000a", "_r0000000b"]
        let records = names.flatMap { subtype in
            (0..<3).map { _ in
                MDNSRecord(
                    name: .subtype(subtype), kind: .ptr,
                    rdata: MDNSName.instance(RandomNames.draw(using: &generator)).wire)
            }
        }
        let packet = MDNSMessage.announcement(of: records)
        for subtype in names {
            let name = BrowsedName(type: MDNSName.browsingType(subtype: subtype))
            var browser = QuietBrowser(for: name, now: start, using: &generator)
            let listed = browser.heard(packet[...], from: [10, 0, 0, 1], now: start, using: &generator)
            #expect(listed.count == 3)
            let asked = browser.due(now: start + .milliseconds(200), using: &generator)
            guard case .ask(let question) = asked.first else {
                Issue.record("no question")
                continue
            }
            let pointers = MDNSMessage.pointers(in: [0, 0, 0x84] + question[3...])
            #expect(pointers.count == 3)
            #expect(pointers.allSatisfy { $0.name == MDNSName.subtype(subtype).labels })
        }
    }
}
