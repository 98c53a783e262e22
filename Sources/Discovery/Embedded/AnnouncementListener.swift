import ChatNode
import Reactor

/// Hears who is there beside Avahi's daemon, so that it need not be asked what everybody was told. Confined to its event loop.
///
/// The daemon answers each question of each program by itself: a hundred nodes of one host, which ask about each other, keep
/// it busy for longer than they would wait.
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
