import ChatNode
import Reactor

/// Hears announcements beside Avahi's daemon, so that no query for them is needed; for all rooms, by one set of sockets.
/// Confined to its event loop.
///
/// The daemon answers each query of each program separately: a hundred nodes of one host that query each other keep it busy
/// for longer than they would wait.
final class AnnouncementListener {
    typealias Tell = (HeardInstance, Listing, RoomNumber) -> Void

    private let loop: EventLoop
    private let tell: Tell
    private var names: [RoomNumber: BrowsedName] = [:]
    private lazy var posts = MulticastPosts(loop: loop) { [unowned self] bytes, sender, place in
        heard(bytes, from: sender, at: place)
    }

    /// - Parameter tell: takes what is heard as the daemon would list it, on the loop.
    init(loop: EventLoop, tell: @escaping Tell) {
        self.loop = loop
        self.tell = tell
    }

    /// - Parameter type: what Avahi browses for in the room; nil to end it.
    func listen(for type: String?, of room: RoomNumber) {
        names[room] = type.map(BrowsedName.init(type:))
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
        for (room, name) in names {
            for heard in HeardInstance.all(in: bytes, from: sender, of: name) {
                tell(heard, Listing(source: .daemon, instance: heard.instance, at: place), room)
            }
        }
    }
}
