import ChatNode
package import Reactor
import Wire

/// Examines within a few seconds, and without any privilege, the facilities of this machine's network that discovery needs.
///
/// Queries about this machine have no hops to go and are heard here alone. The network sees the queries of chats in the room
/// and in `others`, one for the service types, and an announcement of random names that no browser asks for. The
/// examination changes nothing on the machine.
package actor NetworkExamination: EventLoopActor {
    /// With a peer there and nothing wrong; peers answer within 120 ms.
    private static let shortest = Duration.milliseconds(1_000)
    private static let longest = Duration.milliseconds(2_500)
    private static let interval = Duration.milliseconds(100)
    /// The network is asked this often; packets to this machine alone are sent every time.
    private static let intervalsPerQuestion = 7
    /// The time that a chat waits for the daemon.
    private static let patience = Duration.milliseconds(1_000)
    private static let closingTime = Duration.milliseconds(300)

    package nonisolated let loop: EventLoop
    private nonisolated let daemonLoop: EventLoop
    private let room: String
    private let port: UInt16
    private let announcement: Announcement

    private var view: NetworkView
    private var tally: ExaminationTally
    private var probes: [MulticastPlace: MulticastProbe] = [:]
    private var daemon: AvahiResponder?
    private var embedded: AvahiResponder?
    private var daemonStanding: NetworkObservations.Daemon?
    private var embeddedFailure: String?
    private var ticks = 0
    private var startedAt = Instant(nanoseconds: 0)
    private var waiting: CheckedContinuation<NetworkObservations, Never>?
    private var closing: CheckedContinuation<Bool, Never>?

    /// - Parameters:
    ///   - tag: the tag of the room to query.
    ///   - others: the tags of further rooms to query.
    ///   - interfaces: names of the only interfaces to examine; empty for all.
    ///   - port: a UDP port, free or not, as an example of ports that firewalls keep closed.
    package init(tag: String, others: [String], interfaces: [String], port: UInt16) throws(SystemError) {
        room = "_r" + tag
        self.port = port
        var generator = SystemRandomNumberGenerator()
        // An empty room: its tag has 32 random bits, where a real one has bits of a digest.
        let bits = String(UInt32.random(in: 1 << 28...UInt32.max, using: &generator), radix: 16)
        announcement = Announcement(
            instance: RandomNames.draw(using: &generator), host: RandomNames.draw(using: &generator), port: port,
            subtype: "_r" + bits)
        view = NetworkView(interfaces: NetworkReader.read() ?? [], names: interfaces)
        tally = ExaminationTally(
            room: room, others: others.map { "_r" + $0 }, own: announcement.subtype,
            token: Array(RandomNames.draw(using: &generator).utf8), places: view.probePlaces,
            addresses: view.interfaces.flatMap { $0.addresses.map(\.bytes) }, view: view)
        loop = try EventLoop(name: "examination")
        daemonLoop = try EventLoop(name: "avahi")
    }

    /// Once. Returns within 3 s.
    ///
    /// - Throws: the system's refusal of a thread.
    package nonisolated func run() async throws(SystemError) -> NetworkObservations {
        try loop.start()
        try daemonLoop.start()
        let observations = await withCheckedContinuation { continuation in executeRetained { $0.begin(continuation) } }
        let isClosed = await withCheckedContinuation { continuation in executeRetained { $0.close(continuation) } }
        await loop.end()
        if isClosed { await daemonLoop.end() }
        return observations
    }
}

/// The course of it.
extension NetworkExamination {
    private func begin(_ continuation: CheckedContinuation<NetworkObservations, Never>) {
        waiting = continuation
        startedAt = loop.now
        for place in view.probePlaces {
            guard let source = view.usableAddresses(at: place).first else { continue }
            probes[place] = MulticastProbe(
                at: place.interface, from: source, other: port, loop: loop,
                hear: callback { $0.tally.heard($1.bytes, from: $1.sender, by: $1.socket, at: place) },
                fail: callback { $0.tally.failed($1.socket, at: place, $1.error) })
        }
        let daemon = AvahiResponder(.daemon, on: daemonLoop, report: report) { loop, context throws(ResponderFailure) in
            try DaemonConnection(loop: loop, context: context)
        }
        self.daemon = daemon
        daemon.open(epoch: 1)
        schedule(after: Self.patience) { $0.daemonStands(.hangs) }
        tick()
    }

    private func tick() {
        guard let continuation = waiting else { return }
        let elapsed = loop.now - startedAt
        let isDone = elapsed >= Self.shortest && tally.isSound && tally.counts.peers > 0
        if isDone || elapsed >= Self.longest {
            waiting = nil
            return continuation.resume(returning: observations)
        }
        let isQuestionDue = ticks.isMultiple(of: Self.intervalsPerQuestion)
        for (place, probe) in probes {
            if isQuestionDue { probe.send(tally.question, by: .mdns) }
            probe.send(tally.token, by: .otherPort)
            for query in queries(at: place) { probe.send(query, by: .asker) }
        }
        ticks += 1
        schedule(after: Self.interval) { $0.tick() }
    }

    /// Queries to the responders of this machine: for its address, and for their own names: an answer to the second gives
    /// silence about the first a meaning.
    private func queries(at place: MulticastPlace) -> [[UInt8]] {
        view.usableAddresses(at: place).map { MDNSMessage.query(for: [MDNSName(reverseOf: $0)]) }
            + [MDNSMessage.query(for: [.subtype(announcement.subtype)])]
    }

    private var observations: NetworkObservations {
        var observations = NetworkObservations()
        observations.daemon = daemonStanding ?? .hangs
        observations.embeddedFailure = embeddedFailure
        observations.nodes = tally.counts
        observations.tcpTimestamps = SystemFile.text(at: "/proc/sys/net/ipv4/tcp_timestamps").flatMap {
            Int($0.prefix { !$0.isWhitespace })
        }
        observations.interfaces = view.permitted.map { interface in
            let families = [Family.ipv4, .ipv6].compactMap {
                tally.families[MulticastPlace(interface: interface.index, family: $0)]
            }
            return InterfaceObservation(interface: interface, families: families)
        }
        return observations
    }

    private func close(_ continuation: CheckedContinuation<Bool, Never>) {
        for probe in probes.values { probe.close() }
        probes = [:]
        closing = continuation
        let daemon = daemon
        let closeDaemon = { @Sendable in
            guard let daemon else { return self.executeRetained { $0.closed(isClosed: true) } }
            daemon.close { self.executeRetained { $0.closed(isClosed: true) } }
        }
        if let embedded { embedded.close(closeDaemon) } else { closeDaemon() }
        schedule(after: Self.closingTime) { $0.closed(isClosed: false) }
    }

    private func closed(isClosed: Bool) {
        closing?.resume(returning: isClosed)
        closing = nil
    }
}

/// The responders of this machine.
extension NetworkExamination {
    private var report: ResponderReport {
        { event, source, _ in self.executeRetained { $0.handle(event, from: source) } }
    }

    private func handle(_ event: ResponderEvent, from source: RecordSource) {
        switch (event, source) {
        case (.ready, .daemon):
            daemonStands(.answers)
            daemon?.publish(publication, of: 0)
        case (.ready, .embedded): embedded?.publish(publication, of: 0)
        case (.waiting, .daemon): daemonStands(.isAbsent)
        case (.failed(let reason), .daemon):
            daemonStands(reason == DaemonConnection.noBus ? .hasNoBus : .failed(reason))
        case (.failed(let reason), .embedded), (.waiting(let reason), .embedded): embeddedFailure = reason
        // Names of 128 random bits do not collide, and a missing record shows by itself; nothing is browsed for.
        case (.room, _), (.answered, _): break
        }
    }

    /// The first word counts, but for a daemon that fails later, and for one that was only slow. Where it does not
    /// answer, this program does.
    private func daemonStands(_ standing: NetworkObservations.Daemon) {
        let isFailure: Bool
        switch standing {
        case .failed, .hasNoBus: isFailure = true
        case .answers, .isAbsent, .hangs: isFailure = false
        }
        guard let former = daemonStanding else { return adopt(standing) }
        if former == .answers && isFailure || former == .hangs { adopt(standing) }
    }

    private func adopt(_ standing: NetworkObservations.Daemon) {
        daemonStanding = standing
        guard standing != .answers, embedded == nil else { return }
        let names = view.names
        let embedded = AvahiResponder(.embedded, on: loop, report: report) { loop, context throws(ResponderFailure) in
            try EmbeddedConnection(loop: loop, context: context, interfaces: names)
        }
        self.embedded = embedded
        embedded.open(epoch: 1)
    }

    private var publication: Publication {
        view.publications.mapValues { MDNSRecords.records(for: announcement, addresses: $0) }
    }
}

extension NetworkView {
    /// Where packets are tried. On loopback nothing is sent by IPv6.
    fileprivate var probePlaces: [MulticastPlace] {
        publications.keys.sorted().flatMap { index in
            [Family.ipv4, .ipv6].map { MulticastPlace(interface: index, family: $0) }
        }
        .filter { !usableAddresses(at: $0).isEmpty }
    }

    fileprivate func usableAddresses(at place: MulticastPlace) -> [[UInt8]] {
        interfaces.first { $0.index == place.interface }?.sources(place.family) ?? []
    }
}
