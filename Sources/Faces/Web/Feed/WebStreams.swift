import Chat
import ChatNode
import Commands
import Reactor
import Rendering
import Wire

/// Streams of events: the page's WebSocket, and Server-Sent Events.
extension WebServer {
    func beginSocket(_ key: UInt) {
        guard let connection = connections[key] else { return }
        if connection.head.path == EngineSession.path { return beginEngine(connection, at: key) }
        guard connection.head.path != "/stomp" else {
            connection.use = .gateway
            let isAuthorized = gate.isAuthorized(connection.head)
            connection.session = STOMPSession(token, isAuthorized: isAuthorized, at: .monotonic)
            return arm(connection, at: key)
        }
        connection.use = .socket
        begin(connection, at: key, last: connection.head.parameter("last"))
    }

    func beginEvents(_ connection: WebConnection, at key: UInt) {
        connection.use = .events
        wantToWrite(key)
        begin(connection, at: key, last: connection.head.lastEventID)
    }

    /// Sends what a client missed if that is known, otherwise a snapshot; then every event.
    private func begin(_ connection: WebConnection, at key: UInt, last: String?) {
        if let last, let missed = log.missed(since: last) {
            connection.isLive = true
            let resumed = WebJSON.object {
                $0.member("event", "resumed")
                $0.member("seq", log.id)
            }
            let isStream = connection.use == .events
            send(isStream ? ServerSentEvent.text("resumed", resumed) : resumed, to: connection, at: key)
            for entry in missed { send(entry, to: connection, at: key) }
            return
        }
        let number = connection.number
        Task {
            await desk?.snapshot { [weak self] rooms in
                // Behind the events before, and in front of those after.
                self?.thread.execute { self?.assumeIsolated { $0.send(rooms, to: number, at: key) } }
            }
        }
    }

    /// Sends an event in the form of the stream.
    func send(_ entry: EventLog.Entry, to connection: WebConnection, at key: UInt) {
        let isStream = connection.use == .events
        send(
            isStream ? ServerSentEvent.text(entry.name, entry.json, id: entry.id) : entry.json, to: connection, at: key)
    }

    private func send(_ rooms: [RoomSnapshot], to number: Int, at key: UInt) {
        guard let connection = connection(number, at: key), connection.closing == nil else { return }
        connection.isLive = true
        guard connection.use == .events else {
            return send(WebJSON.snapshot(of: rooms, seq: log.id), to: connection, at: key)
        }
        let head = WebJSON.object {
            $0.member("event", "snapshot")
            $0.member("seq", log.id)
        }
        var events = [("snapshot", head)]
        for room in rooms {
            for (_, messages) in room.histories {
                for message in messages {
                    let line = WebJSON.object {
                        $0.member("event", "message")
                        $0.member("room", room.overview.room.name)
                        $0.members(of: message, in: room.overview.room)
                        $0.member("snapshot", true)
                    }
                    events.append(("added", line))
                }
            }
        }
        var bytes: [UInt8] = []
        for (index, (name, line)) in events.enumerated() {
            // A client that has a part of a snapshot comes back with an id that is not known, and gets another one.
            let id = index == events.count - 1 ? log.id : "\(log.id)-\(index)"
            bytes += ServerSentEvent.text(name, line, id: id)
        }
        send(bytes, to: connection, at: key)
    }

    /// Performs a line of a page, as one of standard input; the answer goes to that page alone.
    func receive(_ message: [UInt8], from connection: WebConnection, at key: UInt) {
        let number = connection.number
        guard let line = String(validating: message, as: UTF8.self), !line.contains("\n") else {
            return close(connection, at: key, 1007, "a message is one line of UTF-8")
        }
        guard connection.lines < WebConnection.mostLines else {
            return close(connection, at: key, 1013, "\(WebConnection.mostLines) lines wait")
        }
        connection.lines += 1
        Task {
            let reports = await perform(line)
            guard let connection = self.connection(number, at: key) else { return }
            connection.lines -= 1
            for report in reports where report.isAnswer {
                send(JSONOutput().line(of: report), to: connection, at: key)
            }
        }
    }

    /// Performs a line, which may begin with the room that it is for.
    ///
    /// - Parameter room: the room, if the line does not name it.
    func perform(_ line: String, in room: RoomLabel? = nil) async -> [RoomReport] {
        guard let desk else { return [] }
        do throws(ChatError) {
            if let room { return await desk.reports(of: try Command(line: line), in: room) ?? [] }
            let addressed = try AddressedLine(line, in: desk.rooms)
            return await desk.reports(of: try Command(line: addressed.text), in: addressed.room) ?? []
        } catch {
            return [RoomReport(error, of: desk.rooms)]
        }
    }
}

extension RoomReport {
    /// Whether it answers a command; all clients hear of everything else.
    var isAnswer: Bool {
        switch report {
        case .answer, .error: true
        case .event, .entered, .opened, .listening: false
        }
    }
}
