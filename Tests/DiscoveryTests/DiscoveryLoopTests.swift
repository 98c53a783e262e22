import CAvahi
import CAvahiCore
import CLinux
import ChatNode
import Glibc
import Reactor
import Synchronization
import Testing
import Wire

@testable import Discovery

/// The calls of C callbacks, kept for a test. The callbacks find it by their userdata.
private final class Journal: Sendable {
    private let words = Mutex<[String]>([])

    func write(_ word: String) { words.withLock { $0.append(word) } }

    var all: [String] { words.withLock { $0 } }
    var userdata: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    /// At its end a timeout reports, and frees itself.
    static func end(_ word: String, _ timeout: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?) {
        unsafe AvahiPollTable.make().timeout_free(timeout)
        unsafe write(word, to: userdata)
    }

    /// A watch does so too.
    static func end(watch: OpaquePointer?, _ word: String, _ userdata: UnsafeMutableRawPointer?) {
        unsafe AvahiPollTable.make().watch_free(watch)
        unsafe write(word, to: userdata)
    }

    private static func write(_ word: String, to userdata: UnsafeMutableRawPointer?) {
        guard let userdata = unsafe userdata else { return }
        unsafe Unmanaged<Journal>.fromOpaque(userdata).takeUnretainedValue().write(word)
    }
}

/// Runs an event loop on this thread, with `body` on it, until the journal has `count` words; 5 s at most.
private func run(
    _ journal: Journal, until count: Int, _ body: @escaping @Sendable (AvahiLoop) -> Void
) throws -> [String] {
    let loop = try EventLoop(name: "test")
    loop.execute {
        let avahi = AvahiLoop(loop: loop)
        body(avahi)
        let end = loop.now + .seconds(5)
        func check() {
            guard journal.all.count < count, loop.now < end else {
                avahi.close()
                return loop.stop()
            }
            loop.schedule(at: loop.now + .milliseconds(1)) { check() }
        }
        check()
    }
    loop.run()
    return journal.all
}

private func soon(_ milliseconds: Int) -> timeval {
    var time = timeval()
    unsafe gettimeofday(&time, nil)
    let sum = time.tv_usec + milliseconds * 1_000
    return timeval(tv_sec: time.tv_sec + sum / 1_000_000, tv_usec: sum % 1_000_000)
}

@Suite struct AvahiLoopTests {
    @Test func `timeouts come in order, at once for zero, and free themselves`() throws {
        let journal = Journal()
        let words = try run(journal, until: 3) { avahi in
            let (poll, data) = unsafe (avahi.poll, journal.userdata)
            var late = soon(40)
            var early = soon(20)
            var now = timeval()
            _ = unsafe poll.pointee.timeout_new(poll, &late, { unsafe Journal.end("late", $0, $1) }, data)
            _ = unsafe poll.pointee.timeout_new(poll, &early, { unsafe Journal.end("early", $0, $1) }, data)
            _ = unsafe poll.pointee.timeout_new(poll, &now, { unsafe Journal.end("now", $0, $1) }, data)
        }
        #expect(words == ["now", "early", "late"])
    }

    @Test func `a timeout may be moved, switched on, and freed before its time`() throws {
        let journal = Journal()
        let words = try run(journal, until: 3) { avahi in
            let (poll, data) = unsafe (avahi.poll, journal.userdata)
            // Far enough apart for a machine that is busy.
            var first = soon(5)
            var second = soon(900)
            var third = soon(450)
            let moved = unsafe poll.pointee.timeout_new(poll, &first, { unsafe Journal.end("moved", $0, $1) }, data)
            unsafe poll.pointee.timeout_update(moved, &second)
            let freed = unsafe poll.pointee.timeout_new(poll, &first, { unsafe Journal.end("freed", $0, $1) }, data)
            unsafe poll.pointee.timeout_free(freed)
            _ = unsafe poll.pointee.timeout_new(poll, &third, { unsafe Journal.end("other", $0, $1) }, data)
            let off = unsafe poll.pointee.timeout_new(poll, nil, { unsafe Journal.end("on", $0, $1) }, data)
            unsafe poll.pointee.timeout_update(off, &first)
        }
        #expect(words == ["on", "other", "moved"])
    }

    @Test func `two watches share a descriptor, and libdbus's own flag for writing is understood`() throws {
        let journal = Journal()
        var ends: [CInt] = [0, 0]
        #expect(unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let near = ends[0]
        let far = ends[1]
        defer {
            close(near)
            close(far)
        }
        var byte: UInt8 = 1
        #expect(unsafe write(far, &byte, 1) == 1)
        let words = try run(journal, until: 2) { avahi in
            let (poll, data) = unsafe (avahi.poll, journal.userdata)
            let end: AvahiWatchCallback = { watch, _, event, data in
                unsafe Journal.end(watch: watch, "\(event.rawValue)", data)
            }
            _ = unsafe poll.pointee.watch_new(poll, near, AvahiWatchEvent(1), end, data)
            let second = unsafe poll.pointee.watch_new(poll, near, AvahiWatchEvent(0), end, data)
            unsafe poll.pointee.watch_update(second, AvahiWatchEvent(2))
        }
        // POLLIN, and POLLOUT.
        #expect(words.sorted() == ["1", "4"])
    }
}

@Suite struct LoopbackDiscoveryTests {
    /// Collects events and lets a test wait for one.
    private final class Listener: Sendable {
        let events: AsyncStream<DiscoveryEvent>
        private let continuation: AsyncStream<DiscoveryEvent>.Continuation

        init() { (events, continuation) = AsyncStream.makeStream() }

        func tell(_ event: DiscoveryEvent) { continuation.yield(event) }

        func wait(for isWanted: (DiscoveryEvent) -> Bool) async -> DiscoveryEvent? {
            for await event in events where isWanted(event) { return event }
            return nil
        }
    }

    private func announcement(port: UInt16) -> Announcement {
        var generator = SystemRandomNumberGenerator()
        return Announcement(
            instance: RandomNames.draw(using: &generator), host: RandomNames.draw(using: &generator), port: port,
            subtype: "_r0000cafe")
    }

    @Test(.timeLimit(.minutes(5)))
    func `two embedded nodes on loopback find each other, and the one that leaves is lost`()
        async throws
    {
        let alice = try SharedDiscovery(policy: .embedded, interfaces: ["lo"]).port()
        let bob = try SharedDiscovery(policy: .embedded, interfaces: ["lo"]).port()
        let (aliceHears, bobHears) = (Listener(), Listener())
        let (alices, bobs) = (announcement(port: 1_001), announcement(port: 1_002))
        alice.start(alices) { aliceHears.tell($0) }
        bob.start(bobs) { bobHears.tell($0) }
        let atBob = DiscoveryEvent.found(
            instance: bobs.instance, endpoint: Endpoint(address: [127, 0, 0, 1], port: 1_002), weight: 1)
        let atAlice = DiscoveryEvent.found(
            instance: alices.instance, endpoint: Endpoint(address: [127, 0, 0, 1], port: 1_001), weight: 1)
        #expect(await aliceHears.wait { $0 == atBob } != nil)
        #expect(await bobHears.wait { $0 == atAlice } != nil)
        await bob.stop()
        #expect(await aliceHears.wait { $0 == .lost(instance: bobs.instance) } != nil)
        await alice.stop()
    }

    @Test(.timeLimit(.minutes(5))) func `a replaced announcement is found under its new names, and the old one lost`()
        async throws
    {
        let alice = try SharedDiscovery(policy: .embedded, interfaces: ["lo"]).port()
        let bob = try SharedDiscovery(policy: .embedded, interfaces: ["lo"]).port()
        let (first, second) = (announcement(port: 1_003), announcement(port: 1_004))
        let listener = Listener()
        alice.start(announcement(port: 1_005)) { listener.tell($0) }
        bob.start(first) { _ in }
        _ = await listener.wait { if case .found(first.instance, _, _) = $0 { true } else { false } }
        bob.announce(second)
        _ = await listener.wait { if case .found(second.instance, _, _) = $0 { true } else { false } }
        #expect(await listener.wait { $0 == .lost(instance: first.instance) } != nil)
        await alice.stop()
        await bob.stop()
    }

    @Test(.timeLimit(.minutes(5))) func `a named peer is reported by its name, with its addresses`() async throws {
        let peer = try #require(PeerAddress("127.0.0.1:4000"))
        let discovery = try StaticDiscovery(peers: [peer])
        let listener = Listener()
        discovery.start(announcement(port: 1)) { listener.tell($0) }
        let wanted = DiscoveryEvent.found(
            instance: "127.0.0.1:4000", endpoint: Endpoint(address: [127, 0, 0, 1], port: 4_000), weight: 1)
        #expect(await listener.wait { _ in true } == wanted)
        await discovery.stop()
    }

    @Test(.timeLimit(.minutes(5))) func `stopping twice, or before the start, returns`() async throws {
        let never = try SharedDiscovery(policy: .embedded, interfaces: ["lo"]).port()
        await never.stop()
        let once = try SharedDiscovery(policy: .embedded, interfaces: ["lo"]).port()
        once.start(announcement(port: 1)) { _ in }
        await once.stop()
        await once.stop()
    }
}
