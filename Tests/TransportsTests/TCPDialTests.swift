import ChatNode
import Glibc
import Reactor
import Testing
import Transports
import Wire

@Suite(.timeLimit(.minutes(5))) struct TCPDialTests {
    /// A port without a listener: one that was just given back.
    private func freePort() throws -> UInt16 { try TCPBareSocket().listen(backlog: 1).port }

    @Test func `a refused dial is reported after dial has returned`() async throws {
        let station = try TCPStation()
        _ = try await station.listen()
        let endpoint = Endpoint.ipv4Loopback(try freePort())
        let (id, told) = await station.perform { station in
            (station.transport.dial(endpoint), station.events.count)
        }
        #expect(told == 0)
        #expect(await station.events { !$0.isEmpty } == [.closed(id, .refused)])
        await station.end()
    }

    @Test func `an address that can not be dialled is reported by the callback too`() async throws {
        let station = try TCPStation()
        _ = try await station.listen()
        // Link-local without an interface: the system refuses at once.
        let endpoint = Endpoint(address: [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1], port: 9)
        let (id, told) = await station.perform { station in
            (station.transport.dial(endpoint), station.events.count)
        }
        #expect(told == 0)
        #expect(await station.events { !$0.isEmpty } == [.closed(id, .system(call: "connect", errno: EINVAL))])
        await station.end()
    }

    @Test func `a dial without an answer is given up`() async throws {
        var limits = TCPLimits()
        limits.dialTime = .milliseconds(30)
        let station = try TCPStation(limits: limits)
        _ = try await station.listen()
        let deaf = try TCPBareSocket()
        // With its queue full the kernel leaves further calls unanswered.
        let endpoint = try deaf.listen(backlog: 0)
        let filler = try TCPBareSocket(connectedTo: endpoint)
        let id = await station.dial(endpoint)
        #expect(await station.events { !$0.isEmpty } == [.closed(id, .timedOut)])
        _ = (filler, deaf)
        await station.end()
    }

    @Test func `a dial that is closed is never told`() async throws {
        let station = try TCPStation()
        _ = try await station.listen()
        let refusing = Endpoint.ipv4Loopback(try freePort())
        let second = await station.perform { station in
            station.transport.close(station.transport.dial(refusing))
            return station.transport.dial(refusing)
        }
        #expect(await station.events { !$0.isEmpty } == [.closed(second, .refused)])
        await station.end()
    }

    @Test func `a finished dial is reported as closed`() async throws {
        let station = try TCPStation()
        let port = try await station.listen()
        let id = await station.perform { station in
            let id = station.transport.dial(.ipv4Loopback(port))
            station.transport.finish(id)
            return id
        }
        let events = await station.events { $0.closed.contains(id) }
        #expect(events.contains(.closed(id, nil)))
        #expect(!events.contains(.connected(id)))
        await station.end()
    }

    @Test(arguments: [("lo", true), ("nosuch0", false)])
    func `only addresses of the named interfaces are used`(interface: String, isAllowed: Bool) async throws {
        let anyone = try TCPStation()
        let choosy = try TCPStation(interfaces: [interface])
        let anyonesPort = try await anyone.listen()
        let choosysPort = try await choosy.listen()
        let outgoing = await choosy.dial(.ipv4Loopback(anyonesPort))
        let events = await choosy.events { !$0.isEmpty }
        #expect(events == [isAllowed ? .connected(outgoing) : .closed(outgoing, .unreachable)])
        let incoming = try TCPBareSocket(connectedTo: .ipv4Loopback(choosysPort))
        if isAllowed {
            await choosy.events { !$0.accepted.isEmpty }
        } else {
            #expect(incoming.isEnded())
            #expect(await choosy.events.accepted.isEmpty)
        }
        #expect(await choosy.statistics().refusedByInterface == (isAllowed ? 0 : 2))
        await choosy.end()
        await anyone.end()
    }

    @Test func `a port that is taken is an error, and listening again elsewhere works`() async throws {
        let first = try TCPStation()
        let second = try TCPStation()
        let port = try await first.listen()
        await #expect(throws: TransportError.system(call: "bind", errno: EADDRINUSE)) {
            _ = try await second.listen(port: port)
        }
        #expect(try await second.listen() != port)
        await first.perform { $0.transport.stopListening() }
        #expect(try await second.listen(port: port) == port)
        await first.end()
        await second.end()
    }
}
