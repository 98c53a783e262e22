import Wire

/// Browses for the instances of one room at one place, with as few packets as possible (Protocol.md section 10).
///
/// All browsers ask one question with their known answers in it and hear each other: one asks for all (RFC 6762 section
/// 7.3). libavahi-core suppresses only questions without known answers; in a group of 33 such questions were nearly all
/// traffic while it met.
struct QuietBrowser {
    enum Action: Hashable {
        /// A packet to send.
        case ask([UInt8])
        case list(String)
        case unlist(String)
    }

    /// In one room at one place; a process has up to 16 rooms, and places by its interfaces.
    static let maximumInstances = 1_024
    /// The first question waits, because others may have been switched on with us (RFC 6762 section 5.2).
    static let firstWait = Duration.milliseconds(20)...Duration.milliseconds(120)
    /// From the first question to the second; then each time twice as long as before.
    static let shortestPause = Duration.seconds(1)
    static let longestPause = Duration.seconds(3_600)
    /// While peers are missed: the network may be whole again at any time.
    static let longestPursuingPause = Duration.seconds(16)
    /// So long a peer that fell silent is missed.
    static let pursuingTime = Duration.seconds(7_200)
    /// Random share added to an interval: in so long a time one of many browsers asks first, and is heard.
    static let spread = 0.25
    /// After a question, missing instances have this time to answer before the next question.
    static let refreshPause = Duration.seconds(10)
    /// From a goodbye to the end (RFC 6762 section 10.1).
    static let goodbyeTime = Duration.seconds(1)
    /// How often in a row one sender may ask in our stead.
    static let deputyTurns = 2

    private let name: BrowsedName
    private var known: [String: KnownPointer] = [:]
    private var arrivals = ArrivalOrder(capacity: Self.maximumInstances)
    private var serial = 0
    /// The last question, ours or in our stead; nil before the first.
    private var askedAt: Instant?
    private var askAt: Instant
    private var pause = Self.shortestPause
    private var spokeAt: Instant?
    private var pursuesUntil: Instant?
    /// The sender that asked in our stead last, and the times in a row.
    private var querySuppressor: (sender: [UInt8], turns: Int) = ([], 0)
    /// The sender that continues its known answers in further packets.
    private var continuationSender: [UInt8]?
    /// Our own question, until it is heard.
    private var echo: [UInt8]?
    /// No instance ends before this, nor is to be refreshed before that.
    private var nextEnd: Instant?
    private var nextRefresh: Instant?

    init(for name: BrowsedName, now: Instant, using generator: inout some RandomNumberGenerator) {
        self.name = name
        askAt = Self.begin(now, using: &generator)
    }

    var instances: [String] { known.sorted { $0.value.serial < $1.value.serial }.map(\.key) }

    /// When `due` has something to do, unless something happens before.
    var nextDue: Instant {
        var next = min(askAt, nextEnd ?? askAt)
        if let refreshAt { next = min(next, refreshAt) }
        return next
    }

    /// Lists everything again, and asks as at the start.
    mutating func restart(now: Instant, using generator: inout some RandomNumberGenerator) -> [Action] {
        (askedAt, spokeAt, pause, querySuppressor) = (nil, nil, Self.shortestPause, ([], 0))
        askAt = Self.begin(now, using: &generator)
        return instances.map(Action.list)
    }

    /// Asks as at the start, and often until then, since peers are missed; nil: no more than usual. Others of the group miss them
    /// too, and their questions count from the first on.
    mutating func pursue(until end: Instant?, now: Instant, using generator: inout some RandomNumberGenerator) {
        pursuesUntil = end
        guard end != nil else { return }
        (askedAt, pause, querySuppressor) = (nil, Self.shortestPause, ([], 0))
        askAt = Self.begin(now, using: &generator)
    }

    /// It knows instances already, as if they had just been heard.
    mutating func assume(
        _ instances: [String], timeToLive: UInt32, now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        for instance in instances {
            let pointer = PointerPacket.Pointer(instance: instance, timeToLive: timeToLive)
            _ = answered(pointer, now: now, using: &generator)
        }
    }

    mutating func due(now: Instant, using generator: inout some RandomNumberGenerator) -> [Action] {
        guard nextDue <= now else { return [] }
        var actions: [Action] = []
        for (instance, pointer) in known where pointer.expires <= now {
            known[instance] = nil
            actions.append(.unlist(instance))
        }
        nextEnd = known.values.map(\.expires).min()
        // The instances that were due may have been heard since.
        nextRefresh = known.values.compactMap(\.refreshAt).min()
        let isToAsk = min(askAt, refreshAt ?? askAt) <= now
        return isToAsk ? actions + ask(now: now, using: &generator) : actions
    }

    private var refreshAt: Instant? {
        guard let nextRefresh else { return nil }
        return max(nextRefresh, askedAt.map { $0 + Self.refreshPause } ?? nextRefresh)
    }

    private static func begin(_ now: Instant, using generator: inout some RandomNumberGenerator) -> Instant {
        now + .random(in: firstWait, using: &generator)
    }
}

/// Questions, ours and others'.
extension QuietBrowser {
    private mutating func ask(now: Instant, using generator: inout some RandomNumberGenerator) -> [Action] {
        let listed = known.compactMap { instance, pointer in
            pointer.secondsToList(now: now).map { (instance: instance, seconds: $0, serial: pointer.serial) }
        }
        // The oldest go first: in a flood of false instances those are most likely true.
        let sorted = listed.sorted { $0.serial < $1.serial }.map { (instance: $0.instance, seconds: $0.seconds) }
        let packets = PointerQuestion.packets(for: name, known: sorted)
        echo = packets.first
        (spokeAt, querySuppressor, continuationSender) = (now, ([], 0), nil)
        asked(now: now, using: &generator)
        return packets.map(Action.ask)
    }

    /// From here a new pause begins; a longer one, unless the last has hardly begun.
    private mutating func asked(now: Instant, using generator: inout some RandomNumberGenerator) {
        if let askedAt {
            let planned = askAt - askedAt
            if (now - askedAt) * 2 >= planned { pause = min(planned * 2, longest(at: now)) }
        }
        askedAt = now
        let added = Double.random(in: 0..<Self.spread, using: &generator)
        askAt = now + .nanoseconds(Int64(Double(pause.nanoseconds) * (1 + added)))
        guard let next = nextRefresh, next <= now else { return }
        for instance in Array(known.keys) { known[instance]?.asked(now: now) }
        nextRefresh = known.values.compactMap(\.refreshAt).min()
    }

    func pursues(at now: Instant) -> Bool { pursuesUntil.map { now < $0 } ?? false }

    private func longest(at now: Instant) -> Duration {
        pursues(at: now) ? Self.longestPursuingPause : Self.longestPause
    }

    /// A sender has asked our question and listed no answer that we lack: its answers serve us too.
    ///
    /// The first question is our own, and so is one at least every hour and after two suppressions in a row by one sender:
    /// no sender keeps us silent for long by questions that only we can hear.
    private mutating func wasAsked(
        by sender: [UInt8], now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        guard let spokeAt, now - spokeAt < Self.longestPause else { return }
        let turns = querySuppressor.sender == sender ? querySuppressor.turns + 1 : 1
        guard turns <= Self.deputyTurns else { return }
        querySuppressor = (sender, turns)
        asked(now: now, using: &generator)
    }
}

/// Packets.
extension QuietBrowser {
    /// - Parameter bytes: a multicast packet from the port of mDNS, from index 0.
    mutating func heard(
        _ bytes: ArraySlice<UInt8>, from sender: [UInt8], now: Instant,
        using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        guard let packet = PointerPacket(bytes, about: name) else { return [] }
        switch packet.kind {
        case .response:
            return packet.pointers.flatMap { answered($0, now: now, using: &generator) }
        case .question:
            continuationSender = nil
            if let echo, bytes.elementsEqual(echo) {
                self.echo = nil
                return []
            }
            judge(packet, from: sender, now: now, using: &generator)
        case .continuation where continuationSender == sender:
            judge(packet, from: sender, now: now, using: &generator)
        case .continuation: break
        }
        return []
    }

    /// Waits for the rest of a list that goes on; the question counts once all of it was heard.
    private mutating func judge(
        _ packet: PointerPacket, from sender: [UInt8], now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        continuationSender = nil
        let isOurs = packet.pointers.allSatisfy { known[$0.instance]?.secondsToList(now: now) != nil }
        guard isOurs else { return }
        if packet.isTruncated { continuationSender = sender } else { wasAsked(by: sender, now: now, using: &generator) }
    }

    private mutating func answered(
        _ pointer: PointerPacket.Pointer, now: Instant, using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        let former = known[pointer.instance]
        guard pointer.timeToLive > 0 else {
            guard let former else { return [] }
            keep(former.ending(at: now + Self.goodbyeTime), as: pointer.instance)
            return []
        }
        let actions = former == nil ? makeSpace() + [.list(pointer.instance)] : []
        if former == nil {
            serial += 1
            arrivals.append(pointer.instance, serial: serial) { [known] in known[$0]?.serial == $1 }
        }
        let renewed = KnownPointer(
            serial: former?.serial ?? serial, timeToLive: pointer.timeToLive, now: now, using: &generator)
        keep(renewed, as: pointer.instance)
        return actions
    }

    private mutating func keep(_ pointer: KnownPointer, as instance: String) {
        known[instance] = pointer
        nextEnd = .earlier(nextEnd, pointer.expires)
        if let refreshAt = pointer.refreshAt { nextRefresh = .earlier(nextRefresh, refreshAt) }
    }

    /// In a full table the oldest instance is evicted: it was dialled long ago, and a newcomer was not.
    private mutating func makeSpace() -> [Action] {
        guard known.count >= Self.maximumInstances else { return [] }
        guard let oldest = arrivals.removeOldest(isListed: { [known] in known[$0]?.serial == $1 }) else { return [] }
        known[oldest] = nil
        return [.unlist(oldest)]
    }
}
