import Noise
import Wire

@testable import Discovery

/// A network in virtual time, with quiet browsers on it, each beside a responder that has one instance to answer with. A
/// sender hears its own packets too, as on a real network.
struct QuietSegment {
    struct Station {
        let instance: String
        let address: [UInt8]
        var browser: QuietBrowser
        var listed: Set<String> = []
        /// When the responder says its record; nil where it is not asked for.
        var answerAt: Instant?
        var saidAt: Instant?
        var isAnswering = true
    }

    struct Question: Hashable {
        let at: Instant
        let station: Int
        let packets: Int
    }

    static let name = BrowsedName(type: "_r73b49a38._sub._earshot._tcp")
    static let timeToLive: UInt32 = 600

    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    private(set) var stations: [Station] = []
    private(set) var questions: [Question] = []
    private(set) var bytes = 0
    /// Where the network is cut: stations below this number and the others do not hear each other.
    var cut: Int?
    private var flying: [(at: Instant, packet: [UInt8], from: [UInt8])] = []
    var random: Randomness
    let latency: ClosedRange<Int64>

    /// - Parameter latency: milliseconds until a packet has been read.
    init(seed: UInt64, latency: ClosedRange<Int64> = 1...10) {
        random = .seeded(seed)
        self.latency = latency
    }

    static func instance(_ number: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        let digits = [letters[number / 676 % 26], letters[number / 26 % 26], letters[number % 26]]
        return String(decoding: digits, as: UTF8.self) + String(repeating: "a", count: 23)
    }

    static func response(_ instances: [String], timeToLive: UInt32 = Self.timeToLive) -> [UInt8] {
        var packet: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, UInt8(instances.count), 0, 0, 0, 0]
        for instance in instances {
            let target = MDNSName.instance(instance).wire
            packet += name.wire + [0, 12, 0, 1]
            for shift in [24, 16, 8, 0] { packet.append(UInt8(truncatingIfNeeded: timeToLive >> UInt32(shift))) }
            packet += [0, UInt8(target.count)] + target
        }
        return packet
    }

    /// A newcomer, which announces itself at once.
    mutating func join() {
        let number = stations.count
        let browser = QuietBrowser(for: Self.name, now: now, using: &random)
        stations.append(
            Station(instance: Self.instance(number), address: [10, 0, 0, UInt8(number + 1)], browser: browser))
        say(Self.response([Self.instance(number)]), by: number)
    }

    mutating func leave(_ number: Int) {
        say(Self.response([stations[number].instance], timeToLive: 0), by: number)
        stations[number].isAnswering = false
    }

    mutating func silence(_ number: Int) { stations[number].isAnswering = false }

    mutating func forgetQuestions() { (questions, bytes) = ([], 0) }

    mutating func run(for duration: Duration) {
        let end = now + duration
        while let next = nextEvent, next <= end {
            now = max(now, next)
            deliver()
            for number in stations.indices { turn(number) }
        }
        now = end
    }

    private var nextEvent: Instant? {
        let times = stations.map(\.browser.nextDue) + stations.compactMap(\.answerAt) + flying.map(\.at)
        return times.min()
    }

    private mutating func turn(_ number: Int) {
        if stations[number].browser.nextDue <= now {
            act(stations[number].browser.due(now: now, using: &random), at: number)
        }
        guard let answerAt = stations[number].answerAt, answerAt <= now else { return }
        (stations[number].answerAt, stations[number].saidAt) = (nil, now)
        if stations[number].isAnswering { say(Self.response([stations[number].instance]), by: number) }
    }

    private mutating func deliver() {
        let arrived = flying.filter { $0.at <= now }
        flying.removeAll { $0.at <= now }
        for (_, packet, sender) in arrived {
            let read = PointerPacket(packet[...], about: Self.name)
            for number in stations.indices where hears(number, sender) {
                let actions = stations[number].browser.heard(packet[...], from: sender, now: now, using: &random)
                act(actions, at: number)
                respond(to: read, at: number)
            }
        }
    }

    private func hears(_ number: Int, _ sender: [UInt8]) -> Bool {
        guard let cut, let other = stations.firstIndex(where: { $0.address == sender }) else { return true }
        return (number < cut) == (other < cut)
    }

    /// Peers are missed at a station.
    ///
    /// - Parameter besideDaemon: whether a browser of its own begins to ask then, beside a daemon that has browsed so far.
    mutating func pursue(_ number: Int, besideDaemon: Bool) {
        let known = stations[number].listed.sorted()
        if besideDaemon {
            var browser = QuietBrowser(for: Self.name, now: now, using: &random)
            browser.assume(known, timeToLive: Self.timeToLive, now: now, using: &random)
            stations[number].browser = browser
        }
        let end = now + QuietBrowser.pursuingTime
        stations[number].browser.pursue(until: end, now: now, using: &random)
    }

    private mutating func respond(to packet: PointerPacket?, at number: Int) {
        guard let packet, packet.kind != .response else { return }
        let isKnown = packet.pointers.contains { $0.instance == stations[number].instance }
        if isKnown {
            stations[number].answerAt = nil
        } else if packet.kind == .question, stations[number].answerAt == nil, !hasJustSpoken(number) {
            stations[number].answerAt = now + .milliseconds(Int64.random(in: 20...120, using: &random))
        }
    }

    /// No responder repeats a record within a second (RFC 6762 section 6).
    private func hasJustSpoken(_ number: Int) -> Bool {
        stations[number].saidAt.map { now - $0 < .seconds(1) } ?? false
    }

    private mutating func act(_ actions: [QuietBrowser.Action], at number: Int) {
        var packets = 0
        for action in actions {
            switch action {
            case .ask(let packet):
                say(packet, by: number)
                packets += 1
            case .list(let instance): stations[number].listed.insert(instance)
            case .unlist(let instance): stations[number].listed.remove(instance)
            }
        }
        if packets > 0 { questions.append(Question(at: now, station: number, packets: packets)) }
    }

    private mutating func say(_ packet: [UInt8], by number: Int) {
        bytes += packet.count
        let at = now + .milliseconds(Int64.random(in: latency, using: &random))
        flying.append((at, packet, stations[number].address))
    }
}
