import Chat
import ChatNode
import Commands
import Hub
import IRCFace
import Reactor
import Rendering
import Synchronization
import Wire

/// Streams of events: the page's WebSocket, and Server-Sent Events.
extension WebServer {
    func beginSocket(_ key: UInt) {
        guard let connection = connections[key] else { return }
        if connection.head.path == EngineSession.path { return beginEngine(connection, at: key) }
        let isAuthorized = gate.isAuthorized(connection.head)
        if let session = gatewaySession(at: connection.head.path, isAuthorized: isAuthorized) {
            connection.use = .gateway
            hub.begin(session, of: connection.number, at: .monotonic)
            return settle()
        }
        connection.use = .socket
        connection.page = connection.head.page
        connection.view = connection.head.parameter("view")
        if let page = connection.page { codes.withLock { $0.connected(page, at: .monotonic) } }
        begin(connection, at: key, last: connection.head.parameter("last"))
    }

    /// The session of a gateway at a path; nil for a path without one.
    private func gatewaySession(at path: String, isAuthorized: Bool) -> (any ClientSession)? {
        switch path {
        case "/stomp": STOMPSession(token, isAuthorized: isAuthorized, at: .monotonic)
        case "/irc":
            IRCSession(IRCSession.Entrance(token), isAuthorized: isAuthorized, isFramed: true, at: .monotonic)
        case _: nil
        }
    }

    func beginEvents(_ connection: WebConnection, at key: UInt) {
        connection.use = .events
        send(ServerSentEvent.start, to: connection)
        keepAlive(connection.number, at: key)
        begin(connection, at: key, last: connection.head.lastEventID)
    }

    /// Sends a comment each 15 s, so that a proxy, and a client that reads, know that the connection is there.
    private func keepAlive(_ number: Int, at key: UInt) {
        wait(until: .monotonic + ServerSentEvent.pause) { server in
            guard let connection = server.connection(number, at: key), connection.closing == nil else { return }
            server.send(ServerSentEvent.comment, to: connection)
            server.keepAlive(number, at: key)
        }
    }

    /// Sends what a client missed if that is known, otherwise a snapshot; then every event.
    private func begin(_ connection: WebConnection, at key: UInt, last: String?) {
        let log = hub.log
        if let number = last.flatMap(log.number) {
            tell("resumed", to: connection) { $0.member("seq", log.id) }
            hub.follow(connection.number, behind: number, as: connection.form)
            return settle()
        }
        let number = connection.number
        Task {
            if let seconds = await commands?.rooms.pauseLeft {
                // The snapshot comes with the next identity: nothing of this one is shown until then.
                execute { $0.tellWipe(seconds, to: number, at: key) }
            }
            let invitations = await commands?.rooms.invitations ?? []
            await commands?.rooms.snapshot { [weak self] rooms in
                // Behind the events before, and in front of those after.
                self?.execute { $0.send(rooms, invitations, to: number, at: key) }
            }
        }
    }

    private func tellWipe(_ seconds: Int, to number: Int, at key: UInt) {
        guard let connection = connection(number, at: key), connection.closing == nil else { return }
        tell("wiped", to: connection) { $0.member("seconds", seconds) }
    }

    /// Sends an event about the stream itself, which no other client gets.
    private func tell(_ name: String, to connection: WebConnection, _ members: (inout JSONWriter) -> Void) {
        let event = WebJSON.object {
            $0.member("event", name)
            members(&$0)
        }
        send(connection.use == .events ? ServerSentEvent.text(name, event) : event, to: connection)
    }

    private func send(_ rooms: [RoomSnapshot], _ invitations: [InvitedRoom], to number: Int, at key: UInt) {
        guard let connection = connection(number, at: key), connection.closing == nil else { return }
        keep(rooms)
        let people = rooms.map { (room: $0.overview.room, peers: $0.peers) }
        let snapshot = SnapshotParts(
            model, people: people, invitations, colors, seq: hub.log.id, as: connection.form)
        hub.follow(number, behind: hub.log.last, snapshot: snapshot, as: connection.form)
        settle()
    }

    /// Performs a line of a client, as one of standard input, in the client's own view; the answer goes to that client alone.
    func receive(_ message: [UInt8], from connection: WebConnection, at key: UInt) {
        let number = connection.number
        // By bytes, as CR LF is one Character.
        var bytes = message[...]
        if bytes.last == 0x0a { bytes.removeLast() }
        if bytes.last == 0x0d { bytes.removeLast() }
        guard let line = String(validating: bytes, as: UTF8.self), !bytes.contains(0x0a), !bytes.contains(0x0d) else {
            return close(connection, at: key, 1007, "a message is one line of UTF-8")
        }
        guard connection.lines < WebConnection.mostLines else {
            return close(connection, at: key, 1013, "\(WebConnection.mostLines) lines wait")
        }
        connection.lines += 1
        Task {
            let reports = await perform(line, view: hub.view(of: number))
            // It may have opened a conversation behind the end of its client.
            guard let connection = self.connection(number, at: key) else { return endView(of: number) }
            connection.lines -= 1
            for report in reports where report.isAnswer {
                let line = JSONOutput(.forPrograms).line(of: report)
                send(line, to: connection, behind: hub.log.last, about: EventTopic(report))
            }
        }
    }

    /// Performs a line, which may begin with the room that it is for.
    ///
    /// - Parameters:
    ///   - room: the room, if the line does not name it.
    ///   - conversation: as `CommandExecutor.reports` takes it, and the view.
    func perform(
        _ line: String, in room: RoomLabel? = nil, at conversation: Conversation? = nil, view: ViewID? = .shared
    ) async -> [RoomReport] {
        guard let commands else { return [] }
        do throws(ChatError) {
            if let room {
                return await commands.reports(of: try Command(line: line), in: room, at: conversation, view: view) ?? []
            }
            let addressed = try await AddressedLine(line, in: commands.rooms)
            let command = try Command(line: addressed.text)
            return await commands.reports(
                of: command, in: addressed.room, at: conversation ?? addressed.conversation, view: view) ?? []
        } catch {
            return [RoomReport(error, in: await commands.rooms.openLabel)]
        }
    }
}

extension RoomReport {
    /// Whether it answers a command; all clients hear of everything else.
    var isAnswer: Bool {
        switch report {
        case .answer, .error: true
        case .event, .entered, .opened, .viewed, .leaving, .snapshot, .listening, .entering: false
        }
    }
}
