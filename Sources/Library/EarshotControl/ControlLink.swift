internal import Chat
internal import ChatNode
internal import Commands
internal import Glibc
internal import Reactor
internal import Synchronization

/// One connection to a node, on the event loop of all connections of the process.
actor ControlLink: EventLoopActor {
    typealias Answer = Result<[ControlLine], ControlError>

    nonisolated let loop: EventLoop
    /// Nil once the connection is closed.
    private var socket: CInt?
    private var splitter = LineSplitter(limit: ControlLink.longestLine)
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    /// The lines of the answer that comes.
    private var answer: [ControlLine] = []
    /// Callers, in the order of their requests.
    private var waiting: [Caller] = []
    private var lastTicket = 0
    /// Requests that the system does not take yet.
    private var unsent: [UInt8] = []
    private var tail: AsyncThrowingStream<ControlEvents.Arrival, any Error>.Continuation?
    /// The lines of the tail so far.
    private var tailed = 0

    /// A caller, until its answer is whole.
    private struct Caller {
        let ticket: Int
        /// Nil for one that was cancelled, whose answer comes all the same.
        var continuation: CheckedContinuation<Answer, Never>?
    }

    /// In bytes; a whole history of the longest messages has less than half.
    private static let longestLine = 8 << 20
    /// In bytes, of requests that a node does not read.
    private static let mostUnsent = 4 << 20
    private static let made = Mutex<EventLoop?>(nil)

    private init(on loop: EventLoop) { self.loop = loop }

    /// Connects, and reads the greeting.
    static func open(_ path: String) async throws(ControlError) -> ControlLink {
        let loop: EventLoop
        do throws(SystemError) { loop = try sharedLoop() } catch { throw .unavailable("\(error)") }
        let link = ControlLink(on: loop)
        let greeting = try await withTaskCancellationHandler {
            await link.connect(path)
        } onCancel: {
            link.closeSoon()
        }.get()
        guard let first = greeting.first, first.event == "control", first["protocol"]?.integer == 1 else {
            await link.close()
            if let error = greeting.first, error.event == "error" { throw refusal(error) }
            throw .unavailable("no node of this user and version answers at \(DisplayGuard.safe(path))")
        }
        return link
    }

    static func refusal(_ line: ControlLine) -> ControlError {
        .refused(code: line["code"]?.string ?? "error", message: line["message"]?.string ?? "")
    }

    private static func sharedLoop() throws(SystemError) -> EventLoop {
        let result = made.withLock { made in
            Result { () throws(SystemError) in
                if let made { return made }
                let loop = try EventLoop(name: "earshot control")
                try loop.start()
                made = loop
                return loop
            }
        }
        return try result.get()
    }

    private func connect(_ path: String) async -> Answer {
        // There is nothing yet that a cancellation could have closed.
        guard !Task.isCancelled else { return .failure(.closed) }
        return await withCheckedContinuation { caller in
            do throws(SystemError) {
                try begin(path)
                waiting.append(Caller(ticket: 0, continuation: caller))
            } catch {
                let cause =
                    "no node answers at \(DisplayGuard.safe(path)): \(error.reason); start earshot, or name its socket"
                caller.resume(returning: .failure(.unavailable(cause)))
            }
        }
    }

    private func begin(_ path: String) throws(SystemError) {
        guard let address = UnixAddress(path) else { throw SystemError(call: "connect", errno: ENAMETOOLONG) }
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let made = try Descriptor("socket", Glibc.socket(AF_UNIX, type, 0))
        try SystemError.check("connect", unsafe address.lend { unsafe Glibc.connect(made.number, $0, $1) })
        try watch(made.number, .readable) { link, readiness in
            if readiness.isWritable { link.flush() }
            if readiness.isWorthReading { link.read() }
        }
        socket = made.release()
    }

    /// Sends a request, and returns its answer.
    func ask(_ line: String) async -> Answer {
        lastTicket += 1
        let ticket = lastTicket
        return await withTaskCancellationHandler {
            // The answer may come before the caller waits, unless it is sent for by one that does.
            await withCheckedContinuation { caller in
                if Task.isCancelled {
                    caller.resume(returning: .failure(.cancelled))
                } else if let reason = send(line) {
                    caller.resume(returning: .failure(reason))
                } else {
                    waiting.append(Caller(ticket: ticket, continuation: caller))
                }
            }
        } onCancel: {
            executeRetained { $0.cancel(ticket) }
        }
    }

    private func cancel(_ ticket: Int) {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
        waiting[index].continuation.take()?.resume(returning: .failure(.cancelled))
    }

    func tail(_ line: String, into output: AsyncThrowingStream<ControlEvents.Arrival, any Error>.Continuation) {
        tail = output
        if socket == nil { output.finish(throwing: ControlError.closed) }
        if let reason = send(line) { close(reason) }
    }

    /// From any thread.
    nonisolated func closeSoon() { executeRetained { $0.close() } }

    /// Closes behind a reader that has ended its tail, without an error. From any thread.
    nonisolated func endTailSoon() { executeRetained { $0.close(nil) } }

    /// - Parameter error: the reason why a tail ends; nil where the node has left.
    func close(_ error: ControlError? = .closed) {
        guard let socket else { return }
        self.socket = nil
        loop.unwatch(socket)
        _ = Glibc.close(socket)
        for caller in waiting { caller.continuation?.resume(returning: .failure(.closed)) }
        waiting = []
        tail?.finish(throwing: error)
        tail = nil
    }

    /// - Returns: the reason why a request was not sent; nil if it is on its way.
    private func send(_ line: String) -> ControlError? {
        guard socket != nil else { return .closed }
        let bytes = Array((line + "\n").utf8)
        guard unsent.count + bytes.count <= ControlLink.mostUnsent else {
            return .refused(code: "busy", message: "the node reads too slowly; send fewer requests at a time")
        }
        unsent += bytes
        if unsent.count == bytes.count { flush() }
        return socket == nil ? .closed : nil
    }

    /// Sends what the system takes, and waits for the rest: the loop is that of all connections.
    private func flush() {
        guard let socket else { return }
        var rest = unsent[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
            }
            if count < 0, errno == EAGAIN { break }
            guard count > 0 || errno == EINTR else { return close() }
            rest = rest.dropFirst(max(0, count))
        }
        unsent = Array(rest)
        loop.change(socket, to: unsent.isEmpty ? .readable : [.readable, .writable])
    }

    private func read() {
        guard let socket else { return }
        let count = Descriptors.read(into: &buffer, from: socket)
        guard count > 0 else { return close() }
        splitter.feed(buffer[..<count])
        while let line = splitter.next() {
            guard case .text(let text) = line, let line = ControlLine(text) else { return close() }
            take(line)
        }
    }

    private func take(_ line: ControlLine) {
        if let tail {
            if line.event == "end" { return close(nil) }
            // Instead of the first event.
            if line.event == "error", tailed == 0 { return close(ControlLink.refusal(line)) }
            tail.yield(ControlEvents.Arrival(number: tailed, line: line))
            tailed += 1
            return
        }
        // The greeting, and the error of a node that is busy, have no end behind them.
        let isWhole = line.event == "end" || line.event == "control" || line["code"]?.string == "busy"
        if line.event != "end" { answer.append(line) }
        guard isWhole, !waiting.isEmpty else { return }
        waiting.removeFirst().continuation?.resume(returning: .success(answer))
        answer = []
    }
}
