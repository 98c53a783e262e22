internal import ChatNode
public import Earshot
internal import Noise
internal import Reactor
internal import Simulator
internal import Synchronization
internal import Wire

/// A network in memory, in virtual time, for tests: the rooms on it are those of `import Earshot`, and nothing leaves the process.
///
/// Time passes in two cases only: while `run(for:)` is awaited, and while a test awaits a call of a room that waits, such as
/// `send` or the next event. So a test of an hour takes a second, and equal seeds give equal runs as long as the bots wait for
/// nothing but their rooms. Bots run on the one thread of the network. All functions can be called from any actor and any task.
public final class SimulatedNetwork: Sendable {
    /// The longest virtual time that one call of a test waits: an hour. Then it is cancelled, so that a test ends: an event that never
    /// comes is nil, and `send` throws `CancellationError`. Calls of bots wait without an end.
    public static let callTimeout = Duration.seconds(3_600)

    /// The seed of every latency, loss, key and nickname.
    public let seed: UInt64
    private let driver: NetworkDriver
    private let network: InMemoryNetwork
    private let directory: InMemoryDirectory
    private let randomness: Mutex<Randomness>
    /// By the room, which the network does not keep: a room keeps its network.
    private let hosts = Mutex<[ObjectIdentifier: HostID]>([:])
    private let failures = BotFailures()

    /// A network without hosts.
    ///
    /// - Parameters:
    ///   - seed: equal seeds give equal runs.
    ///   - latency: the time of each segment on its way, in one direction.
    ///   - loss: the share of segments that are lost and sent again, from 0 to 0.9; another value is an error of the program.
    /// - Throws: `JoinError` with `refusedBySystem` if there is no thread for it.
    public init(
        seed: UInt64, latency: ClosedRange<Duration> = .milliseconds(1)...(.milliseconds(20)), loss: Double = 0
    ) throws(JoinError) {
        precondition((0...0.9).contains(loss), "a loss of \(loss); give 0 to 0.9")
        precondition(latency.lowerBound >= .zero, "a latency of \(latency.lowerBound); give 0 or more")
        self.seed = seed
        do throws(SystemError) { driver = try NetworkDriver() } catch {
            throw JoinError(.refusedBySystem, StartFailure(error).message)
        }
        var randomness = Randomness.seeded(seed)
        network = InMemoryNetwork(
            timeline: driver.timeline, seed: randomness.next(), conditions: Conditions(latency: latency, loss: loss))
        directory = InMemoryDirectory(network: network)
        self.randomness = Mutex(randomness)
    }

    deinit {
        driver.end()
        network.forget()
    }

    /// The virtual time since the network was made.
    public var elapsed: Duration { driver.timeline.now - Instant(nanoseconds: 0) }

    /// A new identity, drawn from the seed, for peers that leave and return, or that are in several rooms.
    public func makeIdentity() -> Earshot.Identity {
        var randomness = Randomness.seeded(randomness.withLock { $0.next() })
        return Earshot.Identity(Noise.Identity.generate(using: &randomness))
    }

    /// Joins a room from a host of its own.
    ///
    /// - Parameters:
    ///   - address: the room; those of equal address meet.
    ///   - nickname: 1 to 24 characters; nil for the last one of the identity, or one drawn from the seed.
    ///   - identity: nil for a new one, drawn from the seed. A peer that returns has the identity of its first time.
    ///   - sharesHistory: as in `Options`, whose other members are about a real network.
    /// - Returns: the room, which keeps the network; the peer is in it until `leave(_:)`.
    /// - Throws: `JoinError`.
    public func join(
        _ address: RoomAddress, as nickname: String? = nil, identity: Earshot.Identity? = nil,
        sharesHistory: Bool = true
    ) async throws -> Room {
        try await enter(address, nickname, identity, sharesHistory, SimulatedCarrier(driver: driver, network: self))
    }

    private func enter(
        _ address: RoomAddress, _ nickname: String?, _ identity: Earshot.Identity?, _ sharesHistory: Bool,
        _ carrier: SimulatedCarrier
    ) async throws -> Room {
        var configuration = try await Room.configuration(of: address, nickname: nickname)
        configuration.sharesHistory = sharesHistory
        let host = network.addHost()
        let seed = randomness.withLock { $0.next() }
        let scheduler = DrivenScheduler(driver)
        let owner = RoomOwner(on: scheduler)
        try await carrier.carry { [network, directory, configuration] in
            try await owner.start { (deliver) throws(JoinError) in
                var randomness = Randomness.seeded(seed)
                let identity = identity ?? Earshot.Identity(Noise.Identity.generate(using: &randomness))
                return try identity.start(configuration) { (configuration, key, runs) throws(JoinError) in
                    Node(
                        configuration: configuration, identity: key, marks: runs.marks, accepted: runs.accepted,
                        minimumEpoch: runs.minimumEpoch, randomness: randomness, scheduler: scheduler,
                        transport: InMemoryTransport(network: network, host: host),
                        discoveries: [InMemoryDiscovery(directory: directory, host: host)], deliver: deliver,
                        epochChanged: runs.epochChanged, directsChanged: runs.directsChanged)
                }
            }
        }
        let room = Room(address, owner, carrier)
        hosts.withLock { $0[ObjectIdentifier(room)] = host }
        return room
    }

    /// Joins a room and runs a bot in it, which waits for the time that the test lets pass.
    ///
    /// - Parameters:
    ///   - address: the room; those of equal address meet.
    ///   - nickname: as in `join` without a bot.
    ///   - identity: likewise.
    ///   - sharesHistory: likewise.
    ///   - bot: runs on the thread of the network; the room is left when it ends. An error that it throws reaches the test: the next
    ///     `run(for:)` throws it, or `SimulatedBot.waitForEnd()`.
    /// - Returns: the bot, to wait for its end or to cancel it.
    /// - Throws: `JoinError`.
    @discardableResult
    public func join(
        _ address: RoomAddress, as nickname: String? = nil, identity: Earshot.Identity? = nil,
        sharesHistory: Bool = true, _ bot: @escaping @Sendable (Room) async throws -> Void
    ) async throws -> SimulatedBot {
        // A bot that never ends does not keep the network and its thread.
        let carrier = SimulatedCarrier(driver: driver, network: nil)
        let room = try await enter(address, nickname, identity, sharesHistory, carrier)
        let task = Task(executorPreference: driver) { [weak self, failures] in
            let result: Result<Void, any Error>
            do {
                result = .success(
                    try await SimulatedBot.$running.withValue(ObjectIdentifier(room)) { try await bot(room) })
            } catch {
                result = .failure(error)
                failures.record(error, of: room)
            }
            await room.leave()
            self?.forget(room)
            try result.get()
        }
        return SimulatedBot(room: room, network: self, task: task, failures: failures)
    }

    /// Lets virtual time pass. A bot that calls it waits for the time that the test lets pass.
    ///
    /// - Throws: once the time has passed, the first error of a bot that no call has thrown yet, but not the `CancellationError` of a bot that
    ///   was cancelled; a call of a bot does not throw it. `CancellationError` where the task is cancelled while it waits.
    public func run(for duration: Duration) async throws {
        let counts = !driver.isCurrent
        await driver.wait(duration, counts: counts)
        try Task.checkCancellation()
        if counts, let failure = failures.takeFirst() { throw failure }
    }

    /// Leaves a room politely, as the end of `Room.join` does.
    public func leave(_ room: Room) async {
        await room.leave()
        forget(room)
    }

    private func forget(_ room: Room) { hosts.withLock { $0[ObjectIdentifier(room)] = nil } }

    /// Takes the host of a room off the network without a goodbye, as a machine that loses its power.
    public func vanish(_ room: Room) async {
        guard let host = hosts.withLock({ $0.removeValue(forKey: ObjectIdentifier(room)) }) else { return }
        await perform {
            $0.vanish(host)
            $1.forget(host)
        }
    }

    /// Parts the network: only rooms of one group reach each other, and those that are in no group. Connections stay up without
    /// passing bytes, as on a network whose cable is cut.
    public func partition(_ groups: [Room]...) async {
        let all = hosts.withLock { $0 }
        let parted = groups.map { $0.compactMap { all[ObjectIdentifier($0)] } }
        await perform {
            $0.partition(parted)
            $1.cut()
        }
    }

    /// Ends all partitions.
    public func heal() async {
        await perform {
            $0.heal()
            $1.reintroduceAll()
        }
    }

    private func perform(_ change: @escaping @Sendable (InMemoryNetwork, InMemoryDirectory) -> Void) async {
        await withCheckedContinuation { end in
            driver.submit { [driver, network, directory] in
                driver.timeline.perform { change(network, directory) }
                end.resume()
            }
        }
    }
}
