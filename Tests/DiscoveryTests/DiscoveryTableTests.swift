import ChatNode
import Testing
import Wire

@testable import Discovery

private func name(_ number: Int) -> String {
    let digits = Array("abcdefghijklmnopqrstuvwxyz")
    return String((0..<26).map { digits[(number >> ($0 % 4 * 4)) & 15] })
}

private func listing(
    _ number: Int = 1, _ family: Family = .ipv4, interface: UInt32 = 2, source: RecordSource = .daemon
) -> Listing {
    Listing(source: source, instance: name(number), interface: interface, family: family)
}

private let here = Endpoint(address: [10, 0, 0, 1], port: 7)
private let there = Endpoint(address: [10, 0, 0, 2], port: 7)

private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

@Suite struct InstanceTableTests {
    var table = InstanceTable()

    @Test mutating func `a listed instance is resolved in its own family and reported`() {
        #expect(table.listed(listing(), now: at(0)) == [.resolve(listing(), .ipv4)])
        let told = table.resolved(listing(), here, now: at(1))
        #expect(told == [.tell(.found(instance: name(1), endpoint: here))])
    }

    @Test mutating func `an instance seen four times with two endpoints is reported twice and lost once`() {
        let places = [(Family.ipv4, UInt32(2)), (.ipv6, 2), (.ipv4, 3), (.ipv6, 3)].map {
            listing(1, $0, interface: $1)
        }
        for place in places { _ = table.listed(place, now: at(0)) }
        let told = zip(places, [here, here, there, there]).flatMap { table.resolved($0, $1, now: at(1)) }
        #expect(told.count == 2)
        let lost = places.flatMap { table.unlisted($0, now: at(2)) }
        #expect(lost.filter { $0 == .tell(.lost(instance: name(1))) }.count == 1)
        #expect(table.instanceCount == 0)
    }

    @Test mutating func `our own names are ignored, in either case`() {
        table.addOwn(name(1).uppercased())
        #expect(table.listed(listing(), now: at(0)).isEmpty)
        #expect(!table.listed(listing(2), now: at(0)).isEmpty)
    }

    @Test mutating func `an unanswered lookup is asked again for any family, then each, at growing pauses`() {
        _ = table.listed(listing(), now: at(0))
        var asked: [ListingAction] = []
        var times: [Int64] = []
        for time in stride(from: Int64(0), to: 40_000, by: 50) {
            let actions = table.due(now: at(time))
            for action in actions {
                guard case .resolve = action else { continue }
                asked.append(action)
                times.append(time)
                _ = table.resolved(listing(), nil, now: at(time))
            }
        }
        #expect(asked.prefix(3) == [.resolve(listing(), nil), .resolve(listing(), .ipv4), .resolve(listing(), .ipv6)])
        let pauses = zip(times.dropFirst(), times).map(-)
        #expect(pauses.allSatisfy { $0 >= 1_000 } && zip(pauses.dropFirst(), pauses).allSatisfy { $0 >= $1 })
        #expect(asked.count < 10)
    }

    @Test mutating func `an instance heard by IPv6 is asked for in any family first, as most publish IPv4 alone`() {
        let listing = listing(1, .ipv6, source: .embedded)
        #expect(table.listed(listing, now: at(0)) == [.resolve(listing, nil)])
        var asked: [Family?] = []
        for time in stride(from: Int64(0), to: 15_000, by: 50) {
            for case .resolve(_, let family) in table.due(now: at(time)) {
                asked.append(family)
                _ = table.resolved(listing, nil, now: at(time))
            }
        }
        #expect(asked.prefix(4) == [.ipv6, .ipv4, nil, .ipv6])
    }

    @Test mutating func `one family is asked for while the other on the same interface is, or has answered`() {
        _ = table.listed(listing(1, .ipv4), now: at(0))
        #expect(table.listed(listing(1, .ipv6), now: at(0)).isEmpty)
        #expect(
            table.listed(listing(1, .ipv6, interface: 3), now: at(0)) == [
                .resolve(listing(1, .ipv6, interface: 3), .ipv6)
            ])
        _ = table.resolved(listing(1, .ipv6, interface: 3), there, now: at(1))
        _ = table.resolved(listing(1, .ipv4), here, now: at(1))
        _ = table.due(now: at(1))
        #expect(table.nextDue == nil)
        let again = table.unlisted(listing(1, .ipv4), now: at(300))
        #expect(again == [.resolve(listing(1, .ipv6), .ipv6)])
    }

    @Test mutating func `where one family is not answered for, the other is asked for at once`() {
        _ = table.listed(listing(1, .ipv4), now: at(0))
        _ = table.listed(listing(1, .ipv6), now: at(0))
        #expect(table.due(now: at(150)) == [.cancel(listing(1, .ipv4)), .resolve(listing(1, .ipv6), .ipv6)])
        #expect(
            table.resolved(listing(1, .ipv6), there, now: at(151)) == [
                .tell(.found(instance: name(1), endpoint: there))
            ])
        #expect(table.due(now: at(10_000)).isEmpty)
        _ = table.listed(listing(2, .ipv4), now: at(10_000))
        _ = table.listed(listing(2, .ipv6), now: at(10_000))
        #expect(table.resolved(listing(2, .ipv4), nil, now: at(10_001)) == [.resolve(listing(2, .ipv6), .ipv6)])
    }

    @Test mutating func `an instance that loses the family that answered is asked for in the other`() {
        _ = table.listed(listing(1, .ipv4), now: at(0))
        _ = table.listed(listing(1, .ipv6), now: at(0))
        _ = table.resolved(listing(1, .ipv4), here, now: at(1))
        let lost = table.unlisted(listing(1, .ipv4), now: at(2))
        #expect(lost == [.tell(.lost(instance: name(1))), .resolve(listing(1, .ipv6), .ipv6)])
    }

    @Test mutating func `an answer that may not be dialled is asked again when our addresses change`() {
        _ = table.listed(listing(), now: at(0))
        _ = table.resolved(listing(), nil, now: at(1))
        _ = table.due(now: at(1))
        _ = table.resolved(listing(), nil, now: at(2))
        #expect(table.due(now: at(3)).isEmpty)
        #expect(table.networkChanged(now: at(4)) == [.resolve(listing(), .ipv4)])
    }

    @Test mutating func `a source's listing holds for ten seconds, and longer if the other source has it`() {
        for number in 1...2 {
            _ = table.listed(listing(number), now: at(0))
            _ = table.resolved(listing(number), here, now: at(1))
        }
        #expect(table.sourceEnded(.daemon, now: at(10)).isEmpty)
        _ = table.listed(listing(2, source: .embedded), now: at(20))
        #expect(table.resolved(listing(2, source: .embedded), here, now: at(30)).isEmpty)
        #expect(table.due(now: at(10_009)).isEmpty)
        #expect(table.due(now: at(10_010)) == [.tell(.lost(instance: name(1)))])
    }

    @Test mutating func `a source that comes back and lists again takes its listings up`() {
        _ = table.listed(listing(), now: at(0))
        _ = table.resolved(listing(), here, now: at(1))
        _ = table.sourceEnded(.daemon, now: at(10))
        #expect(table.listed(listing(), now: at(20)) == [.resolve(listing(), .ipv4)])
        #expect(table.resolved(listing(), there, now: at(30)) == [.tell(.found(instance: name(1), endpoint: there))])
        #expect(table.due(now: at(20_000)).isEmpty)
    }

    @Test mutating func `the table is bounded, and counts what it dropped`() {
        for number in 0..<1_100 { _ = table.listed(listing(number), now: at(0)) }
        #expect(table.instanceCount == 1_024)
        #expect(table.dropped == 76)
        for interface in UInt32(3)..<40 { _ = table.listed(listing(1_099, interface: interface), now: at(0)) }
        #expect(table.dropped == 76 + 22)
    }

    @Test mutating func `in a full table the oldest instance goes, so that a crowd keeps no newcomer out`() {
        _ = table.listed(listing(0), now: at(0))
        _ = table.resolved(listing(0), here, now: at(0))
        for number in 1..<1_024 { _ = table.listed(listing(number), now: at(0)) }
        let actions = table.listed(listing(2_000), now: at(1))
        #expect(actions.first == .tell(.lost(instance: name(0))))
        #expect(table.instanceCount == 1_024)
        _ = table.unlisted(listing(1), now: at(2))
        let others = table.listed(listing(2_001), now: at(3))
        #expect(!others.contains { if case .tell = $0 { true } else { false } })
    }

    @Test mutating func `of the instances that wait for a resolver, the newest is not behind all others`() {
        for number in 0..<1_000 { _ = table.listed(listing(number), now: at(0)) }
        var asked: [ListingAction] = []
        for number in 0..<2 { asked += table.resolved(listing(number), nil, now: at(1)) }
        #expect(asked.contains(.resolve(listing(999), .ipv4)))
        #expect(asked.contains(.resolve(listing(ResolverWindow().size), .ipv4)))
    }

    @Test mutating func `where none answers few are asked for at a time, and there is room for newcomers`() {
        var open: Set<Listing> = []
        func follow(_ actions: [ListingAction]) {
            for action in actions {
                switch action {
                case .resolve(let listing, _): open.insert(listing)
                case .cancel(let listing): open.remove(listing)
                case .tell: break
                }
            }
        }
        for number in 0..<500 { follow(table.listed(listing(number), now: at(0))) }
        #expect(open.count == ResolverWindow().size)
        for time in stride(from: Int64(0), to: 30_000, by: 50) {
            follow(table.due(now: at(time)))
            #expect(open.count <= ResolverWindow().size)
        }
        #expect(open.count == ResolverWindow.least / 2)
        #expect(table.listed(listing(900), now: at(30_000)) == [.resolve(listing(900), .ipv4)])
    }

    @Test mutating func `late answers about what is not listed any more say nothing`() {
        _ = table.listed(listing(), now: at(0))
        #expect(table.unlisted(listing(), now: at(1)) == [.cancel(listing())])
        #expect(table.resolved(listing(), here, now: at(2)).isEmpty)
        #expect(table.resolved(listing(), nil, now: at(2)).isEmpty)
        #expect(table.unlisted(listing(), now: at(2)).isEmpty)
    }
}

@Suite struct ModeChoiceTests {
    @Test func `a daemon that answers is used, and nothing else is opened`() {
        var choice = ModeChoice(policy: .automatic)
        #expect(choice.began().isEmpty)
        #expect(choice.daemonIs(.answering) == [.tell(.daemon, "through the Avahi daemon")])
        #expect(choice.daemonIs(.serving).isEmpty)
        #expect(choice.patienceEnded().isEmpty)
    }

    @Test func `without a daemon the embedded one is opened at once`() {
        var choice = ModeChoice(policy: .automatic)
        #expect(choice.daemonIs(.unusable("no bus")) == [.openEmbedded])
        let orders = choice.embeddedIs(.serving)
        #expect(orders == [.tell(.embedded, "no bus, so this program answers and asks mDNS itself")])
    }

    @Test func `a daemon that does not answer in time is not waited for`() {
        var choice = ModeChoice(policy: .automatic)
        #expect(choice.patienceEnded() == [.openEmbedded])
    }

    @Test func `a daemon that appears is taken up, but the embedded one speaks until it has our records`() {
        var choice = ModeChoice(policy: .automatic)
        _ = choice.daemonIs(.unusable("no bus"))
        _ = choice.embeddedIs(.serving)
        #expect(choice.daemonIs(.answering).isEmpty)
        #expect(choice.daemonIs(.serving) == [.closeEmbedded, .tell(.daemon, "through the Avahi daemon")])
        #expect(choice.daemonIs(.unusable("gone")) == [.openEmbedded])
    }

    @Test func `where neither works, that is said`() {
        var choice = ModeChoice(policy: .automatic)
        _ = choice.daemonIs(.unusable("no bus"))
        #expect(choice.embeddedIs(.unusable("no network")) == [.tell(.none, "mDNS can not be used: no network")])
    }

    @Test func `told to use the daemon, it waits for it`() {
        var choice = ModeChoice(policy: .daemon)
        #expect(choice.daemonIs(.unusable("no bus")) == [.tell(.none, "waiting for the Avahi daemon: no bus")])
        #expect(choice.daemonIs(.serving) == [.tell(.daemon, "through the Avahi daemon")])
    }

    @Test func `told to use the daemon, it fails where no bus leads to one, unless there was a bus before`() {
        var choice = ModeChoice(policy: .daemon)
        _ = choice.patienceEnded()
        #expect(choice.daemonIsOutOfReach("no bus") == [.fail("no bus")])
        var later = ModeChoice(policy: .daemon)
        #expect(later.daemonIs(.unusable("none")) == [.tell(.none, "waiting for the Avahi daemon: none")])
        #expect(later.daemonIsOutOfReach("no bus").isEmpty)
        var other = ModeChoice(policy: .automatic)
        #expect(other.daemonIsOutOfReach("no bus") == [.openEmbedded])
    }

    @Test func `with the embedded responder chosen, it asks no daemon`() {
        var choice = ModeChoice(policy: .embedded)
        #expect(choice.began() == [.openEmbedded])
        #expect(choice.embeddedIs(.serving).count == 1)
    }

    @Test func `a pulse that stops is noticed, and when it is back too`() {
        var pulse = DaemonPulse()
        #expect(pulse.next() == 1)
        #expect(pulse.next() == nil)
        let isBackBeforeItStopped = pulse.answered(1)
        let hasStoppedAfterAnswer = pulse.hasStopped(at: 1)
        #expect(!isBackBeforeItStopped && !hasStoppedAfterAnswer)
        #expect(pulse.next() == 2)
        let hasStopped = pulse.hasStopped(at: 2)
        let isBack = pulse.answered(2)
        #expect(hasStopped && isBack)
        #expect(pulse.next() == 3)
    }

    @Test func `pauses double up to the last`() {
        var pauses = Backoff(from: .milliseconds(100), to: .seconds(1))
        #expect((0..<6).map { _ in pauses.next() } == [100, 200, 400, 800, 1_000, 1_000].map { .milliseconds($0) })
    }
}
