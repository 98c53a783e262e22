import Wire

/// The ways in which a node looks for peers. All get the same orders.
struct Discoveries {
    let all: [any PeerDiscovery]

    /// One of them reports how peers are found.
    var reportsMode: Bool { all.contains(where: \.reportsMode) }

    var refusals: [Counter] { all.flatMap(\.refusals) }

    func start(_ announcement: Announcement, tell: @escaping @Sendable (DiscoveryEvent) -> Void) {
        for discovery in all { discovery.start(announcement, tell: tell) }
    }

    func perform(_ order: DiscoveryOrder) {
        for discovery in all {
            switch order {
            case .announce(let announcement): discovery.announce(announcement)
            case .linkOpened(let run): discovery.linkOpened(to: run)
            case .linkClosed(let run): discovery.linkClosed(to: run)
            case .dialFailed(let instance): discovery.dialFailed(instance)
            case .peersMissed(let areMissed): discovery.peersMissed(areMissed)
            case .crowdChanged(let crowd): discovery.crowdChanged(crowd)
            }
        }
    }
}
