import Noise
import Wire

@testable import Chat
@testable import ChatNode

/// One node of a `LinkScene`: its real links, without bytes.
final class LinkNode {
    /// Takes no byte, and notes what is closed.
    private final class Wires: Transport {
        let refusals: [Counter] = []
        var ended: [ConnectionID] = []

        func listen(port: UInt16, handler: any TransportHandler) -> UInt16 { port }
        func dial(_ endpoint: Endpoint) -> ConnectionID { ConnectionID(number: 0) }
        func write(_ bytes: Span<UInt8>, to connection: ConnectionID) -> Int { bytes.count }
        func finish(_ connection: ConnectionID) { ended.append(connection) }
        func close(_ connection: ConnectionID) { ended.append(connection) }
        func isOnThisMachine(_ connection: ConnectionID) -> Bool { false }
        func localEndpoint(of connection: ConnectionID) -> Endpoint? { nil }
        func network(of connection: ConnectionID) -> LinkNetwork? { nil }
        func stopListening() {}
    }

    private static let cast = LinkCast()
    private static let endpoint = Endpoint(address: [10, 0, 0, 1], port: 4_000)

    let number: Int
    private let mutant: LinkScene.Mutant?
    private var links: Links
    private let wires = Wires()
    private var records: [Int: LinkInfo] = [:]
    /// Those whose handshake is not complete.
    private var shaking: Set<Int> = []
    private var saidGoodbye: Set<Int> = []
    private var inbox: [Int: [LinkScene.Item]] = [:]
    private var sent: [(LinkScene.Item, Int)] = []
    /// The ends that come after two seconds.
    private var retirements: [(ConnectionID, Closing)] = []

    init(_ number: Int, _ setting: LinkScene.Setting, at now: Instant) {
        self.number = number
        mutant = setting.mutant
        links = Links(
            context: LinkNode.cast.context(number), transport: wires, handshakesPerSecond: 0,
            randomness: .seeded(UInt64(number)), now: now)
    }

    private var peer: Certificate { LinkNode.cast.peer(of: number, isLarger: mutant == .ownStays) }

    private func environment(_ now: Instant) -> Environment {
        Environment(
            moment: Moment(instant: now, wallClock: Timestamp(milliseconds: 0)), me: links.context.me, mode: .mesh,
            isRunning: true)
    }
}

/// The state, as the scene reads it.
extension LinkNode {
    var isStill: Bool { inbox.values.allSatisfy(\.isEmpty) }
    func awaits(_ connection: Int) -> Bool { inbox[connection]?.isEmpty == false }
    func knows(_ connection: Int) -> Bool { records[connection] != nil }
    func hasOpen(_ connection: Int) -> Bool { records[connection].map { !$0.isForgotten } ?? false }
    func isShaking(_ connection: Int) -> Bool { hasOpen(connection) && shaking.contains(connection) }
    func isSending(_ connection: Int) -> Bool {
        hasOpen(connection) && !shaking.contains(connection) && records[connection]?.isRetiring == false
    }

    var sending: [Int] { records.keys.filter { isSending($0) }.sorted() }
    var sendingCount: Int { sending.count }
    var isShakingAny: Bool { shaking.contains { hasOpen($0) } }
    /// It sends on a connection, or dials one.
    var hasAny: Bool {
        records.contains { isSending($0.key) || isShaking($0.key) && $0.value.role == .initiator }
    }
    var isRetiring: Bool { records.values.contains { !$0.isForgotten && $0.isRetiring } }

    /// A link retires, or is not ten seconds old.
    func changesLater(_ now: Instant) -> Bool {
        isRetiring || sending.contains { age(of: $0, now) < Limits.crossingTime }
    }

    private func age(of connection: Int, _ now: Instant) -> Duration {
        records[connection].map { min(now - $0.establishedAt, Limits.crossingTime) } ?? .zero
    }

    func write(to digest: inout Digest, _ count: Int, at now: Instant) {
        for connection in 0..<count {
            digest.write(inbox[connection, default: []].map(\.rawValue))
            guard let link = records[connection] else {
                digest.write(0 as UInt8)
                continue
            }
            for flag in [link.isForgotten, link.isRetiring, link.peerRetired, shaking.contains(connection)] {
                digest.write(flag)
            }
            digest.write(UInt64(bitPattern: link.isForgotten ? 0 : age(of: connection, now).nanoseconds))
        }
        // The last of those that do not retire is sent on.
        digest.write(links.connections.links(of: peer.identity).map { UInt8($0.id.number) })
        digest.write(retirements.map { UInt8($0.0.number) }.sorted())
    }
}

/// The events.
extension LinkNode {
    func arrive(_ item: LinkScene.Item, on connection: Int) { inbox[connection, default: []].append(item) }

    func take(on connection: Int) -> LinkScene.Item { inbox[connection]?.removeFirst() ?? .first }

    func send(_ item: LinkScene.Item, on connection: Int) { sent.append((item, connection)) }

    func open(_ connection: Int, isOurs: Bool, at now: Instant) {
        var effects = Effects()
        shaking.insert(connection)
        records[connection] = links.open(
            ConnectionID(number: UInt64(connection)), to: LinkNode.endpoint, role: isOurs ? .initiator : .responder,
            environment(now), &effects)
    }

    /// The handshake is complete, as in `Links.established`.
    func establish(_ connection: Int, at now: Instant) {
        guard let link = records[connection] else { return }
        shaking.remove(connection)
        var effects = Effects()
        let adoption = links.adopt(link, peer, now: now)
        for loser in adoption.losers where mutant != .noGoodbye {
            links.close(loser, .replaced, environment(now), &effects)
        }
        perform(effects, now)
    }

    func receiveGoodbye(on connection: Int, at now: Instant) {
        guard let link = records[connection], !link.isForgotten else { return }
        var effects = Effects()
        let body: [UInt8] = [GoodbyeReason.replaced.rawValue]
        links.receivedGoodbye(body.span, on: link, environment(now), &effects)
        perform(effects, now)
    }

    /// The connection ends here, and sends nothing more.
    func lose(_ connection: Int, at now: Instant) {
        inbox[connection] = []
        guard let link = records[connection], !link.isForgotten else { return }
        var effects = Effects()
        links.close(link, .transportClosed(nil), environment(now), &effects)
        perform(effects, now)
        shaking.remove(connection)
    }

    /// The two seconds are over in which retiring links are read.
    func endRetirement(at now: Instant) {
        let due = retirements
        retirements = []
        for (id, closing) in due {
            var effects = Effects()
            links.finish(id, closing, &effects)
            perform(effects, now)
        }
    }

    private func perform(_ effects: consuming Effects, _ now: Instant) {
        for effect in effects.list {
            switch effect {
            case .link(.end(let link, let closing)):
                var more = Effects()
                links.end(link, closing, environment(now), &more)
                perform(more, now)
            case .schedule(.finish(let id, let closing), at: _): retirements.append((id, closing))
            default: break
            }
        }
        sayGoodbyes()
    }

    /// The frames and ends that `Links` has given to the network.
    private func sayGoodbyes() {
        for (connection, link) in records.sorted(by: { $0.key < $1.key })
        where link.isRetiring && saidGoodbye.insert(connection).inserted {
            sent.append((.goodbye, connection))
        }
        for id in wires.ended {
            sent.append((.ended, Int(id.number)))
            retirements.removeAll { $0.0 == id }
        }
        wires.ended = []
    }

    func takeSent() -> [(LinkScene.Item, Int)] {
        defer { sent = [] }
        return sent
    }
}

/// The certificates of the nodes, of which the first has the smallest key.
private struct LinkCast: Sendable {
    private let certificates: [Certificate]
    private let largest: Certificate

    init() {
        let noise = LinkCast.key().publicKey
        let all = (0..<4).map { seed -> Certificate in
            var randomness = Randomness.seeded(UInt64(seed) + 41)
            let identity = Identity.generate(using: &randomness)
            return Certificate.issue(by: identity, noise: noise, dm: noise, epoch: 1, serial: 0)
        }.sorted { $0.identity < $1.identity }
        largest = all[3]
        certificates = [all[1], all[2]]
    }

    /// One for both, since no rule here compares noise keys of two identities.
    private static func key() -> KeyPair {
        var randomness = Randomness.seeded(31)
        return KeyPair.generate(using: &randomness, protection: .transient)
    }

    func context(_ node: Int) -> LinkContext {
        LinkContext(certificate: certificates[node], staticKey: StaticKey(LinkCast.key()), room: .lobby)
    }

    /// - Parameter isLarger: whether it is to have a larger key than either node.
    func peer(of node: Int, isLarger: Bool) -> Certificate { isLarger ? largest : certificates[1 - node] }
}
