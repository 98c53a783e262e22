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
        try loop.start()
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
        let rooms = Rooms()
        let labels = try ["lobby", "kitchen"].map { name in try rooms.reserve(name) }
        for label in labels { rooms.add(label, node(reports.entrance(of: label, in: rooms))) }
        weak let old = rooms.open?.node
        for room in rooms.all { try await room.node.start() }
        try await rooms.all[0].node.perform(.send("hello"))
        async let wiped = rooms.wipe()
        while !rooms.isEmpty { for report in await reports.next() where report.isEnd { rooms.remove(report.room) } }
        #expect(rooms.takeForgotten() == MemoryUsage(conversations: 2, messages: 1, peers: 0))
        rooms.add(try rooms.reserve("lobby"), node { _ in })
        #expect(rooms.goOn())
        _ = await wiped
        // Jobs that the loop has for the earlier node are done when this is.
        await withCheckedContinuation { done in loop.execute { done.resume() } }
        #expect(old == nil)
        loop.stop()
    }

    @Test func `events of a node after its end are not taken`() async {
        let reports = ReportQueue()
        let tell = reports.entrance(of: .lobby, in: Rooms())
        let next = reports.entrance(of: RoomLabel(number: 2, name: "lobby"), in: Rooms())
        tell([.notice(.clockSkew, "1")])
        tell([.notice(.clockSkew, "2"), .stopped(.asked)])
        tell([.notice(.clockSkew, "3")])
        next([.notice(.clockSkew, "4"), .stopped(.asked)])
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
