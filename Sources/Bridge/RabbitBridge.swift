package import ChatNode
package import Chat
import CLinux
import Glibc
import Noise
import Phrases
package import Reactor
import Synchronization
import Wire

/// The way to other networks over RabbitMQ, on a thread of its own: the library's calls block.
package final class RabbitBridge: BridgePort {
    private let library: RabbitLibrary
    private let access: BrokerAccess
    private let seal: BridgeSeal
    private let topology: BridgeTopology
    private let thread = LoopThread()
    private let commands = Mutex<[BrokerCommand]>([])
    private let wakeUp: Descriptor
    private let mustEnd = Atomic(false)
    private let refusals = Mutex<[BridgeIntake.DeliveryRefusal: Int]>([:])

    /// The longest pause between two attempts, and the first one.
    private static let pauses = (first: Duration.milliseconds(250), longest: Duration.seconds(8))
    /// Attempts in a row that may meet those of other bridges before the user hears of it.
    private static let passing = 10

    /// - Returns: nil if librabbitmq or OpenSSL is not there.
    /// - Throws: the system's refusal of a descriptor.
    package static func make(_ access: BrokerAccess, _ seal: BridgeSeal) throws(SystemError) -> RabbitBridge? {
        guard let library = RabbitLibrary.loaded else { return nil }
        return RabbitBridge(
            library, access, seal,
            wakeUp: try Descriptor("eventfd", eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))))
    }

    private init(
        _ library: RabbitLibrary, _ access: BrokerAccess, _ seal: BridgeSeal, wakeUp: consuming Descriptor
    ) {
        (self.library, self.access, self.seal) = (library, access, seal)
        var randomness = Randomness.system
        topology = BridgeTopology(seal, using: &randomness)
        self.wakeUp = wakeUp
    }

    package func start(pace: Rate, _ handler: @escaping @Sendable (BridgeEvent) -> Void) {
        do throws(SystemError) {
            try thread.start(name: "bridge", niceness: 5) { [self] in run(pace, handler) }
        } catch {
            handler(.disconnected(Sentence(.bridgeNoThread, "\(error)")))
        }
    }

    package func publish(_ content: BridgedContent, tag: UInt64, isHistory: Bool) {
        send(.publish(content, tag: tag, isHistory: isHistory))
    }

    package func acknowledge(_ tag: UInt64) { send(.acknowledge(tag)) }

    package func stop() {
        mustEnd.store(true, ordering: .relaxed)
        eventfd_write(wakeUp.number, 1)
    }

    package var counters: [Counter] {
        let refusals = refusals.withLock { $0 }
        return BridgeIntake.DeliveryRefusal.allCases.map { Counter(.bridgeIntake($0), refusals[$0] ?? 0) }
    }

    private func send(_ command: BrokerCommand) {
        let isFirst = commands.withLock { commands in
            commands.append(command)
            return commands.count == 1
        }
        if isFirst { eventfd_write(wakeUp.number, 1) }
    }

    private var hasEnded: Bool { mustEnd.load(ordering: .relaxed) }

    /// On the thread: connects to one broker after the other, for ever.
    private func run(_ pace: Rate, _ handler: @escaping @Sendable (BridgeEvent) -> Void) {
        var attempt = 0
        var place = 0
        var randomness = Randomness.system
        while !hasEnded {
            let broker = access.list.brokers[place % access.list.brokers.count]
            place += 1
            do throws(BridgeFault) {
                try serve(connect(to: broker, pace: pace, using: &randomness, handler), &attempt)
                return
            } catch {
                // Publications of a connection that has ended are the node's to send again.
                commands.withLock { $0.removeAll() }
                handler(.disconnected(error.sentence))
            }
            wait(pause(after: attempt, using: &randomness))
            attempt += 1
        }
    }

    /// Connects, declares and consumes, again at once where that met another bridge's declaration.
    private func connect(
        to broker: BrokerList.Broker, pace: Rate, using randomness: inout Randomness,
        _ handler: @escaping @Sendable (BridgeEvent) -> Void
    ) throws(BridgeFault) -> BridgeSession {
        var passing = 0
        while true {
            do throws(BridgeFault) {
                let connection = try RabbitConnection(library, access, to: broker)
                try connection.prepare(topology)
                try connection.consume(topology)
                return try BridgeSession(connection, topology, seal, pace: pace, handler)
            } catch {
                guard error.isPassing, passing < RabbitBridge.passing, !hasEnded else { throw error }
                passing += 1
                wait(.random(in: .milliseconds(50)...(.milliseconds(250)), using: &randomness))
            }
        }
    }

    private func serve(_ session: BridgeSession, _ attempt: inout Int) throws(BridgeFault) {
        commands.withLock { $0.removeAll() }
        var session = session
        let earlier = refusals.withLock { $0 }
        session.begin()
        attempt = 0
        while !hasEnded {
            drainWakeUp()
            try session.perform(commands.withLock { exchange(&$0, with: []) })
            let wait = try session.turn()
            let refused = session.refused
            refusals.withLock { $0 = earlier.merging(refused) { $0 + $1 } }
            waitForInput(session.connection.descriptor, wait)
        }
        try session.perform(commands.withLock { exchange(&$0, with: []) })
    }

    /// Half fixed, half random, doubled with each attempt.
    private func pause(after attempt: Int, using randomness: inout Randomness) -> Duration {
        let longest = min(RabbitBridge.pauses.longest, RabbitBridge.pauses.first * (1 << min(attempt, 5)))
        return .random(in: longest / 2...longest, using: &randomness)
    }

    private func wait(_ duration: Duration) {
        guard !hasEnded else { return }
        var watched = pollfd(fd: wakeUp.number, events: Int16(POLLIN), revents: 0)
        // Commands wake it too, which only makes the next attempt come sooner; they are few without a connection.
        drainWakeUp()
        _ = unsafe poll(&watched, 1, CInt(duration.nanoseconds / 1_000_000))
    }

    private func waitForInput(_ descriptor: CInt, _ duration: Duration) {
        var watched = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeUp.number, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&watched, 2, CInt(clamping: (duration.nanoseconds + 999_999) / 1_000_000))
    }

    private func drainWakeUp() {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(wakeUp.number, &count)
    }
}

/// A call of the node, on its way to the bridge's thread.
enum BrokerCommand: Sendable {
    case publish(BridgedContent, tag: UInt64, isHistory: Bool)
    case acknowledge(UInt64)
}

extension RabbitBridge {
    /// The fault of each broker of the list, for `earshot doctor`; nil for none. It blocks for some seconds.
    ///
    /// - Returns: nil if librabbitmq or OpenSSL is not there.
    package static func examine(
        _ access: BrokerAccess, _ seal: BridgeSeal
    ) -> [(broker: BrokerList.Broker, fault: BridgeFault?)]? {
        guard let library = RabbitLibrary.loaded else { return nil }
        var randomness = Randomness.system
        let topology = BridgeTopology(seal, using: &randomness)
        return access.list.brokers.map { broker in
            do throws(BridgeFault) {
                let connection = try RabbitConnection(library, access, to: broker)
                try connection.prepare(topology)
                try connection.awaitTaking(topology)
                return (broker, nil)
            } catch {
                return (broker, error)
            }
        }
    }
}
