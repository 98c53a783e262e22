package import Chat
package import ChatNode
package import Noise
import Synchronization
import Wire

/// A broker in memory, in virtual time: each publication reaches the queue of every other bridge, late, and more than once where a
/// connection ended before its confirmation. As with AMQP, those of one bridge stay in order; those of several mix.
package final class SimulatedBroker: Sendable {
    private let timeline: Timeline
    private let latency: ClosedRange<Duration>
    private struct State {
        var ports: [SimulatedBridgePort] = []
        var randomness: Randomness
        var published = 0
        /// When the last publication of one bridge reaches another, by their places.
        var arrivals: [[Int]: Instant] = [:]
    }
    private let state: Mutex<State>

    /// - Parameter latency: from a bridge to the broker, and from there to another one.
    package init(
        _ simulation: Simulation, latency: ClosedRange<Duration> = .milliseconds(1)...(.milliseconds(30))
    ) {
        timeline = simulation.timeline
        self.latency = latency
        state = Mutex(State(randomness: .seeded(simulation.seed &+ 1)))
    }

    /// Publications that the broker took, those that came twice included.
    package var published: Int { state.withLock { $0.published } }

    /// The set-up of one more bridge.
    package func bridge(_ key: BridgeKey, in room: Room = .lobby) -> BridgeSetup {
        state.withLock { state in
            let port = SimulatedBridgePort(
                self, BridgeSeal(key, room: room.id), place: state.ports.count, timeline, seed: state.randomness.next())
            state.ports.append(port)
            return BridgeSetup(key: key, port: port)
        }
    }

    /// Ends the connection of a bridge, or of all, which come back after `duration`.
    ///
    /// - Parameter place: that of the bridge in the order in which they were made; nil for all.
    package func interrupt(_ place: Int? = nil, for duration: Duration) {
        let ports = state.withLock { $0.ports }
        for (index, port) in ports.enumerated() where place == nil || place == index { port.disconnect() }
        timeline.schedule(at: timeline.now + duration) {
            for (index, port) in ports.enumerated() where place == nil || place == index { port.connect() }
        }
    }

    func drawLatency() -> Duration {
        state.withLock { .random(in: latency, using: &$0.randomness) }
    }

    /// Puts a publication into the queues of all bridges, its own one included.
    func publish(_ box: [UInt8], from place: Int) {
        let ports = state.withLock { state in
            state.published += 1
            return state.ports
        }
        for (index, port) in ports.enumerated() {
            let delay = drawLatency()
            let arrival = state.withLock { state in
                let earliest = state.arrivals[[place, index]] ?? timeline.now
                let arrival = max(earliest + .nanoseconds(1), timeline.now + delay)
                state.arrivals[[place, index]] = arrival
                return arrival
            }
            timeline.schedule(at: arrival) { port.arrive(box) }
        }
    }
}

/// The way of one simulated bridge to its broker.
final class SimulatedBridgePort: BridgePort {
    private struct State {
        var handler: (@Sendable (BridgeEvent) -> Void)?
        var isConnected = false
        /// Counts connections: what belongs to an earlier one is lost.
        var connection = 0
        var intake: BridgeIntake
        /// In the broker: those without acknowledgement come again.
        var queue: [[UInt8]] = []
        var unacknowledged: [UInt64: [UInt8]] = [:]
        var lastTag: UInt64 = 0
        var randomness: Randomness
        /// When the publications on their way have reached the broker.
        var sentUntil: Instant
    }

    /// Weak, as the broker holds its ports; the simulation's user holds the broker.
    private weak let broker: SimulatedBroker?
    private let seal: BridgeSeal
    private let place: Int
    private let timeline: Timeline
    private let state: Mutex<State>

    init(_ broker: SimulatedBroker, _ seal: BridgeSeal, place: Int, _ timeline: Timeline, seed: UInt64) {
        (self.broker, self.seal, self.place, self.timeline) = (broker, seal, place, timeline)
        state = Mutex(
            State(
                intake: BridgeIntake(seal, pace: .unlimited, now: timeline.now), randomness: .seeded(seed),
                sentUntil: timeline.now))
    }

    func start(pace: Rate, _ handler: @escaping @Sendable (BridgeEvent) -> Void) {
        state.withLock { state in
            state.handler = handler
            state.intake = BridgeIntake(seal, pace: pace, now: timeline.now)
        }
        guard let broker else { return }
        timeline.schedule(at: timeline.now + broker.drawLatency()) { [self] in connect() }
    }

    func publish(_ content: BridgedContent, tag: UInt64, isHistory: Bool) {
        guard let delay = broker?.drawLatency() else { return }
        let sending = state.withLock { state -> (box: [UInt8], connection: Int, arrival: Instant)? in
            guard state.isConnected else { return nil }
            let box = seal.seal(content, using: &state.randomness)
            state.intake.recordPublished(box)
            state.sentUntil = max(state.sentUntil + .nanoseconds(1), timeline.now + delay)
            return (box, state.connection, state.sentUntil)
        }
        guard let sending else { return }
        timeline.schedule(at: sending.arrival) { [self] in
            guard let broker, isCurrent(sending.connection) else { return }
            broker.publish(sending.box, from: place)
            timeline.schedule(at: timeline.now + broker.drawLatency()) { [self] in
                if isCurrent(sending.connection) { tell(.confirmed([tag])) }
            }
        }
    }

    func acknowledge(_ tag: UInt64) { state.withLock { $0.unacknowledged[tag] = nil } }

    func stop() {
        disconnect()
        state.withLock { $0.handler = nil }
    }

    var counters: [Counter] { [] }

    func connect() {
        let isNews = state.withLock { state in
            guard state.handler != nil, !state.isConnected else { return false }
            state.isConnected = true
            state.connection += 1
            return true
        }
        guard isNews else { return }
        tell(.connected("simulated"))
        let waiting = state.withLock { exchange(&$0.queue, with: []) }
        for box in waiting { deliver(box) }
    }

    func disconnect() {
        let isNews = state.withLock { state in
            guard state.isConnected else { return false }
            state.isConnected = false
            state.connection += 1
            state.intake.disconnected()
            state.queue = state.unacknowledged.sorted { $0.key < $1.key }.map(\.value) + state.queue
            state.unacknowledged = [:]
            return true
        }
        if isNews { tell(.interrupted) }
    }

    /// A publication reached the queue of this bridge.
    func arrive(_ box: [UInt8]) {
        let isConnected = state.withLock { state in
            if !state.isConnected { state.queue.append(box) }
            if state.queue.count > Limits.bridgeWaiting { state.queue.removeFirst() }
            return state.isConnected
        }
        if isConnected { deliver(box) }
    }

    private func deliver(_ box: [UInt8]) {
        let (due, wait) = state.withLock { state in
            state.lastTag += 1
            if state.intake.receive(box, tag: state.lastTag, isHistory: false) {
                state.unacknowledged[state.lastTag] = box
            }
            return (state.intake.takeDue(now: timeline.now), state.intake.wait(now: timeline.now))
        }
        give(due, wait)
    }

    private func give(_ due: [BridgeDelivery], _ wait: Duration?) {
        for delivery in due { tell(.delivered(delivery)) }
        guard let wait else { return }
        timeline.schedule(at: timeline.now + wait) { [self] in
            let (due, wait) = state.withLock { state in
                (state.intake.takeDue(now: timeline.now), state.intake.wait(now: timeline.now))
            }
            give(due, due.isEmpty ? nil : wait)
        }
    }

    private func isCurrent(_ connection: Int) -> Bool { state.withLock { $0.connection == connection } }

    private func tell(_ event: BridgeEvent) {
        let handler = state.withLock { $0.handler }
        handler?(event)
    }
}
