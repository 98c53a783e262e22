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
    private var readingEnds = Instant.monotonic

    /// How long the stream may take to give what it has.
    private static let readingTime = Duration.seconds(3)

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
        try connection.consumeStream(topology, as: "end", from: -1)
        reading = .seeking
        readingEnds = .monotonic + BridgeSession.readingTime
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
        while let arrival = try connection.next() {
            switch arrival {
            case .delivery(let delivery): try receive(delivery)
            case .outcome(let count, let isMultiple, let isTaken): settle(count, isMultiple, isTaken)
            }
        }
        let now = Instant.monotonic
        for delivery in intake.takeDue(now: now) { handler(.delivered(delivery)) }
        if case .done = reading {} else if now >= readingEnds { try endReading() }
        let pulse = Duration.seconds(Int(RabbitConnection.heartbeat)) / 4
        return min(pulse, intake.wait(now: now) ?? pulse)
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
        case .seeking:
            reading = .reading
            try connection.cancelStream("end")
            try connection.consumeStream(
                topology, as: "latest", from: max(0, delivery.offset - BridgeTopology.history + 1))
        case .reading: _ = intake.receive(delivery.body, tag: nil, isHistory: true)
        case .done: return
        }
    }

    private mutating func endReading() throws(BridgeFault) {
        if case .seeking = reading { try connection.cancelStream("end") } else { try connection.cancelStream("latest") }
        reading = .done
    }

    /// Notes the outcome of publications.
    private mutating func settle(_ count: UInt64, _ isMultiple: Bool, _ isTaken: Bool) {
        let settled = published.filter { isMultiple ? $0.count <= count : $0.count == count }.map(\.tag)
        published.removeAll { isMultiple ? $0.count <= count : $0.count == count }
        if isTaken { return handler(.confirmed(settled)) }
        for tag in settled { handler(.refused(tag)) }
    }
}
