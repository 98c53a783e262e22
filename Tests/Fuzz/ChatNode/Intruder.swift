import Noise
import Simulator
import Wire

@testable import Chat
@testable import ChatNode

/// A member of the room with a valid key that sends arbitrary frames. It runs on the thread of the simulation.
final class Intruder: TransportHandler, @unchecked Sendable {
    private let seed: UInt64
    private let epoch: UInt64
    private let author: Author
    private let network: InMemoryNetwork
    private let transport: InMemoryTransport
    private var end: LinkEnding
    private var connection: ConnectionID?

    init(_ simulation: Simulation, seed: UInt64, epoch: UInt64) {
        self.seed = seed
        self.epoch = epoch
        author = Author(seed: seed)
        author.epoch = epoch
        network = simulation.network
        transport = InMemoryTransport(network: network, host: network.addHost())
        end = LinkEnding(.initiator, seed: seed, room: "lobby", epoch: epoch)
    }

    var id: PeerID { author.id }
    /// The certificate of the linked node.
    var heard: Certificate? { end.established }

    func dial(_ peer: SimulatedPeer) {
        close()
        end = LinkEnding(.initiator, seed: seed, room: "lobby", epoch: epoch)
        _ = try? transport.listen(port: 0, handler: self)
        connection = transport.dial(network.endpoints(of: peer.host)[0])
    }

    func close() {
        if let connection { transport.close(connection) }
        connection = nil
    }

    func sign(_ body: PayloadBody, at time: Timestamp) -> SignedPayload {
        author.sequence += 1
        return SignedPayload(
            body, by: author.identity, in: Room.lobby.id, epoch: author.epoch, sequence: author.sequence,
            timestamp: time)
    }

    /// The key of this run's certificate and a peer's.
    func key(with theirs: Certificate) -> DirectKey? {
        DirectKey(of: end.dm, end.context.certificate, with: theirs)
    }

    /// The frame of a payload for one peer, with its MAC for the linked node; nil of another payload, and before the handshake.
    func directFrame(_ signed: SignedPayload) -> [UInt8]? {
        guard signed.payload.isDirect, let theirs = heard else { return nil }
        return key(with: theirs).map { signed.directFrame(under: $0, from: end.context.certificate, to: theirs) }
    }

    /// A certificate of this identity with the keys of this run.
    func certify(epoch: UInt64, serial: UInt64) -> Certificate {
        let own = end.context.certificate
        return Certificate.issue(
            by: author.identity, noise: own.noise, dm: own.dm, epoch: epoch, serial: serial)
    }

    func send(_ frame: [UInt8]) {
        end.link.enqueue(frame)
        flush()
    }

    func send(record bytes: [UInt8]) {
        flush()
        let rest = [UInt8](repeating: 0, count: Limits.recordPlaintexts[0] - bytes.count)
        if end.link.isOpen { end.link.send(record: bytes + rest) }
        flush()
    }

    func transportAccepted(_ connection: ConnectionID, from endpoint: Endpoint) {
        transport.close(connection)
    }

    func transportConnected(_ connection: ConnectionID) { flush() }

    func transportReceived(_ buffer: [UInt8], count: Int, on connection: ConnectionID) {
        guard connection == self.connection else { return }
        end.receive(Array(buffer.prefix(count)))
        flush()
    }

    func transportBecameWritable(_ connection: ConnectionID) {}

    func transportClosed(_ connection: ConnectionID, error: TransportError?) {
        if connection == self.connection { self.connection = nil }
    }

    private func flush() {
        let bytes = end.output()
        guard let connection, !bytes.isEmpty else { return }
        _ = transport.write(bytes.span, to: connection)
    }
}
