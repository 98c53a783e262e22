import Chat
import ChatNode
import Noise
import Wire

/// A member of the room with a genuine key that links with others and does them harm. It answers each newcomer's question as a
/// beacon, and like others those for its bucket.
///
/// It speaks through `Link`, so pings are answered; it shows nothing, forwards nothing and announces nothing.
final class Attacker: TransportHandler {
    /// A connection, and its place among those that the attacker dialled.
    private final class Line {
        var link: Link
        /// The instance that was dialled; nil where the peer dialled.
        let instance: String?

        init(_ link: consuming Link, to instance: String?) {
            self.link = link
            self.instance = instance
        }
    }

    /// The instance names of the addresses of one attacker.
    final class Names {
        var all: Set<String> = []
    }

    let host: HostID
    let place: Int
    /// Names of its other addresses too; nil if it has one address.
    private let ownNames: Names?
    private let scheduler: SimulatedScheduler
    private let attack: ExperimentSettings.Attack
    private let room: Room
    private let context: LinkContext
    private let transport: InMemoryTransport
    private let discovery: InMemoryDiscovery
    private var session: UserSession
    private var randomness: Randomness
    private var lines: [ConnectionID: Line] = [:]
    private var dials: [ConnectionID: String] = [:]
    /// In the order in which they were found: a seed reproduces it.
    private var candidates: [(instance: String, endpoint: Endpoint)] = []
    private var names: Set<String> = []
    /// When an instance whose link ended is dialled again.
    private var pauses: [String: Instant] = [:]
    private var plaintext: [UInt8] = []

    /// The links that an honest node chooses.
    private static let outLinks = 6
    /// Dials in a second, for those that open many links, and for each of many addresses.
    private static let (dialsAtOnce, dialsOfAddress) = (32, 1)
    private static let tendInterval = Duration.seconds(1)
    private static let pause = Duration.seconds(10)

    init(
        _ attack: ExperimentSettings.Attack, in room: Room, timeline: Timeline, network: InMemoryNetwork,
        directory: InMemoryDirectory, place: Int, seed: UInt64, beside ownNames: Names? = nil
    ) {
        self.place = place
        self.ownNames = ownNames
        self.attack = attack
        self.room = room
        host = network.addHost(at: place)
        scheduler = SimulatedScheduler(timeline: timeline)
        transport = InMemoryTransport(network: network, host: host)
        discovery = InMemoryDiscovery(directory: directory, host: host, isEager: true)
        var randomness = Randomness.seeded(seed)
        let identity = Identity.generate(using: &randomness)
        let key = StaticKey(KeyPair.generate(using: &randomness))
        let dm = KeyPair.generate(using: &randomness)
        let epoch = scheduler.wallClock.milliseconds
        session = UserSession(identity: identity, room: room.id, epoch: epoch, nickname: "node-\(place)")
        let certificate = session.certify(noise: key.publicKey, dm: dm.publicKey, serial: 1)
        context = LinkContext(certificate: certificate, staticKey: key, room: room)
        self.randomness = randomness
    }

    /// Announces itself and looks for others.
    func start() {
        let name = InstanceName(of: context.certificate.noise, using: &randomness)
        guard let port = try? transport.listen(port: 0, handler: self) else { return }
        ownNames?.all.insert(name.text)
        let announcement = Announcement(
            instance: name.text, host: "attacker-\(host.number)", port: port, subtype: "_r" + room.tag)
        let tell = Confined { [weak self] (event: DiscoveryEvent) in self?.discovered(event) }
        discovery.start(announcement) { tell.value($0) }
        tendLater()
    }

    private func discovered(_ event: DiscoveryEvent) {
        switch event {
        case .found(let instance, let endpoint, _):
            guard names.insert(instance).inserted else { return }
            candidates.append((instance, endpoint))
            discovery.crowdChanged(
                Crowd(isOverlay: candidates.count > Limits.meshNodes, known: candidates.count))
        case .lost(let instance):
            names.remove(instance)
            candidates.removeAll { $0.instance == instance }
        case .moved, .networkChanged, .namesOutdated, .mode, .warning, .failed: break
        }
    }

    private func tendLater() {
        scheduler.schedule(at: scheduler.now + Attacker.tendInterval) { [weak self] in self?.tend() }
    }

    /// Keeps the links alive and opens more.
    private func tend() {
        for (id, line) in lines.sorted(by: { $0.key < $1.key }) {
            do throws(LinkError) {
                try line.link.tick(context, now: scheduler.now, using: &randomness)
                flush(line, id)
            } catch {
                end(id)
            }
        }
        dialSome()
        tendLater()
    }

    private func dialSome() {
        let busy = Set(dials.values).union(lines.values.compactMap(\.instance))
        let wanted = attack == .fill ? candidates.count : Attacker.outLinks
        let count = min(wanted - busy.count, ownNames == nil ? Attacker.dialsAtOnce : Attacker.dialsOfAddress)
        guard count > 0 else { return }
        let free = candidates.filter { candidate in
            !busy.contains(candidate.instance) && ownNames?.all.contains(candidate.instance) != true
                && pauses[candidate.instance].map { $0 <= scheduler.now } ?? true
        }
        for candidate in free.shuffled(using: &randomness).prefix(count) {
            dials[transport.dial(candidate.endpoint)] = candidate.instance
        }
    }

    private func open(_ id: ConnectionID, as role: Link.Role, to instance: String?) {
        let link = Link(role: role, context: context, now: scheduler.now, using: &randomness)
        let line = Line(link, to: instance)
        lines[id] = line
        flush(line, id)
    }

    private func receive(_ buffer: [UInt8], count: Int, on id: ConnectionID) {
        guard let line = lines[id] else { return }
        var position = 0
        while let event = line.link.next(
            in: buffer.span.extracting(first: count), from: &position, plaintext: &plaintext, context: context,
            now: scheduler.now, using: &randomness)
        {
            switch event {
            case .established: greet(line)
            case .frame(let type, let body): answer(type, plaintext.span.extracting(body), on: line)
            case .failed: return end(id)
            }
        }
        flush(line, id)
    }

    /// Says what a node of the overlay says on a new link, so that the link is kept.
    private func greet(_ line: Line) {
        var hello = Hello(isOverlay: true)
        hello.isChosen = true
        hello.isInsisting = attack == .fill
        hello.known = UInt16(clamping: candidates.count + 1)
        line.link.enqueue(TreeFrame.hello(hello).bytes)
        line.link.enqueue(session.signPresence(at: scheduler.wallClock).signed.frame(hops: 0))
        if attack == .greedy { graftAll(on: line) }
    }

    private func answer(_ type: FrameType, _ body: Span<UInt8>, on line: Line) {
        guard attack == .greedy, type == .tree, case .prune = TreeFrame(body) else { return }
        graftAll(on: line)
    }

    private func graftAll(on line: Line) {
        line.link.enqueue(TreeFrame.graft(.max, ids: []).bytes)
    }

    private func flush(_ line: Line, _ id: ConnectionID) {
        do throws(LinkError) { try line.link.flush { transport.write($0, to: id) } } catch { end(id) }
    }

    private func end(_ id: ConnectionID) {
        transport.close(id)
        forget(id)
    }

    private func forget(_ id: ConnectionID) {
        let instance = lines.removeValue(forKey: id)?.instance ?? dials.removeValue(forKey: id)
        if let instance { pauses[instance] = scheduler.now + Attacker.pause }
    }

    func transportAccepted(_ connection: ConnectionID, from endpoint: Endpoint) {
        open(connection, as: .responder, to: nil)
    }

    func transportConnected(_ connection: ConnectionID) {
        open(connection, as: .initiator, to: dials.removeValue(forKey: connection))
    }

    func transportReceived(_ buffer: [UInt8], count: Int, on connection: ConnectionID) {
        receive(buffer, count: count, on: connection)
    }

    func transportBecameWritable(_ connection: ConnectionID) {
        if let line = lines[connection] { flush(line, connection) }
    }

    func transportClosed(_ connection: ConnectionID, error: TransportError?) { forget(connection) }
}
