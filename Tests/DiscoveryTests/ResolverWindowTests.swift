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

    @Test func `a resolver that answers is asked for more at a time, up to 64`() {
        var table = InstanceTable()
        var (open, most) = ([Listing](), 0)
        func note(_ actions: [ListingAction]) {
            for case .resolve(let listing, _) in actions { open.append(listing) }
            most = max(most, open.count)
        }
        let endpoint = Endpoint(address: [192, 0, 2, 1], port: 9)
        for number in 0..<1_000 {
            let listing = Listing(source: .daemon, instance: "i\(number)", interface: 2, family: .ipv4)
            note(table.listed(listing, now: start))
        }
        while let listing = open.popLast() { note(table.resolved(listing, endpoint, now: start)) }
        #expect((40...ResolverWindow.most).contains(most))
    }
}
