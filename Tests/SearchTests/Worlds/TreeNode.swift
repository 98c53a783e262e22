import Noise
import Wire

@testable import Chat
@testable import ChatNode

/// A frame or a payload that is under way on a link of a `TreeWorld`.
enum TreeItem: Hashable, Sendable {
    /// A frame 10 to 12, type byte first.
    case frame([UInt8])
    /// A payload with the links that it has passed.
    case payload(author: Int, number: Int, hops: UInt8)

    /// A graft of trees in which no payload is asked for.
    var isGraftOfTrees: Bool {
        guard case .frame(let bytes) = self, bytes.first == FrameType.tree.rawValue,
            case .graft(_, ids: let ids) = TreeFrame(bytes.span.extracting(1...))
        else { return false }
        return ids.isEmpty
    }

    func write(to digest: inout Digest) {
        switch self {
        case .frame(let bytes): digest.write(bytes)
        case .payload(let author, let number, let hops):
            digest.write(author)
            digest.write(number)
            digest.write(hops)
        }
    }
}

/// The keys of the nodes, and what each says, signed once for all states.
struct TreeCast: Sendable {
    let ids: [PeerID]
    let payloads: [[VerifiedPayload]]
    private let places: [UInt64: (author: Int, number: Int)]

    init(count: Int, messages: Int) {
        var (ids, payloads): ([PeerID], [[VerifiedPayload]]) = ([], [])
        for number in 0..<count {
            var randomness = Randomness.seeded(UInt64(number) + 11)
            var session = UserSession(
                identity: Identity.generate(using: &randomness), room: Room.lobby.id, epoch: 1, nickname: "n")
            ids.append(session.id)
            payloads.append(
                (0..<messages).map { message in
                    session.sign(
                        .publicMessage(stage: .newcomer, nickname: "n", text: "\(message)"),
                        at: Timestamp(milliseconds: 1_800_000_000_000 + UInt64(message)))
                })
        }
        var places: [UInt64: (author: Int, number: Int)] = [:]
        for (author, list) in payloads.enumerated() {
            for (number, payload) in list.enumerated() { places[payload.id.prefix] = (author, number) }
        }
        (self.ids, self.payloads, self.places) = (ids, payloads, places)
    }

    func index(of id: PeerID) -> Int? { ids.firstIndex(of: id) }

    func item(_ entry: RecentPayloads.Entry) -> TreeItem? {
        places[entry.id].map { .payload(author: $0.author, number: $0.number, hops: entry.hops) }
    }
}

/// One node of a `TreeWorld`.
struct TreeNode: Sendable {
    struct Order {
        let item: TreeItem
        let receiver: Int
    }

    private let number: Int
    private(set) var trees = TreeSpread()
    private var randomness: Randomness
    private var heard: Set<UInt64> = []
    /// When the last came from each node.
    private var lastReceived: [Instant]
    private(set) var breach: Breach?
    /// The digest of all above but `breach`: most steps change one node of three.
    private var key: StateKey?
    /// Whether `key` is kept: not while a state is judged.
    var isDigested = true

    init(_ number: Int, _ cast: TreeCast) {
        self.number = number
        randomness = .seeded(UInt64(number) + 101)
        lastReceived = cast.ids.map { _ in Instant(nanoseconds: 0) }
    }

    func hasHeard(_ message: Int, of author: Int, _ cast: TreeCast) -> Bool {
        heard.contains(cast.payloads[author][message].id.prefix)
    }

    mutating func begin(now: Instant) {
        trees.setMode(.overlay, now: now, using: &randomness)
        changed()
    }

    mutating func open(_ other: Int, isOutgoing: Bool, _ cast: TreeCast, now: Instant) -> [Order] {
        trees.opened(cast.ids[other], isOutgoing: isOutgoing, now: now, using: &randomness)
        lastReceived[other] = now
        changed()
        var hello = Hello(isOverlay: true)
        hello.known = UInt16(cast.ids.count - 1)
        return [Order(item: .frame(TreeFrame.hello(hello).bytes), receiver: other)]
    }

    mutating func close(_ other: Int, _ cast: TreeCast, now: Instant) {
        trees.closed(cast.ids[other], now: now)
        changed()
    }

    mutating func say(_ message: Int, _ cast: TreeCast, now: Instant) -> [Order] {
        let payload = cast.payloads[number][message]
        heard.insert(payload.id.prefix)
        return orders(trees.say(payload, hops: 0, now: now, using: &randomness), cast, now)
    }

    mutating func receive(_ item: TreeItem, from sender: Int, _ cast: TreeCast, now: Instant) -> [Order] {
        lastReceived[sender] = now
        switch item {
        case .frame(let bytes): return receive(bytes, from: cast.ids[sender], cast, now)
        case .payload(let author, let number, let hops):
            return receive(cast.payloads[author][number], hops, from: cast.ids[sender], cast, now)
        }
    }

    private mutating func receive(
        _ payload: VerifiedPayload, _ hops: UInt8, from peer: PeerID, _ cast: TreeCast, _ now: Instant
    ) -> [Order] {
        trees.arrived(payload.id.prefix, from: peer)
        guard heard.insert(payload.id.prefix).inserted else {
            let again = trees.repeated(payload.id.prefix, of: payload.author, hops: hops, from: peer, now: now)
            return orders(again, cast, now)
        }
        let passed = min(hops + 1, Limits.relayHops)
        let actions = trees.receiveNew(payload, hops: passed, from: peer, now: now, using: &randomness)
        return orders(actions, cast, now)
    }

    private mutating func receive(_ bytes: [UInt8], from peer: PeerID, _ cast: TreeCast, _ now: Instant) -> [Order] {
        let body = bytes.span.extracting(1...)
        guard trees.admitFrame(from: peer, now: now), let type = FrameType(rawValue: bytes[0]) else {
            breach = Breach("rates", "a frame of an honest neighbour is above its rate")
            return []
        }
        if type == .tree, let frame = TreeFrame(body) {
            return orders(trees.received(frame, from: peer, now: now, using: &randomness), cast, now)
        }
        if type == .latest, let frame = LatestFrame(body) {
            return orders(trees.received(frame, from: peer, now: now), cast, now)
        }
        if type == .news, let frame = NewsFrame(body) { trees.announced(frame.ids, by: peer, now: now) }
        changed()
        return []
    }

    mutating func tick(_ cast: TreeCast, now: Instant) -> [Order] {
        orders(trees.tick(now: now, using: &randomness), cast, now)
    }

    private mutating func orders(_ actions: [TreeSpread.Action], _ cast: TreeCast, _ now: Instant) -> [Order] {
        var orders: [Order] = []
        for action in actions {
            switch action {
            case .send(let bytes, let peer):
                if let receiver = cast.index(of: peer) { orders.append(Order(item: .frame(bytes), receiver: receiver)) }
            case .push(let entry, let peers, let wide):
                for receiver in peers.compactMap({ cast.index(of: $0) }) {
                    if wide != 0 {
                        orders.append(Order(item: .frame(TreeFrame.wide(entry.id, wide).bytes), receiver: receiver))
                    }
                    if let item = cast.item(entry) { orders.append(Order(item: item, receiver: receiver)) }
                }
            case .probe(let peer):
                // A link that is up answers.
                if let receiver = cast.index(of: peer) { lastReceived[receiver] = now }
            case .demoteUnlessHeard(let peer, let since):
                guard let receiver = cast.index(of: peer), lastReceived[receiver] < since else { break }
                trees.demote(peer, now: now)
            case .end: breach = Breach("promises", "the link of an honest neighbour ends for broken promises")
            }
        }
        changed()
        return orders
    }

    private mutating func changed() {
        guard isDigested else { return }
        var digest = Digest()
        digest.write(contentOf: trees)
        digest.write(contentOf: randomness)
        for id in heard.sorted() { digest.write(id) }
        digest.write(contentOf: lastReceived)
        key = digest.key
    }

    func write(to digest: inout Digest) {
        digest.write(key?.high ?? 0)
        digest.write(key?.low ?? 0)
    }
}
