import ChatNode
import Synchronization
import Phrases
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

    @Test(.timeLimit(.minutes(5))) func `a named peer whose address changed is found again after a failed dial`()
        async throws
    {
        answers.set([[old], [], [new]])
        let peer = try #require(PeerAddress("friend.test:4000"))
        let discovery = try StaticDiscovery(peers: [peer]) { [answers] _ in answers.next() }
        let announcement = Announcement(instance: "a", host: "b", port: 1, subtype: "c")
        discovery.start(announcement) { [events] in events.add($0) }
        #expect(await events.next() == .found(instance: "friend.test:4000", endpoint: old, weight: 1))
        discovery.dialFailed("another")
        discovery.dialFailed("friend.test:4000")
        #expect(
            await events.next()
                == .warning(.peerUnreachable, Sentence(.unreachable, "friend.test:4000", "it has no address")))
        #expect(await events.next() == .moved(instance: "friend.test:4000", endpoints: [new]))
        await discovery.stop()
    }

    @Test(.timeLimit(.minutes(5))) func `a name that does not resolve is reported once for each reason`() async throws {
        let unknown = LookupFailure(reason: "name or service not known")
        let silent = LookupFailure(reason: "no name server answers")
        let results = Mutex<[Result<[Endpoint], LookupFailure>]>([
            .failure(unknown), .failure(unknown), .failure(silent), .success([old]), .failure(silent), .success([new]),
        ])
        let peer = try #require(PeerAddress("friend.test:4000"))
        let discovery = try StaticDiscovery(peers: [peer]) { _ throws(LookupFailure) in
            try results.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }.get()
        }
        discovery.start(Announcement(instance: "a", host: "b", port: 1, subtype: "c")) { [events] in events.add($0) }
        func warning(_ failure: LookupFailure) -> DiscoveryEvent {
            .warning(.peerUnreachable, Sentence(.unreachable, "friend.test:4000", failure.reason))
        }
        #expect(await events.next() == warning(unknown))
        // The retries are a dial that failed each, as their pauses double.
        for _ in 0..<2 { discovery.dialFailed("friend.test:4000") }
        #expect(await events.next() == warning(silent))
        #expect(await events.next() == .found(instance: "friend.test:4000", endpoint: old, weight: 1))
        discovery.dialFailed("friend.test:4000")
        #expect(await events.next() == warning(silent))
        #expect(await events.next() == .moved(instance: "friend.test:4000", endpoints: [new]))
        await discovery.stop()
    }

    @Test(.timeLimit(.minutes(5))) func `an address of fe80 without its interface is reported, and not dialled`()
        async throws
    {
        let link = [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
        let scoped = Endpoint(address: link, port: 4_000, scope: 2)
        answers.set([[Endpoint(address: link, port: 4_000)], [Endpoint(address: link, port: 4_000), scoped]])
        let peer = try #require(PeerAddress("[fe80::1]:4000"))
        let discovery = try StaticDiscovery(peers: [peer]) { [answers] _ in answers.next() }
        discovery.start(Announcement(instance: "a", host: "b", port: 1, subtype: "c")) { [events] in events.add($0) }
        let reason = "an address of fe80::/10 needs its interface, as in [fe80::1%eth0]:4000"
        #expect(
            await events.next() == .warning(.peerUnreachable, Sentence(.unreachable, "[fe80::1]:4000", reason)))
        discovery.dialFailed("[fe80::1]:4000")
        #expect(await events.next() == .found(instance: "[fe80::1]:4000", endpoint: scoped, weight: 1))
        await discovery.stop()
    }

    @Test func `the resolver's words are the middle of a sentence`() throws {
        let peer = try #require(PeerAddress("no..name:4000"))
        let failure = #expect(throws: LookupFailure.self) { try Resolver.endpoints(of: peer) }
        #expect(failure?.reason.first?.isLowercase == true)
    }
}
