import Chat
import Noise
import Wire

@testable import ChatNode

/// Links to peers without a network and without handshakes, for tests of the parts that read them.
final class LinkBench {
    /// Takes every byte.
    private final class Sink: Transport {
        let refusals: [Counter] = []
        private var last: UInt64 = 0

        func listen(port: UInt16, handler: any TransportHandler) -> UInt16 { port }
        func dial(_ endpoint: Endpoint) -> ConnectionID {
            last += 1
            return ConnectionID(number: last)
        }
        func write(_ bytes: Span<UInt8>, to connection: ConnectionID) -> Int { bytes.count }
        func finish(_ connection: ConnectionID) {}
        func close(_ connection: ConnectionID) {}
        func isOnThisMachine(_ connection: ConnectionID) -> Bool { false }
        func localEndpoint(of connection: ConnectionID) -> Endpoint? { nil }
        func network(of connection: ConnectionID) -> LinkNetwork? {
            LinkNetwork(subnets: [Subnet([10, 0, 0, 0], prefixLength: 24)], ownAddresses: [], scope: 1)
        }
        func stopListening() {}
    }

    let start = Instant(nanoseconds: 1_000_000_000)
    let wallClock = Timestamp(milliseconds: 1_800_000_000_000)
    /// Our own certificate.
    let certificate: Certificate
    private(set) var links: Links

    init() {
        var randomness = Randomness.seeded(7_001)
        let key = StaticKey(KeyPair.generate(using: &randomness))
        var runs = Runs(identitySeed: 7_000)
        certificate = runs.certificate(epoch: 1, noise: key.publicKey)
        links = Links(
            context: LinkContext(certificate: certificate, staticKey: key, room: Room.lobby), transport: Sink(),
            handshakesPerSecond: 0, randomness: .seeded(7_000), now: start)
    }

    var me: PeerID { certificate.identity }

    /// A link to the identity of a seed, which this node has dialled.
    func link(to seed: UInt64) -> LinkInfo {
        let endpoint = Endpoint(address: [10, 0, 0, UInt8(seed)], port: 4_000)
        var effects = Effects()
        let link = links.open(links.dial(endpoint), to: endpoint, role: .initiator, environment(.mesh), &effects)
        var runs = Runs(identitySeed: seed)
        _ = links.adopt(link, runs.certificate(epoch: 1), now: start)
        return link
    }

    /// Lets a part change the links.
    func change<Result>(_ body: (inout Links) -> Result) -> Result { body(&links) }

    func environment(_ mode: RoomMode, after time: Duration = .zero) -> Environment {
        let moment = Moment(
            instant: start + time, wallClock: wallClock.moved(by: time.nanoseconds / 1_000_000))
        return Environment(
            moment: moment, me: me, mode: mode, isRunning: true)
    }
}

extension [Effect] {
    /// The deliveries to named connections.
    var deliveries: [(delivery: PayloadDelivery, links: [ConnectionID])] {
        var deliveries: [(delivery: PayloadDelivery, links: [ConnectionID])] = []
        for effect in self {
            guard case .deliver(let delivery, to: let selector) = effect else { continue }
            if case .links(let ids) = selector { deliveries.append((delivery, ids)) }
            if case .link(let id) = selector { deliveries.append((delivery, [id])) }
        }
        return deliveries
    }
}
