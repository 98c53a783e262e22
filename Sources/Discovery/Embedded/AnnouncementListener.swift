import ChatNode
import Reactor
import Wire

/// Hears announcements beside Avahi's daemon, so that no query for them is needed; and in either mode the announcements of
/// crowds; for all rooms, by one set of sockets. Confined to its event loop.
///
/// The daemon answers each query of each program separately: a hundred nodes of one host that query each other keep it busy
/// for longer than they would wait.
final class AnnouncementListener {
    enum Event {
        /// One packet had all records of an instance of the room.
        case heard(HeardInstance, Listing)
        /// Likewise of one in the bucket of its address.
        case counted(HeardInstance, Listing)
        /// One packet has withdrawn an instance of any room.
        case withdrawn(String, sender: [UInt8])
    }

    typealias Tell = ((event: Event, room: RoomNumber)) -> Void

    private struct Search {
        let subtype: String
        let name: BrowsedName
        let hearsCensus: Bool
    }

    private let loop: EventLoop
    private let source: RecordSource
    private let tell: Tell
    private var searches: [RoomNumber: Search] = [:]
    private lazy var posts = MulticastPosts(loop: loop) { [unowned self] bytes, sender, place in
        heard(bytes, from: sender, at: place)
    }

    private lazy var pursuit = Pursuit(loop: loop) { [unowned self] packet, place in posts.send(packet, at: place) }

    /// - Parameters:
    ///   - source: what else is used: listings are as those of that Avahi.
    ///   - tell: takes what is heard, on the loop.
    init(loop: EventLoop, source: RecordSource, tell: @escaping Tell) {
        self.loop = loop
        self.source = source
        self.tell = tell
    }

    /// - Parameters:
    ///   - subtype: that of the room's announcements; nil to end it.
    ///   - hearsCensus: whether to hear what only the nodes of a crowd say.
    func listen(for subtype: String?, hearsCensus: Bool, of room: RoomNumber) {
        if subtype == nil { pursuit.end(room) }
        searches[room] = subtype.map {
            Search(subtype: $0, name: BrowsedName(subtype: $0), hearsCensus: hearsCensus)
        }
    }

    /// Asks for the instances of a room until then, since peers are missed; nil to end it.
    ///
    /// - Parameter known: the instances that are listed.
    func pursue(_ room: RoomNumber, known: [String], until end: Instant?) {
        guard let end, let search = searches[room] else { return pursuit.end(room) }
        pursuit.begin(for: search.name, of: room, at: posts.places, known: known, until: end)
    }

    /// Where no socket is to be had, nothing is heard: the daemon is asked.
    func move(to view: NetworkView) {
        do throws(SystemError) {
            try posts.move(to: view) { _ in }
        } catch {
            posts.close()
        }
    }

    func close() { posts.close() }

    private func heard(_ bytes: ArraySlice<UInt8>, from sender: [UInt8], at place: MulticastPlace) {
        for (room, search) in searches {
            for heard in HeardInstance.all(in: bytes, from: sender, of: search.name) {
                tell((.heard(heard, Listing(source: source, instance: heard.instance, at: place)), room))
            }
            guard search.hearsCensus else { continue }
            for heard in HeardInstance.ofBucket(in: bytes, from: sender, of: search.subtype) {
                tell((.counted(heard, Listing(source: source, instance: heard.instance, at: place)), room))
            }
            for instance in WithdrawnInstances.all(in: bytes) { tell((.withdrawn(instance, sender: sender), room)) }
        }
        pursuit.heard(bytes, from: sender, at: place)
    }
}
