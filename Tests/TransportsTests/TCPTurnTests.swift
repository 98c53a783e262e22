import ChatNode
import Glibc
import Reactor
import Testing
import Transports
import Wire

/// Several connections have events in one turn.
@Suite(.timeLimit(.minutes(5))) struct TCPTurnTests {
    private typealias Peers = [TCPBareSocket]

    private func connect(_ count: Int, to station: TCPStation) async throws -> Peers {
        let port = try await station.listen()
        var peers: Peers = []
        for number in 1...count {
            peers.append(try TCPBareSocket(connectedTo: .ipv4Loopback(port)))
            await station.events { $0.accepted.count == number }
        }
        return peers
    }

    @Test(arguments: [false, true])
    func `a connection that is closed is not told any more, not even in the same turn`(closesAll: Bool) async throws {
        let station = try TCPStation { station, event in
            guard closesAll, case .received = event else { return }
            for id in station.events.accepted { station.transport.close(id) }
        }
        let peers = try await connect(3, to: station)
        // Sent by the loop itself, so that all of it is there when it looks.
        await station.perform { _ in
            for peer in peers { peer.send([1]) }
        }
        if closesAll {
            for peer in peers { #expect(peer.isEnded()) }
            #expect(await station.events.count == 4)
        } else {
            await station.events { $0.count == 6 }
        }
        await station.end()
    }

    @Test func `a flood on one connection does not hold up another`() async throws {
        let station = try TCPStation()
        let peers = try await connect(2, to: station)
        let flood = await station.perform { _ in
            let sent = peers[0].send([UInt8](repeating: 7, count: 32 << 20), waits: false)
            peers[1].send([1])
            return sent
        }
        try #require(flood > 3 * TCPTransport.readSize)
        let ids = await station.events.accepted
        let events = await station.events { $0.bytes(on: ids[0]).count == flood }
        let place = try #require(events.firstIndex(of: .received(ids[1], [1])))
        #expect(events[..<place].bytes(on: ids[0]).count <= TCPTransport.readSize)
        await station.end()
    }

    @Test func `a connection that ends with bytes on the way reports them in order`() async throws {
        let station = try TCPStation()
        let peers = try await connect(1, to: station)
        let sent = await station.perform { _ in
            let sent = peers[0].send([UInt8](repeating: 7, count: 300_000), waits: false)
            peers[0].shutWriting()
            return sent
        }
        let events = await station.events { !$0.closed.isEmpty }
        let id = try #require(events.accepted.first)
        #expect(events.bytes(on: id).count == sent)
        #expect(events.last == .closed(id, nil))
        await station.end()
    }

    @Test func `shutting down closes everything without a word`() async throws {
        let station = try TCPStation()
        let peers = try await connect(3, to: station)
        let port = try await station.listen()
        // Other tests start programs meanwhile, which hold for a moment what this process has open.
        let copies = TCPBareSocket.copiesOfListeners(on: port)
        defer { for copy in copies { close(copy) } }
        #expect(!copies.isEmpty)
        await station.perform { $0.transport.shutDown() }
        for peer in peers { #expect(peer.isEnded()) }
        #expect(throws: SystemError(call: "connect", errno: 111)) {
            _ = try TCPBareSocket(connectedTo: .ipv4Loopback(port))
        }
        #expect(await station.events.count == 3)
        await station.end()
    }
}

extension ArraySlice<TCPStation.Event> {
    fileprivate func bytes(on connection: ConnectionID) -> [UInt8] { Array(self).bytes(on: connection) }
}
