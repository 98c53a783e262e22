import Chat
import ChatNode
import Noise
import Simulator
import Synchronization
import Testing
import Wire

@testable import Commands

/// When the rooms of one process enter the network and leave it, in virtual time.
@Suite struct RoomTimesTests {
    private let simulation = Simulation(seed: 1)
    private let rooms: Program
    private let doors: [Door]

    /// The way of a node to the network, which keeps the times of its use.
    private final class Door: PeerDiscovery {
        private let timeline: Timeline
        private let times = Mutex<(entry: Instant?, end: Instant?)>((nil, nil))

        init(_ timeline: Timeline) { self.timeline = timeline }

        var entry: Instant? { times.withLock { $0.entry } }
        var end: Instant? { times.withLock { $0.end } }

        func start(_ announcement: Announcement, tell: @escaping @Sendable (DiscoveryEvent) -> Void) {
            times.withLock { $0.entry = timeline.now }
        }

        func announce(_ announcement: Announcement) {}

        func stop() async { times.withLock { $0.end = timeline.now } }
    }

    init() throws {
        let (timeline, network) = (simulation.timeline, simulation.network)
        rooms = Program(on: SimulatedScheduler(timeline: timeline))
        doors = (0..<Limits.rooms).map { _ in Door(timeline) }
        for door in doors {
            try run { rooms in
                var randomness = Randomness.system
                let node = Node(
                    configuration: NodeConfiguration(), identity: Identity.generate(using: &randomness),
                    randomness: randomness, scheduler: rooms.scheduler,
                    transport: InMemoryTransport(network: network, host: network.addHost()), discoveries: [door],
                    deliver: { _ in })
                rooms.add(try rooms.reserve("room"), node)
            }
        }
        for place in doors.indices { try run { try $0.start(at: place) } }
    }

    private func run(_ body: @Sendable (isolated Program) throws -> Void) throws {
        try simulation.timeline.perform { try rooms.assumeIsolated { try body($0) } }
    }

    /// The calls that have returned.
    private final class Ended: Sendable {
        let count = Mutex(0)
    }

    private func times(_ time: (Door) -> Instant?) -> [Duration] {
        doors.compactMap { time($0).map { $0 - Instant(nanoseconds: 0) } }
    }

    /// Fifteen even draws lie within a fifth of their range once in three billion cases.
    private func areSpread(_ times: some Collection<Duration>, over range: Duration) -> Bool {
        guard let first = times.min(), let last = times.max() else { return false }
        return first >= .zero && last <= range && last - first > range / 5
    }

    @Test
    func `the first room of a start is entered at once, and each other one at a time of its own up to 10 s later`() {
        #expect(times(\.entry) == [.zero])
        simulation.advance(by: .seconds(10))
        let entries = times(\.entry)
        #expect(entries.count == doors.count)
        #expect(areSpread(entries.dropFirst(), over: .seconds(10)), "\(entries)")
    }

    @Test func `one room is left at once, and each other one at a time of its own within a second`() throws {
        simulation.advance(by: .seconds(10))
        try run { $0.beginLeaving() }
        #expect(times(\.end) == [.seconds(10)])
        simulation.advance(by: .seconds(1))
        let ends = times(\.end).map { $0 - .seconds(10) }
        #expect(ends.count == doors.count)
        #expect(areSpread(ends.dropFirst(), over: .milliseconds(800)), "\(ends)")
    }

    @Test(.timeLimit(.minutes(5)))
    func `a caller that waits for the end waits for all rooms, and a second one makes none later`() async throws {
        simulation.advance(by: .seconds(10))
        let (rooms, ended) = (rooms, Ended())
        try run { program in
            for _ in 0..<2 {
                program.scheduler.begin { _ in
                    await rooms.leave()
                    ended.count.withLock { $0 += 1 }
                }
            }
        }
        #expect(ended.count.withLock { $0 } == 0)
        simulation.advance(by: .milliseconds(900))
        #expect(times(\.end).count == doors.count)
        // The tasks go on in true time, on a thread of their own at first.
        while ended.count.withLock({ $0 < 2 }) {
            await Task.yield()
            simulation.timeline.perform {}
        }
    }

    @Test func `a wipe leaves all rooms at once`() throws {
        simulation.advance(by: .seconds(10))
        let rooms = rooms
        try run { program in program.scheduler.begin { _ in _ = await rooms.wipe() } }
        #expect(times(\.end).count == doors.count)
    }
}
