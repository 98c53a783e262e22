import Chat
import ChatNode
import Discovery
import Noise
import Reactor
import Synchronization
import Transports
import Wire

/// Nodes on real sockets, each on an event loop of its own, which find each other through a list in memory.
final class TCPWorld: World {
    private let directory = LoopbackDirectory()
    private let people = Mutex<[TCPPerson]>([])
    private let news = News()
    private let list = Mutex<[LoopbackDiscovery]>([])

    /// In the order in which people came.
    var discoveries: [LoopbackDiscovery] { list.withLock { $0 } }

    func person(_ nickname: String, configure: @Sendable (inout NodeConfiguration) -> Void) async throws -> any Person {
        try await person(nickname, identitySeed: nil, configure: configure)
    }

    /// - Parameter identitySeed: people with the same one are the same identity; nil for a new one.
    func person(
        _ nickname: String, identitySeed: UInt64?, configure: @Sendable (inout NodeConfiguration) -> Void = { _ in }
    ) async throws -> any Person {
        var configuration = NodeConfiguration()
        configuration.nickname = nickname
        configure(&configuration)
        let discovery = LoopbackDiscovery(directory: directory)
        list.withLock { $0.append(discovery) }
        return try await add(configuration, discovery, identitySeed: identitySeed)
    }

    /// Starts a node whose only known peer is the node at a port of this machine, if one is named.
    func person(_ nickname: String, besides port: UInt16?) async throws -> TCPPerson {
        var configuration = NodeConfiguration()
        configuration.nickname = nickname
        let neighbours = port.flatMap { PeerAddress("127.0.0.1:\($0)") }.map { [$0] } ?? []
        return try await add(configuration, try StaticDiscovery(peers: neighbours))
    }

    private func add(
        _ configuration: NodeConfiguration, _ discovery: any PeerDiscovery, identitySeed: UInt64? = nil
    ) async throws -> TCPPerson {
        let person = try TCPPerson(
            configuration: configuration, identitySeed: identitySeed, discovery: discovery, news: news)
        people.withLock { $0.append(person) }
        try await person.start()
        return person
    }

    func wait(atMost limit: Duration, until condition: @escaping @Sendable () -> Bool) async -> Bool {
        await news.wait(atMost: limit, until: condition)
    }

    func close() async {
        for person in people.withLock({ $0 }) { await person.shutDown() }
    }
}

actor TCPPerson: Person {
    nonisolated let key: PeerID
    nonisolated let told = Told()
    private let node: Node
    private nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    init(
        configuration: NodeConfiguration, identitySeed: UInt64?, discovery: any PeerDiscovery, news: News
    ) throws {
        let loop = try EventLoop(name: configuration.nickname ?? "node")
        self.loop = loop
        try loop.start()
        var source = identitySeed.map(Randomness.seeded) ?? .system
        let identity = Identity.generate(using: &source)
        key = identity.id
        let told = told
        node = Node(
            configuration: configuration, identity: identity, randomness: .system, scheduler: loop,
            transport: TCPTransport(loop: loop), discoveries: [discovery],
            deliver: { batch in
                told.append(batch)
                news.tell()
            })
    }

    func start() throws { try node.start() }

    /// Where it listens.
    nonisolated var port: UInt16? {
        told.events.lazy.compactMap { if case .ready(_, let port, _, _, _) = $0 { port } else { nil } }.first
    }

    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Node) throws(ChatError) -> Result
    ) throws(ChatError) -> Result {
        try body(node)
    }

    func leave() async {
        node.beginLeaving()
        await node.awaitEnd()
    }

    nonisolated func shutDown() async {
        await leave()
        loop.stop()
    }
}

/// Resumes the waiters when an event has happened.
final class News: Sendable {
    private struct Waiter {
        let condition: @Sendable () -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var number = 0
        var waiters: [Int: Waiter] = [:]
    }

    private let state = Mutex(State())

    func tell() {
        let waiters = state.withLock { $0.waiters }
        for (number, waiter) in waiters where waiter.condition() { finish(number, true) }
    }

    /// Nothing of it goes on when it has returned: a patience that did would keep all nodes of a test for as long.
    func wait(atMost limit: Duration, until condition: @escaping @Sendable () -> Bool) async -> Bool {
        let end = ContinuousClock.now + limit
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        async let _ = finish(number, at: end, condition)
        return await withCheckedContinuation { continuation in
            let waiter = Waiter(condition: condition, continuation: continuation)
            state.withLock { $0.waiters[number] = waiter }
            // An event before the waiter is in the list would be missed.
            let holds = condition()
            if holds || ContinuousClock.now >= end { finish(number, holds) }
        }
    }

    private func finish(_ number: Int, at end: ContinuousClock.Instant, _ condition: @Sendable () -> Bool) async {
        do { try await Task.sleep(until: end, clock: .continuous) } catch { return }
        finish(number, condition())
    }

    private func finish(_ number: Int, _ result: Bool) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
        waiter?.continuation.resume(returning: result)
    }
}
