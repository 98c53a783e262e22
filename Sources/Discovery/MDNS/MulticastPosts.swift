import ChatNode
import Reactor
import Wire

/// Sockets that receive mDNS multicasts, one for each interface and family. Confined to their event loop.
final class MulticastPosts: DescriptorHandler {
    /// A packet that was sent from the port of mDNS: its bytes, from index 0, its sender, and the place where it was heard.
    typealias Heard = (_ bytes: ArraySlice<UInt8>, _ sender: [UInt8], _ place: MulticastPlace) -> Void

    /// Posts that were opened and closed.
    struct Move {
        var left: [MulticastPlace] = []
        var taken: [MulticastPlace] = []
    }

    private struct Post {
        let socket: MulticastSocket
        let place: MulticastPlace
        let ground: Ground
    }

    /// The state of the network that a post depends on: when it changes, another post is opened.
    private struct Ground: Equatable {
        /// Of IPv4; that of IPv6 the system chooses.
        let source: [UInt8]
        let carrierChanges: UInt32
    }

    private let loop: EventLoop
    private let heard: Heard
    /// Of its own: what others here read is not read any less here.
    private let gate = MulticastGate()
    private var posts: [CInt: Post] = [:]
    private var buffer = [UInt8](repeating: 0, count: MulticastSocket.maximumMessage)

    init(loop: EventLoop, heard: @escaping Heard) {
        self.loop = loop
        self.heard = heard
    }

    var places: [MulticastPlace] { posts.values.map(\.place) }

    /// Listens on the interfaces of `view`: opens posts on new ones, and anew where the network may be another one.
    ///
    /// - Parameter moved: takes each change, also if a later one fails.
    func move(to view: NetworkView, moved: (Move) -> Void) throws(SystemError) {
        var move = Move()
        defer { moved(move) }
        var wanted: [MulticastPlace: Ground] = [:]
        for (place, source) in view.listeningPosts {
            let changes = view.interfaces.first { $0.index == place.interface }?.carrierChanges ?? 0
            wanted[place] = Ground(source: place.family == .ipv4 ? source : [], carrierChanges: changes)
        }
        for post in Array(posts.values) where wanted[post.place] != post.ground {
            leave(post)
            move.left.append(post.place)
        }
        let taken = Set(posts.values.map(\.place))
        for (place, ground) in wanted where !taken.contains(place) {
            try open(place, ground, source: view.listeningPosts[place] ?? [])
            move.taken.append(place)
        }
    }

    func send(_ packet: [UInt8], at place: MulticastPlace) {
        // A packet that can not be sent now counts as sent: its sender repeats it anyway.
        try? posts.values.first { $0.place == place }?.socket.send(packet)
    }

    func close() {
        for post in Array(posts.values) { leave(post) }
    }

    func ready(_ descriptor: CInt, _ events: Readiness) {
        guard let post = posts[descriptor], let (count, sender) = post.socket.receive(into: &buffer) else { return }
        // A query from another port is of no browser, and no responder answers from one (RFC 6762 sections 6 and 6.7).
        guard sender.port == MulticastSocket.port else { return }
        let packet = MulticastPacket(
            sender: sender.address, header: Array(buffer[..<min(count, MulticastPacket.headerSize)]))
        guard gate.admits(packet, now: loop.now) else { return }
        heard(buffer[..<count], sender.address, post.place)
    }

    private func open(_ place: MulticastPlace, _ ground: Ground, source: [UInt8]) throws(SystemError) {
        let socket = try MulticastSocket(.mdns, at: place.interface, from: source, other: 0, reach: 255)
        try loop.watch(socket.number, .readable, self)
        posts[socket.number] = Post(socket: socket, place: place, ground: ground)
    }

    private func leave(_ post: Post) {
        loop.unwatch(post.socket.number)
        posts[post.socket.number] = nil
    }
}
