import Chat
import ChatNode
import Noise
import Reactor
import Wire

/// A connection with its publications and deliveries under way, on the bridge's thread.
struct BridgeSession {
    /// The reading of the stream's latest messages, by a consumer that seeks its end first.
    private struct Reading {
        private(set) var isSeeking = true
        /// Where the latest messages begin, from the first delivery until they are asked for.
        private var start: Int64?
        /// The reading ends after the silence behind a message, or at the limit.
        private(set) var ends: Instant
        private let limit: Instant
        /// Boxes until the queue has given what it got meanwhile: what was published since the connection began comes by the queue
        /// too, and is no history.
        private(set) var held: [[UInt8]] = []
        /// An own publication from the end of the reading, behind which the queue has nothing that was read; nil before.
        var barrier: [UInt8]?

        static let consumer = "latest"
        /// How long the stream may take to give what it has, and the silence that ends the reading.
        private static let time = (most: Duration.seconds(3), silence: Duration.milliseconds(300))

        init(now: Instant) {
            limit = now + Reading.time.most
            ends = limit
        }

        /// Takes what the stream's last piece begins with.
        ///
        /// - Returns: false if it is a message to hold: the first message of a stream has none before it.
        mutating func seek(_ offset: Int64) -> Bool {
            defer { isSeeking = false }
            guard isSeeking, offset > 0 else { return false }
            start = max(0, offset - BridgeTopology.history + 1)
            return true
        }

        /// Where to read from now on; nil if nothing is to be changed.
        mutating func takeStart() -> Int64? { exchange(&start, with: nil) }

        /// Whether what comes is of the piece that was sought in.
        var isBeforeStart: Bool { start != nil }

        mutating func hold(_ box: [UInt8], now: Instant) {
            guard held.count < 2 * BridgeTopology.history else { return }
            held.append(box)
            ends = min(limit, now + Reading.time.silence)
        }
    }

    let connection: RabbitConnection
    private let topology: BridgeTopology
    private let seal: BridgeSeal
    private let handler: (BridgeEvent) -> Void
    private var intake: BridgeIntake
    private var randomness = Randomness.system
    /// Publications without an outcome, by the count of the channel.
    private var published: [(count: UInt64, tag: UInt64)] = []
    private var count: UInt64 = 0
    /// The broker's tags of deliveries that the room has not taken yet, in order.
    private var untaken: [UInt64] = []
    private var lastDelivery: UInt64 = 0
    private var lastAcknowledged: UInt64 = 0
    /// Added to the broker's tags for the node, because those of an earlier connection must not be taken for those of this one.
    private let tagOffset: UInt64
    /// Nil once it has ended.
    private var reading: Reading?
    /// The broker reads nothing of this connection then, so that an answer would be waited for in vain.
    private var isBlocked = false

    /// Arrivals in a turn: a flood must delay neither what the room is to have nor what it says.
    private static let portion = 64
    /// A delivery is three frames, or some more if it is long.
    private static let framesOfPortion = 16 * portion

    /// Asks for the latest messages.
    init(
        _ connection: RabbitConnection, _ topology: BridgeTopology, _ seal: BridgeSeal, pace: Rate,
        _ handler: @escaping (BridgeEvent) -> Void
    ) throws(BridgeFault) {
        (self.connection, self.topology, self.seal, self.handler) = (connection, topology, seal, handler)
        intake = BridgeIntake(seal, pace: pace, now: .monotonic)
        tagOffset = randomness.next() >> 1
        try connection.consumeStream(topology, as: Reading.consumer, from: -1)
        reading = Reading(now: .monotonic)
    }

    var refused: [BridgeIntake.DeliveryRefusal: Int] { intake.refused }

    /// Tells the node of the connection.
    func begin() { handler(.connected(connection.broker.name)) }

    mutating func perform(_ commands: [BrokerCommand]) throws(BridgeFault) {
        for command in commands {
            switch command {
            case .publish(let content, let tag, let isHistory):
                _ = try publish(content, isHistory: isHistory)
                published.append((count, tag))
            case .acknowledge(let tag): untaken.removeAll { $0 == tag &- tagOffset }
            }
        }
    }

    private mutating func publish(_ content: BridgedContent, isHistory: Bool) throws(BridgeFault) -> [UInt8] {
        let box = seal.seal(content, using: &randomness)
        intake.recordPublished(box)
        let topic = isHistory ? topology.historyTopic : topology.topic
        try connection.publish(box, topology, as: topology.key(topic, topology.network))
        count += 1
        return box
    }

    /// Takes a portion of what has come.
    ///
    /// - Returns: the longest time to wait for more.
    mutating func turn() throws(BridgeFault) -> Duration {
        // First, because the library keeps the frames that come before the answer to a method: `next` gives them.
        try readOn()
        var (rest, frames) = (BridgeSession.portion, BridgeSession.framesOfPortion)
        while rest > 0, frames > 0, let arrival = try connection.next() {
            frames -= 1
            switch arrival {
            case .frame: continue
            case .delivery(let delivery) where delivery.isFromStream: try receive(fromStream: delivery)
            case .delivery(let delivery): receive(delivery)
            case .outcome(let count, let isMultiple, let isTaken): settle(count, isMultiple, isTaken)
            case .blocked(let reason): block(reason)
            case .unblocked: block(nil)
            }
            rest -= 1
        }
        let now = Instant.monotonic
        for delivery in intake.takeDue(now: now) { handler(.delivered(delivery)) }
        try acknowledge()
        guard rest > 0, frames > 0 else { return .zero }
        var wait = Duration.seconds(Int(RabbitConnection.heartbeat)) / 4
        if let due = intake.wait(now: now) { wait = min(wait, due) }
        if let reading, reading.barrier == nil, !isBlocked { wait = min(wait, max(.zero, reading.ends - now)) }
        return wait
    }

    /// - Parameter reason: nil when the broker takes publications again.
    private mutating func block(_ reason: String?) {
        isBlocked = reason != nil
        handler(reason.map { .blocked(String($0.prefix(200))) } ?? .unblocked)
    }

    private mutating func receive(_ delivery: RabbitConnection.BrokerDelivery) {
        lastDelivery = delivery.tag
        if let reading, delivery.body == reading.barrier { admitHistory(of: reading) }
        guard delivery.network != topology.network,
            intake.receive(delivery.body, tag: delivery.tag &+ tagOffset, isHistory: false)
        else { return }
        untaken.append(delivery.tag)
    }

    /// Acknowledges all deliveries before the first that the room has not taken, in one frame.
    private mutating func acknowledge() throws(BridgeFault) {
        let last = untaken.first.map { $0 &- 1 } ?? lastDelivery
        guard last > lastAcknowledged else { return }
        try connection.acknowledge(upTo: last)
        lastAcknowledged = last
    }

    private mutating func receive(fromStream delivery: RabbitConnection.BrokerDelivery) throws(BridgeFault) {
        try connection.acknowledge(upTo: delivery.tag, isFromStream: true)
        guard let reading, reading.barrier == nil, !reading.isBeforeStart else { return }
        if self.reading?.seek(delivery.offset) == false { self.reading?.hold(delivery.body, now: .monotonic) }
    }

    /// The next step of the reading, if it is due.
    private mutating func readOn() throws(BridgeFault) {
        guard let reading, reading.barrier == nil, !isBlocked else { return }
        if let start = self.reading?.takeStart() {
            try connection.cancelStream(Reading.consumer)
            try connection.consumeStream(topology, as: Reading.consumer, from: start)
        } else if Instant.monotonic >= reading.ends {
            try endReading()
        }
    }

    private mutating func endReading() throws(BridgeFault) {
        try connection.cancelStream(Reading.consumer)
        // Other bridges answered the first greeting just before, and ignore this one.
        let barrier = try publish(.greeting, isHistory: false)
        reading?.barrier = barrier
    }

    private mutating func admitHistory(of reading: Reading) {
        self.reading = nil
        for box in reading.held { _ = intake.receive(box, tag: nil, isHistory: true) }
    }

    /// Notes the outcome of publications.
    private mutating func settle(_ count: UInt64, _ isMultiple: Bool, _ isTaken: Bool) {
        let settled = published.filter { isMultiple ? $0.count <= count : $0.count == count }.map(\.tag)
        published.removeAll { isMultiple ? $0.count <= count : $0.count == count }
        if isTaken { return handler(.confirmed(settled)) }
        for tag in settled { handler(.refused(tag)) }
    }
}
