import Chat
import ChatNode
import Glibc
import Reactor
import Synchronization
import Wire

/// Counts a node's events, and reports at once those that the measuring program waits for.
final class Listener: Sendable {
    let tally: Mutex<Tally>

    init(me: Int) {
        tally = Mutex(Tally(me: me))
    }

    /// Takes what the node tells, on its loop.
    func hear(_ batch: [NodeEvent]) {
        tally.withLock { tally in
            for event in batch { hear(event, &tally) }
        }
    }

    private func hear(_ event: NodeEvent, _ tally: inout Tally) {
        switch event {
        case .ready: Line.say("ready \(Instant.monotonic.nanoseconds)")
        case .peer(_, _, reason: _, was: _, let online), .crowd(came: _, left: _, let online):
            Line.say("peers \(online) \(Instant.monotonic.nanoseconds)")
        case .message(let message): if !message.isFromCurrentUser { count(message, &tally) }
        case .stopped(.failed(let reason)): Line.complain(reason)
        case .elsewhere, .request, .direct, .invitation, .edited, .deleted, .reacted, .card, .cardRemoved, .delivered,
            .read, .failed, .typing,
            .notice, .renamed, .status, .person, .blocked, .stopped:
            break
        }
    }

    private func count(_ message: MessageView, _ tally: inout Tally) {
        let now = Instant.monotonic
        let note = tally.count(message.text, isHistory: message.isHistory, at: now)
        if note.isFirst { Line.say("first \(now.nanoseconds)") }
        if note.isLast { Line.say("done \(now.nanoseconds)") }
    }
}

/// A file of 64-bit numbers in the machine's byte order, one behind the other.
enum LatencyFile {
    static func append(_ numbers: [UInt64], to path: String) throws(SystemError) {
        guard let file = unsafe fopen(path, "ab") else { throw SystemError.last("fopen") }
        let count = unsafe fwrite(numbers, MemoryLayout<UInt64>.stride, numbers.count, file)
        guard unsafe fclose(file) == 0, count == numbers.count else { throw SystemError.last("fwrite") }
    }
}
