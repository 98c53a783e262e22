import Chat
import Noise
import Wire

/// The nodes that peers told of (frame 13): hints for a node that proves too few candidates itself, or that counts those it
/// has no link with (Protocol.md section 13).
struct ContactBook: Sendable {
    typealias NodeContact = ContactsFrame.NodeContact

    private struct Telling: Sendable {
        var contacts: [NodeContact] = []
        var at: Instant
        var rate: TokenBucket

        init(at now: Instant) {
            at = now
            rate = TokenBucket(Rate(perSecond: Limits.contactsPerSecond, burst: Limits.contactsBurst), now: now)
        }

        var instances: [String] { contacts.map { ContactBook.instance(at: $0.endpoint) } }
    }

    private static let prefix = "contact "

    /// By teller; only those with a link.
    private var tellings = PackedTable<PeerID, Telling>()
    /// When this node sends contacts to one neighbour again.
    private var nextTurn = Instant(nanoseconds: 0)
    /// When this node sends contacts to all neighbours of a small room again; nil if nothing changed.
    private(set) var nextRound: Instant?
    private var lastRound: Instant?

    /// The contacts of one neighbour.
    var hasTellers: Bool { !tellings.isEmpty }

    /// All contacts, in the order of their tellers' keys: a seed reproduces it.
    var contacts: [NodeContact] { tellings.sorted { $0.key < $1.key }.flatMap(\.value.contacts) }

    /// How many peers without a link are known by contacts: of each witness at most as many as one neighbour names, and none where
    /// fewer than three name any.
    ///
    /// - Parameters:
    ///   - isStranger: whether there is no link with a peer.
    ///   - witness: the place of a teller, of which all tellers there count as one.
    func countStrangers(
        at now: Instant, isStranger: (PeerID) -> Bool, witness: (PeerID) -> LinkSource?
    ) -> Int {
        var told: [LinkSource: Set<PeerID>] = [:]
        for (teller, telling) in tellings where now - telling.at <= Limits.contactMemory && !telling.contacts.isEmpty {
            guard let place = witness(teller) else { continue }
            told[place, default: []].formUnion(telling.contacts.map(\.peer))
        }
        guard told.count >= Limits.witnesses else { return 0 }
        return told.values.reduce(into: Set<PeerID>()) { all, peers in
            all.formUnion(peers.filter(isStranger).sorted().prefix(Limits.contactsPerTeller))
        }.count
    }

    /// The peers of contacts in lists that are not older than `Limits.contactMemory`.
    func peers(at now: Instant) -> Set<PeerID> {
        Set(tellings.values.filter { now - $0.at <= Limits.contactMemory }.flatMap(\.contacts).map(\.peer))
    }

    /// The name that a contact has among the candidates: by its address, and none that mDNS or the user can give.
    static func instance(at endpoint: Endpoint) -> String {
        prefix + Hexadecimal.encode(endpoint.address) + " \(endpoint.port) \(endpoint.scope)"
    }

    static func isContact(_ instance: String) -> Bool { instance.hasPrefix(prefix) }

    /// True if contacts are due for one of the neighbours; the next turn is an interval later.
    mutating func beginTurn(now: Instant, using randomness: inout Randomness) -> Bool {
        guard now >= nextTurn else { return false }
        nextTurn = now + Limits.contactInterval.spread(using: &randomness)
        return true
    }

    /// The links of this node in a small room changed: it sends its contacts soon.
    mutating func changed(now: Instant) {
        let earliest = lastRound.map { $0 + Limits.contactRoundPause } ?? now
        nextRound = Instant.earlier(nextRound, max(now + Limits.contactGathering, earliest))
    }

    /// True if contacts are due for all neighbours.
    mutating func beginRound(now: Instant) -> Bool {
        guard let nextRound, nextRound <= now else { return false }
        (self.nextRound, lastRound) = (nil, now)
        return true
    }

    /// The contacts of a peer.
    func contacts(of peer: PeerID) -> [NodeContact] { contacts.filter { $0.peer == peer } }

    /// Whether a list of a teller is looked at: not many soon after each other.
    mutating func admitList(from teller: PeerID, now: Instant) -> Bool {
        var telling = tellings[teller] ?? Telling(at: now)
        defer { tellings[teller] = telling }
        guard telling.rate.takeTokens(now: now) else { return false }
        telling.at = now
        return true
    }

    /// Keeps contacts of a teller, the newest.
    ///
    /// - Parameter isComplete: whether they are all that the teller has: earlier ones are given up.
    /// - Returns: the instances that no peer names any more.
    mutating func record(_ contacts: [NodeContact], of teller: PeerID, isComplete: Bool) -> [String] {
        guard var telling = tellings[teller] else { return [] }
        let known = telling.instances
        let told = Set(contacts.map(\.endpoint))
        let earlier = isComplete ? [] : telling.contacts.filter { !told.contains($0.endpoint) }
        let all = earlier + contacts
        telling.contacts = all.suffix(Limits.contactsPerTeller)
        tellings[teller] = telling
        return untold(known + contacts.map { ContactBook.instance(at: $0.endpoint) })
    }

    /// The link to a teller has ended.
    ///
    /// - Returns: the instances that no peer names any more.
    mutating func forget(_ teller: PeerID) -> [String] {
        let instances = tellings.removeValue(forKey: teller)?.instances ?? []
        return untold(instances)
    }

    private func untold(_ instances: [String]) -> [String] {
        instances.filter { instance in !tellings.values.contains { $0.instances.contains(instance) } }
    }
}

extension Limits {
    /// Contacts that are kept of one neighbour. More let one liar weigh more among the candidates; with fewer, a
    /// network without multicast DNS grows slowly.
    static let contactsPerTeller = 8
    /// Between two frames with contacts, each to one neighbour in turn; up to a fifth more or less, at random. A longer one delays news of nodes; a shorter
    /// one costs traffic.
    static let contactInterval = Duration.seconds(60)
    /// Frames with contacts of one neighbour that are read, per second in the long run. More let a liar replace its
    /// contacts until one is dialled; with fewer, real changes are missed.
    static let contactsPerSecond = 0.1
    /// As many at once. With fewer, the frames of a small room whose links change several times are missed; more help
    /// only a liar.
    static let contactsBurst = 4.0
    /// How long a mesh node counts contacts as members of the room. A longer one counts nodes that left and makes a
    /// room a crowd too early; a shorter one forgets a neighbour's contacts before it names them again.
    static let contactMemory = Duration.seconds(60)
    /// From a change of links to the frame about it in a small room. A longer one delays news of nodes; a shorter one
    /// sends a frame for each link of a newcomer.
    static let contactGathering = Duration.seconds(0.5)
    /// Between two such frames. A longer one delays news of nodes; a shorter one exceeds the rate at which neighbours
    /// read them (`contactsPerSecond`).
    static let contactRoundPause = Duration.seconds(10)
}
