internal import ChatNode
internal import Commands
internal import Reactor

/// A client of a node that runs on this machine under this user (Docs/Control.md).
///
/// All functions can be called from any actor. Requests of one client are answered in their order.
public final class ControlClient: Sendable {
    private let path: String
    private let link: ControlLink

    private init(_ path: String, _ link: ControlLink) { (self.path, self.link) = (path, link) }

    /// Connects to a node, and closes the connection when `body` returns, throws or is cancelled.
    ///
    /// - Parameters:
    ///   - path: the socket, at most 107 bytes; nil for `earshot/control` in `XDG_RUNTIME_DIR`.
    ///   - body: runs in the isolation of the caller.
    /// - Returns: the result of `body`.
    /// - Throws: `ControlError` with `unavailable`, or `refused` with `busy`; `CancellationError` where the task is cancelled while it
    ///   waits for the node; and what `body` throws.
    public static func connect<Result>(
        to path: String? = nil, _ body: (ControlClient) async throws -> Result
    ) async throws -> Result {
        guard let path = path ?? ProcessEnvironment.value("XDG_RUNTIME_DIR").map({ $0 + "/earshot/control" }) else {
            throw ControlError.unavailable("no node is known, as XDG_RUNTIME_DIR is not set; name its socket")
        }
        do {
            let client = ControlClient(path, try await ControlLink.open(path))
            defer { client.link.closeSoon() }
            return try await withTaskCancellationHandler {
                try await body(client)
            } onCancel: {
                client.link.closeSoon()
            }
        } catch {
            let reason = error as? ControlError
            if Task.isCancelled, reason == .closed || reason == .cancelled { throw CancellationError() }
            throw error
        }
    }

    /// Says a text to a room or a person. It waits for the pace of the node.
    ///
    /// - Parameters:
    ///   - text: 1 to 240 characters without a line feed.
    ///   - person: a number, a nickname or a key; nil for the room.
    ///   - room: the name of the room; nil for the open one.
    /// - Throws: `ControlError` with `refused`, `closed`; `cancelled` where the task is cancelled.
    public func say(_ text: String, to person: String? = nil, in room: String? = nil) async throws(ControlError) {
        let receiver = person.map { "to \(QuotedName.text(of: $0)) " } ?? ""
        _ = try await request(ControlClient.place(room) + receiver + "say " + text)
    }

    /// Performs a command of the chat, as `/who`.
    ///
    /// - Parameters:
    ///   - line: the command with its slash, without a line feed.
    ///   - room: the name of the room; nil for the open one.
    /// - Returns: its events and its result.
    /// - Throws: as `say`.
    public func command(_ line: String, in room: String? = nil) async throws(ControlError) -> [ControlLine] {
        try await request(ControlClient.place(room) + "command " + line)
    }

    /// The counters of the node, in Prometheus' text format 0.0.4.
    ///
    /// - Throws: `ControlError` with `closed`, `cancelled`.
    public func metrics() async throws(ControlError) -> String {
        try await request("prometheus").compactMap { $0["text"]?.string }.joined()
    }

    /// Sends a request of Docs/Control.md other than `tail`.
    ///
    /// - Parameter line: without a line feed, at most 65,536 bytes.
    /// - Returns: the lines of the answer without its end.
    /// - Throws: `ControlError` with `refused` for the first error among them, and for a tail; `closed`, `cancelled`.
    public func request(_ line: String) async throws(ControlError) -> [ControlLine] {
        guard !line.utf8.contains(0x0a) else {
            throw .refused(code: "bad_request", message: "a request is one line; send each line by itself")
        }
        guard line.split(separator: " ").first != "tail" else {
            throw .refused(code: "bad_request", message: "a tail has no end to wait for; read tail(history:)")
        }
        let answer = try await link.ask(line).get()
        if let error = answer.first(where: { $0.event == "error" }) { throw ControlLink.refusal(error) }
        return answer
    }

    /// The events of the node as they happen, over a connection of their own, until the node leaves.
    ///
    /// - Parameter history: whether the messages that the node keeps come first, as the result of `/history`.
    /// - Returns: the events from now on. The connection ends with the sequence, with its last copy, and where the task of its reader
    ///   is cancelled.
    /// - Throws: `ControlError` with `unavailable`, or `refused` with `busy`; `closed` where the task is cancelled.
    public func tail(history: Bool = false) async throws(ControlError) -> ControlEvents {
        let link = try await ControlLink.open(path)
        let (stream, output) = AsyncThrowingStream.makeStream(
            of: ControlEvents.Arrival.self, bufferingPolicy: .bufferingNewest(ControlEvents.capacity))
        output.onTermination = { _ in link.endTailSoon() }
        await link.tail(history ? "tail history" : "tail", into: output)
        return ControlEvents(stream)
    }

    private static func place(_ room: String?) -> String { room.map { "in \(QuotedName.text(of: $0)) " } ?? "" }
}
