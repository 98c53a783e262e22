import Chat
import Noise
import Phrases
import Wire

/// The decisions of a bridge: which payloads it publishes and when, and which it has from other networks (Docs/Bridge.md).
struct RoomBridge: Sendable {
    /// A task of the node.
    enum Order: Sendable {
        case publish(BridgeOutbox.Due)
        case notice(NoticeCode, Sentence)
        /// A delivery that was held.
        case receive(certificate: [UInt8], frame: [UInt8])
    }

    /// Stands for the bridge where a payload's neighbour is named; no identity has this key.
    let neighbour: PeerID
    private let key: BridgeKey
    private var outbox: BridgeOutbox
    /// Payloads that came from the broker, so that they are not published again.
    private var seen = RecentTable<MessageID, Void>(capacity: Limits.seenMessages)
    /// The latest presence of each author here that consents.
    private var presences = RecentTable<PeerID, BridgedContent>(capacity: Limits.bridgedPeople)
    private var presenceAuthors: Set<PeerID> = []
    private var elsewhere = RecentTable<PeerID, VerifiedPayload>(capacity: 2 * Limits.bridgedPeople)
    /// Presences of this network whose authors' certificates are not here yet.
    private var uncertified: [PeerID: VerifiedPayload] = [:]
    /// The latest presence of each author in another network that went into this crowd, and when.
    private var passed = RecentTable<PeerID, (presence: Presence, at: Instant)>(capacity: 2 * Limits.bridgedPeople)
    /// Presences from the broker that wait for the crowd's own way.
    private var held: [(certificate: [UInt8], frame: [UInt8], until: Instant)] = []
    private(set) var broker: String?
    /// Why there is no connection; nil before the first attempt, and while there is one.
    private(set) var fault: Sentence?
    /// Why the broker takes no publication now, though it is connected; nil while it does. Not made safe for display.
    private(set) var obstacle: String?
    private var wasConnected = false
    private var greetedAt: Instant?
    var published = 0
    var withoutConsent = 0
    var received = 0
    var refused = 0
    var connections = 0
    var sealedOut = 0

    /// Nil for a node that is no bridge.
    init?(_ configuration: NodeConfiguration) {
        guard let setup = configuration.bridge else { return nil }
        key = setup.key
        let digest = key.digest("earshot/3 bridge neighbour\0", [])
        guard let neighbour = PeerID(digest) else { preconditionFailure("a SHA-256 digest has 32 bytes") }
        self.neighbour = neighbour
        outbox = BridgeOutbox(rate: AdmissionRates.published(configuration.messagesPerSecond))
    }

    var waiting: Int { outbox.count }
    var dropped: Int { outbox.dropped }

    /// Keeps the latest presence of an author in another network, for later links.
    mutating func keep(presence: VerifiedPayload) { elsewhere.set(presence, for: presence.author) }

    func presence(of author: PeerID) -> VerifiedPayload? { elsewhere[author] }

    /// Keeps a presence of this network until its author's certificate is here.
    mutating func keep(uncertified presence: VerifiedPayload) {
        if uncertified.count < Limits.bridgedPeople { uncertified[presence.author] = presence }
    }

    /// A certificate of the author is here.
    mutating func takeUncertified(_ author: PeerID) -> VerifiedPayload? { uncertified.removeValue(forKey: author) }

    /// Holds a presence from the broker in a crowd: if its author is in this network, the presence comes by itself meanwhile, and
    /// must not seem to be of another network.
    mutating func hold(_ certificate: [UInt8], _ frame: [UInt8], now: Instant) {
        if held.count >= 2 * Limits.bridgedPeople { held.removeFirst() }
        held.append((certificate, frame, now + Limits.bridgedPresenceHold))
    }

    /// True if a presence from another network goes into this crowd: it is a new one, or the last went there five minutes ago.
    mutating func isToPass(_ payload: VerifiedPayload, now: Instant) -> Bool {
        guard case .presence(let presence) = payload.payload.body else { return false }
        if let last = passed[payload.author], last.presence == presence,
            now < last.at + Limits.bridgedPresenceInCrowd
        {
            return false
        }
        passed.set((presence, now), for: payload.author)
        return true
    }

    /// Tells a new crowd of each author again.
    mutating func forgetPassed() { passed = RecentTable(capacity: 2 * Limits.bridgedPeople) }

    /// Whether the payload came from the broker.
    func isSeen(_ id: MessageID) -> Bool { seen[id] != nil }

    /// True if `me` publishes the payloads of an author first: of the bridges of this network, the one with the smallest digest
    /// does. Two that took the payloads of one author in turn would bring them out of their order.
    func isFirst(_ me: PeerID, for author: PeerID, among others: [PeerID]) -> Bool {
        guard !others.isEmpty else { return true }
        let own = rank(me, author)
        return others.allSatisfy { own.lexicographicallyPrecedes(rank($0, author)) }
    }

    private func rank(_ bridge: PeerID, _ author: PeerID) -> [UInt8] {
        key.digest("earshot/3 bridge rank\0", author.bytes + bridge.bytes)
    }

    /// Publishes a payload of this network, whose author consents and whose signature is checked.
    ///
    /// - Parameters:
    ///   - certificate: the author's, of the payload's epoch.
    ///   - isFirst: false if another bridge is to publish it first.
    mutating func publish(
        _ payload: VerifiedPayload, _ certificate: Certificate, isFirst: Bool, now: Instant
    ) -> [Order] {
        guard !isSeen(payload.id) else { return [] }
        let content = BridgedContent(payload.signed, certificate: certificate)
        if payload.type == .presence { record(content, of: payload) }
        outbox.add(
            content, by: payload.author, isHistory: payload.type != .presence,
            notBefore: isFirst ? now : now + Limits.bridgeSecondTime, now: now)
        return due(now)
    }

    /// Publishes a sealed direct message to a peer in another network.
    mutating func publish(sealed body: [UInt8], from neighbour: PeerID, now: Instant) -> [Order] {
        sealedOut += 1
        outbox.add(.sealed(body), by: neighbour, isHistory: false, notBefore: now, now: now)
        return due(now)
    }

    /// The author lets nothing of its own leave this network any more.
    mutating func consentEnded(_ author: PeerID) {
        outbox.remove(of: author)
        presenceAuthors.remove(author)
    }

    /// Notes a payload that the broker delivered: another bridge has published it.
    mutating func recordSeen(_ id: MessageID) {
        seen.set((), for: id)
        outbox.recordSeen(id)
    }

    mutating func handle(_ event: BridgeEvent, now: Instant) -> [Order] {
        switch event {
        case .connected(let broker):
            self.broker = broker
            (fault, obstacle) = (nil, nil)
            connections += 1
            outbox.add(.greeting, by: neighbour, isHistory: false, notBefore: now, now: now)
            defer { wasConnected = true }
            return [.notice(.bridgeConnected, Sentence(wasConnected ? .bridgeAgain : .bridgeConnected, broker))]
                + due(now)
        case .disconnected(let why):
            let isNews = broker != nil || fault == nil
            (broker, obstacle) = (nil, nil)
            fault = why
            outbox.disconnected()
            return isNews ? [.notice(.bridgeLost, why)] : []
        case .blocked(let reason):
            let isNews = obstacle == nil
            obstacle = reason
            return isNews ? [.notice(.bridgeBlocked, Sentence(.bridgeBlocked, broker ?? "", reason))] : []
        case .unblocked:
            guard obstacle != nil else { return [] }
            obstacle = nil
            return [.notice(.bridgeUnblocked, Sentence(.bridgeUnblocked, broker ?? ""))] + due(now)
        case .confirmed(let tags):
            for tag in tags { outbox.confirm(tag) }
        case .refused(let tag): outbox.refuse(tag, now: now)
        case .delivered: received += 1
        }
        return due(now)
    }

    /// Another bridge has come: publishes the presences again, at most once in 5 s.
    mutating func greeted(now: Instant) -> [Order] {
        if let greetedAt, now < greetedAt + .seconds(5) { return [] }
        greetedAt = now
        for author in presenceAuthors.sorted() {
            guard let content = presences[author] else { continue }
            outbox.add(content, by: author, isHistory: false, notBefore: now, now: now)
        }
        return due(now)
    }

    /// When `due` has something; nil for never.
    func nextDeadline(now: Instant) -> Instant? {
        .earlier(held.first?.until, isPublishing ? outbox.nextDeadline(now: now) : nil)
    }

    private var isPublishing: Bool { broker != nil && obstacle == nil }

    mutating func due(_ now: Instant) -> [Order] {
        let ripe = held.prefix { $0.until <= now }
        held.removeFirst(ripe.count)
        let effects = ripe.map { Order.receive(certificate: $0.certificate, frame: $0.frame) }
        guard isPublishing else { return effects }
        let due = outbox.takeDue(now: now)
        published += due.count
        return effects + due.map(Order.publish)
    }

    private mutating func record(_ content: BridgedContent, of payload: VerifiedPayload) {
        guard case .presence(let presence) = payload.payload.body, presence.state != .left else {
            presenceAuthors.remove(payload.author)
            return
        }
        guard presenceAuthors.count < Limits.bridgedPeople || presenceAuthors.contains(payload.author) else { return }
        presenceAuthors.insert(payload.author)
        presences.set(content, for: payload.author)
    }
}

extension Limits {
    /// From a presence of a crowd that a broker delivers to its use: that of a node in this crowd comes over links by
    /// then. A longer one delays people in other networks; with a shorter one, a member of this crowd seems to be
    /// elsewhere.
    static let bridgedPresenceHold = Duration.seconds(10)
    /// Between two equal presences of one peer elsewhere that go into a crowd. A shorter one costs all nodes of the
    /// crowd traffic; a longer one exceeds the time after which they forget the peer.
    static let bridgedPresenceInCrowd = Duration.seconds(300)
}
