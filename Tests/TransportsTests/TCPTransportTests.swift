import ChatNode
import Reactor
import TestSupport
import Testing
import Wire

@testable import Transports

@Suite(.timeLimit(.minutes(5))) struct TCPTransportTests {
    /// Repeats itself after a prime number of bytes, so that a piece that is lost or moved is noticed.
    private static func pattern(_ count: Int) -> [UInt8] {
        let period = (0..<65_537).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += period.prefix(count - bytes.count) }
        return bytes
    }

    @Test(arguments: Endpoint.loopbacks(0))
    func `each family that there is reaches the same port, and what is sent comes back`(loopback: Endpoint) async throws
    {
        let echo = try TCPStation { station, event in
            if case .received(let id, let bytes) = event { _ = station.transport.write(bytes.span, to: id) }
        }
        let caller = try TCPStation()
        let port = try await echo.listen()
        _ = try await caller.listen()
        #expect(port > 0)
        let id = await caller.dial(Endpoint(address: loopback.address, port: port))
        await caller.events { $0.contains(.connected(id)) }
        for text in ["one", "two", "three"] {
            let bytes = Array(text.utf8)
            let before = await caller.events.bytes(on: id).count
            #expect(await caller.write(bytes, to: id) == bytes.count)
            let events = await caller.events { $0.bytes(on: id).count == before + bytes.count }
            #expect(events.bytes(on: id).suffix(bytes.count) == bytes[...])
        }
        guard case .accepted(_, let from) = await echo.events.first else {
            Issue.record("nobody was accepted")
            return
        }
        #expect(from.address == loopback.address)
        #expect(await echo.bufferAddresses.count == 1, "the buffer is not copied between reads")
        await caller.end()
        await echo.end()
    }

    @Test func `a reader that stops makes writes partial, and goes on where it stopped`() async throws {
        let content = TCPTransportTests.pattern(24 << 20)
        let sent = Locked(0)
        let station = try TCPStation { station, event in
            switch event {
            case .accepted(let id, _), .writable(let id):
                let rest = content.span.extracting(sent.value...)
                let count = station.transport.write(rest, to: id)
                sent.change { $0 += count }
            case .connected, .received, .closed: break
            }
        }
        let reader = try TCPBareSocket(connectedTo: .ipv4Loopback(try await station.listen()))
        await station.events { !$0.accepted.isEmpty }
        #expect((1..<content.count).contains(sent.value))
        #expect(await station.events.count == 1, "not writable while nobody reads")
        #expect(reader.receive(content.count) == content)
        #expect(sent.value == content.count)
        #expect(await station.events.count > 1)
        await station.end()
    }

    @Test func `a half-close is the end, after what was sent before it`() async throws {
        let station = try TCPStation()
        let peer = try TCPBareSocket(connectedTo: .ipv4Loopback(try await station.listen()))
        peer.send([1, 2, 3])
        peer.shutWriting()
        let events = await station.events { !$0.closed.isEmpty }
        let id = try #require(events.accepted.first)
        #expect(Array(events.dropFirst()) == [.received(id, [1, 2, 3]), .closed(id, nil)])
        #expect(peer.isEnded())
        #expect(await station.write([1], to: id) == 0)
        await station.end()
    }

    @Test func `finish delivers what was written, hears nothing more, and ends when the peer closes`() async throws {
        let content = TCPTransportTests.pattern(100_000)
        let station = try TCPStation { station, event in
            guard case .accepted(let id, _) = event else { return }
            #expect(station.transport.write(content.span, to: id) == content.count)
            station.transport.finish(id)
            #expect(station.transport.write(content.span, to: id) == 0)
        }
        let peer = try TCPBareSocket(connectedTo: .ipv4Loopback(try await station.listen()))
        peer.send([9, 9, 9])
        #expect(peer.receive(content.count + 1) == content)
        #expect(await station.events.count == 1)
        peer.shutWriting()
        let events = await station.events { !$0.closed.isEmpty }
        let id = try #require(events.accepted.first)
        #expect(Array(events.dropFirst()) == [.closed(id, nil)])
        await station.end()
    }

    @Test func `finish ends by itself when the peer does not close`() async throws {
        var limits = TCPLimits()
        limits.finishTime = .milliseconds(20)
        let station = try TCPStation(limits: limits) { station, event in
            if case .accepted(let id, _) = event { station.transport.finish(id) }
        }
        let peer = try TCPBareSocket(connectedTo: .ipv4Loopback(try await station.listen()))
        await station.events { !$0.closed.isEmpty }
        #expect(peer.isEnded())
        await station.end()
    }

    @Test func `a reset is reported as one`() async throws {
        let station = try TCPStation()
        let port = try await station.listen()
        do {
            let peer = try TCPBareSocket(connectedTo: .ipv4Loopback(port))
            await station.events { !$0.accepted.isEmpty }
            peer.resetOnClose()
        }
        let events = await station.events { !$0.closed.isEmpty }
        #expect(events == [events[0], .closed(try #require(events.accepted.first), .reset)])
        await station.end()
    }

    @Test func `a write to a connection that was reset ends it, after the write has returned`() async throws {
        let station = try TCPStation()
        let peer = Locked<TCPBareSocket?>(try TCPBareSocket(connectedTo: .ipv4Loopback(try await station.listen())))
        let id = try #require(await station.events { !$0.accepted.isEmpty }.accepted.first)
        let before = await station.perform { station in
            peer.value?.resetOnClose()
            peer.change { $0 = nil }
            // 0, or 3 where the kernel is slow to report: either way no callback comes before it returns.
            _ = station.transport.write([1, 2, 3].span, to: id)
            return station.events.count
        }
        #expect(before == 1)
        let events = await station.events { !$0.closed.isEmpty }
        #expect(events.count == 2)
        #expect(events.last == .closed(id, .reset))
        await station.end()
    }

    @Test func `bytes written before the connection was up are asked for again`() async throws {
        let station = try TCPStation()
        let caller = try TCPStation()
        let port = try await station.listen()
        _ = try await caller.listen()
        let id = await caller.perform { caller in
            let id = caller.transport.dial(.ipv4Loopback(port))
            #expect(caller.transport.write([1, 2, 3].span, to: id) == 0)
            return id
        }
        let events = await caller.events { $0.count == 2 }
        #expect(events == [.connected(id), .writable(id)])
        await caller.end()
        await station.end()
    }

    @Test func `connections over the limit are turned away, and taken again when there is room`() async throws {
        var limits = TCPLimits()
        limits.connections = 2
        let station = try TCPStation(limits: limits)
        let port = try await station.listen()
        let kept = try (0..<2).map { _ in try TCPBareSocket(connectedTo: .ipv4Loopback(port)) }
        let third = try TCPBareSocket(connectedTo: .ipv4Loopback(port))
        #expect(third.isEnded())
        #expect(await station.statistics().refusedAtLimit == 1)
        kept[0].shutWriting()
        await station.events { $0.closed.count == 1 }
        let fourth = try TCPBareSocket(connectedTo: .ipv4Loopback(port))
        await station.events { $0.accepted.count == 3 }
        #expect(await station.dial(.ipv4Loopback(port)) > ConnectionID(number: 3))
        let events = await station.events { $0.closed.count == 2 }
        #expect(events.last == .closed(ConnectionID(number: 4), .system(call: "connect", errno: 24)))
        _ = (fourth, kept)
        await station.end()
    }
}

@Suite struct TCPAddressTests {
    private static let linkLocal: [UInt8] = [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1]

    @Test(arguments: [
        Endpoint(address: [192, 0, 2, 1], port: 4_000), Endpoint(address: linkLocal, port: 4_000, scope: 3),
        .ipv6Loopback(65_535), .ipv4Loopback(1),
    ])
    func `endpoints go to the system and come back`(endpoint: Endpoint) {
        #expect(SocketAddress(endpoint).endpoint == endpoint)
    }
}
