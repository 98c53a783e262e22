import Testing
import Wire

@testable import Chat

/// A roster in which peers are here by their presence (Protocol.md section 13).
struct RosterCrowdTests {
    private static let moment = Moment(
        instant: Instant(nanoseconds: 0), wallClock: Timestamp(milliseconds: 1_800_000_000_000))
    private let alice = RosterTests.peer(1)

    private static func roster(capacity: Int = Limits.knownPeers) -> Roster {
        Roster(me: RosterTests.peer(999_999), capacity: capacity)
    }

    @Test func `a presence announces a peer without a link, and another one says that it left`() {
        var roster = RosterCrowdTests.roster()
        let arrival = roster.recordPresence(of: alice, isHere: true)
        let who = roster.who(alice)
        #expect(arrival == [.peer(.here, who, online: 1)])
        #expect(roster.isHere(alice) == true)
        #expect(roster.isOnline(alice) == false)
        let again = roster.recordPresence(of: alice, isHere: true)
        #expect(again.isEmpty)
        #expect(roster.rows.map(\.state) == [.here])
        #expect(roster.latestRows.map(\.state) == [.here])
        let departure = roster.recordPresence(of: alice, isHere: false)
        #expect(departure == [.peer(.left, who, online: 0)])
        let movements = roster.takeMovements()
        #expect(movements == Movements(came: 1, left: 1))
        let rest = roster.takeMovements()
        #expect(rest.isEmpty)
    }

    @Test func `a link that ends does not make it leave while its presence holds`() {
        var roster = RosterCrowdTests.roster()
        _ = roster.recordPresence(of: alice, isHere: true)
        let opened = roster.linkOpened(alice, at: RosterCrowdTests.moment)
        #expect(opened.isEmpty)
        let closed = roster.linkClosed(
            alice, .closed, staysHere: true, at: RosterCrowdTests.moment)
        #expect(closed == nil)
        #expect(roster.isHere(alice) == true)
        #expect(roster.nextDeadline == nil)
        #expect(roster.online == 1)
    }

    @Test func `a link says that a peer is here, whatever its presence says`() {
        var roster = RosterCrowdTests.roster()
        _ = roster.linkOpened(alice, at: RosterCrowdTests.moment)
        let lapsed = roster.recordPresence(of: alice, isHere: false)
        #expect(lapsed.isEmpty)
        #expect(roster.online == 1)
        let closed = roster.linkClosed(
            alice, .goodbye, at: RosterCrowdTests.moment)
        #expect(closed == nil)
        #expect(roster.online == 0)
    }

    @Test func `the rows of a crowd are the 64 heard last, the latest first`() {
        var roster = RosterCrowdTests.roster()
        for number in 0..<100 as Range<UInt64> { _ = roster.recordPresence(of: RosterTests.peer(number), isHere: true) }
        #expect(roster.latestRows.map(\.who.key) == (36..<100).reversed().map { RosterTests.peer($0) })
        #expect(roster.rows.count == 100)
        #expect(roster.row(of: RosterTests.peer(3))?.state == .here)
        #expect(roster.row(of: RosterTests.peer(500)) == nil)
    }

    @Test func `a crowd larger than the table forgets those heard longest ago, never one with a link`() {
        var roster = RosterCrowdTests.roster(capacity: 50)
        _ = roster.linkOpened(RosterTests.peer(0), at: RosterCrowdTests.moment)
        for number in 1..<200 as Range<UInt64> { _ = roster.recordPresence(of: RosterTests.peer(number), isHere: true) }
        #expect(roster.count == 50)
        #expect(roster.online == 49)
        #expect(roster.isHere(RosterTests.peer(0)) == true)
        #expect(roster.isHere(RosterTests.peer(199)) == true)
        #expect(roster.isHere(RosterTests.peer(1)) == false)
    }

    @Test func `the user's contacts and marked peers are noted, strangers are not`() {
        var roster = RosterCrowdTests.roster()
        #expect(roster.isNoted(alice) == false)
        roster.setContacts([alice: "Alice"])
        roster.setVerified(RosterTests.peer(2), true)
        roster.setMuted(RosterTests.peer(3), true)
        #expect(roster.isNoted(alice) == true)
        #expect(roster.isNoted(RosterTests.peer(2)) == true)
        #expect(roster.isNoted(RosterTests.peer(3)) == true)
    }

    @Test func `a small room tells of each that is here`() {
        var roster = RosterCrowdTests.roster()
        _ = roster.recordPresence(of: RosterTests.peer(2), isHere: true)
        _ = roster.recordPresence(of: alice, isHere: true, at: Timestamp(milliseconds: 1_800_000_000_001))
        let (arrivals, names) = (roster.arrivals, [roster.who(RosterTests.peer(2)), roster.who(alice)])
        #expect(arrivals == [.peer(.here, names[0], online: 2), .peer(.here, names[1], online: 2)])
    }
}

extension Roster {
    fileprivate mutating func recordPresence(
        of peer: PeerID, isHere: Bool, at time: Timestamp = Timestamp(milliseconds: 1_800_000_000_000)
    ) -> [NodeEvent] {
        recordPresence(of: peer, isHere: isHere, at: Moment(instant: Instant(nanoseconds: 0), wallClock: time))
    }
}
