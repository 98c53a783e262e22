import ChatNode
import Noise
import Testing
import Wire

@Suite struct DiallerTests {
    private var dialler = Dialler()
    private var randomness = Randomness.seeded(7)
    private let start = Instant(nanoseconds: 0)
    private let alice = Endpoint(address: [10, 0, 0, 1], port: 4_000)
    private let aliceSix = Endpoint(address: [0xfd] + [UInt8](repeating: 0, count: 14) + [1], port: 4_000)

    private var pending: [Dialler.Dial: ConnectionID] = [:]
    private var lastConnection: UInt64 = 1_000

    private func connection(_ number: UInt64) -> ConnectionID { ConnectionID(number: number) }

    /// A dialled connection becomes a link; the peer's key is one that no name in these tests belongs to.
    private mutating func identify(_ connection: ConnectionID, as peer: PeerID, now: Instant) {
        let key = KeyPair.generate(using: &randomness).publicKey
        dialler.identified(connection, as: peer, key, now: now, using: &randomness)
        dialler.linkOpened(to: peer, key, now: now)
    }

    @Test mutating func `a new candidate is dialled within 50 ms`() throws {
        dialler.found("alice", at: alice, now: start, using: &randomness)
        let deadline = try #require(dialler.nextDeadline)
        #expect(deadline >= start && deadline <= start + .milliseconds(50))
        let dials = dialler.due(now: start + .milliseconds(50))
        #expect(dials.map(\.endpoint) == [alice])
    }

    @Test mutating func `the second address is dialled 250 ms later, IPv6 first`() throws {
        dialler.found("alice", at: alice, now: start, using: &randomness)
        dialler.found("alice", at: aliceSix, now: start, using: &randomness)
        let begin = start + .milliseconds(50)
        let first = dialler.due(now: begin)
        #expect(first.map(\.endpoint) == [aliceSix])
        dialler.dialled(first[0], as: connection(1))
        #expect(dialler.due(now: begin + .milliseconds(249)).isEmpty)
        let second = dialler.due(now: begin + .milliseconds(250))
        #expect(second.map(\.endpoint) == [alice])
        dialler.dialled(second[0], as: connection(2))
        #expect(dialler.connected(connection(2)) == [connection(1)])
    }

    @Test mutating func `a refused address hands on to the next at once`() throws {
        dialler.found("alice", at: alice, now: start, using: &randomness)
        dialler.found("alice", at: aliceSix, now: start, using: &randomness)
        let begin = start + .milliseconds(50)
        dialler.dialled(dialler.due(now: begin)[0], as: connection(1))
        dialler.failed(connection(1), now: begin + .milliseconds(1), using: &randomness)
        #expect(dialler.due(now: begin + .milliseconds(1)).map(\.endpoint) == [alice])
    }

    @Test mutating func `pauses between attempts grow to a minute, jittered, and never end`() throws {
        dialler.found("alice", at: alice, now: start, using: &randomness)
        var now = start + .milliseconds(50)
        var pauses: [Duration] = []
        for attempt in 1...20 {
            let dials = dialler.due(now: now)
            try #require(dials.count == 1)
            dialler.dialled(dials[0], as: connection(UInt64(attempt)))
            dialler.failed(connection(UInt64(attempt)), now: now, using: &randomness)
            let next = try #require(dialler.nextDeadline)
            pauses.append(next - now)
            now = next
        }
        #expect(pauses[0] >= .milliseconds(250) && pauses[0] <= .milliseconds(500))
        #expect(pauses.suffix(10).allSatisfy { $0 >= .seconds(30) && $0 <= .seconds(60) })
        #expect(Set(pauses.suffix(10)).count > 1)
    }

    @Test mutating func `a linked candidate is not dialled again until its link ends`() throws {
        let peer = try #require(PeerID([UInt8](repeating: 9, count: 32)))
        dialler.found("alice", at: alice, now: start, using: &randomness)
        dialler.dialled(dialler.due(now: start + .milliseconds(50))[0], as: connection(1))
        _ = dialler.connected(connection(1))
        identify(connection(1), as: peer, now: start)
        #expect(dialler.nextDeadline == nil)
        dialler.found("alice", at: aliceSix, now: start + .seconds(1), using: &randomness)
        #expect(dialler.due(now: start + .seconds(10)).isEmpty)
        dialler.linkClosed(to: peer, now: start + .seconds(20), using: &randomness)
        #expect(dialler.due(now: start + .seconds(21)).count == 1)
    }

    @Test mutating func `where a linked peer was proven no peer is dialled under any other name, until its link ends`()
        throws
    {
        let peer = try link("alice", at: alice)
        dialler.found("renamed", at: alice, now: start + .seconds(1), using: &randomness)
        dialler.lost("alice", now: start + .seconds(2))
        #expect(dialler.due(now: start + .seconds(10)).isEmpty)
        dialler.linkClosed(to: peer, now: start + .seconds(20), using: &randomness)
        #expect(dialler.due(now: start + .seconds(21)).map(\.instance).sorted() == ["alice", "renamed"])
    }

    @Test mutating func `a peer that claims another's address does not keep that address from being dialled`() throws {
        _ = try link("mallory", at: alice)
        dialler.found("mallory", at: aliceSix, now: start + .seconds(1), using: &randomness)
        dialler.found("victim", at: aliceSix, now: start + .seconds(2), using: &randomness)
        #expect(dialler.due(now: start + .seconds(3)).map(\.instance) == ["victim"])
    }

    /// Finds a peer, dials and has a link.
    private mutating func link(_ instance: String, at endpoint: Endpoint) throws -> PeerID {
        let peer = try #require(PeerID([UInt8](repeating: 9, count: 32)))
        dialler.found(instance, at: endpoint, now: start, using: &randomness)
        dialler.dialled(try #require(dialler.due(now: start + .milliseconds(50)).first), as: connection(1))
        _ = dialler.connected(connection(1))
        identify(connection(1), as: peer, now: start)
        return peer
    }

    @Test mutating func `pauses grow while links end before the peer says anything, and are short again once it has`()
        throws
    {
        let peer = try #require(PeerID([UInt8](repeating: 9, count: 32)))
        dialler.found("alice", at: alice, now: start, using: &randomness)
        var now = start + .milliseconds(50)
        /// Dials, is through with the handshake and loses the link; how long until it dials again.
        func pause(isHeard: Bool, _ number: UInt64) throws -> Duration {
            dialler.dialled(try #require(dialler.due(now: now).first), as: connection(number))
            _ = dialler.connected(connection(number))
            identify(connection(number), as: peer, now: now)
            if isHeard { dialler.heard(peer) }
            dialler.linkClosed(to: peer, now: now, using: &randomness)
            let pause = try #require(dialler.nextDeadline) - now
            now = now + pause
            return pause
        }
        let refused = try (1...12).map { try pause(isHeard: false, $0) }
        #expect(refused.suffix(4).allSatisfy { $0 >= .seconds(30) })
        #expect(try pause(isHeard: true, 13) <= .milliseconds(500))
    }

    @Test mutating func `a candidate that mDNS drops is forgotten, one that was linked is tried for ten minutes`()
        throws
    {
        dialler.found("stranger", at: alice, now: start, using: &randomness)
        dialler.lost("stranger", now: start)
        #expect(dialler.count == 0)

        let peer = try #require(PeerID([UInt8](repeating: 9, count: 32)))
        dialler.found("friend", at: alice, now: start, using: &randomness)
        dialler.dialled(dialler.due(now: start + .milliseconds(50))[0], as: connection(1))
        identify(connection(1), as: peer, now: start)
        dialler.lost("friend", now: start + .seconds(1))
        dialler.linkClosed(to: peer, now: start + .seconds(2), using: &randomness)
        let again = dialler.due(now: start + .seconds(5))
        try #require(again.count == 1)
        dialler.dialled(again[0], as: connection(2))
        dialler.failed(connection(2), now: start + .seconds(6), using: &randomness)
        #expect(dialler.due(now: start + .seconds(602)).isEmpty)
        #expect(dialler.count == 0)
    }

    @Test mutating func `ourselves are not dialled twice`() throws {
        dialler.found("me", at: alice, now: start, using: &randomness)
        dialler.dialled(dialler.due(now: start + .milliseconds(50))[0], as: connection(1))
        dialler.ignore(connection(1))
        #expect(dialler.nextDeadline == nil)
    }

    @Test mutating func `no more than 16,384 candidates are kept, however many are announced`() {
        for number in 0..<17_000 {
            let endpoint = Endpoint(address: [10, 0, UInt8(number / 250), UInt8(number % 250)], port: 4_000)
            dialler.found("fake-\(number)", at: endpoint, now: start, using: &randomness)
        }
        #expect(dialler.count == Limits.knownPeers)
        #expect(dialler.due(now: start + .seconds(1)).count == Dialler.parallelDials)
    }

    /// Announces instances at addresses of their own where no peer answers, and dials as many as may be at once.
    private mutating func announceNowhere(_ count: Int) -> [Dialler.Dial] {
        for number in 0..<count {
            let address: [UInt8] = [10, 1, UInt8(number / 250), UInt8(number % 250)]
            dialler.found(
                "a\(number + 10_000)", at: Endpoint(address: address, port: 1), now: start, using: &randomness)
        }
        return dial(at: start + .milliseconds(50))
    }

    private mutating func fail(_ dial: Dialler.Dial, at now: Instant) {
        if let connection = pending[dial] { dialler.failed(connection, now: now, using: &randomness) }
    }

    private mutating func dial(at now: Instant) -> [Dialler.Dial] {
        let dials = dialler.due(now: now)
        for dial in dials {
            lastConnection += 1
            dialler.dialled(dial, as: connection(lastConnection))
            pending[dial] = connection(lastConnection)
        }
        return dials
    }

    @Test mutating func `a newcomer goes before a thousand candidates that were tried in vain`() {
        var now = start + .milliseconds(50)
        var dials = announceNowhere(1_000)
        var tried = dials.count
        while tried < 1_000 {
            for dial in dials { fail(dial, at: now) }
            now = now + .milliseconds(250)
            dials = dial(at: now)
            tried += dials.count
        }
        dialler.found("zoe", at: alice, now: now, using: &randomness)
        for dial in dials { fail(dial, at: now) }
        #expect(dial(at: now + .milliseconds(50)).contains { $0.instance == "zoe" })
    }

    @Test mutating func `among a thousand untried candidates the newest does not wait for all others`() {
        let dialled = announceNowhere(1_000)
        dialler.found("last", at: alice, now: start + .milliseconds(200), using: &randomness)
        let now = start + .milliseconds(350)
        for dial in dialled.prefix(4) { fail(dial, at: now) }
        let next = dial(at: now)
        #expect(next.count == 4)
        #expect(next.contains { $0.instance == "last" })
    }

    @Test mutating func `one address is dialled 32 times at once and 8 times a second, whatever is announced there`() {
        for number in 0..<1_000 {
            let endpoint = Endpoint(address: [10, 0, 0, 9], port: UInt16(9_000 + number))
            dialler.found("fake-\(number)", at: endpoint, now: start, using: &randomness)
        }
        var dialled = 0
        var now = start
        while now < start + .seconds(60) {
            now = now + .milliseconds(50)
            for dial in dial(at: now) {
                dialled += 1
                fail(dial, at: now)
            }
        }
        #expect((400...512).contains(dialled))
    }

    @Test mutating func `an address that is dialled too often keeps no other waiting`() {
        for number in 0..<1_000 {
            let endpoint = Endpoint(address: [10, 0, 0, 9], port: UInt16(9_000 + number))
            dialler.found("fake-\(number)", at: endpoint, now: start, using: &randomness)
        }
        #expect(dial(at: start + .milliseconds(50)).count == 32)
        dialler.found("zoe", at: alice, now: start + .milliseconds(50), using: &randomness)
        #expect(dial(at: start + .milliseconds(100)).map(\.instance) == ["zoe"])
    }

    @Test mutating func `the stale endpoints of a peer that moved are not dialled`() {
        dialler.found("friend", at: alice, now: start, using: &randomness)
        let failed = dial(at: start + .milliseconds(50))
        #expect(failed.map(\.endpoint) == [alice])
        for dial in failed { fail(dial, at: start + .seconds(1)) }
        dialler.moved("friend", to: [aliceSix], now: start + .seconds(2), using: &randomness)
        #expect(dial(at: start + .seconds(2)).map(\.endpoint) == [aliceSix])
        #expect(dial(at: start + .seconds(3)).isEmpty)
    }
}
