import Chat
import Phrases
import Wire

/// Our wall clock against those of the neighbours, and the correction where it is wrong (Protocol.md section 7).
///
/// Each source has one vote, however many keys it shows. Our own clock has a vote too: a correction needs more votes than all that
/// speak against it.
struct RoomClock {
    private struct Reading {
        let source: Endpoint
        /// How far the peer's clock was ahead of ours, in milliseconds.
        let offset: Int64
    }

    private var readings = PackedTable<PeerID, Reading>()
    /// Added to our clock, in milliseconds; 0 unless the neighbours agree that it is wrong.
    private(set) var correction: Int64 = 0
    /// The user was warned of the error of now.
    private var isWarned = false
    /// Our clock less the monotonic one, in milliseconds, when `wasSet` looked last.
    private var base: Int64?
    /// As `base`, of the corrected clock, when `hasMoved` returned true last.
    private var judgedBase: Int64?

    /// Caps offsets, in milliseconds, so that hostile times cannot overflow the arithmetic.
    private static let furthest: UInt64 = 1 << 52
    private static let tolerance = UInt64(Limits.clockError.nanoseconds / 1_000_000)
    private static let mostOfFew = UInt64(Limits.clockCorrection.nanoseconds / 1_000_000)

    /// The time that received times are compared with.
    func time(at wallClock: Timestamp) -> Timestamp { wallClock.moved(by: correction) }

    /// Records the time that a peer sent on its link.
    ///
    /// - Parameter source: the peer's address; that of this machine for a peer on it.
    /// - Returns: how far our clock is behind (ahead: negative) if the user needs a new warning, else nil.
    mutating func record(_ theirs: Timestamp, of peer: PeerID, at source: Endpoint, wallClock: Timestamp) -> Duration? {
        let distance = Int64(min(theirs.distance(to: wallClock), RoomClock.furthest))
        readings[peer] = Reading(source: source.source, offset: theirs < wallClock ? -distance : distance)
        let (error, votes) = follow()
        guard error != 0 else {
            if votes >= Limits.clockWitnesses { isWarned = false }
            return nil
        }
        guard !isWarned else { return nil }
        isWarned = true
        return .milliseconds(error)
    }

    /// The last link to a peer closed: its clock is no witness any more.
    mutating func forget(_ peer: PeerID) {
        readings[peer] = nil
        follow()
    }

    /// True if our clock was set since the last call, by more than a minute: what was read of the others' is of no use then.
    mutating func wasSet(_ wallClock: Timestamp, now: Instant) -> Bool {
        let current = RoomClock.base(of: wallClock, now)
        defer { base = current }
        guard let base, (current - base).magnitude > RoomClock.tolerance else { return false }
        readings = PackedTable()
        correction = 0
        isWarned = false
        return true
    }

    /// True if the corrected clock moved by more than a minute since this was true last: what was refused for its time may be
    /// right by now.
    mutating func hasMoved(_ wallClock: Timestamp, now: Instant) -> Bool {
        let current = RoomClock.base(of: time(at: wallClock), now)
        guard let judgedBase else {
            judgedBase = current
            return false
        }
        guard (current - judgedBase).magnitude > RoomClock.tolerance else { return false }
        self.judgedBase = current
        return true
    }

    private static func base(of wallClock: Timestamp, _ now: Instant) -> Int64 {
        Int64(min(wallClock.milliseconds, furthest)) - now.nanoseconds / 1_000_000
    }

    @discardableResult
    private mutating func follow() -> (error: Int64, votes: Int) {
        let (error, votes) = agreed
        let isCorrected = error.magnitude <= RoomClock.mostOfFew || votes >= 2 * Limits.clockWitnesses
        correction = isCorrected ? error : 0
        return (error, votes)
    }

    /// The error of our clock in milliseconds, and the votes for it: 0 where it is off by a minute at most, or too few agree.
    private var agreed: (error: Int64, votes: Int) {
        let votes = self.votes
        guard votes.count >= Limits.clockWitnesses else { return (0, votes.count) }
        let middle = RoomClock.median(votes)
        guard middle.magnitude > RoomClock.tolerance else { return (0, votes.count) }
        let agreeing = votes.count { ($0 - middle).magnitude <= RoomClock.tolerance }
        // Our own clock is among those that do not agree.
        let others = votes.count - agreeing + 1
        // Addresses cost nothing: a clock that an honest neighbour confirms is not moved by a few liars more.
        let confirming = votes.count { $0.magnitude <= RoomClock.tolerance }
        guard agreeing >= max(Limits.clockWitnesses, Limits.clockDominance * confirming), agreeing > others else {
            return (0, 0)
        }
        return (middle, agreeing)
    }

    /// One offset for each source. One host can have any number of addresses of an IPv6 /64: such a network has as many votes as
    /// make a majority of few, and no more.
    private var votes: [Int64] {
        let sources = Dictionary(grouping: readings.values, by: \.source)
        let voices = sources.map { (source: $0.key, offset: RoomClock.median($0.value.map(\.offset))) }
        let networks = Dictionary(grouping: voices) { $0.source.network ?? $0.source }
        return networks.values.flatMap { voices in
            let offsets = voices.map(\.offset)
            guard offsets.count > Limits.clockWitnesses else { return offsets }
            return [Int64](repeating: RoomClock.median(offsets), count: Limits.clockWitnesses)
        }
    }

    /// For an even count, the middle offset nearer to zero, so that half of them are never enough.
    private static func median(_ offsets: [Int64]) -> Int64 {
        let sorted = offsets.sorted()
        let (low, high) = (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
        return low.magnitude < high.magnitude ? low : high
    }
}

/// Frames, links, and the correction of the parts that sign and judge times.
extension RoomClock {
    static func send(
        on link: ConnectionID, wantsAnswer: Bool = false, _ router: borrowing MessageRouter, _ environment: Environment,
        _ effects: inout Effects
    ) {
        effects.append(.send(frame(wantsAnswer: wantsAnswer, router, environment), to: .link(link)))
    }

    /// A frame with the time that neighbours compare their clocks with, which is not corrected.
    static func frame(
        wantsAnswer: Bool = false, _ router: borrowing MessageRouter, _ environment: Environment
    ) -> [UInt8] {
        let time = router.session.clock.uncorrectedTime(at: environment.wallClock)
        return ClockFrame(wantsAnswer: wantsAnswer, time: time).bytes
    }

    /// Handles the body of a frame with the clock of a link's peer.
    mutating func receive(
        _ body: Span<UInt8>, on link: LinkInfo, _ links: borrowing Links, _ router: inout MessageRouter,
        _ history: inout HistoryExchange, _ spread: inout Spread, _ environment: Environment, _ effects: inout Effects
    ) {
        guard let peer = link.peer, let frame = ClockFrame(body), link.takeToken(.clocks, now: environment.now) else {
            return effects.append(.countUnexpectedFrame)
        }
        if frame.wantsAnswer, !link.isRetiring { RoomClock.send(on: link.id, router, environment, &effects) }
        // Nodes of one machine have one clock.
        let source = links.isOnThisMachine(link.id) ? link.endpoint.onThisMachine : link.endpoint
        if let error = record(frame.time, of: peer, at: source, wallClock: environment.wallClock) {
            effects.append(.report(.notice(.clockSkew, RoomClock.warning(error))))
        }
        correct(&router, &history, &spread, environment, &effects)
    }

    /// As `forget`, and corrects our time.
    mutating func lastLinkClosed(
        to peer: PeerID, _ router: inout MessageRouter, _ history: inout HistoryExchange, _ spread: inout Spread,
        _ environment: Environment, _ effects: inout Effects
    ) {
        forget(peer)
        correct(&router, &history, &spread, environment, &effects)
    }

    /// Notices that our wall clock was set, and asks the neighbours for their time then. To be called when time may have passed.
    mutating func watch(
        _ connections: Connections, _ router: inout MessageRouter, _ history: inout HistoryExchange,
        _ spread: inout Spread, _ environment: Environment, _ effects: inout Effects
    ) {
        if wasSet(environment.wallClock, now: environment.now) {
            correct(&router, &history, &spread, environment, &effects)
            for link in connections.active {
                RoomClock.send(on: link.id, wantsAnswer: true, router, environment, &effects)
            }
        } else if hasMoved(environment.wallClock, now: environment.now) {
            followMove(&router, &history, &spread, environment, &effects)
        }
    }

    /// The correction may be another.
    private mutating func correct(
        _ router: inout MessageRouter, _ history: inout HistoryExchange, _ spread: inout Spread,
        _ environment: Environment, _ effects: inout Effects
    ) {
        router.correctClock(by: correction)
        if hasMoved(environment.wallClock, now: environment.now) {
            followMove(&router, &history, &spread, environment, &effects)
        }
    }

    /// The corrected clock moved by more than a minute: signed times are judged otherwise, and ours are other ones.
    private func followMove(
        _ router: inout MessageRouter, _ history: inout HistoryExchange, _ spread: inout Spread,
        _ environment: Environment, _ effects: inout Effects
    ) {
        history.reopenRefused(isAll: true, environment, &spread, &effects)
        guard environment.isCrowd else { return }
        // Nodes without a link have dropped the presence that was signed before.
        effects.append(.sendSigned(router.signPresence(at: environment.moment), to: .everyone))
    }
}

/// The warning for the user.
extension RoomClock {
    static func warning(_ error: Duration) -> Sentence {
        Sentence(error > .zero ? .clockBehind : .clockAhead, text(error))
    }

    /// The two largest units of a duration, as "1 h 3 min".
    private static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds.magnitude
        let units: [(String, UInt64)] = [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)]
        let first = units.firstIndex { seconds >= $0.1 } ?? units.count - 1
        var rest = seconds
        var words: [String] = []
        for (name, size) in units[first...].prefix(2) {
            if rest >= size { words.append("\(rest / size) \(name)") }
            rest %= size
        }
        return words.joined(separator: " ")
    }
}

extension Limits {
    /// Sources that it takes to report the clock as wrong and to correct it, and votes that one IPv6 /64 has at most.
    /// More leave a wrong clock uncorrected in a small room; with fewer, one liar moves it.
    static let clockWitnesses = 3
    /// How many sources it takes against each neighbour whose clock agrees with the own one. A larger number leaves a
    /// wrong clock as it is where one other is wrong alike; with a smaller one, an attacker needs fewer addresses,
    /// which cost nothing.
    static let clockDominance = 8
    /// The most that fewer than twice `clockWitnesses` sources correct: a wrong time zone or a slow clock. With a
    /// larger one, a few liars move a clock so far that its messages count as too old for history; with a smaller one,
    /// a machine without a battery stays wrong in a small room.
    static let clockCorrection = Duration.seconds(86_400)
}
