import ChatNode
import Noise
import Wire
import Reactor

/// A connection with its publications and deliveries under way, on the bridge's thread.
struct BridgeSession {
    /// Reading of the stream: its end is sought first, then the latest are read.
    private enum Reading {
        case seeking
        case reading
        case done
    }

    private let connection: RabbitConnection
    private let topology: BridgeTopology
    private let seal: BridgeSeal
    private let handler: (BridgeEvent) -> Void
    private var intake: BridgeIntake
    private var randomness = Randomness.system
    /// Publications without an outcome, by the count of the channel.
    private var published: [(count: UInt64, tag: UInt64)] = []
    private var count: UInt64 = 0
    /// Deliveries that are to be acknowledged, by the node's tags.
    private var deliveries: [UInt64: UInt64] = [:]
    private var lastDelivery: UInt64
    private var reading = Reading.done
    private var streamConsumer = "end"
    private var readingEnds = Instant.monotonic
    private var readingLimit = Instant.monotonic
    /// Boxes of the stream until the reading ends: what was published since the connection began comes by the queue too, and is no
    /// history.
    private var held: [[UInt8]] = []

    /// How long the stream may take to give what it has, and the silence that ends the reading.
    private static let readingTime = (most: Duration.seconds(3), silence: Duration.milliseconds(300))

    init(
        _ connection: RabbitConnection, _ topology: BridgeTopology, _ seal: BridgeSeal,
        _ handler: @escaping (BridgeEvent) -> Void
    ) {
        (self.connection, self.topology, self.seal, self.handler) = (connection, topology, seal, handler)
        intake = BridgeIntake(seal, now: .monotonic)
        // Tags of an earlier connection must not be taken for those of this one.
        lastDelivery = randomness.next() >> 1
    }

    var refused: [BridgeIntake.Refusal: Int] { intake.refused }

    /// Asks for the latest messages.
    mutating func begin() throws(BridgeFault) {
        try connection.consumeStream(topology, as: streamConsumer, from: -1)
        reading = .seeking
        readingLimit = .monotonic + BridgeSession.readingTime.most
        readingEnds = readingLimit
    }

    mutating func perform(_ commands: [BridgeCommand]) throws(BridgeFault) {
        for command in commands {
            switch command {
            case .publish(let content, let tag, let isHistory):
                let box = seal.seal(content, using: &randomness)
                intake.notePublished(box)
                let topic = isHistory ? topology.historyTopic : topology.topic
                try connection.publish(box, topology, as: topology.key(topic, topology.network))
                count += 1
                published.append((count, tag))
            case .acknowledge(let tag):
                if let delivery = deliveries.removeValue(forKey: tag) {
                    try connection.acknowledge(delivery, isFromStream: false)
                }
            }
        }
    }

    /// Takes all that has come.
    ///
    /// - Returns: the longest time to wait for more.
    mutating func turn() throws(BridgeFault) -> Duration {
        // First, because the library keeps the frames that come before the answer to a method: `next` gives them.
        if case .done = reading {} else if Instant.monotonic >= readingEnds { try endReading() }
        while let arrival = try connection.next() {
            switch arrival {
            case .delivery(let delivery): try receive(delivery)
            case .outcome(let count, let isMultiple, let isTaken): settle(count, isMultiple, isTaken)
            }
        }
        let now = Instant.monotonic
        for delivery in intake.takeDue(now: now) { handler(.delivered(delivery)) }
        var wait = Duration.seconds(Int(RabbitConnection.heartbeat)) / 4
        if let due = intake.wait(now: now) { wait = min(wait, due) }
        if case .done = reading {} else { wait = min(wait, max(.zero, readingEnds - now)) }
        return wait
    }

    private mutating func receive(_ delivery: RabbitConnection.Delivery) throws(BridgeFault) {
        if delivery.isFromStream {
            try connection.acknowledge(delivery.tag, isFromStream: true)
            return try receive(fromStream: delivery)
        }
        guard delivery.network != topology.network else {
            return try connection.acknowledge(delivery.tag, isFromStream: false)
        }
        lastDelivery += 1
        deliveries[lastDelivery] = delivery.tag
        guard !intake.receive(delivery.body, tag: lastDelivery, isHistory: false) else { return }
        deliveries[lastDelivery] = nil
        try connection.acknowledge(delivery.tag, isFromStream: false)
    }

    private mutating func receive(fromStream delivery: RabbitConnection.Delivery) throws(BridgeFault) {
        switch reading {
        case .seeking where delivery.offset > 0:
            reading = .reading
            try connection.cancelStream(streamConsumer)
            streamConsumer = "latest"
            try connection.consumeStream(
                topology, as: streamConsumer, from: max(0, delivery.offset - BridgeTopology.history + 1))
        case .seeking, .reading:
            // The first message of a stream has none before it.
            reading = .reading
            guard held.count < 2 * BridgeTopology.history else { return }
            held.append(delivery.body)
            readingEnds = min(readingLimit, .monotonic + BridgeSession.readingTime.silence)
        case .done: return
        }
    }

    private mutating func endReading() throws(BridgeFault) {
        try connection.cancelStream(streamConsumer)
        reading = .done
        for box in exchange(&held, with: []) { _ = intake.receive(box, tag: nil, isHistory: true) }
    }

    /// Notes the outcome of publications.
    private mutating func settle(_ count: UInt64, _ isMultiple: Bool, _ isTaken: Bool) {
        let settled = published.filter { isMultiple ? $0.count <= count : $0.count == count }.map(\.tag)
        published.removeAll { isMultiple ? $0.count <= count : $0.count == count }
        if isTaken { return handler(.confirmed(settled)) }
        for tag in settled { handler(.refused(tag)) }
    }
}
