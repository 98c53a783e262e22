package import ChatNode
package import Commands
import CWebSockets
import Glibc
import Noise
package import Process
package import Reactor
import Synchronization
import Wire

/// The page, its API and its events, for programs and browsers of this machine (Docs/Web.md).
///
/// It lives on the thread of libwebsockets. Nothing in it waits for a client: a client that leaves too much unread is
/// disconnected, and can come back for what it missed.
package actor WebServer {
    nonisolated let thread = WebThread()
    nonisolated let library: WebSocketLibrary
    /// The library's context, by its address; 0 before and after.
    nonisolated let context = Atomic<UInt>(0)
    nonisolated let mustEnd = Atomic(false)
    /// Events received and not passed on yet.
    private nonisolated let backlog = Atomic(0)
    private nonisolated let clientCount = Atomic(0)
    private nonisolated let refusals = Atomic(0)
    nonisolated let dropped = Atomic(0)
    package nonisolated let token: WebToken
    private nonisolated let listeningPort = Atomic<Int>(0)
    nonisolated var gate: RequestGate { RequestGate(port: port, token: token) }
    var desk: CommandExecutor?
    /// Its timers, as the library has none for its caller.
    nonisolated let timers: EventLoop
    /// By the address of the library's object.
    var connections: [UInt: WebConnection] = [:]
    private var accepted = 0
    var log: EventLog
    var store = MessageStore()
    var answers = IdempotentAnswers()
    /// Sessions of Engine.IO, of Socket.IO's clients.
    var engines = EngineTable()
    /// Connections of gateways that are gone while the node performs what came over them, by their numbers.
    var departing: [Int: WebConnection] = [:]
    private var whenEmpty: CheckedContinuation<Void, Never>?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Listens at a port of 127.0.0.1, and of ::1 if the machine has it.
    ///
    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - timers: a loop that runs until the server has ended.
    /// - Throws: if the library is missing, or the port is in use.
    package static func open(port: UInt16, token: WebToken, timers: EventLoop) throws(StartFailure) -> WebServer {
        guard let library = WebSocketLibrary.loaded else {
            throw StartFailure("--web needs libwebsockets.so.17; install the package libwebsockets17")
        }
        let server = WebServer(library, token, timers)
        guard let listening = server.listen(at: port) else {
            throw StartFailure("--web can not listen on port \(port) of 127.0.0.1; choose another one, or 0 for any")
        }
        server.listeningPort.store(Int(listening), ordering: .relaxed)
        try StartFailure.naming { () throws(SystemError) in
            try server.thread.start(wake: { [weak server] in server?.wake() }) { [weak server] in server?.serve() }
        }
        return server
    }

    private init(_ library: WebSocketLibrary, _ token: WebToken, _ timers: EventLoop) {
        (self.library, self.token, self.timers) = (library, token, timers)
        var randomness = Randomness.system
        log = EventLog(run: Hexadecimal.encode(randomness.bytes(4)))
    }

    package nonisolated var port: UInt16 { UInt16(listeningPort.load(ordering: .relaxed)) }

    package nonisolated var listening: Commands.Listening {
        Listening(
            face: "web", url: "http://127.0.0.1:\(port)/#t=\(token.text)", address: "127.0.0.1:\(port)",
            token: token.text)
    }

    /// Its counters in `/stats`.
    package nonisolated var counters: [Counter] {
        [
            Counter(.webClients, clientCount.load(ordering: .relaxed)),
            Counter(.webRefusals, refusals.load(ordering: .relaxed)),
            Counter(.webDropped, dropped.load(ordering: .relaxed)),
        ]
    }

    /// Performs requests from now on.
    package func begin(_ desk: CommandExecutor) { self.desk = desk }

    /// Tells the clients what happens, in the order of the calls. On the nodes' thread; returns at once.
    package nonisolated func tell(_ events: [RoomReport]) {
        guard backlog.add(events.count, ordering: .relaxed).newValue <= ReportQueue.capacity else {
            backlog.subtract(events.count, ordering: .relaxed)
            // They would miss something, and not know.
            thread.execute { [weak self] in self?.assumeIsolated { $0.letGoOfStreams() } }
            return
        }
        thread.execute { [weak self] in self?.assumeIsolated { $0.pass(events) } }
    }

    /// Closes all connections; returns when they are closed, or after a second.
    package func end() async {
        for (key, connection) in connections { close(connection, at: key, 1001, "the node leaves") }
        wait(until: .monotonic + .seconds(1)) { $0.finish() }
        if !connections.isEmpty { await withCheckedContinuation { whenEmpty = $0 } }
        mustEnd.store(true, ordering: .relaxed)
        wake()
    }

    private func finish() {
        whenEmpty?.resume()
        whenEmpty = nil
    }
}

/// Connections, as the library tells of them.
extension WebServer {
    func connected(_ key: UInt) {
        accepted += 1
        connections[key] = WebConnection(accepted)
        clientCount.store(connections.count, ordering: .relaxed)
    }

    func disconnected(_ key: UInt) {
        let connection = connections.removeValue(forKey: key)
        if let connection {
            leaveEngine(connection, at: key)
            leaveGateway(connection, at: key)
        }
        clientCount.store(connections.count, ordering: .relaxed)
        if connections.isEmpty { finish() }
    }

    /// The connection of a number, if it is still there.
    func connection(_ number: Int, at key: UInt) -> WebConnection? {
        guard let connection = connections[key], connection.number == number else { return nil }
        return connection
    }

    func close(_ connection: WebConnection, at key: UInt, _ code: UInt16, _ reason: String) {
        connection.closing = connection.closing ?? (code, reason)
        connection.feed = nil
        wantToWrite(key)
    }

    /// Sends bytes to one client, or lets go of it if it leaves too much unread.
    ///
    /// - Parameters:
    ///   - behind: the number of the last event that the client gets before; 0 for none.
    ///   - topic: nil for what has no text of a room.
    func send(
        _ bytes: [UInt8], to connection: WebConnection, at key: UInt, behind: Int = 0, about topic: EventTopic? = nil
    ) {
        guard connection.closing == nil else { return }
        if connection.append(bytes, behind: behind, about: topic) { return wantToWrite(key) }
        letGo(connection, at: key)
    }

    private func letGo(_ connection: WebConnection, at key: UInt) {
        dropped.add(1, ordering: .relaxed)
        close(connection, at: key, 1013, "read too slowly; come back with the last seq")
    }

    /// Counts a request or a client that was refused.
    func countRefusal() { refusals.add(1, ordering: .relaxed) }

    private func pass(_ events: [RoomReport]) {
        backlog.subtract(events.count, ordering: .relaxed)
        for report in events {
            keep(report)
            for (key, connection) in connections where connection.use == .gateway {
                drive(connection, at: key) { $0.tell(report, at: .monotonic) }
            }
            tellEngines(report)
            // The end of the last connections tells that the node leaves.
            if report.isEnd, desk?.departure.isDecided ?? true { continue }
            guard log.append(report) != nil else { continue }
            for (key, connection) in connections where connection.feed != nil && connection.closing == nil {
                if connection.isLate(for: log) { letGo(connection, at: key) } else { wantToWrite(key) }
            }
        }
    }

    /// Keeps what an event says, and forgets the texts that end with it.
    private func keep(_ report: RoomReport) {
        store.note(report)
        if let erasure = Erasure(behind: report) {
            store.erase(erasure)
            log.erase(erasure)
            answers.erase(erasure)
            for connection in connections.values { connection.erase(erasure) }
        }
        if case .event(.edited(let message)) = report.report {
            let topic = EventTopic(report)
            log.change(topic, to: store.message(topic), in: report.room)
            for connection in connections.values { connection.feed?.change(topic, to: message.text) }
        }
    }

    private func letGoOfStreams() {
        for (key, connection) in connections where connection.feed != nil {
            dropped.add(1, ordering: .relaxed)
            close(connection, at: key, 1013, "events were lost; come back")
        }
    }
}
