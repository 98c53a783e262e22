import Chat
import ChatNode
import CLinux
import Commands
import CWebSockets
import Hub
import Glibc
import Model
import Noise
import Reactor
import Rendering
import Synchronization
import Wire

/// Engine.IO over HTTP and WebSocket.
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

    /// A request of long polling.
    func performEngine(_ connection: WebConnection, at key: UInt) {
        let head = connection.head
        let refuse = { (fault: EngineFault) in self.answer(fault.answer, connection.number, at: key) }
        if let fault = engineFault(of: head, isUpgrade: false) { return refuse(fault) }
        guard let session = head.parameter("sid").flatMap({ engines[$0] }) else {
            let session = makeEngine(room: head.parameter("room"))
            return answer(WebServer.text(session.openPacket), connection.number, at: key)
        }
        // The id is known to the client that has shown the token.
        if session.session.isConnected { _ = admit(key) }
        switch head.method {
        case "GET":
            if session.parked.map({ isGone($0.key) }) ?? false { session.parked = nil }
            guard session.parked == nil else {
                end(session)
                return refuse(.badRequest)
            }
            session.parked = (connection.number, key)
            flush(session)
            answerSoon(session)
        case "POST":
            guard let body = String(validating: connection.body, as: UTF8.self) else {
                end(session)
                return refuse(.badRequest)
            }
            for packet in body.split(separator: WebServer.separator, omittingEmptySubsequences: false) {
                receive(String(packet), of: session)
            }
            answer(WebServer.text("ok"), connection.number, at: key)
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
            let session = makeEngine(room: connection.head.parameter("room"))
            session.socket = key
            connection.use = .engine(session)
            send(Array(session.openPacket.utf8), to: connection)
        }
    }

    func receive(_ packet: String, of session: EngineSession, overSocketAt key: UInt) {
        guard session.socket == nil, let connection = connections[key] else { return receive(packet, of: session) }
        switch packet {
        case "2probe":
            session.probe = key
            send(Array("3probe".utf8), to: connection)
            // The request that waits is answered, and those that follow, so that the client sees that polling ends.
            answerPoll(of: session)
            endProbe(connection.number, at: key, of: session)
        case "5" where session.probe == key:
            (session.socket, session.probe) = (key, nil)
            if session.session.isConnected { _ = admit(key) }
            answerPoll(of: session)
            flush(session)
        case _: close(connection, at: key, 1008, "no upgrade")
        }
    }

    /// Answers the request that waits with a packet that means nothing.
    private func answerPoll(of session: EngineSession) {
        guard let (number, key) = session.parked else { return }
        session.parked = nil
        answer(WebServer.text("6"), number, at: key)
    }

    /// Answers a request soon while the client changes to a WebSocket.
    private func answerSoon(_ session: EngineSession) {
        guard session.probe != nil, let number = session.parked?.number else { return }
        wait(until: .monotonic + EngineSession.upgradePause) { [id = session.id] server in
            guard let session = server.engines[id], session.parked?.number == number else { return }
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
        // Packets that could not be written wait for the next poll.
        if let poll = connection.poll { poll.session.packets = poll.packets + poll.session.packets }
        connection.poll = nil
        for session in engines.live where session.parked?.key == key { session.parked = nil }
        guard case .engine(let session) = connection.use else { return }
        if session.probe == key { session.probe = nil }
        if session.socket == key { end(session) }
    }

    /// Takes an event of the nodes.
    func tellEngines(_ report: RoomReport) {
        let offset = engines.take(report, at: .monotonic)
        for session in engines.live where session.session.room == report.room {
            if case .event(.renamed(let me, was: _)) = report.report { session.session.renameUser(me) }
            if let offset { session.packets.append(.event(offset)) }
            perform([], for: session)
        }
    }

    /// Tells the clients in a room who types there.
    func tellTyping(in number: Int) {
        let names = model.room(number)?.own.typists.map(\.who.displayName) ?? []
        for session in engines.live where session.session.room?.number == number {
            perform(session.session.typing(names), for: session)
        }
    }

    func perform(_ effects: [SocketIOSession.Effect], for session: EngineSession) {
        for effect in effects {
            switch effect {
            case .send(let packet, let topic): session.packets.append(.text("4" + packet, of: topic))
            case .connect(let pid, let offset): connect(session, pid, offset)
            case .greet(let since): greet(session, since)
            case .refuse(let message, let code): refuse(message, code, to: session)
            case .close: session.isOver = true
            case .refused: countRefusal()
            case .perform(let number, let command, let room):
                perform(command, in: room) { [id = session.id] server, reports in
                    guard let session = server.engines.any(id) else { return }
                    server.perform(session.session.complete(number, reports), for: session)
                    if session.session.isConnected, !session.isEnded { server.keep(session) }
                    server.engines.removeIfIdle(session)
                }
            }
        }
        guard !session.isEnded else { return session.packets = [] }
        flush(session)
        // The last packets may wait for the client's next request.
        if session.isOver, session.packets.isEmpty { end(session) }
    }

    /// Connects a client to a room, which may come back to a session that it had.
    private func connect(_ session: EngineSession, _ pid: String?, _ offset: Int?) {
        var earlier: SocketIOSession.Earlier?
        if let pid, let offset {
            // Its connection of before may not be known to be gone.
            for other in engines.live where other !== session && other.session.pid.utf8.elementsEqual(pid.utf8) {
                end(other)
            }
            earlier = engines.takeLost(pid, offset: offset, at: .monotonic)
        }
        guard engineQuota.admit(session.id) else {
            countRefusal()
            let most = ClientQuota<String>.mostHolders
            return perform(session.session.connectError("\(most) clients are the most"), for: session)
        }
        perform(session.session.begin(earlier), for: session)
    }

    private func greet(_ session: EngineSession, _ since: Int?) {
        guard let room = session.session.room else { return }
        let missed = since.flatMap { engines.events.missed(since: $0, in: room) }
        session.packets.append(.text("4" + session.session.greeting(isRecovered: missed != nil), of: nil))
        session.packets += (missed ?? []).map { .event($0) }
    }

    private func refuse(_ message: String, _ code: String, to session: EngineSession) {
        let packet = SocketIOPacket.event("refused") {
            $0.string(message)
            $0.string(code)
            // A client takes the last text for the offset up to which it has all events.
            $0.string("\(engines.events.last)")
        }
        session.packets.append(.text("4" + packet, of: nil))
    }

    /// The client of a session has shown the token: it does not give way any more.
    private func keep(_ session: EngineSession) {
        guard engineQuota.admit(session.id) else { return end(session) }
        session.isHeard(at: .monotonic)
        for key in [session.socket, session.parked?.key].compactMap(\.self) { _ = admit(key) }
    }

    private func makeEngine(room: String?) -> EngineSession {
        let session = EngineSession(WebToken().text, token, room: room, at: .monotonic)
        if let oldest = engineQuota.arrive(session.id, at: .monotonic).flatMap({ engines[$0] }) {
            countRefusal()
            end(oldest)
        }
        engines.add(session)
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
                session.packets.append(.text("2", of: nil))
                server.flush(session)
            }
            server.watch(session)
        }
    }

    private func receive(_ packet: String, of session: EngineSession) {
        guard !session.isOver, !session.isEnded else { return }
        session.isHeard(at: .monotonic)
        switch packet.utf8.first {
        case UInt8(ascii: "1"): end(session)
        case UInt8(ascii: "3"), UInt8(ascii: "6"): break
        case UInt8(ascii: "4"): perform(session.session.receive(String(packet.dropFirst())), for: session)
        case _: end(session)
        }
    }

    /// Gives what waits to the client, if it listens.
    private func flush(_ session: EngineSession) {
        guard !session.packets.isEmpty else { return }
        if let key = session.socket, let connection = connections[key] {
            for packet in session.packets {
                guard let (text, topic) = written(packet, to: session) else { continue }
                send(Array(text.utf8), to: connection, about: topic)
            }
            session.packets = []
        } else if let (number, key) = session.parked, let connection = connection(number, at: key), !isGone(key) {
            let texts = session.packets.compactMap { written($0, to: session)?.text }
            let payload = texts.joined(separator: String(WebServer.separator))
            guard !payload.isEmpty else { return session.packets = [] }
            connection.poll = EnginePoll(session: session, packets: session.packets)
            (session.parked, session.packets) = (nil, [])
            answer(WebServer.text(payload), number, at: key)
            if session.isOver { end(session) }
        } else if session.packets.count > EventLog.capacity {
            inlet.countDrop()
            end(session)
        }
    }

    /// A packet as it is sent; nil if its event is forgotten.
    private func written(
        _ packet: EngineSession.Packet, to session: EngineSession
    ) -> (text: String, topic: EventTopic?)? {
        switch packet {
        case .text(let text, let topic): (text, topic)
        case .event(let offset):
            engines.events.packet(at: offset, user: session.session.id).map { ("4" + $0.text, $0.topic) }
        }
    }

    /// Whether the client of a connection has ended it, which the library sees late while a request waits.
    private func isGone(_ key: UInt) -> Bool {
        guard connections[key] != nil, let wsi = unsafe OpaquePointer(bitPattern: key) else { return true }
        var byte: UInt8 = 0
        let socket = unsafe library.call.lws_get_socket_fd(wsi)
        let count = unsafe recv(socket, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    }

    /// Events were lost: all clients are to come back, and know that they missed some.
    func endEngines() {
        for session in engines.live {
            inlet.countDrop()
            end(session)
        }
        engines.events.removeAll()
    }

    /// Performs a command for a client, which hears of the events.
    ///
    /// - Parameter complete: takes the answer; see `CommandExecutor.perform`.
    private func perform(
        _ command: Command, in room: RequestedRoom,
        _ complete: @escaping @Sendable (isolated WebServer, [RoomReport]?) -> Void
    ) {
        let deliver: @Sendable ([RoomReport]?) -> Void = { [weak self] reports in
            self?.execute { complete($0, reports) }
        }
        guard let commands else { return deliver(nil) }
        Task { await commands.perform(command, in: room, deliver) }
    }

    private func end(_ session: EngineSession) {
        guard !session.isEnded else { return }
        session.isOver = true
        engines.end(session, at: .monotonic)
        engineQuota.leave(session.id)
        if let (number, key) = session.parked { answer(WebServer.text("1"), number, at: key) }
        session.parked = nil
        if let key = session.socket, let connection = connections[key] { close(connection, at: key, 1000, "") }
    }

    private static func text(_ payload: String) -> WebAnswer {
        WebAnswer(status: 200, type: "text/plain; charset=utf-8", body: Array(payload.utf8))
    }
}
