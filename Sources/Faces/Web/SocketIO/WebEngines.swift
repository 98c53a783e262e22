import Chat
import CLinux
import CWebSockets
import Glibc
import Hub
import Model
import Reactor
import Wire

/// Engine.IO over HTTP and WebSocket: its sessions are clients of the hub, which connections carry.
extension WebServer {
    private static let separator: Character = "\u{1e}"

    /// The reason why a request of Engine.IO is refused; nil if it may be performed.
    func engineFault(of head: RequestHead, isUpgrade: Bool) -> EngineFault? {
        let transport = head.parameter("transport")
        guard transport == "polling" || transport == "websocket" else { return .unknownTransport }
        if let id = head.parameter("sid") {
            guard let session = engines[id] else { return .unknownSession }
            return session.socket == nil && isUpgrade == (transport == "websocket") ? nil : .badRequest
        }
        guard isUpgrade || head.method == "GET" else { return .badMethod }
        guard isUpgrade == (transport == "websocket") else { return .badRequest }
        return head.parameter("EIO") == "4" ? nil : .unsupportedVersion
    }

    /// A request of long polling. The one that begins a session waits for its first packet.
    func performEngine(_ connection: WebConnection, at key: UInt) {
        let head = connection.head
        let refuse = { (fault: EngineFault) in self.answer(fault.answer, connection.number, at: key) }
        if let fault = engineFault(of: head, isUpgrade: false) { return refuse(fault) }
        let session = head.parameter("sid").flatMap { engines[$0] } ?? makeEngine(isPolling: true, head)
        hub.carry(session.client, over: connection.number)
        switch head.method {
        case "GET":
            if session.parked.map(isGone) ?? false { session.parked = nil }
            guard session.parked == nil else {
                end(session)
                return refuse(.badRequest)
            }
            session.parked = key
            proceed(session)
            answerSoon(session)
        case "POST":
            guard let body = String(validating: connection.body, as: UTF8.self) else {
                end(session)
                return refuse(.badRequest)
            }
            for packet in body.split(separator: WebServer.separator, omittingEmptySubsequences: false) {
                hub.receive(Array(packet.utf8), from: session.client, at: .monotonic)
            }
            hub.carry(session.client, over: connection.number)
            answer(WebServer.text("ok"), connection.number, at: key)
            settle()
        case _: refuse(.badMethod)
        }
    }

    /// A WebSocket was opened: with a session, to take its place, or for a new one.
    func beginEngine(_ connection: WebConnection, at key: UInt) {
        if let id = connection.head.parameter("sid") {
            guard let session = engines[id], session.socket == nil else {
                return close(connection, at: key, 1008, "unknown")
            }
            connection.use = .engine(session)
        } else {
            let session = makeEngine(isPolling: false, connection.head)
            connection.use = .engine(session)
            session.socket = key
            settle()
        }
    }

    func receive(_ message: [UInt8], of session: EngineSession, overSocketAt key: UInt) {
        guard let connection = connections[key] else { return }
        guard session.socket == nil else {
            hub.receive(message, from: session.client, at: .monotonic)
            hub.carry(session.client, over: connection.number)
            return settle()
        }
        if message == Array("2probe".utf8) {
            session.probe = key
            send(Array("3probe".utf8), to: connection)
            // The request that waits is answered, and those that follow, so that the client sees that polling ends.
            answerPoll(of: session)
            endProbe(connection.number, at: key, of: session)
        } else if message == Array("5".utf8), session.probe == key {
            (session.socket, session.probe) = (key, nil)
            hub.carry(session.client, over: connection.number)
            answerPoll(of: session)
            proceed(session)
        } else {
            close(connection, at: key, 1008, "no upgrade")
        }
    }

    /// Answers the request that waits with a packet that means nothing, or the last one.
    private func answerPoll(of session: EngineSession, _ packet: String = "6") {
        guard let key = session.parked, let connection = connections[key] else { return }
        session.parked = nil
        answer(WebServer.text(packet), connection.number, at: key)
    }

    /// Answers a request soon while the client changes to a WebSocket.
    private func answerSoon(_ session: EngineSession) {
        guard session.probe != nil, let key = session.parked, let number = connections[key]?.number else { return }
        wait(until: .monotonic + EngineSession.upgradePause) { [id = session.id] server in
            guard let session = server.engines[id], session.parked == key, server.connection(number, at: key) != nil
            else { return }
            server.answerPoll(of: session)
        }
    }

    /// Ends the change to a WebSocket that the client does not complete.
    private func endProbe(_ number: Int, at key: UInt, of session: EngineSession) {
        wait(until: .monotonic + EngineSession.upgradeTimeout) { [id = session.id] server in
            guard let session = server.engines[id], session.probe == key,
                let connection = server.connection(number, at: key)
            else { return }
            session.probe = nil
            server.close(connection, at: key, 1008, "no upgrade")
        }
    }

    /// A connection has ended.
    func leaveEngine(_ connection: WebConnection, at key: UInt) {
        for session in engines.values where session.parked == key { session.parked = nil }
        guard case .engine(let session) = connection.use else { return }
        if session.probe == key { session.probe = nil }
        if session.socket == key { end(session) }
    }

    /// Tells the clients in a room who types there.
    func tellTyping(in number: Int) {
        guard let room = model.room(number) else { return }
        let packet = SocketIOSession.typing(room.own.typists.map(\.displayName))
        for client in engines.values.map(\.client) {
            guard let session = hub.session(of: client) as? SocketIOSession, session.room == room.label else {
                continue
            }
            let topic = EventTopic(room.label)
            hub.send(packet, to: client, behind: hub.log.last, of: topic, at: .monotonic)
        }
    }

    private func makeEngine(isPolling: Bool, _ head: RequestHead) -> EngineSession {
        let (id, now) = (WebToken().text, Instant.monotonic)
        let session = SocketIOSession(
            token, engineID: id, isPolling: isPolling, room: head.parameter("room"), at: now)
        let engine = EngineSession(id, client: hub.arrive(session, isRoaming: true, at: now))
        engines[id] = engine
        return engine
    }

    /// The way to a client of the hub; nil if it is no session of Engine.IO.
    func engine(of client: Int) -> EngineSession? { engines.values.first { $0.client == client } }

    /// Something waits for a session, or it is at its end.
    func proceed(_ session: EngineSession) {
        if case .closing = hub.standing(of: session.client) { return end(session) }
        if let key = session.socket ?? session.parked { wantToWrite(key) }
    }

    /// The answer to the poll of a connection, whose packets wait for the next one unless `write` sends it; nil if nothing waits.
    func passPackets(of session: EngineSession, at key: UInt, _ write: (WebAnswer) -> Bool) -> Bool? {
        guard !isGone(key) else { return nil }
        var isWritten: Bool?
        hub.passMessages(to: session.client, upTo: EngineSession.longestPoll) { packets in
            guard !packets.isEmpty else { return true }
            session.parked = nil
            let payload = packets.map { String(decoding: $0, as: UTF8.self) }
            isWritten = write(WebServer.text(payload.joined(separator: String(WebServer.separator))))
            return isWritten == true
        }
        if case .closing = hub.standing(of: session.client) { end(session) }
        return isWritten
    }

    /// Whether the client of a connection has ended it, which the library sees late while a request waits.
    private func isGone(_ key: UInt) -> Bool {
        guard connections[key] != nil, let wsi = unsafe OpaquePointer(bitPattern: key) else { return true }
        var byte: UInt8 = 0
        let socket = unsafe library.call.lws_get_socket_fd(wsi)
        let count = unsafe recv(socket, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    }

    private func end(_ session: EngineSession) {
        hub.end(session.client, .gone, at: .monotonic)
        settle()
    }

    /// A session has ended: the connections that carry it end, too.
    func ended(_ session: EngineSession) {
        engines[session.id] = nil
        answerPoll(of: session, "1")
        for key in [session.socket, session.probe].compactMap(\.self) {
            if let connection = connections[key] { close(connection, at: key, 1000, "") }
        }
    }

    private static func text(_ payload: String) -> WebAnswer {
        WebAnswer(status: 200, type: "text/plain; charset=utf-8", body: Array(payload.utf8))
    }
}
