import Testing
import Wire

@testable import Chat

@Suite struct MarkedPeersTests {
    private let people = room("alice", "bob")
    private let peers = (UInt64(0)..<5).map(RosterTests.peer)

    @Test func `above the capacity the oldest mark is removed`() {
        var marked = MarkedPeers(capacity: 3)
        for peer in peers { marked.insert(peer) }
        #expect(marked.inOrder == Array(peers.suffix(3)))
        #expect(peers.map(marked.contains) == [false, false, true, true, true])
        #expect(MarkedPeers(peers, capacity: 3) == marked)
    }

    @Test func `a mark that is set again keeps its place, and a removed one is gone`() {
        var marked = MarkedPeers(peers, capacity: 5)
        marked.insert(peers[0])
        marked.remove(peers[3])
        marked.remove(peers[3])
        #expect(marked.inOrder == [peers[0], peers[1], peers[2], peers[4]])
        #expect(!marked.contains(peers[3]))
        marked.insert(peers[3])
        #expect(marked.inOrder.last == peers[3])
    }

    @Test func `a peer marked in an earlier run is known by its number, and not listed as here`() {
        let roster = Roster(
            me: RosterTests.peer(9),
            marks: PeerMarks(verified: MarkedPeers([peers[0]]), blocked: MarkedPeers([peers[1], RosterTests.peer(9)])))
        for peer in peers.prefix(2) { #expect(roster.find("\(SenderNumber(of: peer).number)") == .one(peer)) }
        #expect(roster.rows == [])
        #expect(roster.isHidden(peers[1]) == true)
        #expect(roster.isHidden(peers[0]) == false)
    }

    @Test func `own marks are refused`() {
        var roster = Roster(me: peers[0])
        roster.setVerified(peers[0], true)
        roster.setBlocked(peers[0], true)
        roster.setMuted(peers[0], true)
        #expect(roster.marks == PeerMarks())
        #expect(roster.muted.isEmpty)
    }

    @Test func `the rows of verified peers show the mark until it is removed`() throws {
        let (alice, bob) = (people[0], people[1])
        let told = alice.router.setVerified(bob.id, true)
        #expect(alice.router.roster.rows.map(\.isVerified) == [true])
        let found = alice.router.roster.row(of: bob.id)
        let row = try #require(found)
        #expect(told == [.person(row)], "faces hear of the mark")
        let again = alice.router.setVerified(bob.id, true)
        #expect(again.isEmpty)
        alice.router.setVerified(bob.id, false)
        #expect(alice.router.roster.rows.map(\.isVerified) == [false])
    }

    @Test func `the user's own state makes one event, and a blocked peer's texts are forgotten`() throws {
        let (alice, bob) = (people[0], people[1])
        let away = OwnStatus(.away, reason: "lunch")
        let gone = alice.router.setAway(true, reason: "lunch", at: alice.moment)
        #expect(gone.events == [.status(away, was: OwnStatus())])
        let again = alice.router.setAway(true, reason: "lunch", at: alice.moment)
        #expect(again.events.isEmpty)
        bob.session.state = .away
        bob.session.awayReason = "SECRET"
        alice.receive(bob.session.signPresence(at: bob.wallClock))
        #expect(alice.router.roster.row(of: bob.id)?.reason == "SECRET")
        _ = alice.router.setBlocked(bob.id, true)
        _ = alice.router.setBlocked(bob.id, false)
        #expect(alice.router.roster.row(of: bob.id)?.reason == nil)
    }
}
