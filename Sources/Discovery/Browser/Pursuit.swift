import ChatNode
import Reactor
import Wire

/// Asks beside Avahi's daemon for peers that are missed: the daemon itself asks once an hour by then. Confined to its event loop.
///
/// Quiet browsers ask, so that one node of a group asks for all; what they list the daemon lists too.
final class Pursuit {
    private struct BrowserKey: Hashable {
        let room: RoomNumber
        let place: MulticastPlace
    }

    /// As long as a PTR record of a node lives: instances that the daemon lists now need not answer.
    private static let timeToLive: UInt32 = 600

    private let loop: EventLoop
    private let send: ([UInt8], MulticastPlace) -> Void
    private var browsers: [BrowserKey: QuietBrowser] = [:]
    private var generator = SystemRandomNumberGenerator()
    private var nextCheck: Instant?

    init(loop: EventLoop, send: @escaping ([UInt8], MulticastPlace) -> Void) {
        (self.loop, self.send) = (loop, send)
    }

    /// - Parameter known: the instances that are listed.
    func begin(
        for name: BrowsedName, of room: RoomNumber, at places: [MulticastPlace], known: [String], until end: Instant
    ) {
        self.end(room)
        for place in places {
            var browser = QuietBrowser(for: name, now: loop.now, using: &generator)
            browser.assume(known, timeToLive: Self.timeToLive, now: loop.now, using: &generator)
            browser.pursue(until: end, now: loop.now, using: &generator)
            browsers[BrowserKey(room: room, place: place)] = browser
        }
        arm()
    }

    func end(_ room: RoomNumber) { browsers = browsers.filter { $0.key.room != room } }

    /// - Parameter bytes: a multicast packet, from index 0.
    func heard(_ bytes: ArraySlice<UInt8>, from sender: [UInt8], at place: MulticastPlace) {
        for key in Array(browsers.keys) where key.place == place {
            change(key) { $0.heard(bytes, from: sender, now: loop.now, using: &generator) }
        }
        arm()
    }

    private func change(_ key: BrowserKey, _ change: (inout QuietBrowser) -> [QuietBrowser.Action]) {
        guard let index = browsers.index(forKey: key) else { return }
        for case .ask(let packet) in change(&browsers.values[index]) { send(packet, key.place) }
    }

    private func arm() {
        guard let next = browsers.values.lazy.map(\.nextDue).min(), nextCheck.map({ next < $0 }) ?? true else { return }
        nextCheck = next
        loop.schedule(at: next) { [weak self] in self?.check(next) }
    }

    private func check(_ instant: Instant) {
        guard nextCheck == instant else { return }
        nextCheck = nil
        let now = loop.now
        browsers = browsers.filter { $0.value.pursues(at: now) }
        for key in Array(browsers.keys) { change(key) { $0.due(now: now, using: &generator) } }
        arm()
    }
}
