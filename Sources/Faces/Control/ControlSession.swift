import Commands
import Settings

/// The dialogue with one client of the control socket, as a value: bytes in, requests out; answers in, bytes out.
///
/// One request at a time: until its answer is written, no more is read. So a client that does not read is held up, and only
/// one answer for it is kept. Only a tail receives lines without a request: a tail that leaves too many of them unread is
/// closed.
struct ControlSession: Sendable {
    /// Bytes that may wait for a tail: 4 MiB, some 10,000 messages.
    package static let mostWaiting = 4 << 20

    enum Phase: Hashable, Sendable {
        case listening
        case answering
        case tailing(ControlRequest.Format)
        /// Nothing more is asked or answered.
        case over
    }

    private(set) var phase = Phase.listening
    private var splitter = LineSplitter()
    private var hasInputEnded = false
    private var output: [UInt8]
    private var written = 0

    init() {
        output = ControlLines.greeting
    }

    /// The session with a client that is refused: one line, and the end.
    init(refusing fault: ControlFault) {
        output = ControlLines.error(fault) + ControlLines.end
        phase = .over
    }

    var isWaitingToWrite: Bool { written < output.count }

    /// Whether to read: not while a request is under way.
    var isWaitingToRead: Bool { phase == .listening && !hasInputEnded && !isWaitingToWrite }

    /// Whether there is nothing left to do.
    var isOver: Bool { phase == .over && !isWaitingToWrite }

    /// Takes bytes that were read while it was waiting to.
    package mutating func feed(_ bytes: ArraySlice<UInt8>) { splitter.feed(bytes) }

    /// The client writes no more. Its requests are still answered.
    mutating func endInput() { hasInputEnded = true }

    /// The next request; nil while the one before is answered, or its answer waits to be read.
    package mutating func next() -> LineSplitter.Line? {
        guard phase == .listening, !isWaitingToWrite else { return nil }
        if let line = splitter.next() ?? (hasInputEnded ? splitter.finish() : nil) {
            phase = .answering
            return line
        }
        if hasInputEnded { phase = .over }
        return nil
    }

    /// The whole answer to the request that is under way.
    package mutating func answer(_ lines: [UInt8]) {
        guard phase == .answering else { return }
        output += lines + ControlLines.end
        phase = .listening
    }

    /// The current request was for a tail: events follow `lines` until either side ends it.
    package mutating func beginTail(_ format: ControlRequest.Format, _ lines: [UInt8]) {
        guard phase == .answering else { return }
        output += lines
        phase = .tailing(format)
    }

    /// Tells a tail something.
    ///
    /// - Returns: false if too much waits already: the tail is to be let go.
    package mutating func tell(_ lines: [UInt8]) -> Bool {
        guard output.count - written + lines.count <= ControlSession.mostWaiting else { return false }
        output += lines
        return true
    }

    /// The node has left: a waiting client receives that nothing more follows.
    package mutating func finish() {
        switch phase {
        case .listening, .over: break
        case .answering: output += ControlLines.error(.leaving) + ControlLines.end
        case .tailing: output += ControlLines.end
        }
        phase = .over
    }

    /// Offers what waits to `write`, which tells how much of it was taken.
    mutating func drain(_ write: (Span<UInt8>) -> Int) {
        guard isWaitingToWrite else { return }
        written += write(output.span.extracting(written..<output.count))
        if !isWaitingToWrite {
            (output, written) = ([], 0)
        } else if written > output.count / 2 {
            output.removeFirst(written)
            written = 0
        }
    }
}
