import Chat
import ChatNode
import Noise
import Simulator
import Synchronization
import Wire

/// A member of the room that has a genuine key and sends whatever a test wants.
final class RudeMember: TransportHandler, Sendable {
    private struct State: ~Copyable {
        var session: UserSession
        let dm: KeyPair
        var side: LinkSide?
        var connection: ConnectionID?
        var isClosed = false
    }

    let key: PeerID
    let host: HostID
    private let network: InMemoryNetwork
    private let timeline: Timeline
    private let state: Mutex<State>
    private let transport: Mutex<InMemoryTransport>

    /// - Parameters:
    ///   - epoch: members of one seed and different epochs are runs of one identity.
    ///   - neighbour: a node on whose machine it is; nil for a machine of its own.
    ///   - machine: a host of the machine that it is on; nil for that of `neighbour`, or one of its own.
    init(
        simulation: Simulation, seed: UInt64, room: String = "lobby", epoch: UInt64 = Timeline.epoch.milliseconds,
        beside neighbour: SimulatedPeer? = nil, on machine: HostID? = nil
    ) {
        var randomness = Randomness.seeded(seed)
        let identity = Identity.generate(using: &randomness)
        key = identity.id
        network = simulation.network
        timeline = simulation.timeline
        randomness = .seeded(seed ^ epoch)
        let staticKey = StaticKey(KeyPair.generate(using: &randomness))
        let dm = KeyPair.generate(using: &randomness)
        let certificate = Certificate.issue(
            by: identity, noise: staticKey.publicKey, dm: dm.publicKey, epoch: epoch, serial: 1)
        let context = LinkContext(certificate: certificate, staticKey: staticKey, room: Room(openNamed: room))
        let session = UserSession(identity: identity, room: Room(openNamed: room).id, epoch: epoch, nickname: "rude")
        var initial = State(session: session, dm: dm)
        initial.side = LinkSide(.initiator, context: context, seed: seed + 1)
        state = Mutex(initial)
        host = simulation.network.addHost(beside: machine ?? neighbour?.host)
        transport = Mutex(InMemoryTransport(network: simulation.network, host: host))
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }
    var isMember: Bool { state.withLock { $0.side?.established != nil } }
    /// The peer's statement about its keys in the handshake.
    var peersCertificate: Certificate? { state.withLock { $0.side?.established } }

    /// The bodies of the frames of a type that came so far.
    func frames(_ type: FrameType) -> [[UInt8]] {
        state.withLock { $0.side?.frames ?? [] }.filter { $0.first == type.rawValue }.map { Array($0.dropFirst()) }
    }

    /// Dials a peer and lets time pass until its handshake is through; false if that takes over 2 s.
    func enter(by peer: SimulatedPeer, in simulation: Simulation) -> Bool {
        dial(peer)
        return simulation.run(atMost: .seconds(2)) { isMember }
    }

    func dial(_ peer: SimulatedPeer) {
        let endpoint = network.endpoints(of: peer.host)[0]
        let connection = transport.withLock { transport in
            _ = try? transport.listen(port: 0, handler: self)
            return transport.dial(endpoint)
        }
        state.withLock { $0.connection = connection }
    }

    /// A payload of this member, signed if it is for the room.
    func payload(_ body: PayloadBody, at time: Timestamp) -> SignedPayload {
        state.withLock { $0.session.sign(body, at: time).signed }
    }

    /// The frame of a payload that is for one peer, with its MAC for the peer of the link; nil before the handshake.
    func directFrame(_ payload: SignedPayload) -> [UInt8]? {
        state.withLock { state -> [UInt8]? in
            guard let side = state.side, let theirs = side.established else { return nil }
            let ours = side.context.certificate
            return DirectKey(of: state.dm, ours, with: theirs).map {
                payload.directFrame(under: $0, from: ours, to: theirs)
            }
        }
    }

    func send(_ frame: [UInt8]) { send(together: [frame]) }

    /// Several frames in one write, so that they arrive at once.
    func send(together frames: [[UInt8]]) {
        for frame in frames { state.withLock { $0.side?.link.enqueue(frame) } }
        flush()
    }

    func transportAccepted(_ connection: ConnectionID, from endpoint: Endpoint) {}

    func transportConnected(_ connection: ConnectionID) { flush() }

    func transportReceived(_ buffer: [UInt8], count: Int, on connection: ConnectionID) {
        state.withLock { state in
            state.side?.now = timeline.now
            state.side?.receive(Array(buffer.prefix(count)))
        }
        flush()
    }

    func transportBecameWritable(_ connection: ConnectionID) {}

    func transportClosed(_ connection: ConnectionID, error: TransportError?) {
        state.withLock { $0.isClosed = true }
    }

    private func flush() {
        let (bytes, connection) = state.withLock { ($0.side?.output() ?? [], $0.connection) }
        guard let connection, !bytes.isEmpty else { return }
        _ = transport.withLock { $0.write(bytes.span, to: connection) }
    }
}
