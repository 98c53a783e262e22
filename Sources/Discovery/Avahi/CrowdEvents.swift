import ChatNode
import Reactor
import Wire

/// The needs of a crowd besides Avahi: other records, one-shot questions, and the census (Protocol.md section 10).
extension AvahiDiscovery {
    /// Where the daemon works.
    var served: NetworkView { view.served(by: .read()) }

    /// Where is heard and asked besides Avahi.
    var heardView: NetworkView { isDaemonUsed ? served : view }

    var isDaemonUsed: Bool { daemon?.isReady == true }

    /// Listens beside the daemon while that can be used, and for crowds.
    func renewListener() {
        listener?.close()
        listener = nil
        guard isDaemonUsed || rooms.values.contains(where: \.crowd.hearsCensus) else { return }
        let listener = AnnouncementListener(loop: loop, source: isDaemonUsed ? .daemon : .embedded) {
            [weak self] event, room in
            self?.assumeIsolated { $0.take(event, in: room) }
        }
        for (room, state) in rooms {
            listener.listen(for: state.announcement.subtype, hearsCensus: state.crowd.hearsCensus, of: room)
        }
        listener.move(to: heardView)
        self.listener = listener
        pursueAll()
    }

    private func take(_ event: AnnouncementListener.Event, in room: RoomNumber) {
        switch event {
        case .heard(let heard, let listing): self.heard(heard, listing, in: room)
        case .counted(let heard, let listing):
            var generator = SystemRandomNumberGenerator()
            rooms[room]?.crowd.heardCensus(now: loop.now, using: &generator)
            self.heard(heard, listing, in: room)
        case .withdrawn(let instance, let sender):
            change(room) { table, now in
                table.withdrawn(instance, by: sender, now: now)
                return []
            }
        }
    }

    func crowdChanged(_ crowd: Crowd, in room: RoomNumber) {
        guard let index = rooms.index(forKey: room) else { return }
        var generator = SystemRandomNumberGenerator()
        let heardCensus = rooms.values[index].crowd.hearsCensus
        let actions = rooms.values[index].crowd.crowdChanged(crowd, now: loop.now, using: &generator)
        if heardCensus != rooms.values[index].crowd.hearsCensus { renewListener() }
        obey(actions, in: room)
        change(room) { $0.crowdChanged(isCrowd: crowd.isOverlay, now: $1) }
    }

    /// The room may have more instances than before.
    func noteInstances(of room: RoomNumber) {
        guard let index = rooms.index(forKey: room) else { return }
        var generator = SystemRandomNumberGenerator()
        let count = rooms.values[index].table.instanceCount
        let isChanged = rooms.values[index].crowd.heard(instances: count, now: loop.now, using: &generator)
        // Later, since the listener may be the one that has heard of the instance.
        if isChanged { run { $0.renewListener() } }
    }

    func checkCrowd(of room: RoomNumber) {
        guard let index = rooms.index(forKey: room) else { return }
        var generator = SystemRandomNumberGenerator()
        let subtype = rooms.values[index].announcement.subtype
        obey(rooms.values[index].crowd.due(of: subtype, now: loop.now, using: &generator), in: room)
    }

    private func obey(_ actions: [RoomCrowd.Action], in room: RoomNumber) {
        guard let publication = rooms[room]?.publication(in: view) else { return }
        for action in actions {
            switch action {
            case .publish:
                for source in [daemon, embedded] {
                    if let source, source.isReady { source.responder.adjust(publication, of: room) }
                }
            // Not on a network that may be another one already.
            case .ask where isReading, .announce where isReading: break
            case .ask(let subtypes): ask(for: subtypes, of: room)
            case .announce: announce(publication, of: room, in: heardView)
            }
        }
    }

    /// Announces a node on each interface, unless that was done just now.
    func announce(_ publication: Publication, of room: RoomNumber, in view: NetworkView) {
        let packets = rooms[room]?.firstAnnouncement.packets(of: publication, in: view, now: loop.now)
        packets?.forEach { $0.send() }
    }

    private func ask(for subtypes: [String], of room: RoomNumber) {
        let asker =
            self.asker
            ?? BucketAsker(loop: loop) { [weak self] bytes, sender, place, room in
                self?.assumeIsolated { $0.answered(bytes, from: sender, at: place, in: room) }
            }
        self.asker = asker
        asker.ask(for: subtypes, of: room, in: heardView)
    }

    private func answered(
        _ bytes: ArraySlice<UInt8>, from sender: [UInt8], at place: MulticastPlace, in room: RoomNumber
    ) {
        guard let index = rooms.index(forKey: room) else { return }
        let subtype = rooms.values[index].announcement.subtype
        let all = HeardInstance.ofBucket(in: bytes, from: sender, of: subtype)
        guard !all.isEmpty, let weight = rooms.values[index].crowd.takes(sender, of: subtype) else { return }
        let source: Source = isDaemonUsed ? .daemon : .embedded
        for heard in all {
            let listing = Listing(source: source, instance: heard.instance, at: place)
            self.heard(heard, listing, weight: weight, in: room)
        }
    }
}
