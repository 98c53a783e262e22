import ChatNode
import Reactor
import Phrases
import Wire

/// Events of the daemon, the embedded responder, the kernel and the clock.
extension AvahiDiscovery {
    /// The kernel tells of one change in several messages.
    private static let networkSettling = Duration.milliseconds(100)
    private static let waitingTime = Duration.seconds(5)
    private static let rereadPause = Duration.seconds(1)
    /// From the withdrawal of a room's names on another network to its new ones.
    private static let renamePause = Duration.zero...Duration.seconds(3)

    func handle(_ event: ResponderEvent, from source: Source, epoch: Int) {
        guard self[source]?.epoch == epoch else { return }
        switch event {
        case .ready: becameReady(source)
        case .waiting(let reason): waits(source, reason)
        case .failed(let reason): failed(source, reason)
        case .answered(let number): pulseAnswered(number)
        case .room(let room, let event): handle(event, of: room, from: source)
        }
    }

    private func handle(_ event: RoomEvent, of room: RoomNumber, from source: Source) {
        switch event {
        case .published: published(room, source)
        case .collision: collided(room)
        case .listed(let listing): change(room) { $0.listed(listing, now: $1) }
        case .heard(let heard, let listing): self.heard(heard, listing, in: room)
        case .unlisted(let listing): change(room) { $0.unlisted(listing, now: $1) }
        case .unresolved(let listing): change(room) { $0.resolved(listing, nil, now: $1) + [.cancel(listing)] }
        case .resolved(let listing, let answer): resolved(listing, answer, in: room)
        }
    }

    private func becameReady(_ source: Source) {
        guard self[source]?.isReady == false else { return }
        self[source]?.becameReady()
        stands(source, .answering)
        guard let responder = self[source]?.responder else { return }
        for room in rooms.keys.sorted() {
            publish(room, with: responder)
            browse(room, with: responder)
        }
        if source == .daemon { renewListener() } else { pursueAll() }
    }

    private func published(_ room: RoomNumber, _ source: Source) {
        rooms[room]?.publishers.insert(source)
        noteServing(source)
        announceSoon(room, with: source)
    }

    /// A responder serves once it has the records of all rooms; a room that begins later does not change that.
    func noteServing(_ source: Source) {
        guard self[source]?.isReady == true, !rooms.isEmpty,
            rooms.values.allSatisfy({ $0.publishers.contains(source) })
        else { return }
        stands(source, .serving)
    }

    private func sourceEnded(_ source: Source) {
        for room in Array(rooms.keys) {
            rooms[room]?.publishers.remove(source)
            change(room) { $0.sourceEnded(source, now: $1) }
        }
    }

    private func lost(_ source: Source, _ reason: String) {
        self[source]?.isReady = false
        if source == .daemon { renewListener() }
        sourceEnded(source)
        let isOutOfReach = reason == DaemonConnection.noBus || reason == DaemonConnection.noLibrary
        guard source == .daemon, isOutOfReach else { return stands(source, .unusable(reason)) }
        obey(choice.daemonIsOutOfReach(reason))
    }

    /// It waits for a daemon to appear, also where one is there but hung when it was asked: so it is asked again.
    private func waits(_ source: Source, _ reason: String) {
        lost(source, reason)
        let epoch = self[source]?.epoch
        after(Self.waitingTime) {
            guard $0[source]?.epoch == epoch, $0[source]?.isReady == false else { return }
            $0.failed(source, reason)
        }
    }

    private func failed(_ source: Source, _ reason: String) {
        guard let pause = self[source]?.close() else { return }
        lost(source, reason)
        after(pause) { $0.reopen(source) }
    }

    private func reopen(_ source: Source) {
        guard source == .daemon || choice.isEmbeddedOpen, self[source]?.isOpen == false else { return }
        self[source]?.open()
        if source == .daemon { pulse = DaemonPulse() }
    }

    private func stands(_ source: Source, _ standing: ModeChoice.Standing) {
        switch source {
        case .daemon: obey(choice.daemonIs(standing))
        case .embedded: obey(choice.embeddedIs(standing))
        }
    }

    func obey(_ orders: [ModeChoice.Order]) {
        for order in orders {
            switch order {
            case .openEmbedded: embedded?.open()
            case .closeEmbedded:
                _ = embedded?.close { self.run { $0.announceAnew() } }
                sourceEnded(.embedded)
            case .tell(let mode, let detail): settle(.mode(mode, detail: detail))
            case .fail(let reason): settle(.failed(AvahiDiscovery.failure(reason)))
            }
        }
    }

    /// Tells each room, and each that begins later.
    private func settle(_ event: DiscoveryEvent) {
        outlook = event
        tellAll(event)
    }

    private func tellAll(_ event: DiscoveryEvent) {
        for (_, state) in rooms.sorted(by: { $0.key < $1.key }) { state.tell(event) }
    }

    static func failure(_ reason: String) -> String {
        let what = reason == DaemonConnection.noBus ? "there is no system bus (D-Bus)" : reason
        return "no Avahi daemon can be used: \(what); start one, or choose another way with --discovery"
    }

    /// The embedded one has said goodbye for the records that the daemon has too: others forget them within a second,
    /// unless they are announced again.
    private func announceAnew() {
        guard let daemon, daemon.isReady else { return }
        for room in rooms.keys.sorted() { publish(room, with: daemon.responder) }
    }

    /// Another host has our names: a copy of this machine's state, or an attacker. Draws other names, at a bounded rate.
    private func collided(_ room: RoomNumber) {
        guard let isRenaming = rooms[room]?.isRenaming, !isRenaming,
            let pause = rooms[room]?.collisions.next(now: loop.now)
        else { return }
        rooms[room]?.isRenaming = true
        after(pause) {
            $0.rooms[room]?.isRenaming = false
            $0.rooms[room]?.tell(.namesOutdated)
        }
    }

    func networkChanged() {
        guard !isReading else { return }
        isReading = true
        embedded?.responder.networkIsChanging()
        readNetwork(after: Self.networkSettling)
    }

    /// Reads the interfaces, and again each second until the kernel tells them: that it does not is no network without any.
    func readNetwork(after pause: Duration) {
        after(pause) {
            guard let interfaces = NetworkReader.read() else { return $0.readNetwork(after: Self.rereadPause) }
            $0.isReading = false
            $0.adopt($0.view.with(interfaces))
        }
    }

    private func adopt(_ later: NetworkView) {
        let old = view
        view = later
        warnOfInterfaces()
        if old.isOutdated(by: view) {
            move()
        } else if view.publications != old.publications {
            for room in rooms.keys.sorted() { publish(room) }
        }
        embedded?.responder.networkChanged(view)
        listener?.move(to: heardView)
        guard !view.hasSameNetworks(as: old) else { return }
        for room in rooms.keys.sorted() { change(room) { $0.networkChanged(now: $1) } }
        tellAll(.networkChanged)
    }

    /// The names belong to another network: withdraws them at once, and asks for others after a pause of each room's own, so that
    /// no observer can tell by the time which of the new ones are of one machine.
    private func move() {
        for room in rooms.keys.sorted() {
            change(room) { $0.networkLeft(now: $1) }
            guard rooms[room]?.isMoving == false else { continue }
            rooms[room]?.isMoving = true
            publish(room)
            var generator = SystemRandomNumberGenerator()
            after(.random(in: Self.renamePause, using: &generator)) {
                guard $0.rooms[room]?.isMoving == true else { return }
                $0.rooms[room]?.tell(.namesOutdated)
            }
        }
    }

    func warnOfInterfaces() {
        guard interfaceWarning.isDue(in: view) else { return }
        // It concerns the machine: one room tells it.
        let phrase: Phrase = view.publications.isEmpty ? .noMulticast : .noInterface
        rooms.min { $0.key < $1.key }?.value.tell(.warning(.noInterface, Sentence(phrase)))
    }

    func probeDaemon() {
        guard let source = daemon else { return }
        if source.isReady, let number = pulse.next() {
            source.responder.probe(number)
            awaitDaemon(DaemonPulse.patience, while: { $0.pulse.isOpen(number) }) {
                guard $0.pulse.hasStopped(at: number), $0.daemon?.isReady == true else { return }
                $0.sourceEnded(.daemon)
                $0.stands(.daemon, .unusable("the Avahi daemon hangs"))
            }
        }
        after(DaemonPulse.interval) { $0.probeDaemon() }
    }

    private func pulseAnswered(_ number: Int) {
        guard pulse.answered(number) else { return }
        // Listings from before the daemon hung are reported again.
        if let daemon { for room in rooms.keys.sorted() { browse(room, with: daemon.responder) } }
        stands(.daemon, .serving)
    }

    private func announceSoon(_ room: RoomNumber, with source: Source) {
        var generator = SystemRandomNumberGenerator()
        after(.random(in: FirstAnnouncement.wait, using: &generator)) {
            // Not on a network that may be another one already, nor once nothing is published any more.
            guard !$0.isReading, let publication = $0.rooms[room]?.publication(in: $0.view) else { return }
            $0.announce(publication, of: room, in: source == .daemon ? $0.served : $0.view)
        }
    }

    func publish(_ room: RoomNumber) {
        for source in [daemon, embedded] {
            if let source, source.isReady { publish(room, with: source.responder) }
        }
    }

    func publish(_ room: RoomNumber, with responder: AvahiResponder) {
        guard let state = rooms[room] else { return }
        responder.publish(state.publication(in: view), of: room)
    }

    func browse(_ room: RoomNumber, with responder: AvahiResponder) {
        guard let state = rooms[room] else { return }
        responder.browse(type: state.type, of: room, in: view)
    }

    subscript(source: Source) -> AvahiSource? {
        get {
            switch source {
            case .daemon: daemon
            case .embedded: embedded
            }
        }
        set {
            switch source {
            case .daemon: daemon = newValue
            case .embedded: embedded = newValue
            }
        }
    }
}
