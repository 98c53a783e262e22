import Noise
import Phrases
import Wire

/// The dials of this node: when each candidate is dialled (`Dialler`), how long the dial of an endpoint that a peer told counts as
/// under way, and which peers that the user named were reached.
struct Dials {
    var dialler = Dialler()
    private var toldDials = ToldDials()
    private var unreachedPeers = UnreachedPeers()

    /// The connections of all dials under way.
    var underWay: [ConnectionID] { dialler.underWay }

    /// The endpoint of a dial that is neither ended nor through its handshake; nil for other connections.
    func endpoint(of connection: ConnectionID) -> Endpoint? { dialler.endpoint(of: connection) }

    /// The dials of now; each is answered by `dialled` or postponed.
    ///
    /// - Parameter room: links that are free; above 0.
    mutating func due(now: Instant, room: Int) -> [Dialler.Dial] { dialler.due(now: now, room: room) }

    mutating func dialled(
        _ dial: Dialler.Dial, as connection: ConnectionID, now: Instant, using randomness: inout Randomness
    ) {
        dialler.dialled(dial, as: connection)
        if ContactBook.isContact(dial.instance) { toldDials.began(connection, now: now, using: &randomness) }
    }

    /// A dialled connection is up.
    ///
    /// - Returns: the slower ones to the same candidate, which the caller closes.
    mutating func connected(_ connection: ConnectionID) -> [ConnectionID] {
        if let instance = dialler.instance(of: connection) { unreachedPeers.connected(instance) }
        return dialler.connected(connection)
    }

    /// The colon of HOST:PORT, which no instance of mDNS has in its name, so that no stranger seems to be named by the user.
    static func isNamed(_ instance: String) -> Bool { instance.contains(":") }

    /// A dial that ended without a link.
    struct Failure {
        let instance: String
        /// Until when it counts as under way, if a peer told its endpoint.
        let shownAt: Instant?
    }

    /// A dial ended without a link. A peer that the user named is warned of; peers of mDNS come and go without a word.
    ///
    /// - Returns: nil for a connection that is no dial; and the sentence of a warning, if there is one.
    mutating func failed(
        _ connection: ConnectionID, _ reason: UnreachedPeers.Reason, now: Instant, using randomness: inout Randomness
    ) -> (failure: Failure?, warning: Sentence?) {
        var warning: Sentence?
        if let instance = dialler.instance(of: connection), Dials.isNamed(instance) {
            let news = unreachedPeers.failed(instance, reason, isLast: dialler.isLastAttempt(connection))
            warning = news?.sentence(of: instance)
        }
        let end = toldDials.finish(connection)
        let instance = dialler.failed(connection, now: now, until: end, using: &randomness)
        return (instance.map { Failure(instance: $0, shownAt: end) }, warning)
    }

    /// A handshake is through, whatever comes of it.
    mutating func handshakeEnded(on connection: ConnectionID) { _ = toldDials.finish(connection) }

    /// A handshake proved a blocked peer.
    mutating func metBlocked(
        _ peer: PeerID, _ key: PublicKey, on connection: ConnectionID, now: Instant, using randomness: inout Randomness
    ) {
        dialler.identified(connection, as: peer, key, now: now, using: &randomness)
        dialler.shutOut(peer, key)
    }

    /// A handshake proved a peer that is welcome.
    ///
    /// - Returns: the candidate that was dialled; nil for a connection that the peer has opened.
    mutating func identified(
        _ connection: ConnectionID, as peer: PeerID, _ key: PublicKey, now: Instant, using randomness: inout Randomness
    ) -> String? {
        let instance = dialler.instance(of: connection)
        if let instance { unreachedPeers.linked(instance) }
        dialler.identified(connection, as: peer, key, now: now, using: &randomness)
        return instance
    }
}
