import ChatNode
import Noise
import Testing
import Wire

@Suite struct PeerTableTests {
    private var table = PeerTable()
    private var randomness = Randomness.seeded(7)
    private let start = Instant(nanoseconds: 0)
    private let alice = Endpoint(address: [10, 0, 0, 1], port: 4_000)
    private let aliceSix = Endpoint(address: [0xfd] + [UInt8](repeating: 0, count: 14) + [1], port: 4_000)

    private var pending: [PeerTable.Dial: ConnectionID] = [:]
    private var lastConnection: UInt64 = 1_000

    private func connection(_ number: UInt64) -> ConnectionID { ConnectionID(number: number) }

    /// A dialled connection becomes a link; the peer's key is one that no name in these tests belongs to.
    private mutating func identify(_ connection: ConnectionID, as peer: PeerID, now: Instant) {
        let key = KeyPair.generate(using: &randomness).publicKey
        table.identified(connection, as: peer, key, now: now, using: &randomness)
        table.linkOpened(to: peer, key, now: now)
    }

    @Test mutating func `a new candidate is dialled within 50 ms`() throws {
        table.found("alice", at: alice, now: start, using: &randomness)
        let deadline = try #require(table.nextDeadline)
        #expect(deadline >= start && deadline <= start + .milliseconds(50))
        let dials = table.due(now: start + .milliseconds(50))
        #expect(dials.map(\.endpoint) == [alice])
    }

    @Test mutating func `the second address is dialled 250 ms later, IPv6 first`() throws {
        table.found("alice", at: alice, now: start, using: &randomness)
        table.found("alice", at: aliceSix, now: start, using: &randomness)
        let begin = start + .milliseconds(50)
        let first = table.due(now: begin)
        #expect(first.map(\.endpoint) == [aliceSix])
        table.dialled(first[0], as: connection(1))
        #expect(table.due(now: begin + .milliseconds(249)).isEmpty)
        let second = table.due(now: begin + .milliseconds(250))
        #expect(second.map(\.endpoint) == [alice])
        table.dialled(second[0], as: connection(2))
        #expect(table.connected(connection(2)) == [connection(1)])
    }

    @Test mutating func `a refused address hands on to the next at once`() throws {
        table.found("alice", at: alice, now: start, using: &randomness)
        table.found("alice", at: aliceSix, now: start, using: &randomness)
        let begin = start + .milliseconds(50)
        table.dialled(table.due(now: begin)[0], as: connection(1))
        table.failed(connection(1), now: begin + .milliseconds(1), using: &randomness)
        #expect(table.due(now: begin + .milliseconds(1)).map(\.endpoint) == [alice])
    }

    @Test mutating func `pauses between attempts grow to a minute, jittered, and never end`() throws {
        table.found("alice", at: alice, now: start, using: &randomness)
        var now = start + .milliseconds(50)
        var pauses: [Duration] = []
        for attempt in 1...20 {
            let dials = table.due(now: now)
            try #require(dials.count == 1)
            table.dialled(dials[0], as: connection(UInt64(attempt)))
            table.failed(connection(UInt64(attempt)), now: now, using: &randomness)
            let next = try #require(table.nextDeadline)
            pauses.append(next - now)
            now = next
        }
        #expect(pauses[0] >= .milliseconds(250) && pauses[0] <= .milliseconds(500))
        #expect(pauses.suffix(10).allSatisfy { $0 >= .seconds(30) && $0 <= .seconds(60) })
        #expect(Set(pauses.suffix(10)).count > 1)
    }

    @Test mutating func `a linked candidate is not dialled again until its link ends`() throws {
        let peer = try #require(PeerID([UInt8](repeating: 9, count: 32)))
        table.found("alice", at: alice, now: start, using: &randomness)
        table.dialled(table.due(now: start + .milliseconds(50))[0], as: connection(1))
        _ = table.connected(connection(1))
        identify(connection(1), as: peer, now: start)
        #expect(table.nextDeadline == nil)
        table.found("alice", at: aliceSix, now: start + .seconds(1), using: &randomness)
        #expect(table.due(now: start + .seconds(10)).isEmpty)
        table.linkClosed(to: peer, now: start + .seconds(20), using: &randomness)
        #expect(table.due(now: start + .seconds(21)).count == 1)
    }

    @Test mutating func `where a linked peer was proven no peer is dialled under any other name, until its link ends`()
        throws
    {
        let peer = try link("alice", at: alice)
        table.found("renamed", at: alice, now: start + .seconds(1), using: &randomness)
        table.lost("alice", now: start + .seconds(2))
        #expect(table.due(now: start + .seconds(10)).isEmpty)
        table.linkClosed(to: peer, now: start + .seconds(20), using: &randomness)
        #expect(table.due(now: start + .seconds(21)).map(\.instance).sorted() == ["alice", "renamed"])
    }

    @Test mutating func `a peer that claims another's address does not keep that address from being dialled`() throws {
        _ = try link("mallory", at: alice)
        table.found("mallory", at: aliceSix, now: start + .seconds(1), using: &randomness)
        table.found("victim", at: aliceSix, now: start + .seconds(2), using: &randomness)
        #expect(table.due(now: start + .seconds(3)).map(\.instance) == ["victim"])
    }

    /// Finds a peer, dials and has a link.
    private mutating func link(_ instance: String, at endpoint: Endpoint) throws -> PeerID {
        let peer = try #require(PeerID([UInt8](repeating: 9, count: 32)))
        table.found(instance, at: endpoint, now: start, using: &randomness)
        table.dialled(try #require(table.due(now: start + .milliseconds(50)).first), as: connection(1))
        _ = table.connected(connection(1))
        identify(connection(1), as: peer, now: start)
        return peer
    }

    @Test mutating func `pauses grow while links end before the peer says anything, and are short again once it has`()
        throws
    {
        let peer = try #require(PeerID([UInt8](repeating: 9, count: 32)))
        table.found("alice", at: alice, now: start, using: &randomness)
        var now = start + .milliseconds(50)
        /// Dials, is through with the handshake and loses the link; how long until it dials again.
        func pause(isHeard: Bool, _ number: UInt64) throws -> Duration {
            table.dialled(try #require(table.due(now: now).first), as: connection(number))
            _ = table.connected(connection(number))
            identify(connection(number), as: peer, now: now)
            if isHeard { table.heard(peer) }
            table.linkClosed(to: peer, now: now, using: &randomness)
            let pause = try #require(table.nextDeadline) - now
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
        table.found("stranger", at: alice, now: start, using: &randomness)
        table.lost("stranger", now: start)
        #expect(table.count == 0)

        let peer = try #require(PeerID([UInt8](repeating: 9, count: 32)))
        table.found("friend", at: alice, now: start, using: &randomness)
        table.dialled(table.due(now: start + .milliseconds(50))[0], as: connection(1))
        identify(connection(1), as: peer, now: start)
        table.lost("friend", now: start + .seconds(1))
        table.linkClosed(to: peer, now: start + .seconds(2), using: &randomness)
        let again = table.due(now: start + .seconds(5))
        try #require(again.count == 1)
        table.dialled(again[0], as: connection(2))
        table.failed(connection(2), now: start + .seconds(6), using: &randomness)
        #expect(table.due(now: start + .seconds(602)).isEmpty)
        #expect(table.count == 0)
    }

    @Test mutating func `ourselves are not dialled twice`() throws {
        table.found("me", at: alice, now: start, using: &randomness)
        table.dialled(table.due(now: start + .milliseconds(50))[0], as: connection(1))
        table.ignore(connection(1))
        #expect(table.nextDeadline == nil)
    }

    @Test mutating func `no more than 4,096 candidates are kept, however many are announced`() {
        for number in 0..<5_000 {
            let endpoint = Endpoint(address: [10, 0, UInt8(number / 250), UInt8(number % 250)], port: 4_000)
            table.found("fake-\(number)", at: endpoint, now: start, using: &randomness)
        }
        #expect(table.count == Limits.knownPeers)
        #expect(table.due(now: start + .seconds(1)).count == PeerTable.parallelDials)
    }

    /// Announces instances at addresses of their own where no peer answers, and dials as many as may be at once.
    private mutating func announceNowhere(_ count: Int) -> [PeerTable.Dial] {
        for number in 0..<count {
            let address: [UInt8] = [10, 1, UInt8(number / 250), UInt8(number % 250)]
            table.found("a\(number + 10_000)", at: Endpoint(address: address, port: 1), now: start, using: &randomness)
        }
        return dial(at: start + .milliseconds(50))
    }

    private mutating func dial(at now: Instant) -> [PeerTable.Dial] {
        let dials = table.due(now: now)
        for dial in dials {
            lastConnection += 1
            table.dialled(dial, as: connection(lastConnection))
            pending[dial] = connection(lastConnection)
        }
        return dials
    }

    @Test mutating func `a newcomer goes before a thousand candidates that were tried in vain`() {
        var now = start + .milliseconds(50)
        var dials = announceNowhere(1_000)
        var tried = dials.count
        while tried < 1_000 {
            for dial in dials { pending[dial].map { table.failed($0, now: now, using: &randomness) } }
            now = now + .milliseconds(250)
            dials = dial(at: now)
            tried += dials.count
        }
        table.found("zoe", at: alice, now: now, using: &randomness)
        for dial in dials { pending[dial].map { table.failed($0, now: now, using: &randomness) } }
        #expect(dial(at: now + .milliseconds(50)).contains { $0.instance == "zoe" })
    }

    @Test mutating func `among a thousand untried candidates the newest does not wait for all others`() {
        let dialled = announceNowhere(1_000)
        table.found("last", at: alice, now: start + .milliseconds(200), using: &randomness)
        let now = start + .milliseconds(350)
        for dial in dialled.prefix(4) { pending[dial].map { table.failed($0, now: now, using: &randomness) } }
        let next = dial(at: now)
        #expect(next.count == 4)
        #expect(next.contains { $0.instance == "last" })
    }

    @Test mutating func `one address is dialled 32 times at once and 8 times a second, whatever is announced there`() {
        for number in 0..<1_000 {
            let endpoint = Endpoint(address: [10, 0, 0, 9], port: UInt16(9_000 + number))
            table.found("fake-\(number)", at: endpoint, now: start, using: &randomness)
        }
        var dialled = 0
        var now = start
        while now < start + .seconds(60) {
            now = now + .milliseconds(50)
            for dial in dial(at: now) {
                dialled += 1
                pending[dial].map { table.failed($0, now: now, using: &randomness) }
            }
        }
        #expect((400...512).contains(dialled))
    }

    @Test mutating func `an address that is dialled too often keeps no other waiting`() {
        for number in 0..<1_000 {
            let endpoint = Endpoint(address: [10, 0, 0, 9], port: UInt16(9_000 + number))
            table.found("fake-\(number)", at: endpoint, now: start, using: &randomness)
        }
        #expect(dial(at: start + .milliseconds(50)).count == 32)
        table.found("zoe", at: alice, now: start + .milliseconds(50), using: &randomness)
        #expect(dial(at: start + .milliseconds(100)).map(\.instance) == ["zoe"])
    }
}
