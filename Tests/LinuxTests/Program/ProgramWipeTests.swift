import Phrases
import Chat
import ChatNode
import Noise
import Reactor
import Synchronization
import Testing
import Transports

@testable import Commands

/// The remains of a node once it is wiped.
@Suite(.timeLimit(.minutes(1))) struct ProgramWipeTests {
    private let loop: EventLoop

    init() throws {
        loop = try EventLoop(name: "wipe")
        loop.start()
    }

    private func node(_ deliver: @escaping @Sendable ([NodeEvent]) -> Void) -> Node {
        var randomness = Randomness.system
        let identity = Identity.generate(using: &randomness)
        return Node(
            configuration: NodeConfiguration(), identity: identity, randomness: randomness, scheduler: loop,
            transport: TCPTransport(loop: loop, interfaces: ["lo"]), discoveries: [], deliver: deliver)
    }

    @Test func `a wiped node is let go of, with its keys and all that it heard`() async throws {
        let reports = ReportQueue()
        let current = CurrentNode(node(reports.entrance()))
        weak let old = current.node
        try await current.node.start()
        try await current.node.send("hello")
        async let wiped = current.wipe()
        while await !reports.next().contains(where: \.isEnd) {}
        #expect(current.takeForgotten() == MemoryUsage(conversations: 1, messages: 1, peers: 0))
        current.replace(with: node { _ in })
        #expect(current.goOn())
        _ = await wiped
        // Jobs that the loop has for the earlier node are done when this is.
        await withCheckedContinuation { done in loop.execute { done.resume() } }
        #expect(old == nil)
        loop.stop()
    }

    @Test func `events of a node after its end are not taken`() async {
        let reports = ReportQueue()
        let tell = reports.entrance()
        let next = reports.entrance()
        tell([.notice(.clockSkew, "1")])
        tell([.notice(.clockSkew, "2"), .stopped(.asked)])
        tell([.notice(.clockSkew, "3")])
        next([.notice(.clockSkew, "4"), .stopped(.asked)])
        var notices: [String] = []
        var ends = 0
        while ends < 2 {
            let batch = await reports.next()
            for case .event(.notice(_, let sentence)) in batch { notices.append(sentence.text(in: .english)) }
            ends += batch.count(where: \.isEnd)
        }
        #expect(notices == ["1", "2", "4"])
        loop.stop()
    }
}
