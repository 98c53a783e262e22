import ChatNode
import Reactor

/// Hears announcements beside Avahi's daemon, so that no query for them is needed. Confined to its event loop.
///
/// The daemon answers each query of each program separately: a hundred nodes of one host that query each other keep it busy
/// for longer than they would wait.
final class AnnouncementListener {
    typealias Tell = (HeardInstance, Listing) -> Void

    private let posts: MulticastPosts

    /// - Parameters:
    ///   - type: what Avahi browses for.
    ///   - tell: takes what is heard as the daemon would list it, on the loop.
    init(type: String, loop: EventLoop, tell: @escaping Tell) {
        let name = BrowsedName(type: type)
        posts = MulticastPosts(loop: loop) { bytes, _, place in
            for heard in HeardInstance.all(in: bytes, of: name) {
                tell(heard, Listing(source: .daemon, instance: heard.instance, at: place))
            }
        }
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
}
