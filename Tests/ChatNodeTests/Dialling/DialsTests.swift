import Noise
import Phrases
import Testing
import Wire

@testable import ChatNode

/// The dials of a node: which of them count as under way, and which the user hears of.
@Suite struct DialsTests {
    private var dials = Dials()
    private var randomness = Randomness.seeded(71)
    private let start = Instant(nanoseconds: 0)
    private let endpoint = Endpoint(address: [10, 0, 0, 1], port: 4_000)
    private let named = "10.0.0.1:4000"

    /// Finds an instance and dials it.
    private mutating func dial(
        _ instance: String, at endpoint: Endpoint? = nil, as number: UInt64, after time: Duration = .zero
    ) throws -> ConnectionID {
        let now = start + time
        dials.dialler.found(instance, at: endpoint ?? self.endpoint, now: now, using: &randomness)
        let due = dials.due(now: now + .milliseconds(50), room: 8)
        let connection = ConnectionID(number: number)
        dials.dialled(try #require(due.first), as: connection, now: now, using: &randomness)
        return connection
    }

    private mutating func fail(
        _ connection: ConnectionID, _ reason: UnreachedPeers.Reason, after time: Duration = .zero
    ) -> (failure: Dials.Failure?, warning: Sentence?) {
        dials.failed(connection, reason, now: start + time, using: &randomness)
    }

    private mutating func key() -> PublicKey { KeyPair.generate(using: &randomness).publicKey }

    @Test func `HOST:PORT alone is a name that the user gave`() {
        #expect(Dials.isNamed(named) && Dials.isNamed("[fd00::1]:4000") && Dials.isNamed("host.example:4000"))
        let address = [UInt8](repeating: 0xfd, count: 16)
        let contact = ContactBook.instance(at: Endpoint(address: address, port: 4_000, scope: 2))
        #expect(!Dials.isNamed("abcdefghijklmnopqrstuvwxyz") && !Dials.isNamed(contact))
    }

    @Test mutating func `a peer that the user named and no dial reaches is a warning, one of mDNS is none`() throws {
        let given = fail(try dial(named, as: 1), .refused)
        #expect(given.failure?.instance == named && given.failure?.shownAt == nil)
        #expect(given.warning == UnreachedPeers.Reason.refused.sentence(of: named))
        let found = fail(try dial("alice", at: Endpoint(address: [10, 0, 0, 2], port: 1), as: 2), .refused)
        #expect(found.failure?.instance == "alice" && found.warning == nil)
        let other = fail(ConnectionID(number: 3), .refused)
        #expect(other.failure == nil && other.warning == nil)
    }

    @Test mutating func `a route is there once a dial connects, so that its end is a warning again`() throws {
        #expect(fail(try dial(named, as: 1), .unrouted).warning != nil)
        #expect(fail(try dial(named, as: 2, after: .seconds(10)), .unrouted, after: .seconds(10)).warning == nil)
        let connection = try dial(named, as: 3, after: .seconds(20))
        #expect(dials.connected(connection).isEmpty)
        #expect(fail(connection, .unrouted, after: .seconds(20)).warning != nil)
    }

    @Test mutating func `a dial that a peer wished for fails after 10 to 12 s, for all to see`() throws {
        let instance = ContactBook.instance(at: endpoint)
        let shown = try #require(fail(try dial(instance, as: 1), .refused).failure?.shownAt)
        #expect((start + .seconds(10)...start + .seconds(12)).contains(shown))
        #expect(dials.due(now: shown + .milliseconds(-1), room: 8).isEmpty)
        #expect(dials.due(now: shown, room: 8).map(\.instance) == [instance])
    }

    @Test mutating func `a dial whose handshake is through is under way no more`() throws {
        let connection = try dial(ContactBook.instance(at: endpoint), as: 1)
        dials.handshakeEnded(on: connection)
        let failure = try #require(fail(connection, .foreign).failure)
        #expect(failure.shownAt == nil)
    }

    @Test mutating func `of the dials of one candidate the first that connects goes on`() throws {
        let six = Endpoint(address: [0xfd] + [UInt8](repeating: 0, count: 14) + [1], port: 4_000)
        dials.dialler.found("alice", at: endpoint, now: start, using: &randomness)
        let first = try dial("alice", at: six, as: 1)
        let second = try dial("alice", as: 2, after: .milliseconds(250))
        #expect(dials.underWay == [first, second])
        #expect(dials.endpoint(of: first) == six && dials.endpoint(of: second) == endpoint)
        #expect(dials.connected(second) == [first])
        #expect(dials.underWay == [second])
    }

    @Test mutating func `a peer that was linked may leave without a warning`() throws {
        let connection = try dial(named, as: 1)
        _ = dials.connected(connection)
        let (peer, key) = (ChoiceTown.peer(5), key())
        let dialled = dials.identified(connection, as: peer, key, now: start, using: &randomness)
        #expect(dialled == named)
        let opened = dials.identified(ConnectionID(number: 9), as: peer, key, now: start, using: &randomness)
        #expect(opened == nil, "the peer has opened it")
        dials.dialler.linkOpened(to: peer, key, now: start)
        dials.dialler.linkClosed(to: peer, now: start, using: &randomness)
        let again = try dial(named, as: 2, after: .seconds(10))
        #expect(fail(again, .refused, after: .seconds(10)).warning == nil)
    }

    @Test mutating func `a blocked peer is dialled no more`() throws {
        let connection = try dial("alice", as: 1)
        #expect(dials.dialler.prospect(of: "alice") == .dialled)
        dials.metBlocked(ChoiceTown.peer(5), key(), on: connection, now: start, using: &randomness)
        #expect(dials.underWay.isEmpty && dials.dialler.prospect(of: "alice") == .never)
        #expect(dials.due(now: start + .seconds(3_600), room: 8).isEmpty)
    }
}
