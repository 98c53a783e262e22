import Chat
import Noise
package import Wire

/// The checks of what a broker delivers, before the node sees it: junk, repetitions and floods end here (Docs/Bridge.md). A value
/// for the bridge's own thread.
package struct BridgeIntake: Sendable {
    /// Why a delivery is not passed on.
    package enum Refusal: String, Sendable, CaseIterable {
        /// It was not sealed under the bridge key for this room.
        case unopened
        /// It came before, or is our own.
        case repeated
        /// The broker sends more than was asked for.
        case overflow
    }

    /// Deliveries that wait at most: all that the broker may send unasked, and the latest of the stream.
    private static let most = Limits.bridgePrefetch + 256

    private let seal: BridgeSeal
    /// Digests of boxes.
    private var seen = RecentTable<MessageID, Void>(capacity: Limits.seenMessages)
    private var waiting: [BridgeDelivery] = []
    private var rate: TokenBucket
    package private(set) var refused: [Refusal: Int] = [:]
    package private(set) var taken = 0

    package init(_ seal: BridgeSeal, now: Instant) {
        self.seal = seal
        rate = TokenBucket(Rate(perSecond: Limits.bridgedPerSecond, burst: Limits.bridgedPerSecond), now: now)
    }

    /// Notes a box of our own, which the broker delivers to us too.
    package mutating func notePublished(_ box: [UInt8]) { seen.set((), for: MessageID(signed: box.span)) }

    /// Takes a delivery; `takeDue` gives it.
    ///
    /// - Returns: false if it is refused, and to be acknowledged at once.
    package mutating func receive(_ box: [UInt8], tag: UInt64?, isHistory: Bool) -> Bool {
        guard BridgeSeal.hasLength(box) else { return refuse(.unopened) }
        let digest = MessageID(signed: box.span)
        guard seen[digest] == nil else { return refuse(.repeated) }
        guard waiting.count < BridgeIntake.most else { return refuse(.overflow) }
        guard let content = seal.open(box) else { return refuse(.unopened) }
        seen.set((), for: digest)
        waiting.append(BridgeDelivery(content, tag: tag, isHistory: isHistory))
        return true
    }

    /// The deliveries that the rate lets through now, in order.
    package mutating func takeDue(now: Instant) -> [BridgeDelivery] {
        var due = 0
        while due < waiting.count, rate.take(now: now) { due += 1 }
        guard due > 0 else { return [] }
        taken += due
        defer { waiting.removeFirst(due) }
        return Array(waiting.prefix(due))
    }

    /// Forgets deliveries that wait: their connection has ended, and the broker delivers them again.
    package mutating func disconnected() {
        waiting.removeAll()
        // Boxes that the node did not get must not count as seen; the node knows ids of what it got.
        seen = RecentTable(capacity: Limits.seenMessages)
    }

    /// The time until `takeDue` gives something; nil if nothing waits.
    package func wait(now: Instant) -> Duration? { waiting.isEmpty ? nil : rate.wait(now: now) }

    private mutating func refuse(_ refusal: Refusal) -> Bool {
        refused[refusal, default: 0] += 1
        return false
    }
}
