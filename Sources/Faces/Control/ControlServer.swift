package import Commands
import Process
import Settings
import CLinux
import Chat
package import ChatNode
import Glibc
package import Reactor
import Synchronization
import Wire

/// The control socket of a running node (Docs/Control.md): answers requests, and tells tails what happens.
///
/// It lives on a thread of its own: a client that does not read keeps neither the node nor another client waiting.
package actor ControlServer {
    static let mostClients = 16

    package let loop: EventLoop
    private nonisolated let socket: ControlSocket
    /// The number of tails; written on the node's thread, where a tail begins.
    nonisolated let tailCount = Atomic(0)
    nonisolated let droppedTails = Atomic(0)
    /// Events received and not passed on yet: as many as wait for the display, at most.
    nonisolated let backlog = Atomic(0)
    nonisolated let hasGap = Atomic(false)
    private nonisolated let clientCount = Atomic(0)
    var desk: CommandExecutor?
    var clients: [Int: ControlClient] = [:]
    private var acceptor: Acceptor?
    private var accepted = 0
    package var renderer: ControlRenderer

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// - Parameter loop: nothing else may live on it.
    package init(on loop: EventLoop, _ socket: consuming ControlSocket, renderer: ControlRenderer) {
        self.loop = loop
        self.socket = socket
        self.renderer = renderer
    }

    package nonisolated var path: String { socket.path }

    /// Its counters in `/stats`.
    package nonisolated var counters: [Counter] {
        [
            Counter(.controlClients, clientCount.load(ordering: .relaxed)),
            Counter(.controlTails, tailCount.load(ordering: .relaxed)),
            Counter(.controlTailsDropped, droppedTails.load(ordering: .relaxed)),
        ]
    }

    /// Answers from now on; who has connected before has waited. Once.
    package func begin(_ desk: CommandExecutor) {
        guard self.desk == nil else { return }
        self.desk = desk
        // A client of the own user gives no way to another one.
        let acceptor = Acceptor(on: loop, socket.descriptor.number) {
            false
        } take: { [weak self] number in
            guard let self else { return _ = close(number) }
            assumeIsolated { $0.accepted(number) }
        }
        self.acceptor = acceptor
        acceptor.start()
    }

    /// Tells the tails what the node tells, in the order of the calls. On the node's thread; returns at once.
    package nonisolated func tell(_ events: [RoomReport]) {
        guard tailCount.load(ordering: .relaxed) > 0 else { return }
        guard backlog.add(events.count, ordering: .relaxed).newValue <= ReportQueue.capacity else {
            backlog.subtract(events.count, ordering: .relaxed)
            // They would miss something, and not know.
            if !hasGap.exchange(true, ordering: .relaxed) {
                loop.execute { [weak self] in self?.assumeIsolated { $0.letGoOfTails() } }
            }
            return
        }
        loop.execute { [weak self] in self?.assumeIsolated { $0.pass(events) } }
    }

    /// Says goodbye to all clients; bytes that a client does not take at once are lost. No client connects any more.
    package func end() {
        removeName()
        acceptor?.stop()
        for client in clients.values {
            client.dialogue.finish()
            _ = client.send()
            drop(client)
        }
    }

    /// Removes the socket's file, so that no client finds it. From any thread, more than once if need be.
    package nonisolated func removeName() { socket.removeName() }
}

/// Connections of clients.
extension ControlServer {
    private func watch(
        _ descriptor: CInt, _ interest: Interest,
        _ react: @escaping @Sendable (isolated ControlServer, Readiness) -> Void
    ) throws(SystemError) {
        let handler = DescriptorWatch { [weak self] readiness in self?.assumeIsolated { react($0, readiness) } }
        try loop.watch(descriptor, interest, handler)
    }

    private func accepted(_ number: CInt) {
        let connection = Descriptor(owning: number)
        guard ControlClient.isOwnUser(number) else { return }
        accepted += 1
        let client = ControlClient(accepted, connection)
        guard clients.count < ControlServer.mostClients else {
            let fault = ControlFault(.busy, "\(ControlServer.mostClients) clients are the most")
            client.dialogue = ControlSession(refusing: fault)
            _ = client.send()
            return
        }
        clients[client.number] = client
        clientCount.store(clients.count, ordering: .relaxed)
        do throws(SystemError) {
            try watch(client.descriptor, client.interest) { [number = client.number] server, readiness in
                server.ready(number, readiness)
            }
            proceed(client)
        } catch {
            drop(client)
        }
    }

    private func ready(_ number: Int, _ readiness: Readiness) {
        guard let client = clients[number] else { return }
        if readiness.contains(.error) || readiness.contains(.hangUp) && !client.dialogue.isWaitingToRead {
            return drop(client)
        }
        if client.dialogue.isWaitingToRead, !client.receive() { return drop(client) }
        proceed(client)
    }

    /// Writes and does what can be done now, and watches for the rest.
    func proceed(_ client: ControlClient) {
        guard client.send(), !client.dialogue.isOver else { return drop(client) }
        if let line = client.dialogue.next() {
            Task { await obey(line, of: client.number) }
        } else if client.dialogue.isOver {
            return drop(client)
        }
        var interest: Interest = []
        if client.dialogue.isWaitingToRead { interest.insert(.readable) }
        if client.dialogue.isWaitingToWrite { interest.insert(.writable) }
        guard interest != client.interest else { return }
        client.interest = interest
        loop.change(client.descriptor, to: interest)
    }

    package func drop(_ client: ControlClient) {
        if case .tailing = client.dialogue.phase { tailCount.subtract(1, ordering: .relaxed) }
        clients[client.number] = nil
        clientCount.store(clients.count, ordering: .relaxed)
        loop.unwatch(client.descriptor)
    }
}
