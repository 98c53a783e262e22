import ChatNode
import Reactor
import Wire

/// Looks for the peers of all rooms by sockets of its own, beside libavahi-core, which answers for us and resolves: for each
/// room, a quiet browser at each interface in each family. Confined to its event loop.
///
/// The rooms share the sockets and nothing else: each asks in packets of its own, with its own instances as known answers.
final class MulticastBrowser {
    private struct Search {
        let name: BrowsedName
        let context: RoomContext
        var browsers: [MulticastPlace: QuietBrowser] = [:]
        /// Peers are missed until then.
        var pursuesUntil: Instant?

        func listing(_ instance: String, at place: MulticastPlace) -> Listing {
            Listing(source: context.source, instance: instance, at: place)
        }
    }

    private let loop: EventLoop
    private lazy var posts = MulticastPosts(loop: loop) { [unowned self] bytes, sender, place in
        heard(bytes, from: sender, at: place)
    }
    private var searches: [RoomNumber: Search] = [:]
    private var generator = SystemRandomNumberGenerator()
    private var nextCheck: Instant?
    private var isHeld = false

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Begins to browse for a name in a room, where `move` leads; or tells everything anew, and asks as at the start.
    func browse(for name: BrowsedName, of room: RoomNumber, context: RoomContext) {
        if searches[room]?.name == name {
            for place in places(of: room) {
                change(room, place) { $0.restart(now: loop.now, using: &generator) }
            }
        } else {
            end(room)
            searches[room] = Search(name: name, context: context)
            posts.places.forEach { browse($0, for: room) }
        }
        arm()
    }

    /// Asks for the instances of a room often until then, since peers are missed; nil: no more than usual.
    func pursue(until end: Instant?, of room: RoomNumber) {
        searches[room]?.pursuesUntil = end
        for place in places(of: room) { pursue(until: end, of: room, at: place) }
        arm()
    }

    private func pursue(until end: Instant?, of room: RoomNumber, at place: MulticastPlace) {
        searches[room]?.browsers[place]?.pursue(until: end, now: loop.now, using: &generator)
    }

    /// Browses for a room no more.
    func end(_ room: RoomNumber) {
        for place in places(of: room) { leave(place, for: room) }
        searches[room] = nil
    }

    /// Asks nothing until it is moved: what is known of one network is not for the next (Protocol.md section 10).
    func hold() { isHeld = true }

    /// Browses on the interfaces of `view`: starts on new ones, and anew where the network may be another one.
    func move(to view: NetworkView) throws(SystemError) {
        let rooms = Array(searches.keys)
        try posts.move(to: view) { move in
            for room in rooms {
                move.left.forEach { leave($0, for: room) }
                move.taken.forEach { browse($0, for: room) }
            }
        }
        isHeld = false
        arm()
    }

    /// Browses nowhere until it is moved.
    func leaveAll() {
        posts.close()
        for room in Array(searches.keys) {
            for place in places(of: room) { leave(place, for: room) }
        }
    }

    func close() {
        leaveAll()
        searches = [:]
    }

    private func heard(_ bytes: ArraySlice<UInt8>, from sender: [UInt8], at place: MulticastPlace) {
        // No copy of a search is held while it changes, since its browsers would be copied.
        for room in Array(searches.keys) {
            // Before it is listed, so that it is not asked about.
            tellComplete(in: bytes, from: sender, at: place, of: room)
            change(room, place) { $0.heard(bytes, from: sender, now: loop.now, using: &generator) }
        }
        arm()
    }

    private func tellComplete(
        in bytes: ArraySlice<UInt8>, from sender: [UInt8], at place: MulticastPlace, of room: RoomNumber
    ) {
        guard let search = searches[room] else { return }
        for heard in HeardInstance.all(in: bytes, from: sender, of: search.name) {
            search.context.tell(.heard(heard, search.listing(heard.instance, at: place)))
        }
    }

    private func browse(_ place: MulticastPlace, for room: RoomNumber) {
        guard let name = searches[room]?.name else { return }
        searches[room]?.browsers[place] = QuietBrowser(for: name, now: loop.now, using: &generator)
        if let end = searches[room]?.pursuesUntil { pursue(until: end, of: room, at: place) }
    }

    private func leave(_ place: MulticastPlace, for room: RoomNumber) {
        guard let browser = searches[room]?.browsers.removeValue(forKey: place), let search = searches[room] else {
            return
        }
        for instance in browser.instances { search.context.tell(.unlisted(search.listing(instance, at: place))) }
    }

    private func places(of room: RoomNumber) -> [MulticastPlace] {
        searches[room].map { Array($0.browsers.keys) } ?? []
    }

    private func change(
        _ room: RoomNumber, _ place: MulticastPlace, _ change: (inout QuietBrowser) -> [QuietBrowser.Action]
    ) {
        guard let index = searches.index(forKey: room),
            let inner = searches.values[index].browsers.index(forKey: place)
        else { return }
        let actions = change(&searches.values[index].browsers.values[inner])
        let search = searches.values[index]
        for action in actions {
            switch action {
            case .ask(let packet): posts.send(packet, at: place)
            case .list(let instance): search.context.tell(.listed(search.listing(instance, at: place)))
            case .unlist(let instance): search.context.tell(.unlisted(search.listing(instance, at: place)))
            }
        }
    }

    private func arm() {
        let next = searches.values.lazy.flatMap(\.browsers.values).map(\.nextDue).min()
        guard !isHeld, let next, nextCheck.map({ next < $0 }) ?? true else { return }
        nextCheck = next
        loop.schedule(at: next) { [weak self] in self?.check(next) }
    }

    private func check(_ instant: Instant) {
        guard nextCheck == instant else { return }
        nextCheck = nil
        guard !isHeld else { return }
        for room in Array(searches.keys) {
            for place in places(of: room) {
                change(room, place) { $0.due(now: loop.now, using: &generator) }
            }
        }
        arm()
    }
}
