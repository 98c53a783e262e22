import Chat
import Noise
import Wire

/// The connections of a node, and for each peer the link that frames are sent on (Protocol.md section 3).
struct Connections {
    private let me: PeerID
    private var byID: [ConnectionID: Connection] = [:]
    /// The links of each peer; frames are sent on the last that is not retiring.
    private var byPeer = PackedTable<PeerID, [Connection]>()
    /// The link of each peer that frames are sent on, in the order in which the connections began.
    private(set) var activeLinks: [Connection] = []

    init(me: PeerID) {
        self.me = me
    }

    /// The place of a new link among the others of its peer.
    struct Adoption {
        let isFirst: Bool
        /// Frames are sent on the new link from now on.
        let isActive: Bool
        /// The new link took over from one that was active.
        let hasReplaced: Bool
        /// The links to retire: they lead to the run of the active link.
        let losers: [Connection]
    }

    subscript(id: ConnectionID) -> Connection? { byID[id] }

    var count: Int { byID.count }

    var isEmpty: Bool { byID.isEmpty }

    /// All connections in the order in which they began: a seed reproduces it.
    var all: [Connection] { byID.values.sorted { $0.id < $1.id } }

    var unordered: some Collection<Connection> { byID.values }

    var linkCount: Int { byPeer.values.reduce(0) { $0 + $1.count } }

    func links(of peer: PeerID) -> [Connection] { byPeer[peer] ?? [] }

    /// The link that frames for a peer are sent on; nil without one.
    func sendingLink(of peer: PeerID) -> Connection? {
        byPeer[peer].flatMap(Connections.sendingLink(among:))
    }

    mutating func add(_ connection: Connection) {
        byID[connection.id] = connection
    }

    /// Adds the new link of a peer to those that the peer has, and decides which are kept.
    mutating func adopt(_ link: Connection, of peer: PeerID, now: Instant) -> Adoption {
        let others = links(of: peer)
        let rival = Connections.sendingLink(among: others)
        let winner = rival.map { better(link, $0, now: now) } ?? link
        let links = winner === link ? others + [link] : [link] + others
        byPeer[peer] = links
        chooseActiveLinks()
        return Adoption(
            isFirst: others.isEmpty, isActive: winner === link, hasReplaced: winner === link && rival != nil,
            losers: links.filter { $0 !== winner && Connections.areOfSameRun($0, winner) })
    }

    /// A link is retiring from now on.
    mutating func retired() {
        chooseActiveLinks()
    }

    mutating func remove(_ connection: Connection) {
        byID[connection.id] = nil
    }

    /// Removes the link of a peer.
    ///
    /// - Returns: whether it was the peer's last, and whether it was the last to its run.
    mutating func removeLink(_ link: Connection, of peer: PeerID) -> (isLast: Bool, isLastOfRun: Bool) {
        let all = links(of: peer)
        let others = all.filter { $0 !== link }
        guard others.count < all.count else { return (false, false) }
        byPeer[peer] = others.isEmpty ? nil : others
        chooseActiveLinks()
        return (others.isEmpty, !others.contains { Connections.areOfSameRun($0, link) })
    }

    static func areOfSameRun(_ one: Connection, _ other: Connection) -> Bool {
        guard let first = one.certificate, let second = other.certificate else { return false }
        return first.isOfSameRun(as: second)
    }

    private static func sendingLink(among links: [Connection]) -> Connection? {
        links.last { !$0.isRetiring }
    }

    private mutating func chooseActiveLinks() {
        activeLinks = byPeer.values.compactMap(Connections.sendingLink(among:)).sorted { $0.id < $1.id }
    }

    /// Of two links of one pair of runs, the one whose initiator has the smaller key; both sides decide alike. With one
    /// initiator, of a later run, or after `Limits.crossingTime`, the newer link: the initiator has lost the older one.
    private func better(_ new: Connection, _ old: Connection, now: Instant) -> Connection {
        guard Connections.areOfSameRun(new, old), let first = new.initiator(me: me),
            let second = old.initiator(me: me), first != second, now - old.establishedAt < Limits.crossingTime
        else { return new }
        return first < second ? new : old
    }
}
