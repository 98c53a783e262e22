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
/// nothing but their rooms. Bots run on the one thread of the network.
public final class SimulatedNetwork: Sendable {
    /// A call that waits for a longer virtual time is cancelled, so that a test ends: an event that never comes is nil.
    public static let patience = Duration.seconds(3_600)

    /// The seed of every latency, loss, key and nickname.
    public let seed: UInt64
    private let driver: NetworkDriver
    private let network: InMemoryNetwork
    private let directory: InMemoryDirectory
    private let randomness: Mutex<Randomness>
    private let hosts = Mutex<[Room: HostID]>([:])

    /// A network without hosts.
    ///
    /// - Parameters:
    ///   - seed: equal seeds give equal runs.
    ///   - latency: the time of each segment on its way, in one direction.
    ///   - loss: the share of segments that are lost and sent again, from 0 to 0.9.
    /// - Throws: `JoinError` with `refusedBySystem` if there is no thread for it.
    public init(
        seed: UInt64, latency: ClosedRange<Duration> = .milliseconds(1)...(.milliseconds(20)), loss: Double = 0
    ) throws(JoinError) {
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

    /// Joins a room from a host of its own, under a new identity.
    ///
    /// - Parameters:
    ///   - address: the room; those of equal address meet.
    ///   - nickname: 1 to 24 characters.
    /// - Returns: the room; it is in it until `leave(_:)`.
    /// - Throws: `JoinError`.
    public func join(_ address: RoomAddress, as nickname: String) async throws -> Room {
        let configuration = try await Room.configuration(of: address, nickname: nickname)
        let host = network.addHost()
        let seed = randomness.withLock { $0.next() }
        let scheduler = DrivenScheduler(driver)
        let (owner, carrier) = (RoomOwner(on: scheduler), SimulatedCarrier(driver: driver))
        try await carrier.carry { [network, directory] in
            try await owner.start { (_, deliver) throws(JoinError) in
                var randomness = Randomness.seeded(seed)
                let identity = Noise.Identity.generate(using: &randomness)
                let node = Node(
                    configuration: configuration, identity: identity, randomness: randomness, scheduler: scheduler,
                    transport: InMemoryTransport(network: network, host: host),
                    discoveries: [InMemoryDiscovery(directory: directory, host: host)], deliver: deliver)
                do throws(TransportError) { try node.start() } catch {
                    throw JoinError(.portUnavailable, StartFailure(listeningOn: 0, error).message)
                }
                return node
            }
        }
        let room = Room(address, owner, carrier)
        hosts.withLock { $0[room] = host }
        return room
    }

    /// Joins a room and runs a bot in it, which waits for the time that the test lets pass.
    ///
    /// - Parameters:
    ///   - address: the room; those of equal address meet.
    ///   - nickname: 1 to 24 characters.
    ///   - bot: runs on the thread of the network; the room is left when it ends.
    /// - Returns: the task of the bot, to await its end or to cancel it.
    /// - Throws: `JoinError`.
    @discardableResult
    public func join(
        _ address: RoomAddress, as nickname: String, _ bot: @escaping @Sendable (Room) async throws -> Void
    ) async throws -> Task<Void, any Error> {
        let room = try await join(address, as: nickname)
        // A bot that never ends does not keep the network and its thread.
        return Task(executorPreference: driver) { [weak self] in
            let result: Result<Void, any Error>
            do { result = .success(try await bot(room)) } catch { result = .failure(error) }
            await room.leave()
            self?.forget(room)
            try result.get()
        }
    }

    /// Lets virtual time pass. A bot that calls it waits for the time that the test lets pass.
    public func run(for duration: Duration) async {
        let counts = !driver.isCurrent
        await withCheckedContinuation { end in
            driver.submit { [driver] in
                if counts { driver.enter() }
                driver.schedule(after: duration) {
                    if counts { driver.leave() }
                    end.resume()
                }
            }
        }
    }

    /// Leaves a room politely, as the end of `Room.join` does.
    public func leave(_ room: Room) async {
        await room.leave()
        forget(room)
    }

    private func forget(_ room: Room) { hosts.withLock { $0[room] = nil } }

    /// Takes the host of a room off the network without a goodbye, as a machine that loses its power.
    public func vanish(_ room: Room) async {
        guard let host = hosts.withLock({ $0.removeValue(forKey: room) }) else { return }
        await perform {
            $0.vanish(host)
            $1.forget(host)
        }
    }

    /// Parts the network: only rooms of one group reach each other, and those that are in no group. Connections stay up without
    /// passing bytes, as on a network whose cable is cut.
    public func partition(_ groups: [Room]...) async {
        let all = hosts.withLock { $0 }
        let parted = groups.map { $0.compactMap { all[$0] } }
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
