import ChatNode
import Synchronization
import Testing
import Wire

@testable import Discovery

/// One node with a discovery port, and the events that it received.
private final class Room: Sendable {
    let port: AvahiRoom
    let announcement: Announcement
    private let heard = Mutex<[DiscoveryEvent]>([])
    private let events: AsyncStream<DiscoveryEvent>
    private let continuation: AsyncStream<DiscoveryEvent>.Continuation

    init(_ discovery: SharedDiscovery, _ subtype: String) throws {
        var generator = SystemRandomNumberGenerator()
        port = try discovery.port()
        announcement = Announcement(
            instance: RandomNames.draw(using: &generator), host: RandomNames.draw(using: &generator),
            port: .random(in: 1_024...60_000, using: &generator), subtype: subtype)
        (events, continuation) = AsyncStream.makeStream()
    }

    func start() {
        port.start(announcement) { event in
            self.heard.withLock { $0.append(event) }
            self.continuation.yield(event)
        }
    }

    var all: [DiscoveryEvent] { heard.withLock { $0 } }

    /// The instances that were found so far.
    var found: Set<String> {
        Set(all.compactMap { if case .found(let instance, _, _) = $0 { instance } else { nil } })
    }

    /// Waits for an event that has not been waited for or passed over.
    func wait(for isWanted: (DiscoveryEvent) -> Bool) async -> DiscoveryEvent? {
        for await event in events where isWanted(event) { return event }
        return nil
    }

    func finds(_ other: Room) async -> Bool {
        let instance = other.announcement.instance
        return await wait { if case .found(instance, _, _) = $0 { true } else { false } } != nil
    }

    func loses(_ other: Room) async -> Bool {
        await wait { $0 == .lost(instance: other.announcement.instance) } != nil
    }

    func hearsMode() async -> DiscoveryEvent? {
        await wait { if case .mode = $0 { true } else { false } }
    }
}

private func onLoopback() -> SharedDiscovery { SharedDiscovery(policy: .embedded, interfaces: ["lo"]) }

@Suite struct SharedDiscoveryTests {
    @Test(.timeLimit(.minutes(5))) func `rooms of one process find the peers of their own room alone`() async throws {
        let (one, other) = (onLoopback(), onLoopback())
        let here = try [Room(one, "_r00000a01"), Room(one, "_r00000a02")]
        let there = try [Room(other, "_r00000a01"), Room(other, "_r00000a02")]
        for room in here + there { room.start() }
        for (near, far) in zip(here, there) {
            #expect(await near.finds(far))
            #expect(await far.finds(near))
        }
        for (near, far) in zip(here, there) {
            #expect(near.found == [far.announcement.instance])
            #expect(far.found == [near.announcement.instance])
        }
        for room in here + there { await room.port.stop() }
    }

    @Test(.timeLimit(.minutes(5))) func `two nodes of one process in one room find each other and not themselves`()
        async throws
    {
        let discovery = onLoopback()
        let (alice, bob) = (try Room(discovery, "_r00000b01"), try Room(discovery, "_r00000b01"))
        alice.start()
        bob.start()
        #expect(await alice.finds(bob))
        #expect(await bob.finds(alice))
        #expect(alice.found == [bob.announcement.instance])
        #expect(bob.found == [alice.announcement.instance])
        await bob.port.stop()
        #expect(await alice.loses(bob))
        await alice.port.stop()
    }

    @Test(.timeLimit(.minutes(5)))
    func `a room that ends is lost by its peers while another goes on and a third begins`()
        async throws
    {
        let (one, other) = (onLoopback(), onLoopback())
        let (stays, ends) = (try Room(one, "_r00000c01"), try Room(one, "_r00000c02"))
        let (seesFirst, seesSecond) = (try Room(other, "_r00000c01"), try Room(other, "_r00000c02"))
        for room in [stays, ends, seesFirst, seesSecond] { room.start() }
        #expect(await seesFirst.finds(stays))
        #expect(await seesSecond.finds(ends))
        await ends.port.stop()
        #expect(await seesSecond.loses(ends))
        let later = try Room(one, "_r00000c02")
        later.start()
        #expect(await later.hearsMode() == .mode(.embedded, detail: "this program answers and asks mDNS itself"))
        #expect(await seesSecond.finds(later))
        #expect(await later.finds(seesSecond))
        #expect(!seesFirst.all.contains(.lost(instance: stays.announcement.instance)))
        for room in [stays, later, seesFirst, seesSecond] { await room.port.stop() }
    }

    @Test(.timeLimit(.minutes(5))) func `a renamed room is found under its new name and the other one stays`()
        async throws
    {
        let (one, other) = (onLoopback(), onLoopback())
        let (stays, changes) = (try Room(one, "_r00000d01"), try Room(one, "_r00000d02"))
        let (seesFirst, seesSecond) = (try Room(other, "_r00000d01"), try Room(other, "_r00000d02"))
        for room in [stays, changes, seesFirst, seesSecond] { room.start() }
        #expect(await seesFirst.finds(stays))
        #expect(await seesSecond.finds(changes))
        let renamed = try Room(one, "_r00000d02")
        changes.port.announce(renamed.announcement)
        #expect(await seesSecond.finds(renamed))
        #expect(await seesSecond.loses(changes))
        #expect(seesFirst.found == [stays.announcement.instance])
        #expect(!seesFirst.all.contains(.lost(instance: stays.announcement.instance)))
        for room in [stays, changes, renamed, seesFirst, seesSecond] { await room.port.stop() }
    }

    @Test(.timeLimit(.minutes(5))) func `each room receives the mode, and one of them that no interface can be used`()
        async throws
    {
        let discovery = SharedDiscovery(policy: .embedded, interfaces: ["no-such-card"])
        let rooms = try (0..<8).map { try Room(discovery, "_r00000e0\($0)") }
        for room in rooms { room.start() }
        for room in rooms { #expect(await room.hearsMode() != nil) }
        let warned = rooms.map { room in
            room.all.count { if case .warning = $0 { true } else { false } }
        }
        #expect(warned.sorted() == [0, 0, 0, 0, 0, 0, 0, 1])
        for room in rooms { await room.port.stop() }
    }

    @Test(.timeLimit(.minutes(5))) func `after the last room has ended a later one runs it anew`() async throws {
        let (one, other) = (onLoopback(), onLoopback())
        let (first, watcher) = (try Room(one, "_r00000f01"), try Room(other, "_r00000f01"))
        first.start()
        watcher.start()
        #expect(await watcher.finds(first))
        await first.port.stop()
        #expect(await watcher.loses(first))
        let second = try Room(one, "_r00000f01")
        second.start()
        #expect(await watcher.finds(second))
        #expect(await second.finds(watcher))
        await second.port.stop()
        await watcher.port.stop()
    }

    @Test(.timeLimit(.minutes(5))) func `a port that is dropped without an end leaves all the same`() async throws {
        let discovery = try AvahiDiscovery(policy: .embedded, interfaces: ["lo"])
        let (unstarted, running) = (try #require(discovery.claim()), try #require(discovery.claim()))
        do {
            let port = AvahiRoom(running, of: discovery)
            port.start(Announcement(instance: "i", host: "h", port: 1, subtype: "_r00000aa1")) { _ in }
            _ = AvahiRoom(unstarted, of: discovery)
        }
        // The time limit ends the test if it does not come.
        while !discovery.claims.withLock({ $0.isEnded }) { await Task.yield() }
        #expect(discovery.claim() == nil)
    }
}
