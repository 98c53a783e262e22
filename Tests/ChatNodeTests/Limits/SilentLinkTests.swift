import Chat
import Noise
import Simulator
import Synchronization
import Testing
import Wire

@testable import ChatNode

/// A stranger with an open room's key that answers each handshake, reads the certificate, and closes.
private final class Collector: TransportHandler, Sendable {
    private struct State: ~Copyable {
        var sides: [ConnectionID: LinkSide] = [:]
        var read = 0
    }

    let host: HostID
    private let network: InMemoryNetwork
    private let transport: Mutex<InMemoryTransport>
    private let state = Mutex(State())

    init(_ simulation: Simulation) {
        network = simulation.network
        host = network.addHost()
        transport = Mutex(InMemoryTransport(network: network, host: host))
        transport.withLock { _ = try? $0.listen(port: 0, handler: self) }
    }

    var endpoint: Endpoint { network.endpoints(of: host)[0] }
    /// Certificates that it got.
    var read: Int { state.withLock { $0.read } }

    func transportAccepted(_ connection: ConnectionID, from endpoint: Endpoint) {
        state.withLock { state in
            let seed = UInt64(state.sides.count)
            state.sides[connection] = LinkSide(.responder, context: LinkSide.context(seed: 100 + seed), seed: seed)
        }
    }

    func transportConnected(_ connection: ConnectionID) {}

    func transportReceived(_ buffer: [UInt8], count: Int, on connection: ConnectionID) {
        let (answer, isRead) = state.withLock { state -> ([UInt8], Bool) in
            guard let side = state.sides[connection] else { return ([], false) }
            side.receive(Array(buffer.prefix(count)))
            let isRead = side.established != nil
            if isRead { state.read += 1 }
            return (side.output(), isRead)
        }
        transport.withLock { transport in
            if !answer.isEmpty { _ = transport.write(answer.span, to: connection) }
            if isRead { transport.close(connection) }
        }
    }

    func transportBecameWritable(_ connection: ConnectionID) {}

    func transportClosed(_ connection: ConnectionID, error: TransportError?) {}
}

@Suite struct SilentLinkTests {
    private let start = Instant(nanoseconds: 0)

    @Test func `a source ends five links at once and ten a minute without a word, then it is not dialled`() {
        var limiter = SilentLinkLimiter()
        let source = Endpoint(address: [10, 0, 0, 1], port: 5_000)
        for _ in 0..<5 {
            #expect(limiter.mayDial(source, now: start))
            limiter.record(source, now: start)
        }
        #expect(!limiter.mayDial(source, now: start))
        #expect(!limiter.mayDial(Endpoint(address: [10, 0, 0, 1], port: 6_000), now: start + .seconds(5)))
        #expect(limiter.mayDial(Endpoint(address: [10, 0, 0, 2], port: 5_000), now: start))
        #expect(limiter.mayDial(source, now: start + .seconds(7)))
    }

    /// Above the rate are only those that were dialled before the first link had ended.
    @Test func `a stranger that announces many names reads ten certificates a minute`() throws {
        let simulation = Simulation(seed: 31)
        let alice = simulation.node("alice")
        let bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        let collector = Collector(simulation)
        for second in 0..<60 {
            for number in 0..<10 {
                alice.with { node in
                    node.discovered(.found(instance: "name-\(second)-\(number)", endpoint: collector.endpoint))
                }
            }
            simulation.advance(by: .seconds(1))
        }
        #expect((5...5 + 10 + 10).contains(collector.read))
        #expect(alice.counter("links_silent") >= collector.read - 2)
        try alice.say("undisturbed")
        simulation.advance(by: .seconds(1))
        #expect(bob.texts() == ["undisturbed"])
    }
}
