package import ChatNode
import Noise
import Synchronization
import Wire

/// A node's place on the simulated network: the addresses of a machine, and a port.
package struct HostID: Hashable, Comparable, Sendable {
    let number: Int

    package static func < (left: HostID, right: HostID) -> Bool { left.number < right.number }
}

/// The address families of a simulated network. IPv6 addresses are link-local, as on a LAN without a router.
package enum AddressFamilies: Sendable {
    case ipv4
    case ipv6
    /// Each host has an address of each family.
    case both
}

/// A network in memory: reliable, ordered byte streams with latency, finite windows, partitions and slow readers.
///
/// A partition holds bytes back as TCP's retransmission does; what was sent arrives once it heals, if the connection lives.
package final class InMemoryNetwork: Sendable {
    /// One direction's bytes that may be under way or unread, as a kernel's socket buffers.
    package static let window = 256 * 1_024
    package static let dialTimeout = Duration.seconds(5)

    let timeline: Timeline
    private let state: Mutex<NetworkState>

    /// - Parameter seed: every latency and every loss is drawn from it.
    package init(
        timeline: Timeline, seed: UInt64, conditions: Conditions, topology: Topology = .full,
        families: AddressFamilies = .ipv4
    ) {
        self.timeline = timeline
        state = Mutex(
            NetworkState(randomness: .seeded(seed), conditions: conditions, topology: topology, families: families))
    }

    /// Adds a machine with an address of its own, or another port of a machine.
    ///
    /// - Parameters:
    ///   - place: its place in the topology; nil for a place of its own.
    ///   - other: a host whose addresses, place and part of a partition it shares, as a node of the same process does.
    package func addHost(at place: Int? = nil, beside other: HostID? = nil) -> HostID {
        state.withLock { $0.hosts.add(at: place, beside: other) }
    }

    /// The addresses of a host, IPv6 first.
    package func endpoints(of host: HostID) -> [Endpoint] {
        state.withLock { $0.hosts[host].endpoints }
    }

    /// Only hosts of the same group reach each other; hosts not named form a group too.
    package func partition(_ groups: [[HostID]]) {
        state.withLock { $0.hosts.partition(groups) }
    }

    /// Two hosts do not reach each other any more, though others reach both.
    package func part(_ first: HostID, _ second: HostID) {
        state.withLock { $0.hosts.part(first, second) }
    }

    /// A host can not dial another any more, which can still dial it, as behind a firewall.
    package func wall(_ first: HostID, from second: HostID) {
        state.withLock { $0.hosts.wall(first, from: second) }
    }

    /// Ends all partitions; what was held back goes on.
    package func heal() {
        state.withLock { $0.hosts.heal() }
        releaseHeld()
    }

    /// Stops a host from reading, as a stopped process, or lets it read again.
    package func setReading(_ isReading: Bool, at host: HostID) {
        state.withLock { $0.setReading(isReading, at: host) }
        releaseHeld()
    }

    /// Lets a host read only so many bytes a second, from all its connections together.
    package func setReadingRate(_ rate: Int, of host: HostID) {
        state.withLock { $0.setReadingRate(rate, of: host) }
    }

    /// Resets every connection between two hosts.
    package func breakConnections(between first: HostID, and second: HostID) {
        let broken = state.withLock { $0.removeConnections(between: first, and: second) }
        for (handler, connection) in broken {
            timeline.schedule(at: timeline.now) { handler.value.transportClosed(connection, error: .reset) }
        }
    }

    /// Gives a host another address: its connections deliver nothing any more, without an error on either side.
    package func loseConnections(of host: HostID) {
        state.withLock { $0.loseConnections(of: host) }
    }

    /// Kills a program as the kernel does: its port and its connections close, and nothing comes from it any more.
    ///
    /// - Parameter isReset: true if its kernel resets the connections, as where the program left bytes unread.
    package func kill(_ host: HostID, isReset: Bool = false) {
        let connections = state.withLock { $0.kill(host) }
        for connection in connections { send(isReset ? .reset : .close, on: connection) }
    }

    /// Takes a host off the network, as a machine that loses its power: its connections stay half open at their other ends.
    package func vanish(_ host: HostID) {
        state.withLock { $0.vanish(host) }
    }

    /// Drops all listeners and connections without an event.
    package func forget() {
        let forgotten = state.withLock { $0.takeHandlers() }
        _ = consume forgotten
    }

    /// Bytes that `host` was given to read so far.
    package func bytesReceived(by host: HostID) -> Int {
        state.withLock { $0.bytesReceived(by: host) }
    }

    /// Whether one hears the other's announcements.
    func canSee(_ first: HostID, _ second: HostID) -> Bool {
        state.withLock { $0.canSee(first, second) }
    }

    /// The delay of a multicast that is repeated until it is answered.
    func drawMulticastDelay() -> Duration {
        state.withLock { $0.drawLatency() + $0.drawFirstWait() }
    }

    /// How long who is asked by multicast for what others have too waits before it answers (RFC 6762 section 6).
    func drawAnswerPause() -> Duration {
        state.withLock { $0.drawAnswerPause() }
    }

    /// The weight with which a node is heard that answers a newcomer, 0 if it is not: in a crowd only if it is a beacon, or in one
    /// of the two buckets that the newcomer asks for (Protocol.md section 10).
    func drawAnswer(of crowd: Crowd?) -> Int {
        guard let crowd, crowd.isOverlay else { return 1 }
        return state.withLock { $0.drawAnswer(among: crowd.known) }
    }

    func drawLatency() -> Duration {
        state.withLock { $0.drawLatency() }
    }

    func isWithinMachine(_ connection: ConnectionID) -> Bool {
        state.withLock { $0.isWithinMachine(connection) }
    }

    func listen(_ host: HostID, handler: ConfinedHandler) -> UInt16 {
        state.withLock { $0.listen(host, handler: handler) }
    }

    func stopListening(_ host: HostID) {
        state.withLock { $0.stopListening(host) }
    }

    func dial(_ endpoint: Endpoint, from host: HostID, handler: ConfinedHandler) -> ConnectionID {
        let (connection, latency, wait) = state.withLock { ($0.nextConnection(), $0.drawLatency(), $0.drawFirstWait()) }
        guard latency + wait < InMemoryNetwork.dialTimeout else {
            timeline.schedule(at: timeline.now + InMemoryNetwork.dialTimeout) { [self] in
                timeOut(connection, handler)
            }
            return connection
        }
        timeline.schedule(at: timeline.now + latency + wait) { [self] in
            switch state.withLock({ $0.connect(connection, from: host, to: endpoint, handler: handler) }) {
            case .accepted(let accepter, let far, let dialler):
                accepter.value.transportAccepted(far, from: dialler)
                timeline.schedule(at: timeline.now + latency) { [self] in
                    guard state.withLock({ $0.isOpen(connection) }) else { return }
                    handler.value.transportConnected(connection)
                }
            case .refused:
                timeline.schedule(at: timeline.now + latency) { [self] in
                    guard state.withLock({ $0.takeDial(connection) }) else { return }
                    handler.value.transportClosed(connection, error: .refused)
                }
            case .lost:
                timeline.schedule(at: timeline.now + InMemoryNetwork.dialTimeout) { [self] in
                    timeOut(connection, handler)
                }
            }
        }
        return connection
    }

    private func timeOut(_ connection: ConnectionID, _ handler: ConfinedHandler) {
        guard state.withLock({ $0.takeDial(connection) }) else { return }
        handler.value.transportClosed(connection, error: .timedOut)
    }

    func write(_ bytes: Span<UInt8>, to connection: ConnectionID) -> Int {
        let acceptance = state.withLock { $0.write(bytes, to: connection, now: timeline.now) }
        for arrival in acceptance.arrivals { scheduleDelivery(from: connection, at: arrival) }
        return acceptance.count
    }

    func finish(_ connection: ConnectionID) {
        send(.finish, on: connection)
    }

    func close(_ connection: ConnectionID) {
        send(.close, on: connection)
    }

    private func send(_ ending: Segment, on connection: ConnectionID) {
        for arrival in state.withLock({ $0.end(connection, with: ending, now: timeline.now) }) {
            scheduleDelivery(from: connection, at: arrival)
        }
    }

    private func releaseHeld() {
        for connection in state.withLock({ $0.takeStalled() }) {
            scheduleDelivery(from: connection, at: timeline.now + drawLatency())
        }
    }

    private func scheduleDelivery(from connection: ConnectionID, at instant: Instant) {
        timeline.schedule(at: instant) { [self] in arrive(from: connection) }
    }

    /// A segment from `connection` came to the other end, which reads it now or, if it is slow, later.
    private func arrive(from connection: ConnectionID) {
        guard let instant = state.withLock({ $0.beginReading(from: connection, now: timeline.now) }) else {
            return deliver(from: connection)
        }
        timeline.schedule(at: instant) { [self] in deliver(from: connection) }
    }

    /// Hands the oldest segment that `connection` sent to the other end.
    private func deliver(from connection: ConnectionID) {
        guard let delivery = state.withLock({ $0.nextDelivery(from: connection, now: timeline.now) }) else { return }
        switch delivery.segment {
        case .bytes(let bytes):
            delivery.receiver.value.transportReceived(bytes, count: bytes.count, on: delivery.far)
            guard state.withLock({ $0.hasRead(bytes.count, from: connection) }), let sender = delivery.sender else {
                return
            }
            sender.value.transportBecameWritable(connection)
        case .reset:
            delivery.receiver.value.transportClosed(delivery.far, error: .reset)
        case .finish, .close:
            delivery.receiver.value.transportClosed(delivery.far, error: nil)
            if case .finish = delivery.segment, let sender = delivery.sender {
                timeline.schedule(at: timeline.now + drawLatency()) {
                    sender.value.transportClosed(connection, error: nil)
                }
            }
        }
    }
}
