import Phrases
import Simulator
import Testing
import Wire

@testable import ChatNode

/// Warnings of discovery and of dials.
@Suite struct UnroutedPeerTests {
    private typealias Failure = (error: TransportError?, isLast: Bool)

    /// For each failed dial, whether a warning follows.
    private static func warnings(_ failures: [Failure], in peers: inout UnroutedPeers) -> [Bool] {
        failures.map { peers.failed("10.0.0.1:4000", $0.error, isLast: $0.isLast) }
    }

    @Test func `a peer without a route is reported once, and again after a dial that got further`() {
        var peers = UnroutedPeers()
        let rounds: [Failure] = [
            (.unreachable, true), (.unreachable, true), (.timedOut, true), (.unreachable, true), (.refused, true),
            (.unreachable, true),
        ]
        let first = Self.warnings(rounds, in: &peers)
        #expect(first == [true, false, false, false, false, true])
        peers.reached("10.0.0.1:4000")
        let afterLink = Self.warnings([(.unreachable, true)], in: &peers)
        #expect(afterLink == [true])
        let other = peers.failed("10.0.0.2:4000", .unreachable, isLast: true)
        #expect(other)
    }

    @Test(arguments: [TransportError.refused, .timedOut, .reset, .system(call: "connect", errno: 1)])
    func `one address without a route means nothing beside another`(error: TransportError) {
        var peers = UnroutedPeers()
        let rounds: [Failure] = [
            (.unreachable, false), (error, true), (error, false), (.unreachable, true), (.unreachable, false),
            (.unreachable, true),
        ]
        let warnings = Self.warnings(rounds, in: &peers)
        #expect(warnings == [false, false, false, false, false, true])
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
            for instance in ["10.0.0.1:4000", stranger] {
                let endpoint = Endpoint(address: [10, 9, 9, 9], port: instance == stranger ? 1 : 2)
                node.discovered(.found(instance: instance, endpoint: endpoint))
                let now = node.scheduler.now + .seconds(1)
                for dial in node.dialler.due(now: now) {
                    let connection = ConnectionID(number: 1_000_000 + UInt64(dial.endpoint.port))
                    node.dialler.dialled(dial, as: connection)
                    node.transportClosed(connection, error: .unreachable)
                }
            }
        }
        simulation.advance(by: .seconds(1))
        #expect(
            alice.notices(.peerUnreachable) == [
                "peer 10.0.0.1:4000 can not be reached: there is no route to it; earshot keeps trying"
            ])
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
