import Chat
import ChatNode
import Discovery
import Reactor
import Synchronization
import Wire

/// A node that chats as the program does, for measurements of groups: it reads requests on standard input, counts the
/// messages that it receives, and reports on standard output.
///
/// It lives on the loop of its node, and waits whenever the node would make the lines of a pipe wait.
actor GroupNode: EventLoopActor {
    /// How long others are kept waiting by texts that come at a pace.
    private static let longestTurn = Duration.milliseconds(5)

    let loop: EventLoop
    private let node: Node
    private let listener: Listener
    private let me: Int
    private var epoch = 0
    private var sequence = 0
    /// Senders that began before the last of these stop.
    private var stops = 0

    init(_ settings: GroupNodeSettings, on loop: EventLoop) throws(SystemError) {
        self.loop = loop
        MemoryReturn.keep(on: loop)
        me = settings.number
        let listener = Listener(me: settings.number)
        self.listener = listener
        node = try settings.network.node(settings.configuration, .passing(), on: loop) {
            listener.hear($0)
        }
    }

    /// Enters the room.
    func begin() throws(TransportError) {
        Line.say("open \(Instant.monotonic.nanoseconds)")
        try node.start()
    }

    func obey(_ command: DriverCommand) {
        switch command {
        case .publish(let count, let gap): Task { await publish(count, gap) }
        case .stop: stops += 1
        case .reset(let epoch): reset(epoch)
        case .expect(let count):
            listener.tally.withLock { $0.expect(count) }
            Line.say("ok")
        case .statistics: Line.say("stat \(listener.tally.withLock { $0.json })")
        case .ring: tellRing()
        case .latencies(let file): append(to: file)
        case .quit: Task { await leave() }
        }
    }

    private func reset(_ epoch: Int) {
        self.epoch = epoch
        sequence = 0
        listener.tally.withLock { $0.reset(epoch: epoch) }
        Line.say("ok")
    }

    /// Reports a digest that is equal for two nodes with equal messages, in any order of arrival.
    private func tellRing() {
        let ids = node.chat.messages(in: .publicRoom).map(\.id.hexadecimal)
        Line.say("ring \(ids.count) \(RingDigest.text(of: ids))")
    }

    private func append(to file: String) {
        let latencies = listener.tally.withLock { $0.latencies }
        do throws(SystemError) { try LatencyFile.append(latencies, to: file) } catch {
            Line.complain("\(file): \(error)")
        }
        Line.say("ok")
    }

    private func leave() async {
        node.beginLeaving()
        await node.awaitEnd()
        Line.end(0)
    }

    private func publish(_ count: Int, _ gap: Duration) async {
        let began = Instant.monotonic
        let stop = stops
        var (sent, refused) = (0, 0)
        while sent < count, stop == stops {
            if gap > .zero { await wait(until: began + gap * sent) }
            _ = await node.waitUntilMaySend()
            if !say() { refused += 1 }
            sent += 1
        }
        Line.say("pubdone \(began.nanoseconds) \(Instant.monotonic.nanoseconds) \(sent) \(refused)")
    }

    /// False if the node refused it.
    private func say() -> Bool {
        let stamp = StampedText(
            sender: me, epoch: epoch, sequence: sequence, sentAt: UInt64(Instant.monotonic.nanoseconds))
        sequence += 1
        do throws(ChatError) { try node.perform(.send(stamp.text)) } catch { return false }
        return true
    }

    /// A late sender does not wait, but for the commands and the network that have waited since the turn began.
    private func wait(until instant: Instant) async {
        let now = Instant.monotonic
        guard now < instant || now - loop.now >= GroupNode.longestTurn else { return }
        await withCheckedContinuation { continuation in
            loop.schedule(at: instant) { continuation.resume() }
        }
    }
}

/// A short name for a set of message ids, to see whether two sets are the same. Nothing rests on it but a measurement.
enum RingDigest {
    /// 16 hexadecimal digits: FNV-1a, 64 bits, over the ids in order.
    static func text(of ids: [String]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in ids.sorted().joined().utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        return Hexadecimal.encode((0..<8).reversed().map { UInt8(truncatingIfNeeded: hash >> ($0 * 8)) })
    }
}
