package import Chat
package import Noise
package import Phrases

/// The way to other networks: a broker that bridges publish to and consume from (Docs/Bridge.md). The node calls it on its
/// scheduler, and no call waits.
package protocol BridgePort: Sendable {
    /// Connects, and goes on doing so.
    ///
    /// - Parameters:
    ///   - pace: of the messages of each author that it delivers.
    ///   - handler: takes the events, in order, on any thread.
    func start(pace: Rate, _ handler: @escaping @Sendable (BridgeEvent) -> Void)

    /// Publishes content. `.confirmed` or `.refused` with the tag follows, unless the connection ends.
    ///
    /// - Parameter isHistory: whether late joiners get it too.
    func publish(_ content: BridgedContent, tag: UInt64, isHistory: Bool)

    /// Says that the room has taken a delivery, which the broker then forgets.
    func acknowledge(_ tag: UInt64)

    /// Disconnects; no event follows.
    func stop()

    /// The counters of refused deliveries, in a fixed order.
    var counters: [Counter] { get }
}

/// An event of a `BridgePort`.
package enum BridgeEvent: Sendable {
    /// Publishing is possible, to the broker of this name.
    case connected(String)
    /// Nothing is published until the next `.connected`; content without confirmation may be lost. It is tried again by
    /// itself.
    case disconnected(Sentence)
    /// The broker takes no publication until `.unblocked`, or the connection ends; the reason in its words.
    case blocked(String)
    case unblocked
    /// The broker keeps the publications with these tags.
    case confirmed([UInt64])
    /// The broker did not take the publication with this tag: it is to be published again.
    case refused(UInt64)
    case delivered(BridgeDelivery)
}

extension BridgeEvent {
    /// A lost connection that has no reason, as in a simulation.
    package static let interrupted = BridgeEvent.disconnected(Sentence(.bridgeConnecting))
}

/// Content that came from other networks.
package struct BridgeDelivery: Sendable {
    package let content: BridgedContent
    /// To be acknowledged once the room has taken the content; nil if that is not awaited.
    package let tag: UInt64?
    /// Whether it was kept for late joiners, and may be as old as history may be.
    package let isHistory: Bool

    package init(_ content: BridgedContent, tag: UInt64?, isHistory: Bool) {
        (self.content, self.tag, self.isHistory) = (content, tag, isHistory)
    }
}

/// The key and the port of a node that carries its room to other networks.
package struct BridgeSetup: Sendable {
    package let key: BridgeKey
    package let port: any BridgePort

    package init(key: BridgeKey, port: any BridgePort) { (self.key, self.port) = (key, port) }
}
