import ChatNode
import Glibc
import Reactor
import Synchronization
import Wire

/// Drops packets above a sender's rate before the embedded responder reads them (Protocol.md section 10).
///
/// libavahi-core compares each record with all of equal name, and has a limited number of them: a thousand false instances
/// cost every packet a millisecond, and then keep newcomers out. Packets of this machine pass, of any number of nodes. Each
/// reader of the packets has a gate of its own, so that all read the same ones.
@safe
final class MulticastGate: Sendable {
    private struct State {
        var budget = MulticastRateLimiter()
        var own: Set<[UInt8]> = []
        var readAt: Instant?
        var refused = 0
    }

    /// Packets that are dropped before others get their turn on the loop.
    private static let dropsInTurn = 64
    /// The list of this machine's addresses is read again after this time.
    private static let memory = Duration.seconds(1)

    private let state = Mutex(State())
    private let addresses: @Sendable () -> [[UInt8]]?

    /// - Parameter addresses: those of this machine, nil where they can not be read; called only for a sender above its rate, and
    ///   may block.
    init(
        addresses: @escaping @Sendable () -> [[UInt8]]? = {
            NetworkReader.read()?.flatMap { $0.addresses.map(\.bytes) }
        }
    ) {
        self.addresses = addresses
    }

    /// Packets that were dropped.
    var refused: Int { state.withLock { $0.refused } }

    /// True if a packet within its sender's rate waits; drops the packets before it.
    func hasWelcome(on descriptor: CInt) -> Bool {
        for _ in 0..<Self.dropsInTurn {
            guard let packet = MulticastPacket.peek(on: descriptor) else { return true }
            if admits(packet, now: .monotonic) { return true }
            MulticastPacket.drop(on: descriptor)
            guard MulticastPacket.isWaiting(on: descriptor) else { return false }
        }
        return false
    }

    func admits(_ packet: MulticastPacket, now: Instant) -> Bool {
        let (isWithinRate, isListOld) = state.withLock { state in
            let isListOld = state.readAt.map { now - $0 > Self.memory } ?? true
            return (state.budget.takeTokens(packet.cost, of: packet.sender, now: now), isListOld)
        }
        if isWithinRate { return true }
        // The kernel may take 0.2 s to answer: not under the lock, which the node's loop takes for `/stats`.
        let read = isListOld ? addresses().map(Set.init) : nil
        return state.withLock { state in
            if let read { (state.own, state.readAt) = (read, now) }
            if state.own.contains(packet.sender) { return true }
            state.refused += 1
            return false
        }
    }
}

/// The beginning of a DNS message that waits in a socket (RFC 1035 section 4.1.1), and its sender.
struct MulticastPacket: Hashable {
    let sender: [UInt8]
    /// The cost of reading it, in records.
    let cost: Int

    static let headerSize = 12
    private static let peeking = CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)
    /// Known answers in a query are compared with what we publish, and are not kept.
    private static let knownAnswersPerCost = 8

    init(sender: [UInt8], header: [UInt8]) {
        self.sender = sender
        guard header.count == Self.headerSize else {
            cost = 1
            return
        }
        let counts = stride(from: 4, to: Self.headerSize, by: 2).map { Int(header[$0]) << 8 | Int(header[$0 + 1]) }
        let records = counts[1] + counts[2] + counts[3]
        let isResponse = header[2] & 0x80 != 0
        cost = 1 + counts[0] + (isResponse ? records : records / Self.knownAnswersPerCost)
    }

    /// The next packet of a socket, which stays there; nil where there is none, or the socket is no UDP socket.
    static func peek(on descriptor: CInt) -> MulticastPacket? {
        var header = [UInt8](repeating: 0, count: headerSize)
        let (count, address) = unsafe SocketAddress.written { address, length in
            unsafe CInt(truncatingIfNeeded: recvfrom(descriptor, &header, headerSize, peeking, address, length))
        }
        guard count >= 0, let sender = address.endpoint else { return nil }
        return MulticastPacket(sender: sender.address, header: Array(header.prefix(Int(count))))
    }

    static func drop(on descriptor: CInt) {
        var byte: UInt8 = 0
        _ = unsafe recv(descriptor, &byte, 1, CInt(MSG_DONTWAIT))
    }

    static func isWaiting(on descriptor: CInt) -> Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, peeking) >= 0
    }
}
