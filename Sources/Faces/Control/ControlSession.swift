import Commands
import Settings

/// The conversation with one client of the control socket, as a value: bytes in, requests out; answers in, bytes out.
///
/// One request at a time: while one is answered, and until all of that is written, no more is read. So a client that
/// does not read is held up, and nothing of its is kept but one answer. Only to a tail things are told unasked: one that
/// leaves too much of them unread is let go.
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

    /// The last words to one whom nobody listens to.
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

    /// The client writes no more. What it asked for is still answered.
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

    /// The request under way was for a tail: what is told comes behind `lines`, until either side ends it.
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

    /// The node has left: who still waits for something is told that nothing more comes.
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
