import Chat
import Noise
import Testing
import Wire

@testable import ChatNode

/// Guest links, and the second tries of sealed messages (Protocol.md section 13).
struct GuestLinkTests {
    private let start = Instant(nanoseconds: 1_000_000_000)
    private let endpoint = Endpoint(address: [10, 0, 0, 1], port: 4_000)

    private func peer(_ number: UInt8) -> PeerID {
        guard let peer = PeerID([UInt8](repeating: number, count: PeerID.byteCount)) else {
            preconditionFailure("32 bytes are a key")
        }
        return peer
    }

    private func link(_ number: UInt64) -> ConnectionID { ConnectionID(number: number) }

    @Test func `the peer with the lesser key dials at once, the other one 3 s later`() {
        var guests = GuestLinks()
        guests.recordEndpoint(endpoint, of: peer(1), isFirst: true, now: start)
        guests.recordEndpoint(endpoint, of: peer(2), isFirst: false, now: start)
        #expect(guests.takeDue(now: start, isLinked: { _ in false }).map(\.peer) == [peer(1)])
        #expect(guests.nextDeadline == start + .seconds(3))
        #expect(guests.takeDue(now: start + .seconds(3), isLinked: { _ in true }).count == 0)
    }

    @Test func `a peer is dialled once a minute at most, whatever it tells`() {
        var guests = GuestLinks()
        var dials = 0
        for second in 0..<180 {
            let now = start + .seconds(second)
            guests.recordEndpoint(endpoint, of: peer(1), isFirst: true, now: now)
            for dial in guests.takeDue(now: now, isLinked: { _ in false }) {
                dials += 1
                guests.dialled(
                    dial.peer, at: dial.endpoint, as: link(UInt64(dials)), now: now, until: now + .seconds(10))
                guests.closed(link(UInt64(dials)))
            }
        }
        #expect(dials == 3)
    }

    @Test func `there are at most 8 guests, dials among them`() {
        var guests = GuestLinks()
        for number in 1...20 as ClosedRange<UInt8> {
            guests.recordEndpoint(endpoint, of: peer(number), isFirst: true, now: start)
        }
        let due = guests.takeDue(now: start, isLinked: { _ in false })
        #expect(due.count == Limits.guestLinks)
        for (index, dial) in due.enumerated() {
            guests.dialled(
                dial.peer, at: dial.endpoint, as: link(UInt64(index)), now: start, until: start + .seconds(10))
        }
        guests.recordEndpoint(endpoint, of: peer(99), isFirst: true, now: start)
        #expect(guests.takeDue(now: start, isLinked: { _ in false }).count == 0)
        for (index, dial) in due.enumerated() {
            #expect(guests.established(link(UInt64(index)), with: dial.peer) == true)
            #expect(guests.opened(link(UInt64(index)), to: dial.peer, now: start) { _ in true } == true)
        }
        #expect(guests.opened(link(50), to: peer(50), now: start) { _ in true } == false)
        #expect(guests.count == Limits.guestLinks)
    }

    @Test func `a failed dial counts as under way for as long as one that gets no answer`() {
        var guests = GuestLinks()
        for number in 1...8 as ClosedRange<UInt8> {
            guests.dialled(
                peer(number), at: endpoint, as: link(UInt64(number)), now: start, until: start + .seconds(10))
            guests.closed(link(UInt64(number)))
            #expect(guests.endpoint(of: link(UInt64(number))) == nil)
        }
        guests.recordEndpoint(endpoint, of: peer(9), isFirst: true, now: start + .seconds(1))
        #expect(guests.takeDue(now: start + .seconds(1), isLinked: { _ in false }).isEmpty)
        #expect(guests.nextDeadline == start + .seconds(10))
        #expect(guests.takeDue(now: start + .seconds(10), isLinked: { _ in false }).isEmpty)
        #expect(guests.count == 0)
        guests.recordEndpoint(
            endpoint, of: peer(9), isFirst: true, after: .milliseconds(700), now: start + .seconds(10))
        #expect(guests.nextDeadline == start + .milliseconds(10_700))
    }

    @Test func `strangers take two places, and leave the others to peers of accepted conversations`() {
        var guests = GuestLinks()
        let friends = Set((21...30).map { peer($0) })
        func open(_ number: UInt8) -> Bool {
            guests.opened(link(UInt64(number)), to: peer(number), now: start) { friends.contains($0) }
        }
        #expect((1...8).map { open($0) } == [true, true, false, false, false, false, false, false])
        #expect((21...28).map { open($0) } == [true, true, true, true, true, true, false, false])
        guests.closed(link(1))
        #expect(open(27) && !open(9), "a friend may have any place")
    }

    @Test func `another peer than the one that told the endpoint is no guest`() {
        var guests = GuestLinks()
        guests.dialled(peer(1), at: endpoint, as: link(1), now: start, until: start + .seconds(10))
        #expect(guests.isGuest(link(1)))
        #expect(guests.endpoint(of: link(1)) == endpoint)
        #expect(guests.established(link(1), with: peer(2)) == false)
    }

    @Test func `a guest link ends after 120 s without a direct message`() {
        var guests = GuestLinks()
        #expect(guests.opened(link(1), to: peer(1), now: start) { _ in true } == true)
        guests.recordUse(of: link(1), now: start + .seconds(100))
        #expect(guests.idle(now: start + .seconds(219)).isEmpty)
        #expect(guests.nextDeadline == start + .seconds(220))
        #expect(guests.idle(now: start + .seconds(220)) == [link(1)])
        guests.closed(link(1))
        #expect(guests.nextDeadline == nil)
        #expect(!guests.isGuest(link(1)))
    }

    @Test func `a payload without a receipt is sealed again after 4, 8 and 16 s, then with the next presence`() {
        var retries = SealedRetries()
        var (now, pauses, tries) = (start, [Int64](), 0)
        retries.recordSealed(for: peer(1), now: now)
        while let deadline = retries.nextDeadline {
            pauses.append((deadline - now).nanoseconds / 1_000_000_000)
            now = deadline
            let due = retries.takeDue(now: now, isWaiting: { _ in true })
            tries += due.count
            for peer in due { retries.recordSealed(for: peer, now: now) }
        }
        #expect(pauses == [4, 8, 16, 32])
        #expect(tries == 3)
        #expect(retries.count == 0)
    }

    @Test func `a receipt ends the tries`() {
        var retries = SealedRetries()
        retries.recordSealed(for: peer(1), now: start)
        let due = retries.takeDue(now: start + .seconds(4), isWaiting: { _ in false })
        #expect(due.isEmpty && retries.count == 0)
    }
}
