import CAvahi
import CAvahiCore
import CLinux
import ChatNode
import Glibc
import Reactor
import Testing
import Wire

@testable import Transports

/// The open descriptors of this process, but for the one that looks.
private func openDescriptors() -> Int {
    guard let directory = unsafe opendir("/proc/self/fd") else { return -1 }
    defer { unsafe closedir(directory) }
    var count = 0
    while unsafe readdir(directory) != nil { count += 1 }
    return count - 3
}

/// Lets this process have no descriptor with a number of `limit` or more; the system's own bound stays.
///
/// - Returns: the bound.
@discardableResult
private func limitDescriptors(to limit: Int) throws -> Int {
    var bound = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &bound)
    bound.rlim_cur = min(rlim_t(limit), bound.rlim_max)
    let result = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &bound)
    try SystemError.check("setrlimit", result)
    return Int(bound.rlim_cur)
}

/// Each in a process of its own, whose descriptors are its alone.
///
/// The time limit ends a deadlock: on a busy machine a test may take minutes.
@Suite(.timeLimit(.minutes(20))) struct TCPDescriptorTests {
    @Test func `many connections that close at once leave no descriptor behind`() async {
        await #expect(processExitsWith: .success) {
            let limit = try limitDescriptors(to: 4_000)
            let server = try TCPStation()
            // No dial times out, however slow the machine is.
            let client = try TCPStation(limits: TCPLimits(dialTime: .seconds(3_600)))
            let port = try await server.listen()
            _ = try await client.listen()
            let before = openDescriptors()
            // A connection has a descriptor at each end; systems that permit 1,024 are in use.
            let wave = min(1_000, (limit - 100) / 2)
            let endpoints = Endpoint.loopbacks(port)
            for number in 0..<wave { _ = await client.dial(endpoints[number % endpoints.count]) }
            let ids = await client.events { $0.count == wave }.compactMap { event in
                if case .connected(let id) = event { id } else { nil }
            }
            await server.events { $0.accepted.count == wave }
            #expect(ids.count == wave)
            #expect(openDescriptors() == before + 2 * wave)
            await client.perform { client in
                for id in ids { client.transport.close(id) }
            }
            await server.events { $0.closed.count == wave }
            // The last one told of is closed already: its turn is over when this one runs.
            await server.perform { _ in }
            #expect(openDescriptors() == before)
            await client.end()
            await server.end()
        }
    }

    @Test func `a connection that can not be watched is refused and closed`() async {
        await #expect(processExitsWith: .success) {
            let station = try TCPStation()
            _ = try await station.listen()
            let before = openDescriptors()
            await station.perform { station in
                // A regular file in the place of a socket: epoll refuses it as it does a socket for want of memory.
                let file = Descriptor(owning: unsafe open("/proc/self/exe", O_RDONLY | O_CLOEXEC))
                station.transport.accepted(file, from: .ipv4Loopback(9))
            }
            #expect(await station.events.isEmpty)
            #expect(await station.statistics().refusedWithoutDescriptor == 1)
            #expect(openDescriptors() == before)
            await station.end()
        }
    }

    @Test func `without descriptors callers are turned away, the loop does not spin, and it recovers`() async {
        await #expect(processExitsWith: .success) {
            let station = try TCPStation()
            let endpoint = Endpoint.ipv4Loopback(try await station.listen())
            let callers = try (0..<20).map { _ in try TCPBareSocket() }
            let late = try TCPBareSocket()
            try limitDescriptors(to: openDescriptors() + 8)
            var fillers: [CInt] = []
            while true {
                let filler = dup(0)
                if filler < 0 { break }
                fillers.append(filler)
            }
            for _ in 0..<2 { if let filler = fillers.popLast() { close(filler) } }
            let turns = station.loop.turns
            for caller in callers { try caller.connect(to: endpoint) }
            for caller in callers[2...] { #expect(caller.isEnded()) }
            #expect(await station.events.accepted.count == 2)
            let statistics = await station.statistics()
            #expect(statistics.refusedWithoutDescriptor == 18)
            #expect(statistics.acceptPauses == 0)
            #expect(station.loop.turns - turns < 100)
            for filler in fillers { close(filler) }
            try late.connect(to: endpoint)
            await station.events { $0.accepted.count == 3 }
            await station.end()
        }
    }

    @Test func `without even the spare descriptor accepting rests, and goes on by itself`() async {
        await #expect(processExitsWith: .success) {
            let station = try TCPStation()
            // The limit is below everything that is open, so that the spare, once given up, does not come back.
            let caller = try TCPBareSocket()
            let second = try TCPBareSocket()
            let endpoint = Endpoint.ipv4Loopback(try await station.listen())
            try limitDescriptors(to: 3)
            try caller.connect(to: endpoint)
            try second.connect(to: endpoint)
            let (turns, pauses) = await withCheckedContinuation { continuation in
                let loop = station.loop
                loop.execute {
                    let before = loop.turns
                    loop.schedule(at: loop.now + .milliseconds(250)) {
                        let pauses = station.assumeIsolated { $0.transport.statistics.acceptPauses }
                        continuation.resume(returning: (loop.turns - before, pauses))
                    }
                }
            }
            #expect((2...3).contains(pauses))
            #expect(turns < 20)
            try limitDescriptors(to: 100)
            await station.events { $0.accepted.count == 2 }
            await station.end()
        }
    }

    @Test func `interfaces in use stay so while there is no descriptor to ask for their addresses`() async {
        await #expect(processExitsWith: .success) {
            var filter = InterfaceFilter(names: ["lo"])
            var late = InterfaceFilter(names: ["lo"])
            let local = Endpoint.ipv4Loopback(0)
            let start = Instant.monotonic
            let atFirst = filter.allows(local, now: start)
            try limitDescriptors(to: 3)
            let without = filter.allows(local, now: start + .seconds(2))
            // Of what was never asked about nothing is known, and it is asked about again.
            let lateWithout = late.allows(local, now: start)
            try limitDescriptors(to: 100)
            let lateWith = late.allows(local, now: start + .seconds(1))
            #expect([atFirst, without, lateWithout, lateWith] == [true, true, false, true])
        }
    }
}
