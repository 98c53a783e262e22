import ChatNode
import Synchronization
import Testing
import Wire

@testable import Discovery

/// Peers that the user names by host and port.
@Suite struct NamedPeerTests {
    private let answers = Answers()
    private let events = Events()
    private let old = Endpoint(address: [192, 0, 2, 1], port: 4_000)
    private let new = Endpoint(address: [192, 0, 2, 2], port: 4_000)

    /// The name server of a test: its answers in turn, the last one again and again.
    private final class Answers: Sendable {
        private let list = Mutex<[[Endpoint]]>([])

        func set(_ answers: [[Endpoint]]) { list.withLock { $0 = answers } }

        func next() -> [Endpoint] {
            list.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] }
        }
    }

    private final class Events: Sendable {
        private let stream = AsyncStream.makeStream(of: DiscoveryEvent.self)

        func add(_ event: DiscoveryEvent) { stream.continuation.yield(event) }

        func next() async -> DiscoveryEvent? { await stream.stream.first { _ in true } }
    }

    @Test(.timeLimit(.minutes(1))) func `a named peer whose address changed is found again after a failed dial`()
        async throws
    {
        answers.set([[old], [], [new]])
        let peer = try #require(PeerAddress("friend.test:4000"))
        let discovery = try StaticDiscovery(peers: [peer]) { [answers] _ in answers.next() }
        let announcement = Announcement(instance: "a", host: "b", port: 1, subtype: "c")
        discovery.start(announcement) { [events] in events.add($0) }
        #expect(await events.next() == .found(instance: "friend.test:4000", endpoint: old))
        discovery.dialFailed("another")
        discovery.dialFailed("friend.test:4000")
        #expect(await events.next() == .moved(instance: "friend.test:4000", endpoints: [new]))
        await discovery.stop()
    }
}
