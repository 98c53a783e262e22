import Phrases
import Chat
import ChatNode
import Noise
import Reactor
import Synchronization
import TestSupport
import Testing
import Transports

@testable import Commands

/// The remains of a node once it is wiped.
@Suite(.timeLimit(.minutes(5))) struct ProgramWipeTests {
    private let loop: EventLoop
    private let rooms: Program

    init() throws {
        loop = try EventLoop(name: "wipe")
        try loop.start()
        rooms = Program(on: loop)
    }

    /// Knows a node without keeping it. Unchecked, because it is used on the loop alone.
    private final class Witness: @unchecked Sendable {
        weak var node: Node?
    }

    private func node(_ deliver: @escaping ([NodeEvent]) -> Void) -> Node {
        var randomness = Randomness.system
        let identity = Identity.generate(using: &randomness)
        return Node(
            configuration: NodeConfiguration(), identity: identity, randomness: randomness, scheduler: loop,
            transport: TCPTransport(loop: loop, interfaces: ["lo"]), discoveries: [], deliver: deliver)
    }

    @Test func `a wiped node is let go of, with its keys and all that it heard`() async throws {
        let reports = ReportQueue()
        let old = Witness()
        try await rooms.run { rooms in
            for name in ["lobby", "kitchen"] {
                let label = try rooms.reserve(name)
                rooms.add(label, node(rooms.entrance(of: label, to: reports)))
            }
            old.node = rooms.open?.node
            #expect(old.node != nil)
            for room in rooms.all { try room.node.start() }
            try rooms.all[0].node.perform(.send("hello"))
        }
        async let wiped = rooms.wipe()
        while await !rooms.isEmpty {
            for report in await reports.next() where report.isEnd { await rooms.remove(report.room) }
        }
        #expect(await rooms.takeForgotten() == MemoryUsage(conversations: 2, messages: 1, peers: 0))
        await rooms.add(try await rooms.reserve("lobby"), node { _ in })
        #expect(await rooms.goOn())
        _ = await wiped
        // Jobs that the loop has for the earlier node are done when this is.
        await withCheckedContinuation { done in loop.execute { done.resume() } }
        #expect(await rooms.run { _ in old.node == nil })
        loop.stop()
    }

    @Test func `events of a node after its end are not taken`() async {
        let reports = ReportQueue()
        await rooms.run { rooms in
            let tell = rooms.entrance(of: .lobby, to: reports)
            let next = rooms.entrance(of: RoomLabel(number: 2, name: "lobby"), to: reports)
            tell([.notice(.clockSkew, "1")])
            tell([.notice(.clockSkew, "2"), .stopped(.asked)])
            tell([.notice(.clockSkew, "3")])
            next([.notice(.clockSkew, "4"), .stopped(.asked)])
        }
        var notices: [String] = []
        var ends = 0
        while ends < 2 {
            let batch = await reports.next()
            for case .event(.notice(_, let sentence)) in batch.map(\.report) {
                notices.append(sentence.text(in: .english))
            }
            ends += batch.count(where: \.isEnd)
        }
        #expect(notices == ["1", "2", "4"])
        loop.stop()
    }
}
