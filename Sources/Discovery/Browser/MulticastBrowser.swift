import ChatNode
import Reactor
import Wire

/// Looks for peers by sockets of its own, beside libavahi-core, which answers for us and resolves: a quiet browser at each
/// interface in each family. Confined to its event loop.
final class MulticastBrowser {
    private let name: BrowsedName
    private let loop: EventLoop
    private let context: ResponderContext
    private lazy var posts = MulticastPosts(loop: loop) { [unowned self] bytes, sender, place in
        heard(bytes, from: sender, at: place)
    }
    private var browsers: [MulticastPlace: QuietBrowser] = [:]
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

    /// Browses on the interfaces of `view`: starts on new ones, and anew where the network may be another one.
    func move(to view: NetworkView) throws(SystemError) {
        try posts.move(to: view) { move in
            move.left.forEach(leave)
            for place in move.taken {
                browsers[place] = QuietBrowser(for: name, now: loop.now, using: &generator)
            }
        }
        isHeld = false
        arm()
    }

    /// Tells everything anew, and asks as at the start.
    func restart() {
        for place in Array(browsers.keys) { change(place) { $0.restart(now: loop.now, using: &generator) } }
        arm()
    }

    func close() {
        posts.close()
        Array(browsers.keys).forEach(leave)
    }

    private func heard(_ bytes: ArraySlice<UInt8>, from sender: [UInt8], at place: MulticastPlace) {
        // Before it is listed, so that it is not asked about.
        for heard in HeardInstance.all(in: bytes, of: name) {
            context.tell(.heard(heard, listing(heard.instance, at: place)))
        }
        change(place) { $0.heard(bytes, from: sender, now: loop.now, using: &generator) }
        arm()
    }

    private func leave(_ place: MulticastPlace) {
        guard let browser = browsers.removeValue(forKey: place) else { return }
        for instance in browser.instances { context.tell(.unlisted(listing(instance, at: place))) }
    }

    private func listing(_ instance: String, at place: MulticastPlace) -> Listing {
        Listing(source: context.source, instance: instance, at: place)
    }

    private func change(_ place: MulticastPlace, _ change: (inout QuietBrowser) -> [QuietBrowser.Action]) {
        guard let index = browsers.index(forKey: place) else { return }
        for action in change(&browsers.values[index]) {
            switch action {
            case .ask(let packet): posts.send(packet, at: place)
            case .list(let instance): context.tell(.listed(listing(instance, at: place)))
            case .unlist(let instance): context.tell(.unlisted(listing(instance, at: place)))
            }
        }
    }

    private func arm() {
        guard !isHeld, let next = browsers.values.map(\.nextDue).min() else { return }
        guard nextCheck.map({ next < $0 }) ?? true else { return }
        nextCheck = next
        loop.scheduleOnLoop(at: next) { [weak self] in self?.check(next) }
    }

    private func check(_ instant: Instant) {
        guard nextCheck == instant else { return }
        nextCheck = nil
        guard !isHeld else { return }
        for place in Array(browsers.keys) { change(place) { $0.due(now: loop.now, using: &generator) } }
        arm()
    }
}
