import Chat
import Noise
import Phrases
import Simulator
import Testing
import Wire

@testable import ChatNode

/// Warnings of discovery and of dials.
@Suite struct UnreachedPeerTests {
    private typealias Reason = UnreachedPeers.Reason
    private typealias Failure = (reason: Reason, isLast: Bool)

    /// For each failed dial, the reason of the warning; nil for none.
    private static func told(_ failures: [Failure], in peers: inout UnreachedPeers) -> [Reason?] {
        failures.map { peers.failed("10.0.0.1:4000", $0.reason, isLast: $0.isLast) }
    }

    @Test func `each reason is a warning once, and no route again after a dial that got further`() {
        var peers = UnreachedPeers()
        let rounds: [Failure] = [
            (.unrouted, true), (.unrouted, true), (.silent, true), (.unrouted, true), (.silent, true),
            (.refused, true), (.refused, true), (.unrouted, true),
        ]
        let first = Self.told(rounds, in: &peers)
        #expect(first == [.unrouted, nil, .silent, nil, nil, .refused, nil, .unrouted])
        peers.connected("10.0.0.1:4000")
        let afterConnection = Self.told([(.unrouted, true), (.refused, true)], in: &peers)
        #expect(afterConnection == [.unrouted, nil])
        let other = peers.failed("10.0.0.2:4000", .unrouted, isLast: true)
        #expect(other == .unrouted)
    }

    @Test func `a peer that was linked and left is no news, a network that is gone is`() {
        var peers = UnreachedPeers()
        peers.linked("10.0.0.1:4000")
        let told = Self.told([(.refused, true), (.silent, true), (.unrouted, true), (.unrouted, true)], in: &peers)
        #expect(told == [nil, nil, .unrouted, nil])
    }

    @Test func `another program is a warning when it answers twice, as two ends that dial each other may once`() {
        var peers = UnreachedPeers()
        let told = Self.told(
            [(.foreign, true), (.refused, true), (.foreign, true), (.foreign, true), (.foreign, true)], in: &peers)
        #expect(told == [nil, .refused, nil, .foreign, nil])
    }

    @Test(arguments: [TransportError.refused, .timedOut, .reset, .system(call: "connect", errno: 1)])
    func `one address without a route means nothing beside another`(error: TransportError) {
        var peers = UnreachedPeers()
        let reason = Reason(error)
        let rounds: [Failure] = [
            (.unrouted, false), (reason, true), (reason, false), (.unrouted, true), (.unrouted, false),
            (.unrouted, true),
        ]
        let told = Self.told(rounds, in: &peers)
        #expect(told == [nil, reason, nil, nil, nil, .unrouted])
    }

    @Test func `the last attempt is the one beside which no other address waits`() throws {
        var dialler = Dialler()
        var randomness = SystemRandomNumberGenerator()
        let start = Instant(nanoseconds: 0)
        let endpoints = [1, 2].map { Endpoint(address: [10, 0, 0, $0], port: 4_000) }
        dialler.moved("a:1", to: endpoints, now: start, using: &randomness)
        let connections = [1, 2].map { ConnectionID(number: $0) }
        for (index, connection) in connections.enumerated() {
            let dial = try #require(dialler.due(now: start + .seconds(1 + index)).first)
            dialler.dialled(dial, as: connection)
            #expect(dialler.instance(of: connection) == "a:1")
            #expect(!dialler.isLastAttempt(connection))
        }
        dialler.failed(connections[0], now: start + .seconds(3), using: &randomness)
        #expect(dialler.isLastAttempt(connections[1]))
        #expect(!dialler.isLastAttempt(connections[0]))
    }

    @Test func `a node without a route to a named peer says so once, and never of strangers`() throws {
        let simulation = Simulation(seed: 31)
        let alice = simulation.node("alice")
        let stranger = String(repeating: "z", count: 26)
        alice.with { node in
            var randomness = Randomness.seeded(31)
            for instance in ["10.0.0.1:4000", stranger] {
                let endpoint = Endpoint(address: [10, 9, 9, 9], port: instance == stranger ? 1 : 2)
                node.discovered(.found(instance: instance, endpoint: endpoint))
                let now = node.scheduler.now + .seconds(1)
                for dial in node.parts.finder.dials.due(now: now, room: 64) {
                    let connection = ConnectionID(number: 1_000_000 + UInt64(dial.endpoint.port))
                    node.parts.finder.dials.dialled(dial, as: connection, now: now, using: &randomness)
                    node.transportClosed(connection, error: .unreachable)
                }
            }
        }
        // Before the next dial, to which the simulated network has another answer.
        simulation.advance(by: .milliseconds(100))
        #expect(
            alice.notices(.peerUnreachable) == [
                "peer 10.0.0.1:4000 can not be reached: there is no route to it; earshot keeps trying"
            ])
    }

    @Test func `in a room with a key that no other node has, this is said once after 5 s`() throws {
        let simulation = Simulation(seed: 34)
        var randomness = Randomness.seeded(34)
        let key = try RoomKey(reading: RoomKey.generate(using: &randomness), forRoomNamed: "attic")
        let room = Room("attic", key: key)
        let alice = simulation.node("alice", configure: { $0.room = room })
        let maker = simulation.node("maker", configure: { ($0.room, $0.isNewRoom) = (Room("new", key: key), true) })
        simulation.advance(by: .milliseconds(4_900))
        #expect(alice.notices(.roomUnanswered) == [])
        simulation.advance(by: .seconds(60))
        #expect(
            alice.notices(.roomUnanswered) == [
                "no other node here has the name and the key of the room attic; if you expect one, compare both with it"
            ])
        #expect(maker.notices(.roomUnanswered) == [], "its key was made just now")
    }

    @Test func `discovery that can never work ends the node as a failure`() throws {
        let simulation = Simulation(seed: 32)
        let alice = simulation.node("alice")
        alice.with { $0.discovered(.failed("no bus")) }
        simulation.advance(by: .seconds(2))
        #expect(alice.stopReason == .failed("no bus"))
    }

    @Test func `warnings are notices`() throws {
        let simulation = Simulation(seed: 33)
        let alice = simulation.node("alice")
        alice.with { $0.discovered(.warning(.noInterface, Sentence(.noInterface))) }
        simulation.advance(by: .seconds(1))
        #expect(alice.notices(.noInterface) == [Sentence(.noInterface).text(in: .english)])
    }
}
