import Chat
import Wire

/// The peers of a crowd and the ways to them: presences instead of links, sealed messages along paths, guest links (Protocol.md
/// section 13). Outside of overlay mode nothing of it is used.
struct People {
    /// Peers are here by their presence, not by their links alone.
    var isCrowd = false
    /// The room is small, and each arrival and departure is reported.
    var isSmall = false
    var presences = Presences()
    var paths = PresencePaths()
    var roster = RosterExchange()
    var intake = RosterIntake()
    var relay = PresenceRelay()
    var folding = CrowdFolding()
    var retries = SealedRetries()
    var guests = GuestLinks()

    /// The next time at which one of the parts has something to do; nil for never.
    var nextDeadline: Instant? {
        let others = [
            roster.nextDeadline, relay.nextDeadline, folding.nextDeadline, retries.nextDeadline, guests.nextDeadline,
        ]
        return others.reduce(presences.nextDeadline) { Instant.earlier($0, $1) }
    }

    /// The room is a crowd from now on.
    ///
    /// - Parameter isSmall: true if presences are passed on because links are lacking, and the room is no crowd.
    mutating func enter(isSmall: Bool, now: Instant) {
        isCrowd = true
        self.isSmall = isSmall
        presences.isSmall = isSmall
        relay.isSmall = isSmall
        roster.begin(now: now)
    }

    /// The room is small again. The presences of peers without a link hold until they lapse.
    mutating func leave() {
        isCrowd = false
        isSmall = false
        presences.isSmall = false
        roster.end()
        relay.end()
        folding.end()
        retries.end()
    }

    mutating func linkClosed(_ connection: ConnectionID) {
        roster.linkClosed(connection)
        guests.closed(connection)
    }
}
