import Chat
import ChatNode
import Discovery
import Noise
import Reactor
import Storage
import TestSupport
import Testing
import Transports
import Wire

@testable import Commands
@testable import earshot

/// Commands whose answer waits for the disk, while the node does not.
@Suite(.timeLimit(.minutes(5))) struct StorageDelayTests {
    private let scratch: StorageScratch

    init() throws { scratch = try StorageScratch() }

    private func node(
        _ identity: consuming sending Identity, besides port: UInt16, on loop: EventLoop,
        deliver: @escaping @Sendable ([NodeEvent]) -> Void
    ) throws -> Node {
        let neighbour = try #require(PeerAddress("127.0.0.1:\(port)"))
        return Node(
            configuration: NodeConfiguration(), identity: identity, randomness: .system, scheduler: loop,
            transport: TCPTransport(loop: loop), discoveries: [try StaticDiscovery(peers: [neighbour])],
            deliver: deliver)
    }

    @Test(arguments: ["/block bob", "/verify bob ok", "/nick ally"])
    func `a write of 2 s delays no message`(line: String) async throws {
        let world = TCPWorld()
        let bob = try await world.person("bob", besides: nil)
        let disk = try Gate()
        _ = try StoredIdentity.create(scratch("me"), phrase: nil)
        let opened = try StoredIdentity.open(scratch("me"), locking: true).unlock(with: nil, willWrite: disk.hold)
        let files = opened.files
        let writer = try StateWriter(files) { _ in }
        let loop = try EventLoop(name: "alice")
        try loop.start()
        let rooms = Program(on: loop)
        let (told, news) = (Told(), News())
        let node = try self.node(opened.takeIdentity(), besides: try #require(bob.port), on: loop) { batch in
            told.append(batch)
            news.tell()
        }
        await rooms.add(.lobby, node)
        try await rooms.run { try $0.all[0].node.start() }
        #expect(await news.wait(atMost: .seconds(20)) { told.hasSeen(bob) })
        let executor = CommandExecutor(
            rooms: rooms, departure: Departure(), store: { change, _ in KeptState.submit(change, to: writer) },
            begin: { _, label, _ in .known(label) }, keepsMarks: { _ in files.isInUse }
        ) { [] }
        let (command, answers) = (try Command(line: line), Locked<[RoomReport]>([]))
        async let outcome = executor.obey(command, isPaced: false) { report in answers.change { $0.append(report) } }
        await disk.holds()
        try await rooms.run { try $0.all[0].node.perform(.send("while the disk is busy")) }
        #expect(await news.wait(atMost: .seconds(20)) { told.messages.count == 1 })
        #expect(answers.value.isEmpty)
        #expect(!disk.hasTimedOut)
        disk.open()
        #expect(await outcome == .done)
        #expect(answers.value.count == 1)
        let stored = try StoredIdentity.open(scratch("me"), locking: false).unlock(with: nil).files.state
        #expect(stored.nickname == "ally" || stored.verified + stored.blocked == [bob.key])
        await rooms.leave()
        await writer.end()
        loop.stop()
        await world.close()
    }
}
