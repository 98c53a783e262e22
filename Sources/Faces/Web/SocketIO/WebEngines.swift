import ChatNode
import Commands
import Noise
import Reactor
import Rendering
import Synchronization
import Wire

/// Engine.IO over HTTP and WebSocket.
extension WebServer {
    private static let separator: Character = "\u{1e}"

    /// A request of long polling.
    func performEngine(_ connection: WebConnection, at key: UInt) {
        let head = connection.head
        guard head.parameter("EIO") == "4", head.parameter("transport") == "polling" else {
            return answer(WebServer.fault(3, "Bad request"), connection.number, at: key)
        }
        guard let id = head.parameter("sid") else {
            guard head.method == "GET", let session = makeEngine(room: head.parameter("room")) else {
                return answer(WebServer.fault(2, "Bad handshake method"), connection.number, at: key)
            }
            return answer(WebServer.text(session.openPacket), connection.number, at: key)
        }
        guard let session = engines[id], session.socket == nil else {
            return answer(WebServer.fault(1, "Session ID unknown"), connection.number, at: key)
        }
        switch head.method {
        case "GET":
            guard session.parked == nil else {
                end(session)
                return answer(WebServer.fault(3, "Bad request"), connection.number, at: key)
            }
            session.parked = (connection.number, key)
            flush(session)
        case "POST":
            guard let body = String(validating: connection.body, as: UTF8.self) else {
                end(session)
                return answer(WebServer.fault(3, "Bad request"), connection.number, at: key)
            }
            for packet in body.split(separator: WebServer.separator, omittingEmptySubsequences: false) {
                receive(String(packet), of: session)
            }
            answer(WebServer.text("ok"), connection.number, at: key)
        case _: answer(WebServer.fault(2, "Bad handshake method"), connection.number, at: key)
        }
    }

    /// A WebSocket was opened: with a session, to take its place, or for a new one.
    func beginEngine(_ connection: WebConnection, at key: UInt) {
        if let id = connection.head.parameter("sid") {
            guard let session = engines[id], session.socket == nil else {
                return close(connection, at: key, 1008, "unknown")
            }
            connection.use = .engine(session)
        } else if let session = makeEngine(room: connection.head.parameter("room")) {
            session.socket = key
            connection.use = .engine(session)
            send(Array(session.openPacket.utf8), to: connection, at: key)
        } else {
            close(connection, at: key, 1013, "too many sessions")
        }
    }

    func receive(_ packet: String, of session: EngineSession, overSocketAt key: UInt) {
        guard session.socket == nil, let connection = connections[key] else { return receive(packet, of: session) }
        switch packet {
        case "2probe":
            send(Array("3probe".utf8), to: connection, at: key)
            // The request that waits is answered, so that the client sees that polling ends.
            if session.parked != nil {
                session.packets.append("6")
                flush(session)
            }
        case "5":
            session.socket = key
            flush(session)
        case _: close(connection, at: key, 1008, "no upgrade")
        }
    }

    /// A connection has ended.
    func leaveEngine(_ connection: WebConnection, at key: UInt) {
        for session in engines.values where session.parked?.key == key { session.parked = nil }
        guard case .engine(let session) = connection.use, session.socket == key else { return }
        session.isOver = true
        engines[session.id] = nil
    }

    func perform(_ effects: [SocketIOSession.Effect], for session: EngineSession) {
        for effect in effects {
            switch effect {
            case .send(let packet): session.packets.append("4" + packet)
            case .close: session.isOver = true
            case .refused: countRefusal()
            case .perform(let number, let command, let room):
                Task { [id = session.id] in
                    let reports = await desk?.reports(of: command, in: room) ?? []
                    guard let session = engines[id] else { return }
                    perform(session.session.complete(number, reports), for: session)
                }
            }
        }
        flush(session)
        // The last packets may wait for the client's next request.
        if session.isOver, session.packets.isEmpty { end(session) }
    }

    private func makeEngine(room: String?) -> EngineSession? {
        if engines.count >= EngineSession.most {
            // A client that has not shown the token yet gives way to a newer one.
            let strangers = engines.values.filter { !$0.session.isConnected }
            guard let oldest = strangers.min(by: { $0.deadline < $1.deadline }) else { return nil }
            end(oldest)
        }
        let session = EngineSession(WebToken().text, token, room: room, at: .monotonic)
        engines[session.id] = session
        watch(session)
        return session
    }

    /// Sends pings, and ends a session whose client is not heard.
    private func watch(_ session: EngineSession) {
        wait(until: min(session.nextPing, session.deadline)) { [id = session.id] server in
            guard let session = server.engines[id] else { return }
            let now = Instant.monotonic
            if now >= session.deadline { return server.end(session) }
            if now >= session.nextPing {
                session.nextPing = now + EngineSession.pingInterval
                session.packets.append("2")
                server.flush(session)
            }
            server.watch(session)
        }
    }

    private func receive(_ packet: String, of session: EngineSession) {
        guard !session.isOver else { return }
        session.deadline = .monotonic + EngineSession.pingInterval + EngineSession.pingTimeout
        switch packet.utf8.first {
        case UInt8(ascii: "1"): end(session)
        case UInt8(ascii: "3"): break
        case UInt8(ascii: "4"): perform(session.session.receive(String(packet.dropFirst())), for: session)
        case _: end(session)
        }
    }

    /// Gives what waits to the client, if it listens.
    private func flush(_ session: EngineSession) {
        guard !session.packets.isEmpty else { return }
        if let key = session.socket, let connection = connections[key] {
            for packet in session.packets { send(Array(packet.utf8), to: connection, at: key) }
            session.packets = []
        } else if let (number, key) = session.parked {
            session.parked = nil
            let payload = session.packets.joined(separator: String(WebServer.separator))
            session.packets = []
            answer(WebServer.text(payload), number, at: key)
            if session.isOver { end(session) }
        } else if session.packets.count > EventLog.capacity {
            dropped.add(1, ordering: .relaxed)
            end(session)
        }
    }

    private func end(_ session: EngineSession) {
        session.isOver = true
        engines[session.id] = nil
        if let (number, key) = session.parked { answer(WebServer.text("1"), number, at: key) }
        session.parked = nil
        if let key = session.socket, let connection = connections[key] { close(connection, at: key, 1000, "") }
    }

    private static func text(_ payload: String) -> WebAnswer {
        WebAnswer(status: 200, type: "text/plain; charset=utf-8", body: Array(payload.utf8))
    }

    private static func fault(_ code: Int, _ message: String) -> WebAnswer {
        var answer = WebAnswer.json(400) {
            $0.member("code", code)
            $0.member("message", message)
        }
        answer.closes = true
        return answer
    }
}
