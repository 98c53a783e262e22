import ChatNode
import Reactor
import Wire

/// Looks for peers by sockets of its own, beside libavahi-core, which answers for us and resolves: a quiet browser at each
/// interface in each family. Confined to its event loop.
final class MulticastBrowser: DescriptorHandler {
    private final class Post {
        let socket: MulticastSocket
        let place: MulticastPlace
        let ground: Ground
        var browser: QuietBrowser

        init(_ socket: MulticastSocket, at place: MulticastPlace, _ ground: Ground, _ browser: QuietBrowser) {
            self.socket = socket
            self.place = place
            self.ground = ground
            self.browser = browser
        }
    }

    /// What a post stands on: where it changes, another one is opened.
    private struct Ground: Equatable {
        /// Of IPv4; that of IPv6 the system chooses.
        let source: [UInt8]
        let carrierChanges: UInt32
    }

    private let name: BrowsedName
    private let loop: EventLoop
    private let context: ResponderContext
    /// Of its own: all that is sent is heard here once more.
    private let gate = MulticastGate()
    private var posts: [CInt: Post] = [:]
    private var buffer = [UInt8](repeating: 0, count: MulticastSocket.maximumMessage)
    private var generator = SystemRandomNumberGenerator()
    private var nextCheck: Instant?
    private var isHeld = false

    init(for name: BrowsedName, loop: EventLoop, context: ResponderContext) {
        self.name = name
        self.loop = loop
        self.context = context
    }

    /// Asks nothing until it is moved: what is known of one network is not for the next (Protocol.md section 10).
    func hold() { isHeld = true }

    /// Looks where it can in `view`: anew where nobody looked before, or where the network may be another one.
    func move(to view: NetworkView) throws(SystemError) {
        var wanted: [MulticastPlace: Ground] = [:]
        for (place, source) in view.listeningPosts {
            let changes = view.interfaces.first { $0.index == place.interface }?.carrierChanges ?? 0
            wanted[place] = Ground(source: place.family == .ipv4 ? source : [], carrierChanges: changes)
        }
        for post in Array(posts.values) where wanted[post.place] != post.ground { leave(post) }
        let taken = Set(posts.values.map(\.place))
        for (place, ground) in wanted where !taken.contains(place) {
            try take(place, ground, source: view.listeningPosts[place] ?? [])
        }
        isHeld = false
        arm()
    }

    /// Tells everything anew, and asks as at the start.
    func restart() {
        for post in posts.values { act(post.browser.restart(now: loop.now, using: &generator), at: post) }
        arm()
    }

    func close() {
        for post in Array(posts.values) { leave(post) }
    }

    func ready(_ descriptor: CInt, _ events: Readiness) {
        guard let post = posts[descriptor], let (count, sender) = post.socket.receive(into: &buffer) else { return }
        // Whoever asks from another port is no browser, and nobody answers from one (RFC 6762 sections 6 and 6.7).
        guard sender.port == MulticastSocket.port else { return }
        let packet = MulticastPacket(
            sender: sender.address, header: Array(buffer[..<min(count, MulticastPacket.headerSize)]))
        guard gate.admits(packet, now: loop.now) else { return }
        let bytes = buffer[..<count]
        act(post.browser.heard(bytes, from: sender.address, now: loop.now, using: &generator), at: post)
        arm()
    }

    private func take(_ place: MulticastPlace, _ ground: Ground, source: [UInt8]) throws(SystemError) {
        let socket = try MulticastSocket(.mdns, at: place.interface, from: source, other: 0, reach: 255)
        let browser = QuietBrowser(for: name, now: loop.now, using: &generator)
        posts[socket.number] = Post(socket, at: place, ground, browser)
        loop.watch(socket.number, .readable, self)
    }

    private func leave(_ post: Post) {
        loop.unwatch(post.socket.number)
        posts[post.socket.number] = nil
        for instance in post.browser.instances { context.tell(.unlisted(listing(instance, at: post.place))) }
    }

    private func listing(_ instance: String, at place: MulticastPlace) -> Listing {
        Listing(source: context.source, instance: instance, interface: place.interface, family: place.family)
    }

    private func act(_ actions: [QuietBrowser.Action], at post: Post) {
        for action in actions {
            switch action {
            // What can not be sent now counts as asked: the next question comes by itself.
            case .ask(let packet): _ = try? post.socket.send(packet)
            case .list(let instance): context.tell(.listed(listing(instance, at: post.place)))
            case .unlist(let instance): context.tell(.unlisted(listing(instance, at: post.place)))
            }
        }
    }

    private func arm() {
        guard !isHeld, let next = posts.values.map(\.browser.nextDue).min() else { return }
        guard nextCheck.map({ next < $0 }) ?? true else { return }
        nextCheck = next
        loop.scheduleOnLoop(at: next) { [weak self] in self?.check(next) }
    }

    private func check(_ instant: Instant) {
        guard nextCheck == instant else { return }
        nextCheck = nil
        guard !isHeld else { return }
        for post in posts.values { act(post.browser.due(now: loop.now, using: &generator), at: post) }
        arm()
    }
}
