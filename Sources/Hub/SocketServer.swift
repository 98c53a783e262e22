import CLinux
import ChatNode
package import Commands
import Glibc
package import Reactor
package import Wire

/// Serves the clients of listening sockets: their bytes to sessions, and back.
///
/// It lives on a thread of its own: a client that does not read delays neither the nodes nor another client.
package actor SocketServer: EventLoopActor {
    /// How long a client may take to end its side of a connection that is ended.
    private static let lingering = Duration.seconds(2)
    /// Bytes that the system gets at once.
    private static let writeSize = 16_384

    package let loop: EventLoop
    private nonisolated let inlet: HubInlet
    private let listeners: [CInt]
    private let admits: @Sendable (CInt) -> Bool
    private let makeSession: @Sendable (Instant) -> any ClientSession
    /// Whether the chat is kept from the first client on, and not from the first tail on.
    private let keepsChat: Bool
    private var hub: EventHub
    private var acceptors: [Acceptor] = []
    private var connections: [Int: SocketConnection] = [:]
    private var commands: CommandExecutor?

    /// - Parameters:
    ///   - loop: nothing else may live on it.
    ///   - inlet: that of the hub.
    ///   - listeners: valid until the server has ended; they do not block.
    ///   - admits: whether a connection may stay at all.
    ///   - keepsChat: whether sessions hear of the changes of the chat from their first one on, instead of from the first tail on.
    package init(
        on loop: EventLoop, _ inlet: HubInlet, _ hub: consuming EventHub, listeners: [CInt],
        admits: @escaping @Sendable (CInt) -> Bool = { _ in true }, keepsChat: Bool = false,
        session: @escaping @Sendable (Instant) -> any ClientSession
    ) {
        (self.loop, self.inlet, self.listeners) = (loop, inlet, listeners)
        self.hub = hub
        (self.admits, makeSession, self.keepsChat) = (admits, session, keepsChat)
    }

    /// Answers from now on; connections before have waited. Once.
    package func begin(_ commands: CommandExecutor) {
        guard self.commands == nil else { return }
        self.commands = commands
        acceptors = listeners.map { number in
            makeAcceptor(of: number) { server in
                let isLetGo = server.hub.letStrangerGo(at: .monotonic)
                server.settle()
                return isLetGo
            } take: {
                $0.accepted($1)
            }
        }
        for acceptor in acceptors { acceptor.start() }
    }

    /// Tells the clients of events, in the order of the calls. On the nodes' thread; returns at once.
    package nonisolated func tell(_ events: [RoomReport]) {
        guard inlet.clients > 0 else { return }
        switch inlet.take(events.count) {
        case .taken:
            execute {
                let moment = Moment(instant: $0.loop.now, wallClock: $0.loop.wallClock)
                $0.hub.tell(events, at: moment, isLeaving: $0.commands?.departure.isDecided ?? true)
                $0.settle()
            }
        case .lost(isFirst: true):
            execute {
                $0.hub.loseEvents(at: $0.loop.now)
                $0.hub.forgetChat()
                $0.settle()
                $0.beginChat()
            }
        case .lost(isFirst: false): break
        }
    }

    /// Closes all connections; bytes that a client does not take at once are lost. No client connects any more.
    package func end() {
        for acceptor in acceptors { acceptor.stop() }
        hub.leave(at: loop.now)
        settle()
        for number in connections.keys { drop(number) }
    }

    private func accepted(_ socket: CInt) {
        let socket = Descriptor(owning: socket)
        guard admits(socket.number) else { return }
        let connection = SocketConnection(socket)
        let number = hub.arrive(makeSession(loop.now), at: loop.now)
        connections[number] = connection
        if (try? watch(connection.descriptor, .readable, { $0.ready(number, $1) })) == nil { drop(number) }
        settle()
        beginChat()
    }

    /// A client that hears of all events from now on got the chat in front of them: its changes tell what no event tells.
    private func keepChat(of reports: [RoomReport]?) {
        let rooms = (reports ?? []).compactMap { if case .snapshot(let room) = $0.report { room } else { nil } }
        if !rooms.isEmpty, !hub.hasChat, !connections.isEmpty { hub.take(rooms) }
    }

    /// Takes the chat as it is now, unless it is kept already: behind the events before, in front of those after.
    private func beginChat() {
        guard keepsChat, !hub.hasChat, !connections.isEmpty, let commands else { return }
        loop.launch {
            await commands.rooms.snapshot { [weak self] rooms in
                self?.execute {
                    guard !$0.connections.isEmpty, !$0.hub.hasChat else { return }
                    $0.hub.take(rooms)
                    $0.settle()
                }
            }
        }
    }

    private func ready(_ number: Int, _ readiness: Readiness) {
        guard let connection = connections[number] else { return }
        if connection.isLingering {
            if connection.receive() == nil { drop(number) }
            return
        }
        if readiness.isWorthReading, isReading(number) {
            if let input = connection.receive() {
                if !input.isEmpty { hub.receive(input, from: number, at: loop.now) }
            } else {
                hub.endInput(of: number, at: loop.now)
            }
        }
        // With both directions shut, and no more of its input wanted, the client is gone.
        if readiness.contains(.error) || readiness.contains(.hangUp), !isReading(number) {
            hub.end(number, .gone, at: loop.now)
        }
        hub.changed(number)
        settle()
    }

    private func isReading(_ number: Int) -> Bool {
        if case .open(isReading: true, isWriting: _) = hub.standing(of: number) { true } else { false }
    }

    /// Carries out the requests of sessions and the changes of clients.
    private func settle() {
        while true {
            let (requests, changes) = (hub.takeRequests(), hub.takeChanges())
            for request in requests { perform(request) }
            for change in changes {
                switch change {
                case .client(let number): proceed(number)
                case .ended(let number, _): drop(number)
                }
            }
            guard requests.isEmpty, changes.isEmpty else { continue }
            if hub.hasLookers {
                execute {
                    $0.hub.showChat(at: $0.loop.now)
                    $0.settle()
                }
            }
            return arm()
        }
    }

    /// The answer comes between the events before and those after, as both pass through the loop.
    private func perform(_ request: EventHub.Request) {
        let deliver: @Sendable ([RoomReport]?) -> Void = { [weak self] reports in
            self?.execute {
                $0.hub.complete(request, reports, at: $0.loop.now)
                $0.keepChat(of: reports)
                $0.settle()
                // It may have opened a conversation behind the end of its client.
                if $0.connections[request.client] == nil { $0.endView(of: request.client) }
            }
        }
        guard let commands else { return deliver(nil) }
        loop.launch { await commands.perform(request, deliver) }
    }

    /// Writes what the system takes, and waits for the rest.
    private func proceed(_ number: Int) {
        guard let connection = connections[number], !connection.isLingering else { return }
        while true {
            let bytes = hub.bytes(for: number, upTo: SocketServer.writeSize)
            guard !bytes.isEmpty else { break }
            guard let count = connection.send(bytes) else { return hub.end(number, .gone, at: loop.now) }
            guard count > 0 else { break }
            hub.written(count, to: number, at: loop.now)
        }
        switch hub.standing(of: number) {
        case .open(let isReading, let isWriting):
            var interest: Interest = isReading ? .readable : []
            if isWriting { interest.insert(.writable) }
            guard interest != connection.interest else { return }
            connection.interest = interest
            loop.change(connection.descriptor, to: interest)
        case .closing(let isInputOver): if isInputOver { drop(number) } else { linger(number, connection) }
        case nil: break
        }
    }

    /// Ends the output, and reads what still comes: with bytes unread, the system would take the last ones back.
    private func linger(_ number: Int, _ connection: SocketConnection) {
        connection.endOutput()
        loop.change(connection.descriptor, to: .readable)
        schedule(after: SocketServer.lingering) {
            $0.drop(number)
            $0.settle()
        }
    }

    /// Closes a connection, if it is still there.
    private func drop(_ number: Int) {
        guard let connection = connections.removeValue(forKey: number) else { return }
        loop.unwatch(connection.descriptor)
        hub.end(number, .gone, at: loop.now)
        endView(of: number)
        if connections.isEmpty { hub.forgetChat() }
    }

    /// A client that is gone shows nothing more.
    private func endView(of number: Int) {
        guard let commands else { return }
        loop.launch { [view = hub.view(of: number)] in await commands.show(nil, in: view) }
    }

    /// Lets the hub act at its deadline.
    private func arm() {
        guard let deadline = hub.takeTimer() else { return }
        schedule(at: deadline) { server in if server.hub.fire(deadline, at: server.loop.now) { server.settle() } }
    }
}

/// One connection of a server.
private final class SocketConnection {
    /// The events that the loop watches it for.
    var interest = Interest.readable
    /// Whether the output is ended, and only the end of the input is awaited.
    private(set) var isLingering = false
    private let socket: Descriptor

    init(_ socket: consuming Descriptor) { self.socket = socket }

    var descriptor: CInt { socket.number }

    func endOutput() {
        isLingering = true
        _ = shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Reads once: nil at the end of the connection.
    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 { return Array(buffer[..<count]) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
    }

    /// The number of bytes that the system has taken; nil if the connection is of no use any more.
    func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
        }
        return count >= 0 ? count : errno == EAGAIN || errno == EINTR ? 0 : nil
    }
}
