import Noise
import Testing
import Wire

@testable import ChatNode
@testable import Discovery

private let endpoint = Endpoint(address: [10, 0, 0, 1], port: 7)
private let elsewhere = Endpoint(address: [10, 0, 0, 2], port: 7)

private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

/// The table's use of heard instances and of linked peers.
@Suite struct HeardListingTests {
    private var table = InstanceTable()
    private var randomness = Randomness.seeded(5)
    private var open: [Listing] = []

    private mutating func run() -> (run: LinkedRun, names: [String]) {
        let key = KeyPair.generate(using: &randomness).publicKey
        return (LinkedRun(key), (0..<2).map { _ in InstanceName(of: key, using: &randomness).text })
    }

    private func listing(_ instance: String, _ family: Family = .ipv4) -> Listing {
        Listing(source: .daemon, instance: instance, interface: 2, family: family)
    }

    private func asked(_ actions: [ListingAction]) -> [Listing] {
        actions.compactMap { if case .resolve(let listing, _) = $0 { listing } else { nil } }
    }

    /// As many as are asked about at once.
    private mutating func crowd() {
        for _ in 0..<ResolverWindow().size { open += asked(table.listed(listing(run().names[0]), now: at(0))) }
    }

    /// The answers about the crowd, and who is asked about then.
    private mutating func answerCrowd(now: Instant) -> [Listing] {
        let answered = open
        open = []
        return answered.flatMap { asked(table.resolved($0, endpoint, now: now)) }
    }

    @Test mutating func `a heard instance is reported at once, and not asked for when it is listed`() {
        let name = run().names[0]
        #expect(table.heard(listing(name), endpoint, now: at(0)) == [.tell(.found(instance: name, endpoint: endpoint))])
        #expect(table.listed(listing(name), now: at(1)) == [])
        // Nor over the other family, also where that is listed first.
        #expect(table.listed(listing(name, .ipv6), now: at(1)) == [])
        #expect(table.due(now: at(60_000)) == [])
        let other = run().names[0]
        _ = table.heard(listing(other), endpoint, now: at(0))
        #expect(table.listed(listing(other, .ipv6), now: at(1)) == [])
    }

    @Test mutating func `an endpoint that is proven later is reported once more, and replaces one that is not`() {
        let name = run().names[0]
        func found(_ endpoint: Endpoint, _ weight: Int) -> [ListingAction] {
            [.tell(.found(instance: name, endpoint: endpoint, weight: weight))]
        }
        #expect(table.heard(listing(name), endpoint, now: at(0)) == found(endpoint, 0))
        #expect(table.heard(listing(name), endpoint, weight: 1, now: at(1)) == found(endpoint, 1))
        #expect(table.heard(listing(name), endpoint, weight: 1, now: at(2)) == [])
        #expect(table.heard(listing(name), elsewhere, now: at(3)) == [])
        #expect(table.heard(listing(name), elsewhere, weight: 1, now: at(4)) == found(elsewhere, 1))
        #expect(table.heard(listing(name, .ipv6), elsewhere, now: at(5)) == [])
    }

    @Test mutating func `the answer to a question for buckets gives a weight, and no announcement takes it`() {
        let name = run().names[0]
        func found(_ weight: Int) -> [ListingAction] {
            [.tell(.found(instance: name, endpoint: endpoint, weight: weight))]
        }
        #expect(table.heard(listing(name), endpoint, weight: 128, now: at(0)) == found(128))
        #expect(table.heard(listing(name), endpoint, weight: 8, now: at(1)) == found(8))
        #expect(table.heard(listing(name), endpoint, weight: 1, now: at(2)) == [])
        #expect(table.heard(listing(name), endpoint, now: at(3)) == [])
        #expect(table.heard(listing(name), endpoint, weight: 8, now: at(4)) == [])
        // Elsewhere it has none.
        #expect(
            table.heard(listing(name), elsewhere, weight: 1, now: at(5))
                == [.tell(.found(instance: name, endpoint: elsewhere, weight: 1))])
    }

    @Test mutating func `the answer of a resolver proves nothing, and takes no proof away`() {
        let (name, other) = (run().names[0], run().names[0])
        _ = table.listed(listing(name), now: at(0))
        let resolved = DiscoveryEvent.found(instance: name, endpoint: endpoint, weight: 0)
        #expect(table.resolved(listing(name), endpoint, now: at(1)) == [.tell(resolved)])
        let heard = DiscoveryEvent.found(instance: other, endpoint: endpoint, weight: 1)
        #expect(table.heard(listing(other), endpoint, weight: 1, now: at(2)) == [.tell(heard)])
        _ = table.listed(listing(other), now: at(3))
        _ = table.sourceEnded(.daemon, now: at(3))
        #expect(asked(table.listed(listing(other), now: at(4))) == [listing(other)])
        #expect(table.resolved(listing(other), endpoint, now: at(5)) == [])
        #expect(table.heard(listing(other), endpoint, weight: 1, now: at(6)) == [])
    }

    @Test mutating func `an instance that is heard and never listed is lost after a while`() {
        let name = run().names[0]
        _ = table.heard(listing(name), endpoint, now: at(0))
        #expect(table.nextDue == at(10_000))
        #expect(table.due(now: at(9_999)) == [])
        #expect(table.due(now: at(10_000)) == [.tell(.lost(instance: name))])
        #expect(table.instanceCount == 0)
    }

    @Test mutating func `an instance heard while a query runs is asked for no longer`() {
        let name = run().names[0]
        _ = table.listed(listing(name), now: at(0))
        let actions = table.heard(listing(name), endpoint, now: at(1))
        #expect(actions == [.cancel(listing(name)), .tell(.found(instance: name, endpoint: endpoint))])
        #expect(table.resolved(listing(name), elsewhere, now: at(2)) == [])
        // Listed, it stays.
        #expect(table.due(now: at(60_000)) == [])
    }

    @Test mutating func `an instance heard while it waits leaves its place to others`() {
        crowd()
        let (heard, waiting) = (run().names[0], run().names[0])
        #expect(table.listed(listing(heard), now: at(0)) == [] && table.listed(listing(waiting), now: at(0)) == [])
        #expect(table.heard(listing(heard), endpoint, now: at(1)).count == 1)
        #expect(answerCrowd(now: at(2)) == [listing(waiting)])
    }

    @Test mutating func `known instances, our own names and instances without space are not replaced by it`() {
        let name = run().names[0]
        _ = table.listed(listing(name), now: at(0))
        _ = table.resolved(listing(name), endpoint, now: at(0))
        #expect(table.heard(listing(name), elsewhere, now: at(1)) == [])
        let own = run().names[0]
        table.addOwn(own)
        #expect(table.heard(listing(own), endpoint, now: at(1)) == [])
        for interface in 10..<40 {
            let place = Listing(source: .daemon, instance: name, interface: UInt32(interface), family: .ipv4)
            _ = table.heard(place, elsewhere, now: at(1))
        }
        #expect(table.dropped == 30 + 1 - InstanceTable.maximumListingsPerInstance)
    }

    @Test mutating func `a linked peer is not asked about while others wait, until the link has ended`() {
        crowd()
        let (linked, stranger) = (run(), run())
        #expect(table.listed(listing(linked.names[0]), now: at(0)) == [])
        #expect(table.listed(listing(stranger.names[0]), now: at(0)) == [])
        table.linkOpened(to: linked.run, now: at(1))
        #expect(answerCrowd(now: at(2)) == [listing(stranger.names[0])])
        #expect(table.due(now: at(60_000)) == [.cancel(listing(stranger.names[0]))])
        #expect(table.linkClosed(to: stranger.run, now: at(60_001)) == [])
        #expect(asked(table.linkClosed(to: linked.run, now: at(60_001))) == [listing(linked.names[0])])
        #expect(table.linkClosed(to: linked.run, now: at(60_002)) == [])
    }

    @Test mutating func `a new name long after the link is asked about: the link may be dead`() {
        let (early, late) = (run(), run())
        for other in [early, late] { table.linkOpened(to: other.run, now: at(0)) }
        crowd()
        #expect(table.listed(listing(early.names[0]), now: at(9_999)) == [])
        #expect(table.listed(listing(late.names[0]), now: at(10_000)) == [])
        #expect(answerCrowd(now: at(10_001)) == [listing(late.names[0])])
    }

    @Test mutating func `an instance that was passed over and has gone is not asked about when the link ends`() {
        crowd()
        let linked = run()
        _ = table.listed(listing(linked.names[0]), now: at(0))
        table.linkOpened(to: linked.run, now: at(1))
        #expect(answerCrowd(now: at(2)) == [])
        #expect(table.unlisted(listing(linked.names[0]), now: at(3)) == [])
        #expect(table.linkClosed(to: linked.run, now: at(4)) == [])
    }
}
