import Chat
package import Phrases

/// The state of the bridge for `/stats`, `/bridge` and metrics.
extension Node {
    /// Empty unless this node is a bridge; people elsewhere are counted by every node.
    var bridgeCounters: [Counter] {
        let people = Counter(.peopleElsewhere, router.roster.elsewhereCount)
        guard let bridge else { return [people] }
        return [
            people,
            Counter(.bridgeConnected, bridge.broker == nil ? 0 : 1),
            Counter(.bridgeBlocked, bridge.obstacle == nil ? 0 : 1),
            Counter(.bridgeWaiting, bridge.waiting),
            Counter(.bridgeConnections, bridge.connections),
            Counter(.bridgePublished, bridge.published),
            Counter(.bridgeReceived, bridge.received),
            Counter(.bridgeRefused, bridge.refused),
            Counter(.bridgeWithoutConsent, bridge.withoutConsent),
            Counter(.bridgeDropped, bridge.dropped),
        ] + bridge.port.counters
    }

    /// The state of this node's bridge; nil if it has none.
    package var bridgeState: Sentence? {
        guard let bridge else { return nil }
        if let broker = bridge.broker {
            return bridge.obstacle.map { Sentence(.bridgeBlocked, broker, $0) } ?? Sentence(.bridgeConnected, broker)
        }
        return bridge.fault ?? Sentence(.bridgeConnecting)
    }
}
