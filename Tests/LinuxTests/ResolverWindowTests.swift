import ChatNode
import Testing
import Wire

@testable import Discovery

@Suite struct ResolverWindowTests {
    private let start = Instant(nanoseconds: 0)

    @Test func `it grows by one with each round of answers, up to the most`() {
        var window = ResolverWindow()
        let first = window.size
        for _ in 0..<first { window.answered() }
        #expect(window.size == first + 1)
        for _ in 0..<10_000 { window.answered() }
        #expect(window.size == ResolverWindow.most)
    }

    @Test func `a round of misses halves it once, and it never closes`() {
        var window = ResolverWindow()
        for _ in 0..<10_000 { window.answered() }
        for _ in 0..<20 { window.missed(now: start) }
        #expect(window.size == ResolverWindow.most / 2)
        for round in 1...20 { window.missed(now: start + .seconds(Int64(round))) }
        #expect(window.size == ResolverWindow.least)
    }

    @Test func `half of it is kept for newcomers`() {
        let window = ResolverWindow()
        #expect(window.room(isNewcomer: false) * 2 == window.room(isNewcomer: true))
    }

    /// Of a crowd, each gets its turn though none is answered in time: that is what a busy daemon looks like.
    @Test func `no more are asked for than the window lets, and it shrinks where nothing is answered`() {
        var table = InstanceTable()
        var open: Set<Listing> = []
        var (asked, now) = (0, start)
        func note(_ actions: [ListingAction]) {
            for action in actions {
                switch action {
                case .resolve(let listing, _):
                    open.insert(listing)
                    asked += 1
                case .cancel(let listing): open.remove(listing)
                case .tell: break
                }
            }
        }
        for number in 0..<100 {
            let listing = Listing(source: .daemon, instance: "instance\(number)", interface: 2, family: .ipv4)
            note(table.listed(listing, now: now))
        }
        #expect(open.count == ResolverWindow().size)
        for _ in 0..<40 {
            now = table.nextDue ?? now
            note(table.due(now: now))
            #expect(open.count <= ResolverWindow().size)
        }
        #expect(table.window.size == ResolverWindow.least)
        #expect(asked > 100)
    }
}
