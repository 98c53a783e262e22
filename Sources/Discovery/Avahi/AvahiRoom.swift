package import ChatNode
import Synchronization

/// The discovery of one node: its room's part in the mDNS of the process.
///
/// It behaves as if it were alone: what it announces, finds, ignores and renames concerns no other room. Only warnings and
/// the count of refused packets, which concern the machine, come from one room for all.
package final class AvahiRoom: PeerDiscovery {
    private enum Stage { case idle, running, stopped }

    private let discovery: AvahiDiscovery
    private let number: RoomNumber
    private let stage = Mutex(Stage.idle)

    init(_ number: RoomNumber, of discovery: AvahiDiscovery) {
        self.number = number
        self.discovery = discovery
    }

    /// A node that was never started, or dropped, keeps no thread running.
    deinit {
        guard stage.withLock({ $0 }) != .stopped else { return }
        Task { [discovery, number] in await discovery.leave(number) }
    }

    package var refusals: [Counter] { discovery.refusals(of: number) }

    package func start(_ announcement: Announcement, tell: @escaping @Sendable (DiscoveryEvent) -> Void) {
        let isFirst = stage.withLock { stage in
            defer { if stage == .idle { stage = .running } }
            return stage == .idle
        }
        guard isFirst else { return }
        discovery.enter(number, announcement, tell: tell)
    }

    package func announce(_ announcement: Announcement) {
        discovery.executeRetained { [number] in $0.replace(announcement, of: number) }
    }

    package func linkOpened(to run: LinkedRun) {
        discovery.executeRetained { [number] in $0.linkOpened(to: run, in: number) }
    }

    package func linkClosed(to run: LinkedRun) {
        discovery.executeRetained { [number] in $0.linkClosed(to: run, in: number) }
    }

    package func peersMissed(_ areMissed: Bool) {
        discovery.executeRetained { [number] in $0.peersMissed(areMissed, in: number) }
    }

    package func crowdChanged(_ crowd: Crowd) {
        discovery.executeRetained { [number] in $0.crowdChanged(crowd, in: number) }
    }

    /// Returns within 0.3 s, even if the daemon hangs; the records are withdrawn then, unless it hangs.
    package func stop() async {
        let wasStopped = stage.withLock { stage in
            defer { stage = .stopped }
            return stage == .stopped
        }
        guard !wasStopped else { return }
        await discovery.leave(number)
    }
}
