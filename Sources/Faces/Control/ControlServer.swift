import CLinux
import Chat
import Glibc
import Phrases
import Process
import Settings
import Synchronization
import Wire
package import ChatNode
package import Commands
package import Reactor

/// The control socket of a running node (Docs/Control.md): answers requests, and tells tails what happens.
///
/// It lives on a thread of its own: a client that does not read keeps neither the node nor another client waiting.
package actor ControlServer: EventLoopActor {
    private static let mostClients = 16

    package let loop: EventLoop
    private nonisolated let socket: ControlSocket
    /// The number of tails; written on the node's thread, where a tail begins.
    private nonisolated let tailCount = Atomic(0)
    private nonisolated let droppedTails = Atomic(0)
    /// Events received and not passed on yet: as many as wait for the display, at most.
    private nonisolated let backlog = Atomic(0)
    private nonisolated let hasGap = Atomic(false)
    private nonisolated let clientCount = Atomic(0)
    private var commands: CommandExecutor?
    private var clients: [Int: ControlClient] = [:]
    private var acceptor: Acceptor?
    private var accepted = 0
    package var renderer: ControlRenderer

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

    /// Answers from now on; connections before have waited. Once.
    package func begin(_ commands: CommandExecutor) {
        guard self.commands == nil else { return }
        self.commands = commands
        // A client of the own user gives no way to another one.
        let acceptor = makeAcceptor(of: socket.descriptor.number) { _ in
            false
        } take: {
            $0.accepted($1)
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
                execute { $0.letGoOfTails() }
            }
            return
        }
        execute { $0.pass(events) }
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
    private func proceed(_ client: ControlClient) {
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

/// Requests of clients, and their answers.
extension ControlServer {
    package func obey(_ line: LineSplitter.Line, of number: Int) async {
        let lines = await lines(answering: line, of: number)
        guard let lines, let client = clients[number] else { return }
        client.dialogue.answer(lines)
        proceed(client)
    }

    /// Nil where a tail begins instead.
    private func lines(answering line: LineSplitter.Line, of number: Int) async -> [UInt8]? {
        let text: String
        do throws(ChatError) {
            text = try line.text()
        } catch {
            return await rendering(error, as: .json)
        }
        do throws(ControlFault) {
            let request = try ControlRequest(line: text)
            return try await lines(answering: request, of: number)
        } catch {
            return ControlLines.error(error)
        }
    }

    private func lines(
        answering request: ControlRequest, of number: Int
    ) async throws(ControlFault) -> [UInt8]? {
        switch request.action {
        case .say(let text, to: let who):
            return try await lines(of: request) { rooms throws(ChatError) in
                if let who { return (.message(who: who, text: text), nil) }
                if request.room != nil { return (.sayToRoom(text), nil) }
                let addressed = AddressedLine(textIn: text, rooms)
                return (.sayToRoom(addressed.text), addressed.room)
            }
        case .command(let line):
            return try await lines(of: request) { _ throws(ChatError) in (try Command(line: line), nil) }
        case .prometheus:
            guard case .answer(.statistics(let counters)) = try await reports(of: .statistics).first?.report else {
                return []
            }
            return ControlLines.prometheus(counters)
        case .tail(let withHistory):
            await commands?.beginTail(withHistory: withHistory) { [weak self] reports in
                self?.startTail(number, reports, as: request.format)
            }
            return nil
        }
    }

    /// - Parameter read: the command, and the room that its text names; nil for that of the request.
    private func lines(
        of request: ControlRequest, _ read: @Sendable (isolated Program) throws(ChatError) -> (Command, RoomLabel?)
    ) async throws(ControlFault) -> [UInt8] {
        guard let rooms = commands?.rooms else { throw .leaving }
        let (command, room): (Command, RoomLabel?)
        do throws(ChatError) {
            let asked = try await ControlServer.room(of: request, in: rooms)
            let (wanted, named) = try await read(rooms)
            (command, room) = (wanted, named ?? asked)
        } catch {
            return await rendering(error, as: request.format)
        }
        return rendering(try await reports(of: command, in: room), as: request.format)
    }

    /// The room that a request names; nil for the open one.
    private static func room(of request: ControlRequest, in rooms: Program) async throws(ChatError) -> RoomLabel? {
        guard let name = request.room else { return nil }
        guard let room = await rooms.label(named: name) else { throw ChatError(.unknownRoom, .unknownRoom, name) }
        return room
    }

    private func reports(of command: Command, in room: RoomLabel? = nil) async throws(ControlFault) -> [RoomReport] {
        guard let reports = await commands?.reports(of: command, in: room) else { throw .leaving }
        return reports
    }

    private func rendering(_ reports: [RoomReport], as format: ControlRequest.Format) -> [UInt8] {
        renderer.lines(of: reports, as: format, at: loop.wallClock)
    }

    private func rendering(_ error: ChatError, as format: ControlRequest.Format) async -> [UInt8] {
        rendering([RoomReport(error, in: await commands?.rooms.openLabel)], as: format)
    }
}

/// Telling tails.
extension ControlServer {
    /// On the node's thread, in the turn of `reports`: later events follow them.
    private nonisolated func startTail(_ number: Int, _ reports: [RoomReport], as format: ControlRequest.Format) {
        tailCount.add(1, ordering: .relaxed)
        execute { $0.beginTail(number, reports, as: format) }
    }

    private func beginTail(_ number: Int, _ reports: [RoomReport], as format: ControlRequest.Format) {
        guard let client = clients[number] else {
            tailCount.subtract(1, ordering: .relaxed)
            return
        }
        client.dialogue.beginTail(format, rendering(reports, as: format))
        proceed(client)
    }

    /// Renders once for all tails of a format.
    package func pass(_ reports: [RoomReport]) {
        backlog.subtract(reports.count, ordering: .relaxed)
        var rendered: [ControlRequest.Format: [UInt8]] = [:]
        for client in clients.values {
            guard case .tailing(let format) = client.dialogue.phase else { continue }
            let lines = rendered[format] ?? rendering(reports, as: format)
            rendered[format] = lines
            if client.dialogue.tell(lines) { proceed(client) } else { letGo(client) }
        }
    }

    /// Something could not be passed on.
    private func letGoOfTails() {
        hasGap.store(false, ordering: .relaxed)
        for client in clients.values {
            if case .tailing = client.dialogue.phase { letGo(client) }
        }
    }

    private func letGo(_ client: ControlClient) {
        droppedTails.add(1, ordering: .relaxed)
        drop(client)
    }
}
