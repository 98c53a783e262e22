package import Chat
import Noise
package import Wire

/// The checks of what a broker delivers, before the node sees it: junk, repetitions and floods end here (Docs/Bridge.md). A value
/// for the bridge's own thread.
package struct BridgeIntake: Sendable {
    /// Why a delivery is not passed on.
    package enum DeliveryRefusal: String, Sendable, CaseIterable {
        /// It was not sealed under the bridge key for this room.
        case unopened
        /// It came before, or is our own.
        case repeated
        /// The broker sends more than was asked for.
        case overflow
    }

    /// Deliveries that wait at most: all that the broker may send unasked, and the latest of the stream.
    private static let most = Limits.bridgePrefetch + 256

    private struct Waiting: Sendable {
        let delivery: BridgeDelivery
        /// The author whose pace it keeps to, and how many messages it counts as; nil if its pace does not matter.
        let paced: (author: PeerID, cost: Double)?
    }

    private let seal: BridgeSeal
    /// Digests of boxes.
    private var seen = RecentTable<MessageID, Void>(capacity: Limits.seenMessages)
    private var waiting: [Waiting] = []
    private var rate: TokenBucket
    private var paces: AuthorPaces
    package private(set) var refused: [DeliveryRefusal: Int] = [:]
    package private(set) var taken = 0

    /// - Parameter pace: of an author's messages, edits and deletions.
    package init(_ seal: BridgeSeal, pace: Rate, now: Instant) {
        self.seal = seal
        paces = AuthorPaces(pace)
        rate = TokenBucket(Rate(perSecond: Limits.bridgedPerSecond, burst: Limits.bridgedPerSecond), now: now)
    }

    /// Notes a box of our own, which the broker delivers to us too.
    package mutating func recordPublished(_ box: [UInt8]) { seen.set((), for: MessageID(signed: box.span)) }

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
        waiting.append(
            Waiting(
                delivery: BridgeDelivery(content, tag: tag, isHistory: isHistory),
                paced: isHistory ? nil : content.paced))
        return true
    }

    /// The deliveries that the rate and the paces of authors let through now, those of an author in order.
    package mutating func takeDue(now: Instant) -> [BridgeDelivery] {
        var due: [BridgeDelivery] = []
        var held: Set<PeerID> = []
        waiting.removeAll { waiting in
            guard rate.wait(now: now) == .zero else { return false }
            if let paced = waiting.paced {
                guard !held.contains(paced.author), paces.takeTokens(paced.cost, of: paced.author, now: now) else {
                    held.insert(paced.author)
                    return false
                }
            }
            _ = rate.takeTokens(now: now)
            due.append(waiting.delivery)
            return true
        }
        taken += due.count
        return due
    }

    /// Forgets deliveries that wait: their connection has ended, and the broker delivers them again.
    package mutating func disconnected() {
        waiting.removeAll()
        // Boxes that the node did not get must not count as seen; the node knows ids of what it got.
        seen = RecentTable(capacity: Limits.seenMessages)
    }

    /// The time until `takeDue` gives something; nil if nothing waits.
    package func wait(now: Instant) -> Duration? {
        let waits = waiting.map { $0.paced.map { paces.wait(for: $0.cost, of: $0.author, now: now) } ?? .zero }
        return waits.min().map { max($0, rate.wait(now: now)) }
    }

    private mutating func refuse(_ refusal: DeliveryRefusal) -> Bool {
        refused[refusal, default: 0] += 1
        return false
    }
}

extension Limits {
    /// Deliveries that a broker sends before the first of them is acknowledged. More cost memory that the broker fills;
    /// with fewer, each round trip slows what comes from other networks.
    package static let bridgePrefetch = 256
    /// Deliveries that a bridge passes on to its network, per second in the long run and at once. More than neighbours
    /// accept of a link (`treeFramesPerSecond`) are refused there; with fewer, a busy room is late in other networks.
    static let bridgedPerSecond = 150.0
}
