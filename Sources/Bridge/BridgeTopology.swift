package import ChatNode
package import Noise
import Wire

/// The names of exchange, queues and routing keys (Docs/Bridge.md). None of them tells a room, a person or a network.
package struct BridgeTopology: Sendable {
    /// Messages in a queue; the oldest goes. After an outage another bridge may publish all that waits before this one is back.
    static let queueLength = Int64(Limits.bridgeWaiting)
    /// Milliseconds after which a queue that is not used goes.
    static let expiry: Int64 = 600_000
    /// Bytes of a stream: about 1,000 messages of the smallest size.
    static let streamBytes: Int64 = 2_000_000
    /// Messages of the stream that a bridge takes when it comes.
    static let history: Int64 = 100

    /// Where the doctor's trial is published; no queue is bound to it.
    static let trial = "trial"

    let exchange = "earshot"
    let queue: String
    let stream: String
    let topic: String
    let historyTopic: String
    /// Random, and of one run.
    let network: String

    package init(_ seal: BridgeSeal, using randomness: inout Randomness) {
        network = Hexadecimal.encode(randomness.bytes(8))
        (topic, historyTopic) = (seal.topic, seal.historyTopic)
        // Of its own random bytes, so that the queue does not name the network.
        queue = "earshot." + Hexadecimal.encode(randomness.bytes(16))
        stream = "earshot.\(historyTopic).latest"
    }

    var topics: [String] { [topic, historyTopic] }

    func key(_ topic: String, _ network: String) -> String { "earshot.\(topic).\(network)" }
}
