package import ChatNode
import CLinux
package import Commands
import Glibc
package import Process
package import Reactor
import Model
import Synchronization
import Wire

/// The STOMP gateway over TCP, on loopback alone (Docs/Web.md, section 5). It needs no libwebsockets.
///
/// It lives on a thread of its own: a client that does not read delays neither the node nor another client.
package actor STOMPServer: EventLoopActor {
    /// The time in which a client has to show the token.
    private static let patience = Duration.seconds(10)
    /// How long a client may take to end its side of a connection that is ended.
    private static let lingering = Duration.seconds(2)

    package let loop: EventLoop
    private let listeners: LoopbackListeners
    private var acceptors: [Acceptor] = []
    private nonisolated let token: WebToken
    private nonisolated let port: UInt16
    private nonisolated let clientCount = Atomic(0)
    private nonisolated let dropped = Atomic(0)
    private nonisolated let refusals = Atomic(0)
    private nonisolated let backlog = Atomic(0)
    private var commands: CommandExecutor?
    private var clients: [Int: STOMPClient] = [:]
    /// By their numbers.
    private var quota = ClientQuota<Int>(patience: STOMPServer.patience)
    private var accepted = 0

    /// Listens at a port of 127.0.0.1, and of ::1 if the machine has it.
    ///
    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - loop: nothing else may live on it.
    package init(on loop: EventLoop, port: UInt16, token: WebToken) throws(StartFailure) {
        let listeners = try LoopbackListeners(port: port, for: "--stomp")
        (self.loop, self.token, self.port) = (loop, token, listeners.port)
        self.listeners = listeners
    }

    package nonisolated var listening: Commands.Listening {
        Listening(face: "stomp", address: "127.0.0.1:\(port)", token: token.text)
    }

    /// Its counters in `/stats`.
    package nonisolated var counters: [Counter] {
        [
            Counter(.stompClients, clientCount.load(ordering: .relaxed)),
            Counter(.stompRefusals, refusals.load(ordering: .relaxed)),
            Counter(.stompDropped, dropped.load(ordering: .relaxed)),
        ]
    }

    /// Answers from now on; connections before have waited.
    package func begin(_ commands: CommandExecutor) {
        guard self.commands == nil else { return }
        self.commands = commands
        acceptors = listeners.numbers.map { number in
            makeAcceptor(of: number) {
                $0.letStrangerGo()
            } take: {
                $0.accepted($1)
            }
        }
        for acceptor in acceptors { acceptor.start() }
    }

    /// Tells the clients what happens, in the order of the calls. On the nodes' thread; returns at once.
    package nonisolated func tell(_ events: [RoomReport]) {
        guard clientCount.load(ordering: .relaxed) > 0 else { return }
        guard backlog.add(events.count, ordering: .relaxed).newValue <= ReportQueue.capacity else {
            backlog.subtract(events.count, ordering: .relaxed)
            return execute { $0.letGoOfAll() }
        }
        execute { $0.pass(events) }
    }

    /// Closes all connections; bytes that a client does not take at once are lost.
    package func end() {
        for acceptor in acceptors { acceptor.stop() }
        for client in clients.values { drop(client) }
    }
}

/// Connections.
extension STOMPServer {
    /// Descriptors are lacking: a client that has not shown the token goes.
    private func letStrangerGo() -> Bool {
        guard let oldest = quota.removeOldestStranger(at: .monotonic) else { return false }
        refuse(oldest)
        return true
    }

    private func refuse(_ number: Int) {
        refusals.add(1, ordering: .relaxed)
        if let client = clients[number] { drop(client) }
    }

    private func accepted(_ socket: CInt) {
        let socket = Descriptor(owning: socket)
        accepted += 1
        let client = STOMPClient(accepted, socket, STOMPSession(token, at: loop.now))
        clients[client.number] = client
        countClients()
        let number = client.number
        if let oldest = quota.arrive(number, at: loop.now) { refuse(oldest) }
        guard (try? watch(client.descriptor, .readable, { $0.ready(number, $1) })) != nil else { return drop(client) }
        arm(client)
    }

    private func ready(_ number: Int, _ readiness: Readiness) {
        guard let client = clients[number] else { return }
        guard !client.isLingering else {
            if client.receive() == nil { drop(client) }
            return
        }
        if readiness.isWorthReading, !client.isInputOver {
            if let input = client.receive() {
                if !input.isEmpty { perform(client.session.receive(input, at: loop.now), for: client) }
            } else {
                client.isInputOver = true
                perform(client.session.end(at: loop.now), for: client)
            }
        }
        // With both directions shut, and all of its input read, the client is gone.
        if client.isInputOver, readiness.contains(.error) || readiness.contains(.hangUp) { lose(client) }
        proceed(client)
    }

    /// A client is gone: what it sent before takes effect all the same.
    private func lose(_ client: STOMPClient) {
        guard !client.isLost else { return }
        loop.unwatch(client.descriptor)
        client.lose()
        quota.leave(client.number)
        countClients()
        guard !client.isInputOver else { return }
        client.isInputOver = true
        perform(client.session.end(at: loop.now), for: client)
    }

    private func pass(_ events: [RoomReport]) {
        backlog.subtract(events.count, ordering: .relaxed)
        for client in clients.values {
            for report in events {
                if let erasure = Erasure(behind: report), !client.erase(erasure) {
                    dropped.add(1, ordering: .relaxed)
                    lose(client)
                }
                perform(client.session.tell(report, at: loop.now), for: client)
            }
            proceed(client)
        }
    }

    private func letGoOfAll() {
        for client in clients.values {
            dropped.add(1, ordering: .relaxed)
            lose(client)
            proceed(client)
        }
    }

    private func perform(_ effects: [GatewayEffect], for client: STOMPClient) {
        for effect in effects {
            switch effect {
            case .send(let bytes, let topic):
                guard client.append(bytes, of: topic) else {
                    dropped.add(1, ordering: .relaxed)
                    lose(client)
                    continue
                }
            case .close: client.isClosing = true
            case .refused: refusals.add(1, ordering: .relaxed)
            case .perform(let number, let command, let room): perform(command, in: room, number, for: client.number)
            }
        }
    }

    /// The answer comes between the events before and those after, as both pass through the loop.
    private func perform(_ command: Command, in room: GatewayRoom, _ request: Int, for number: Int) {
        let deliver: @Sendable ([RoomReport]?) -> Void = { [weak self] reports in
            self?.execute { $0.complete(request, reports, for: number) }
        }
        guard let commands else { return deliver(nil) }
        Task { await commands.perform(command, in: room, deliver) }
    }

    private func complete(_ request: Int, _ reports: [RoomReport]?, for number: Int) {
        guard let client = clients[number] else { return }
        perform(client.session.complete(request, reports, at: loop.now), for: client)
        proceed(client)
    }

    /// Writes what the system takes, and waits for the rest.
    private func proceed(_ client: STOMPClient) {
        guard clients[client.number] != nil, !client.isLingering else { return }
        if !client.isLost, client.session.hasShownToken, !quota.admit(client.number) { return refuse(client.number) }
        if !client.isLost, !client.send() { lose(client) }
        if client.isLost {
            guard !client.session.isOver else { return drop(client) }
        } else {
            guard !client.isClosing || client.isWaiting else { return linger(client) }
            var interest: Interest = client.isInputOver ? [] : .readable
            if client.isWaiting { interest.insert(.writable) }
            loop.change(client.descriptor, to: interest)
        }
        arm(client)
    }

    /// Ends the output, and reads what still comes: with bytes unread, the system would take the last frames back.
    private func linger(_ client: STOMPClient) {
        guard !client.isInputOver else { return drop(client) }
        client.isLingering = true
        countClients()
        client.endOutput()
        loop.change(client.descriptor, to: .readable)
        let number = client.number
        schedule(after: STOMPServer.lingering) { server in server.clients[number].map { server.drop($0) } }
    }

    /// Lets the session act at its deadline.
    private func arm(_ client: STOMPClient) {
        guard let deadline = client.session.deadline, client.armed.map({ $0 > deadline }) ?? true else { return }
        client.armed = deadline
        let number = client.number
        schedule(at: deadline) { $0.wake(number, deadline) }
    }

    private func wake(_ number: Int, _ deadline: Instant) {
        guard let client = clients[number], client.armed == deadline else { return }
        client.armed = nil
        perform(client.session.tick(at: loop.now), for: client)
        proceed(client)
    }

    private func drop(_ client: STOMPClient) {
        if !client.isLost { loop.unwatch(client.descriptor) }
        clients[client.number] = nil
        quota.leave(client.number)
        countClients()
    }

    private func countClients() {
        clientCount.store(clients.values.count { !$0.isLingering && !$0.isLost }, ordering: .relaxed)
    }
}

extension STOMPSession {
    var hasShownToken: Bool { phase == .connected }
}

/// One TCP client of the gateway.
private final class STOMPClient {
    let number: Int
    var session: STOMPSession
    /// The next deadline for which a timer is armed.
    var armed: Instant?
    /// Whether the connection ends behind the output that waits.
    var isClosing = false
    /// Whether the client has ended its input.
    var isInputOver = false
    /// Whether the output is ended, and only the end of the input is awaited.
    var isLingering = false
    /// Whether nothing more reaches the client.
    private(set) var isLost = false
    private let socket: Descriptor
    private var output = OutputQueue(capacity: WebConnection.mostWaiting)

    init(_ number: Int, _ socket: consuming Descriptor, _ session: STOMPSession) {
        (self.number, self.session) = (number, session)
        self.socket = socket
    }

    var descriptor: CInt { socket.number }
    var isWaiting: Bool { !output.isEmpty }

    /// - Returns: false if too much waits already.
    func append(_ bytes: [UInt8], of topic: EventTopic?) -> Bool {
        isLost || output.append(bytes, of: topic)
    }

    /// Takes back waiting packets whose text is to be forgotten.
    ///
    /// - Returns: false if a part of one is sent.
    func erase(_ erasure: Erasure) -> Bool { output.erase(erasure) }

    func lose() {
        isLost = true
        output.removeAll()
    }

    func endOutput() { _ = shutdown(descriptor, CInt(SHUT_WR)) }

    /// Reads once: nil at the end of the connection.
    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 { return Array(buffer[..<count]) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
    }

    /// - Returns: false if the connection is of no use any more.
    func send() -> Bool {
        while let next = output.next {
            let count = unsafe next.withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return errno == EAGAIN || errno == EINTR }
            output.take(count)
        }
        return true
    }
}
