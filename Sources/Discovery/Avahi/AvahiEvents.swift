import ChatNode
import Reactor
import Synchronization
import Phrases
import Wire

/// Events of the daemon, the embedded responder, the kernel and the clock.
extension AvahiDiscovery {
    /// The kernel tells of one change in several messages.
    private static let networkSettling = Duration.milliseconds(100)
    private static let waitingTime = Duration.seconds(5)
    private static let checkInterval = Duration.milliseconds(20)

    func handle(_ event: ResponderEvent, from source: Source, epoch: Int) {
        guard self[source]?.epoch == epoch else { return }
        switch event {
        case .ready: becameReady(source)
        case .waiting(let reason): waits(source, reason)
        case .failed(let reason): failed(source, reason)
        case .published:
            stands(source, .serving)
            announceSoon(with: source)
        case .collision: collided()
        case .answered(let number): pulseAnswered(number)
        case .listed(let listing):
            act(table.listed(listing, now: loop.now))
            crowdedOut.withLock { $0 = table.dropped }
        case .heard(let heard, let listing): self.heard(heard, listing)
        case .unlisted(let listing): act(table.unlisted(listing, now: loop.now))
        case .unresolved(let listing): act(table.failed(listing, now: loop.now) + [.cancel(listing)])
        case .resolved(let listing, let answer): resolved(listing, answer)
        }
    }

    private func becameReady(_ source: Source) {
        guard self[source]?.isReady == false else { return }
        self[source]?.becameReady()
        stands(source, .answering)
        self[source]?.responder.publish(publication)
        self[source]?.responder.browse(type: browsingType, in: view)
        if source == .daemon { listen() }
    }

    /// Anew, to what is browsed for now.
    func listen() {
        listener?.close()
        listener = AnnouncementListener(type: browsingType, loop: loop) { [weak self] heard, listing in
            self?.assumeIsolated { $0.heard(heard, listing) }
        }
        listener?.move(to: served)
    }

    /// Where the daemon works.
    private var served: NetworkView { view.served(by: .read()) }

    func endListening() {
        listener?.close()
        listener = nil
    }

    private func lost(_ source: Source, _ reason: String) {
        self[source]?.isReady = false
        if source == .daemon { endListening() }
        act(table.sourceEnded(source, now: loop.now))
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
                act(table.sourceEnded(.embedded, now: loop.now))
            case .tell(let mode, let detail): tell?(.mode(mode, detail: detail))
            case .fail(let reason): tell?(.failed(AvahiDiscovery.failure(reason)))
            }
        }
    }

    private static func failure(_ reason: String) -> String {
        let what = reason == DaemonConnection.noBus ? "there is no system bus (D-Bus)" : reason
        return "no Avahi daemon can be used: \(what); start one, or choose another way with --discovery"
    }

    /// The embedded one has said goodbye for the records that the daemon has too: others forget them within a second,
    /// unless they are announced again.
    private func announceAnew() {
        guard let daemon, daemon.isReady else { return }
        daemon.responder.publish(publication)
    }

    func act(_ actions: [ListingAction]) {
        for action in actions {
            switch action {
            case .resolve(let listing, let family): self[listing.source]?.responder.resolve(listing, family)
            case .cancel(let listing): self[listing.source]?.responder.cancel(listing)
            case .tell(let event): tell?(event)
            }
        }
        guard let next = table.nextDue else { return }
        // Many things fall due within milliseconds of each other, and each check looks through the whole table.
        let due = max(next, loop.now + Self.checkInterval)
        guard nextCheck.map({ due < $0 }) ?? true else { return }
        nextCheck = due
        loop.schedule(at: due) { self.assumeIsolated { $0.check(due) } }
    }

    private func check(_ instant: Instant) {
        if nextCheck == instant { nextCheck = nil }
        act(table.due(now: loop.now))
    }

    private func resolved(_ listing: Listing, _ answer: Resolution) {
        let endpoint =
            answer.isOurVersion
            ? view.endpoint(address: answer.address, port: answer.port, interface: listing.interface) : nil
        act([.cancel(listing)] + table.resolved(listing, endpoint, now: loop.now))
    }

    func heard(_ heard: HeardInstance, _ listing: Listing) {
        // While the network changes, the network that the packet came from is unknown.
        guard heard.isOurVersion, !isReading else { return }
        let endpoints = heard.addresses(first: listing.family).lazy.compactMap {
            self.view.endpoint(address: $0, port: heard.port, interface: listing.interface)
        }
        guard let endpoint = endpoints.first else { return }
        act(table.heard(listing, endpoint, now: loop.now))
        crowdedOut.withLock { $0 = table.dropped }
    }

    /// Another host has our names: a copy of this machine's state, or an attacker. Draws other names, at a bounded rate.
    private func collided() {
        guard !isRenaming else { return }
        isRenaming = true
        after(collisions.next()) {
            $0.isRenaming = false
            $0.tell?(.namesOutdated)
        }
    }

    func networkChanged() {
        guard !isReading else { return }
        isReading = true
        embedded?.responder.networkIsChanging()
        after(Self.networkSettling) {
            $0.isReading = false
            let old = $0.view
            $0.view.interfaces = NetworkReader.read()
            $0.warnOfInterfaces()
            if old.isOutdated(by: $0.view) {
                $0.tell?(.namesOutdated)
            } else if $0.view.publications != old.publications {
                $0.publish()
            }
            $0.embedded?.responder.networkChanged($0.view)
            $0.listener?.move(to: $0.served)
            guard $0.view != old else { return }
            $0.act($0.table.networkChanged(now: $0.loop.now))
            $0.tell?(.networkChanged)
        }
    }

    func warnOfInterfaces() {
        guard interfaceWarning.isDue(in: view) else { return }
        tell?(.warning(.noInterface, Sentence(.noInterface)))
    }

    func probeDaemon() {
        guard let source = daemon else { return }
        if source.isReady, let number = pulse.next() {
            source.responder.probe(number)
            awaitDaemon(DaemonPulse.patience, while: { $0.pulse.isOpen(number) }) {
                guard $0.pulse.hasStopped(at: number), $0.daemon?.isReady == true else { return }
                $0.act($0.table.sourceEnded(.daemon, now: $0.loop.now))
                $0.stands(.daemon, .unusable("the Avahi daemon hangs"))
            }
        }
        after(DaemonPulse.interval) { $0.probeDaemon() }
    }

    private func pulseAnswered(_ number: Int) {
        guard pulse.answered(number) else { return }
        // Listings from before the daemon hung are reported again.
        daemon?.responder.browse(type: browsingType, in: view)
        stands(.daemon, .serving)
    }

    private func announceSoon(with source: Source) {
        var generator = SystemRandomNumberGenerator()
        after(.random(in: FirstAnnouncement.wait, using: &generator)) {
            // Not on a network that may be another one already, nor once nothing is published any more.
            guard !$0.isReading, $0.tell != nil else { return }
            let view = source == .daemon ? $0.served : $0.view
            let packets = $0.firstAnnouncement.packets(of: $0.publication, in: view, now: $0.loop.now)
            packets.forEach { $0.send() }
        }
    }

    func publish() {
        for source in [daemon, embedded] {
            if let source, source.isReady { source.responder.publish(publication) }
        }
    }

    private var publication: Publication {
        guard let announcement else { return [:] }
        return view.publications.mapValues { MDNSRecords.records(for: announcement, addresses: $0) }
    }

    var browsingType: String { MDNSName.browsingType(subtype: announcement?.subtype ?? "") }

    private subscript(source: Source) -> AvahiSource? {
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
