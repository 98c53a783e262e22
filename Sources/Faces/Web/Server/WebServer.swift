package import ChatNode
package import Commands
import CWebSockets
import Glibc
import Noise
package import Process
package import Reactor
import Rendering
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
    /// The library's server in it, in the same way.
    nonisolated let vhost = Atomic<UInt>(0)
    nonisolated let mustEnd = Atomic(false)
    /// Events received and not passed on yet.
    private nonisolated let backlog = Atomic(0)
    private nonisolated let clientCount = Atomic(0)
    private nonisolated let refusals = Atomic(0)
    nonisolated let dropped = Atomic(0)
    package nonisolated let token: WebToken
    nonisolated let codes = Mutex(PageCodes())
    /// Nil without a place for it.
    private var file: WebTokenFile?
    package nonisolated let port: UInt16
    nonisolated var gate: RequestGate { RequestGate(port: port, token: token) }
    var desk: CommandExecutor?
    /// Accepts connections; and has the timers, as the library has none for its caller.
    nonisolated let timers: EventLoop
    /// By the address of the library's object.
    var connections: [UInt: WebConnection] = [:]
    private var accepted = 0
    /// The connections by their keys.
    private var quota = ClientQuota<UInt>(patience: WebConnection.idleTime)
    private var isQuotaArmed = false
    /// Whether accepting waits for the end of a connection.
    private var lacksDescriptors = false
    /// Connections that the library does not have yet.
    private var arrivals: [Arrival] = []
    /// Whether the target of the connection that the library now takes was absolute.
    private var isNextAbsolute = false
    private var entrance: WebEntrance?
    var log: EventLog
    var store = MessageStore()
    var answers = IdempotentAnswers()
    /// Sessions of Engine.IO, of Socket.IO's clients.
    var engines = EngineTable()
    /// Connections of gateways that are gone while the node performs what came over them, by their numbers.
    var departing: [Int: WebConnection] = [:]
    /// The sessions of Engine.IO by their ids.
    var engineQuota = ClientQuota<String>(patience: EngineSession.pingTimeout)
    private var whenEmpty: CheckedContinuation<Void, Never>?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Listens at a port of 127.0.0.1, and of ::1 if the machine has it.
    ///
    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - loop: accepts the connections and has the timers; it runs until the server has ended, and nothing else lives on it.
    /// - Throws: if the library is missing, or the port is in use.
    package static func open(port: UInt16, token: WebToken, on loop: EventLoop) throws(StartFailure) -> WebServer {
        guard let library = WebSocketLibrary.loaded else {
            throw StartFailure("--web needs libwebsockets.so.17; install the package libwebsockets17")
        }
        let listeners = try LoopbackListeners(port: port, for: "--web")
        let server = WebServer(library, token, port: listeners.port, loop)
        guard server.makeContext() else { throw StartFailure("--web: libwebsockets does not start") }
        LocalTime.prepare()
        try StartFailure.naming { () throws(SystemError) in
            try server.thread.start(wake: { [weak server] in server?.wake() }) { [weak server] in server?.serve() }
        }
        let entrance = server.makeEntrance(listeners)
        server.thread.execute { server.assumeIsolated { $0.open(entrance) } }
        return server
    }

    private nonisolated func makeEntrance(_ listeners: consuming LoopbackListeners) -> WebEntrance {
        WebEntrance(on: timers, listeners, hosts: gate.hosts) { [weak self] in
            self?.thread.execute { self?.assumeIsolated { $0.letStrangersGo() } }
        } countRefusal: { [weak self] in
            self?.countRefusal()
        } pass: { [weak self] socket, bytes, isAbsolute in
            guard let self else { return _ = Glibc.close(socket) }
            self.thread.execute { self.assumeIsolated { $0.take(socket, bytes, isAbsolute: isAbsolute) } }
        }
    }

    private func open(_ entrance: WebEntrance) { self.entrance = entrance }

    private init(_ library: WebSocketLibrary, _ token: WebToken, port: UInt16, _ timers: EventLoop) {
        (self.library, self.token, self.port, self.timers) = (library, token, port, timers)
        var randomness = Randomness.system
        log = EventLog(run: Hexadecimal.encode(randomness.bytes(4)))
    }

    package nonisolated var listening: Commands.Listening {
        Listening(
            face: "web", url: link, address: "127.0.0.1:\(port)", token: token.text)
    }

    /// Lets one page in.
    nonisolated var link: String { "http://127.0.0.1:\(port)/#c=\(codes.withLock { $0.link.text })" }

    /// The link of the next page, and the token.
    package nonisolated var fileText: String { "\(link)\n\(token.text)" }

    /// Its counters in `/stats`.
    package nonisolated var counters: [Counter] {
        [
            Counter(.webClients, clientCount.load(ordering: .relaxed)),
            Counter(.webRefusals, refusals.load(ordering: .relaxed)),
            Counter(.webDropped, dropped.load(ordering: .relaxed)),
        ]
    }

    /// Accepts connections and performs requests from now on; connections before have waited.
    ///
    /// - Parameter file: has the link of the next page; nil if there is no such file.
    package func begin(_ desk: CommandExecutor, _ file: WebTokenFile?) async {
        (self.desk, self.file) = (desk, file)
        await entrance?.begin()
    }

    /// Lets a page in.
    ///
    /// - Returns: the code of its next reload; nil if the code is not good.
    func admitPage(withCode code: String) -> String? {
        let before = link
        let reload = codes.withLock { $0.admit(code, at: .monotonic) }
        // A link that could not be written is refused, and the page says where another one is.
        if link != before { try? file?.replace(with: fileText) }
        return reload
    }

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
        await entrance?.end()
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
    /// The clients that go at once where descriptors are lacking.
    private static let mostLeaving = 8
    /// More than the time in which the library reads a head that has come.
    private static let turn = Duration.milliseconds(100)

    private struct Arrival {
        let socket: CInt
        let first: [UInt8]
        let isAbsolute: Bool
    }

    /// Takes a connection whose first bytes have come.
    private func take(_ socket: CInt, _ first: [UInt8], isAbsolute: Bool) {
        arrivals.append(Arrival(socket: socket, first: first, isAbsolute: isAbsolute))
    }

    /// Gives some connections to the library; called after each of its turns. It reads all of them before the next ones come,
    /// so that no client that shows the token at once gives way as a stranger.
    func adoptArrivals() {
        let batch = arrivals.prefix(ClientQuota<UInt>.mostStrangers / 2)
        guard !batch.isEmpty else { return }
        arrivals.removeFirst(batch.count)
        for arrival in batch {
            isNextAbsolute = arrival.isAbsolute
            adopt(arrival.socket, arrival.first)
        }
        Task { [entrance, count = batch.count] in await entrance?.taken(count) }
        if !arrivals.isEmpty { wake() }
    }

    func connected(_ key: UInt) {
        accepted += 1
        connections[key] = WebConnection(accepted, isAbsolute: isNextAbsolute)
        clientCount.store(connections.count, ordering: .relaxed)
        if let oldest = quota.arrive(key, at: .monotonic) { refuse(oldest) }
        armQuota()
    }

    func disconnected(_ key: UInt) {
        let connection = connections.removeValue(forKey: key)
        if let connection {
            leaveEngine(connection, at: key)
            leaveGateway(connection, at: key)
            if let page = connection.page { codes.withLock { $0.disconnected(page, at: .monotonic) } }
        }
        quota.leave(key)
        clientCount.store(connections.count, ordering: .relaxed)
        if lacksDescriptors {
            lacksDescriptors = false
            Task { [entrance] in await entrance?.hasRoom() }
        }
        if connections.isEmpty { finish() }
    }

    /// The client of a connection has shown the token.
    ///
    /// - Returns: false if there is no place for one more.
    func admit(_ key: UInt) -> Bool { quota.admit(key) }

    /// Descriptors are lacking: clients that have not shown the token go, and accepting goes on when the first one has.
    private func letStrangersGo() {
        lacksDescriptors = true
        for _ in 0..<WebServer.mostLeaving {
            guard let oldest = quota.removeOldestStranger(at: .monotonic, behind: WebServer.turn) else { return }
            refuse(oldest)
        }
    }

    /// Ends a connection at once, whatever its client reads.
    private func refuse(_ key: UInt) {
        countRefusal()
        connections[key]?.closing = connections[key]?.closing ?? (1013, "the token comes first")
        kill(key)
    }

    private func armQuota() {
        guard !isQuotaArmed, let deadline = quota.deadline else { return }
        isQuotaArmed = true
        wait(until: deadline) { server in
            server.isQuotaArmed = false
            for key in server.quota.removeOverdue(at: .monotonic) { server.refuse(key) }
            server.armQuota()
        }
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
    ///   - behind: the number of the last event that the client gets before, 0 for the snapshot alone; nil for neither.
    ///   - topic: nil for what has no text of a room.
    func send(
        _ bytes: [UInt8], to connection: WebConnection, at key: UInt, behind: Int? = nil, about topic: EventTopic? = nil
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
    nonisolated func countRefusal() { refusals.add(1, ordering: .relaxed) }

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
