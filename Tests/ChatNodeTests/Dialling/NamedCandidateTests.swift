import ChatNode
import Noise
import Testing
import Wire

/// The dialler of peers with names that belong to a key.
@Suite struct NamedCandidateTests {
    private var dialler = Dialler()
    private var randomness = Randomness.seeded(9)
    private let start = Instant(nanoseconds: 0)
    private var lastConnection: UInt64 = 0

    private func place(_ number: Int) -> Endpoint {
        Endpoint(address: [10, 0, UInt8(number / 250), UInt8(number % 250)], port: 4_000)
    }

    private func peer(_ number: UInt8) throws -> PeerID {
        try #require(PeerID([UInt8](repeating: number, count: 32)))
    }

    private mutating func key() -> PublicKey { KeyPair.generate(using: &randomness).publicKey }

    private mutating func name(of key: PublicKey) -> String { InstanceName(of: key, using: &randomness).text }

    private mutating func find(_ instance: String, at place: Int, _ now: Instant) {
        dialler.found(instance, at: self.place(place), now: now, using: &randomness)
    }

    /// Dials what is due; the addresses.
    private mutating func dial(_ now: Instant) -> [Endpoint] {
        dialler.due(now: now).map { dial in
            lastConnection += 1
            dialler.dialled(dial, as: ConnectionID(number: lastConnection))
            return dial.endpoint
        }
    }

    /// A handshake on the connection that was dialled last.
    private mutating func prove(_ peer: PeerID, _ key: PublicKey, _ now: Instant) {
        let connection = ConnectionID(number: lastConnection)
        _ = dialler.connected(connection)
        dialler.identified(connection, as: peer, key, now: now, using: &randomness)
        dialler.linkOpened(to: peer, key, now: now)
    }

    private mutating func names() -> (lesser: InstanceName, greater: InstanceName) {
        let names = (0..<2).map { _ in InstanceName(of: key(), using: &randomness) }.sorted()
        return (names[0], names[1])
    }

    @Test mutating func `a newcomer waits 300 ms longer for a peer of lesser name, and then dials`() throws {
        let (lesser, greater) = names()
        dialler.recordName(greater, now: start)
        find(lesser.text, at: 1, start + .seconds(2))
        let deadline = try #require(dialler.nextDeadline)
        #expect((300...350).contains((deadline - (start + .seconds(2))).nanoseconds / 1_000_000))
        #expect(dial(deadline) == [place(1)])
    }

    @Test mutating func `a peer of lesser name dials at once, and so does one that has been here for three seconds`() {
        let (lesser, greater) = names()
        dialler.recordName(lesser, now: start)
        find(greater.text, at: 1, start)
        #expect(dial(start + .milliseconds(50)) == [place(1)])
        dialler.recordName(greater, now: start)
        find(lesser.text, at: 2, start + .seconds(3))
        #expect(dial(start + .milliseconds(3_050)) == [place(2)])
    }

    @Test mutating func `a peer known by an address is dialled at once`() {
        dialler.recordName(InstanceName(of: key(), using: &randomness), now: start)
        find("10.0.0.1:4000", at: 1, start)
        #expect(dial(start + .milliseconds(50)) == [place(1)])
    }

    @Test mutating func `a name of a linked peer is not dialled, whichever side dialled first`()
        throws
    {
        let (bob, key) = (try peer(2), key())
        find(name(of: key), at: 1, start)
        dialler.linkOpened(to: bob, key, now: start)
        find(name(of: key), at: 2, start)
        find(name(of: self.key()), at: 3, start)
        #expect(dial(start + .milliseconds(50)) == [place(3)])
        #expect(dialler.nextDeadline == nil)
        dialler.linkClosed(to: bob, now: start + .seconds(20), using: &randomness)
        #expect(Set(dial(start + .seconds(21))) == [place(1), place(2)])
    }

    @Test mutating func `no name of a run that has left is dialled, nor kept once it is listed no more`() throws {
        let (bob, key) = (try peer(2), key())
        let (first, second) = (name(of: key), name(of: key))
        find(first, at: 1, start)
        #expect(dial(start + .milliseconds(50)) == [place(1)])
        prove(bob, key, start + .milliseconds(50))
        dialler.linkClosed(to: bob, now: start + .seconds(1), using: &randomness)
        dialler.departed(bob, key)
        find(second, at: 2, start + .seconds(1))
        #expect(dial(start + .seconds(100)).isEmpty)
        #expect(dialler.nextDeadline == nil)
        for name in [first, second] { dialler.lost(name, now: start + .seconds(100)) }
        #expect(dialler.count == 0)
    }

    @Test mutating func `an address that the user named is dialled on when the run there has left`() throws {
        let (bob, key) = (try peer(2), key())
        find("10.0.0.1:4000", at: 1, start)
        #expect(dial(start + .milliseconds(50)) == [place(1)])
        prove(bob, key, start + .milliseconds(50))
        dialler.linkClosed(to: bob, now: start + .seconds(1), using: &randomness)
        dialler.departed(bob, key)
        #expect(dial(start + .seconds(2)) == [place(1)])
    }

    @Test mutating func `a name of a run that is gone is dialled`() throws {
        let (bob, old, new) = (try peer(2), key(), key())
        dialler.linkOpened(to: bob, old, now: start)
        dialler.linkOpened(to: bob, new, now: start + .seconds(1))
        find(name(of: old), at: 1, start + .seconds(2))
        find(name(of: new), at: 2, start + .seconds(2))
        #expect(dial(start + .seconds(3)) == [place(1)])
    }

    @Test mutating func `a peer under another name at a new address is dialled, since its link may be dead`()
        throws
    {
        let (bob, key) = (try peer(2), key())
        dialler.linkOpened(to: bob, key, now: start)
        find(name(of: key), at: 1, start)
        #expect(dial(start + .seconds(1)).isEmpty)
        find(name(of: key), at: 1, start + .seconds(20))
        #expect(dial(start + .seconds(21)).isEmpty)
        find(name(of: key), at: 2, start + .seconds(30))
        #expect(dial(start + .seconds(31)) == [place(2)])
    }

    @Test mutating func `while the link is young there may be many addresses, and none is dialled`() throws {
        let (bob, key) = (try peer(2), key())
        dialler.linkOpened(to: bob, key, now: start)
        for number in 1...5 { find(name(of: key), at: number, start + .seconds(number)) }
        #expect(dial(start + .seconds(9)).isEmpty)
    }

    @Test mutating func `a peer that answers under another's name does not block that name`() throws {
        let (mallory, bob, its, bobs) = (try peer(3), try peer(2), key(), key())
        let wanted = name(of: bobs)
        find(wanted, at: 1, start)
        #expect(dial(start + .milliseconds(50)) == [place(1)])
        prove(mallory, its, start + .milliseconds(60))
        #expect(dial(start + .seconds(1)).isEmpty)
        find(wanted, at: 2, start + .seconds(2))
        #expect(dial(start + .seconds(3)) == [place(2)])
        prove(bob, bobs, start + .seconds(3))
        #expect(dialler.nextDeadline == nil)
    }

    @Test mutating func `nor does it while its link is gone and comes back`() throws {
        let (mallory, its, wanted) = (try peer(3), key(), name(of: key()))
        find(wanted, at: 1, start)
        _ = dial(start + .milliseconds(50))
        prove(mallory, its, start + .milliseconds(60))
        #expect(dial(start + .seconds(1)).isEmpty)
        dialler.linkClosed(to: mallory, now: start + .seconds(2), using: &randomness)
        find(wanted, at: 2, start + .seconds(2))
        dialler.linkOpened(to: mallory, its, now: start + .seconds(2))
        #expect(dial(start + .seconds(4)) == [place(2)])
    }

    @Test mutating func `of two addresses under one name the address of another peer is passed over`() throws {
        let (mallory, bobs) = (try peer(3), key())
        let wanted = name(of: bobs)
        find(wanted, at: 1, start)
        find(wanted, at: 2, start)
        #expect(dial(start + .milliseconds(50)).count == 1)
        prove(mallory, key(), start + .milliseconds(60))
        #expect(dial(start + .seconds(1)) == [place(2)])
    }

    @Test mutating func `any instance at the address of a linked peer is not dialled while its link is up`()
        throws
    {
        let (bob, key) = (try peer(2), key())
        find(name(of: key), at: 1, start)
        _ = dial(start + .milliseconds(50))
        prove(bob, key, start + .milliseconds(60))
        for _ in 0..<100 { find(name(of: self.key()), at: 1, start + .seconds(1)) }
        #expect(dial(start + .seconds(2)).isEmpty)
        dialler.linkClosed(to: bob, now: start + .seconds(3), using: &randomness)
        #expect(!dial(start + .seconds(4)).isEmpty)
    }

    @Test mutating func `a peer that answers under another's name is dialled ever less often`() throws {
        let (mallory, its, wanted) = (try peer(3), key(), name(of: key()))
        find(wanted, at: 1, start)
        var (now, dialled) = (start, 0)
        while now < start + .seconds(300) {
            now = now + .milliseconds(50)
            guard !dial(now).isEmpty else { continue }
            dialled += 1
            prove(mallory, its, now)
            dialler.linkClosed(to: mallory, now: now, using: &randomness)
        }
        #expect((5...20).contains(dialled))
    }
}
