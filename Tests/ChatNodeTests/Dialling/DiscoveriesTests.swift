import Noise
import Synchronization
import Testing
import Wire

@testable import ChatNode

/// A way to look for peers that records its orders.
private final class RecordingDiscovery: PeerDiscovery {
    let reportsMode: Bool
    let refusals: [Counter]
    private let calls = Mutex<[String]>([])

    init(reportsMode: Bool, refusals: [Counter] = []) { (self.reportsMode, self.refusals) = (reportsMode, refusals) }

    var orders: [String] { calls.withLock { $0 } }

    private func record(_ call: String) { calls.withLock { $0.append(call) } }

    func start(_ announcement: Announcement, tell: @escaping @Sendable (DiscoveryEvent) -> Void) {
        record("start \(announcement.instance)")
        tell(.networkChanged)
    }

    func announce(_ announcement: Announcement) { record("announce \(announcement.instance)") }
    func linkOpened(to run: LinkedRun) { record("opened") }
    func linkClosed(to run: LinkedRun) { record("closed") }
    func dialFailed(_ instance: String) { record("failed \(instance)") }
    func peersMissed(_ areMissed: Bool) { record("missed \(areMissed)") }
    func crowdChanged(_ crowd: Crowd) { record("crowd \(crowd.known) \(crowd.isOverlay)") }
    func stop() async {}
}

/// The ways in which a node looks for peers, as one.
@Suite struct DiscoveriesTests {
    private func announcement(_ instance: String) -> Announcement {
        Announcement(instance: instance, host: "h", port: 1, subtype: "_r00000000")
    }

    @Test func `each order goes to all of them, once and in order`() {
        let parts = [RecordingDiscovery(reportsMode: true), RecordingDiscovery(reportsMode: false)]
        let all = Discoveries(all: parts)
        var randomness = Randomness.seeded(1)
        let run = LinkedRun(KeyPair.generate(using: &randomness).publicKey)
        let events = EventCount()
        all.start(announcement("a")) { _ in events.add() }
        let orders: [DiscoveryOrder] = [
            .announce(announcement("b")), .linkOpened(run), .linkClosed(run), .dialFailed(instance: "x"),
            .peersMissed(true), .peersMissed(false), .crowdChanged(Crowd(isOverlay: true, known: 40)),
        ]
        for order in orders { all.perform(order) }
        let expected = [
            "start a", "announce b", "opened", "closed", "failed x", "missed true", "missed false", "crowd 40 true",
        ]
        #expect(parts.map(\.orders) == [expected, expected])
        #expect(events.count == 2)
    }

    @Test func `the mode is reported if one of them reports it, and refusals are those of all`() {
        let counters = [Counter(.dials, 3), Counter(.dialsFailed, 4)]
        let silent = RecordingDiscovery(reportsMode: false, refusals: [counters[0]])
        let telling = RecordingDiscovery(reportsMode: true, refusals: [counters[1]])
        #expect(!Discoveries(all: []).reportsMode && !Discoveries(all: [silent]).reportsMode)
        #expect(Discoveries(all: [silent, telling]).reportsMode)
        #expect(Discoveries(all: [silent, telling]).refusals == counters)
    }
}

private final class EventCount: Sendable {
    private let events = Mutex(0)
    var count: Int { events.withLock { $0 } }
    func add() { events.withLock { $0 += 1 } }
}
