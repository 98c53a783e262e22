import CWebSockets
import Glibc
import Hub
import Reactor
import Rendering
import Wire

/// Requests: from the library's fields to an answer.
extension WebServer {
    /// The head of a request has come.
    func began(_ key: UInt) -> Int32 {
        guard let connection = connections[key] else { return -1 }
        guard connection.phase == .waiting else { return refuseNext() }
        connection.head = head(on: key)
        (connection.phase, connection.body, connection.answer) = (.receiving, [], nil)
        connection.hasBegun = false
        connection.hasEmptyBody = connection.head.length == 0
        // A client of Socket.IO gives the token in its first packet.
        let isEngine = connection.head.path == EngineSession.path
        let isOpen = isEngine || Route.isOpen(connection.head.path) || PageFile.named(connection.head.path) != nil
        let isFull = gate.isAuthorized(connection.head) && !admit(key)
        if let refusal = gate.refusal(of: connection.head, isFull: isFull, isOpen: isOpen, isText: isEngine) {
            countRefusal()
            connection.answer = refusal
            wantToWrite(key)
        } else if (connection.head.length ?? 0) == 0 {
            perform(key)
        } else if connection.head.expectsContinue {
            return sendContinue(key)
        }
        return 0
    }

    func received(body: [UInt8], on key: UInt) -> Int32 {
        guard let connection = connections[key], connection.answer == nil else { return 0 }
        guard connection.body.count + body.count <= RequestGate.longestBody else { return -1 }
        connection.body += body
        return 0
    }

    /// The body has come; the library says so again for further bytes before the answer.
    func receivedBody(on key: UInt) -> Int32 {
        guard let connection = connections[key] else { return -1 }
        if connection.hasEmptyBody {
            connection.hasEmptyBody = false
            return 0
        }
        guard connection.phase == .receiving else { return refuseNext() }
        // A request that was refused is not performed.
        if connection.answer == nil { perform(key) }
        return 0
    }

    /// Refuses a request whose method the library does not know: it has let go of the head, of which these bytes came last.
    func refuseMethod(of bytes: [UInt8], on key: UInt) -> Int32 {
        guard let connection = connections[key], connection.phase == .waiting else { return -1 }
        countRefusal()
        connection.head = RequestHead()
        var answer = WebAnswer.problem(400, "bad_request", "this is no request of HTTP/1")
        if let path = RequestTarget.path(of: bytes) {
            answer = PageFile.named(path)?.answer(to: RequestHead(method: "")) ?? Route.refusal(ofMethodAt: path)
        }
        answer.closes = true
        connection.answer = answer
        return writeHTTP(key)
    }

    /// The library can not keep a request until the one before is answered: the connection ends.
    private func refuseNext() -> Int32 {
        countRefusal()
        return -1
    }

    /// Ends streams and polls whose clients are gone: the library looks for that when there is something to write.
    func endGone() {
        var polled: [pollfd] = []
        var keys: [UInt] = []
        for (key, connection) in connections where connection.closing == nil && connection.isWaitedFor {
            guard let wsi = unsafe OpaquePointer(bitPattern: key) else { continue }
            let socket = unsafe library.call.lws_get_socket_fd(wsi)
            polled.append(pollfd(fd: socket, events: Int16(WebServer.hangUp), revents: 0))
            keys.append(key)
        }
        guard !polled.isEmpty, unsafe poll(&polled, nfds_t(polled.count), 0) > 0 else { return }
        for (place, key) in keys.enumerated() where polled[place].revents != 0 {
            guard let connection = connections[key] else { continue }
            connection.closing = (1001, "the client is gone")
            leaveEngine(connection, at: key)
            hub.end(connection.number, .gone, at: .monotonic)
            settle()
        }
    }

    /// `POLLRDHUP` of poll(2), which the C library shows with an option only.
    private static let hangUp: CInt = 0x2000

    /// Ends connections on which bytes have come behind a request that waits long, such as a poll: the library would look
    /// for them again and again without reading them.
    func endEarly() {
        for (key, connection) in connections where connection.phase == .performing && connection.closing == nil {
            guard Instant.monotonic - connection.performedAt > WebConnection.patience,
                let wsi = unsafe OpaquePointer(bitPattern: key), unsafe bytesWaiting(of: wsi) > 0
            else { continue }
            connection.closing = (1008, "one request at a time")
            countRefusal()
            kill(key)
        }
    }

    /// The whole request has come.
    private func perform(_ key: UInt) {
        guard let connection = connections[key] else { return }
        (connection.phase, connection.performedAt) = (.performing, .monotonic)
        let head = connection.head
        if let file = PageFile.named(head.path) { return answer(file.answer(to: head), connection.number, at: key) }
        holdTimeout(key)
        if head.path == EngineSession.path { return performEngine(connection, at: key) }
        if head.path == "/api/v1/events", head.method == "GET" { return beginEvents(connection, at: key) }
        let body = connection.body
        connection.body = []
        Task { [number = connection.number] in
            answer(await Route.answer(to: head, body, on: self), number, at: key)
        }
    }

    func answer(_ answer: WebAnswer, _ number: Int, at key: UInt) {
        guard let connection = connection(number, at: key) else { return }
        connection.answer = answer
        wantToWrite(key)
    }

    /// The answer may take its time, as a message that is paced does.
    private func holdTimeout(_ key: UInt) {
        guard let wsi = unsafe OpaquePointer(bitPattern: key) else { return }
        unsafe library.call.lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0)
    }

    /// A client asks for a WebSocket, before the library looks at more of the request than its head.
    func confirmUpgrade(at key: UInt) -> Int32 {
        guard let connection = connections[key], let wsi = unsafe OpaquePointer(bitPattern: key) else { return -1 }
        connection.head = head(on: key)
        if unsafe field(WSI_TOKEN_VERSION, of: wsi) != "13" {
            var refusal = WebAnswer.problem(426, "no_upgrade", "there is WebSocket 13 alone")
            refusal.headers = ["upgrade": "websocket", "sec-websocket-version": "13"]
            return refuseUpgrade(connection, at: key, refusal)
        }
        let isFull = gate.isAuthorized(connection.head) && !admit(key)
        // A client of STOMP or IRC may give the token in its first frames.
        let isEngine = connection.head.path == EngineSession.path
        let isGateway = connection.head.path == "/stomp" || connection.head.path == "/irc" || isEngine
        let refusal =
            unsafe gate.refusal(of: connection.head, isFull: isFull, isOpen: isGateway)
            ?? problem(with: connection, wsi)
            ?? (isEngine ? engineFault(of: connection.head, isUpgrade: true)?.answer : nil)
        return refusal.map { refuseUpgrade(connection, at: key, $0) } ?? 0
    }

    /// Refuses what the library would refuse without an answer, or accept at another place.
    private func problem(with connection: WebConnection, _ wsi: OpaquePointer) -> WebAnswer? {
        let head = connection.head
        let wish = RequestHead.list(unsafe field(WSI_TOKEN_CONNECTION, of: wsi))
        let longest = unsafe max(
            library.call.lws_hdr_total_length(wsi, WSI_TOKEN_CONNECTION),
            library.call.lws_hdr_total_length(wsi, WSI_TOKEN_PROTOCOL))
        guard head.method == "GET", wish.contains(where: { $0.lowercased() == "upgrade" }),
            longest < WebSetUp.longestList
        else { return .problem(400, "bad_upgrade", "a WebSocket begins with GET and Connection: Upgrade") }
        let isKnown: Bool
        switch head.path {
        case "/api/v1/socket": isKnown = head.protocols.contains("earshot.v1")
        case "/stomp", "/irc", EngineSession.path:
            isKnown = head.protocols.isEmpty || head.protocols.contains(where: WebSetUp.protocols.contains)
        case _: return .problem(404, "not_found", "there is no such WebSocket")
        }
        guard isKnown, head.protocols.allSatisfy(WebSetUp.isReadable) else {
            return .problem(400, "bad_subprotocol", "none of these subprotocols is spoken here")
        }
        return nil
    }

    /// Writes the answer at once, as the connection ends behind it.
    private func refuseUpgrade(_ connection: WebConnection, at key: UInt, _ answer: WebAnswer) -> Int32 {
        countRefusal()
        connection.answer = answer
        connection.answer?.closes = true
        _ = writeHTTP(key)
        return -1
    }
}

/// Fields of a head.
extension WebServer {
    private static let methods = [
        (WSI_TOKEN_GET_URI, "GET"), (WSI_TOKEN_POST_URI, "POST"), (WSI_TOKEN_PUT_URI, "PUT"),
        (WSI_TOKEN_PATCH_URI, "PATCH"), (WSI_TOKEN_DELETE_URI, "DELETE"), (WSI_TOKEN_OPTIONS_URI, "OPTIONS"),
        (WSI_TOKEN_HEAD_URI, "HEAD"),
    ]

    private func head(on key: UInt) -> RequestHead {
        var head = RequestHead()
        guard let wsi = unsafe OpaquePointer(bitPattern: key) else { return head }
        for (token, method) in WebServer.methods {
            if let path = unsafe field(token, of: wsi) { (head.method, head.path) = (method, path) }
        }
        // At an end of the target behind "?" or "&", the library puts a slash of its own.
        head.query = unsafe fragments(WSI_TOKEN_HTTP_URI_ARGS, of: wsi).filter { !$0.isEmpty }
        if head.query.last == "/" { head.query.removeLast() }
        head.hostCount = unsafe fragments(WSI_TOKEN_HOST, of: wsi).count
        head.host = unsafe field(WSI_TOKEN_HOST, of: wsi)
        head.origin = unsafe field(WSI_TOKEN_ORIGIN, of: wsi)
        head.site = unsafe field(named: "sec-fetch-site:", of: wsi)
        head.authorization = unsafe field(WSI_TOKEN_HTTP_AUTHORIZATION, of: wsi)
        head.contentType = unsafe field(WSI_TOKEN_HTTP_CONTENT_TYPE, of: wsi)
        head.contentEncoding = unsafe field(WSI_TOKEN_HTTP_CONTENT_ENCODING, of: wsi)
        head.contentLengths = unsafe fragments(WSI_TOKEN_HTTP_CONTENT_LENGTH, of: wsi)
        head.hasTransferEncoding = unsafe field(WSI_TOKEN_HTTP_TRANSFER_ENCODING, of: wsi) != nil
        head.protocols = RequestHead.list(unsafe field(WSI_TOKEN_PROTOCOL, of: wsi))
        head.idempotencyKey = unsafe bytes(ofFieldNamed: "idempotency-key:", of: wsi)
        head.lastEventID = unsafe field(named: "last-event-id:", of: wsi)
        head.entityTags = RequestHead.list(unsafe field(WSI_TOKEN_HTTP_IF_NONE_MATCH, of: wsi))
        head.language = RequestHead.language(unsafe field(WSI_TOKEN_HTTP_ACCEPT_LANGUAGE, of: wsi))
        // The library takes a line break that a target has in its encoded form, `%0A`, for the end of the line.
        let versions = unsafe fragments(WSI_TOKEN_HTTP, of: wsi)
        head.hasVersion = versions.count == 1 && versions[0].utf8.starts(with: "HTTP/1.".utf8)
        let isOld = versions == ["HTTP/1.0"]
        head.expectsContinue =
            unsafe !isOld && field(WSI_TOKEN_HTTP_EXPECT, of: wsi)?.lowercased() == "100-continue"
        let wishes = RequestHead.list(unsafe field(WSI_TOKEN_CONNECTION, of: wsi)).map { $0.lowercased() }
        head.closes =
            wishes.contains("close") || isOld && !wishes.contains("keep-alive")
            || connections[key]?.isAbsolute ?? false
        unsafe head.size = size(ofHeadOf: wsi, connections[key]?.readBefore ?? 0)
        return head
    }

    /// The bytes of a head: fields that the library does not know count by the bytes that it has read.
    private func size(ofHeadOf wsi: OpaquePointer, _ before: Int) -> Int {
        let known = (0..<UInt32(WSI_TOKEN_COUNT.rawValue)).reduce(0) { sum, token in
            unsafe sum + Int(library.call.lws_hdr_total_length(wsi, lws_token_indexes(token)))
        }
        return unsafe max(known, bytesRead(of: wsi) - before - RequestGate.readSize)
    }

    /// The bytes that the library has read of a connection: those that came, but for those that still wait in the system.
    func bytesRead(of wsi: OpaquePointer) -> Int {
        let socket = unsafe library.call.lws_get_socket_fd(wsi)
        // `tcpi_bytes_received` of tcp(7), which the C library's own structure lacks, has 8 bytes at this place.
        let place = 128
        var information = [UInt8](repeating: 0, count: place + 8)
        var size = socklen_t(information.count)
        guard unsafe getsockopt(socket, CInt(IPPROTO_TCP), TCP_INFO, &information, &size) == 0,
            size == information.count
        else { return 0 }
        let received = information.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        return unsafe Int(clamping: received) - bytesWaiting(of: wsi)
    }

    /// The bytes of a connection that wait in the system.
    private func bytesWaiting(of wsi: OpaquePointer) -> Int {
        var waiting: CInt = 0
        let socket = unsafe library.call.lws_get_socket_fd(wsi)
        return unsafe ioctl(socket, UInt(FIONREAD), &waiting) == 0 ? Int(waiting) : 0
    }

    /// All fields of a name as the library joins them; nil without one.
    private func field(_ token: lws_token_indexes, of wsi: OpaquePointer) -> String? {
        let length = unsafe Int(library.call.lws_hdr_total_length(wsi, token))
        guard length > 0 else { return nil }
        var bytes = [CChar](repeating: 0, count: length + 1)
        let count = unsafe library.call.lws_hdr_copy(wsi, &bytes, Int32(bytes.count), token)
        guard count >= 0 else { return nil }
        return String(decoding: bytes.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Each field of a name, or each part of the query.
    private func fragments(_ token: lws_token_indexes, of wsi: OpaquePointer) -> [String] {
        var parts: [String] = []
        while parts.count < 32 {
            let length = unsafe Int(library.call.lws_hdr_fragment_length(wsi, token, Int32(parts.count)))
            var bytes = [CChar](repeating: 0, count: length + 1)
            let index = Int32(parts.count)
            let count = unsafe library.call.lws_hdr_copy_fragment(wsi, &bytes, Int32(bytes.count), token, index)
            guard count >= 0 else { break }
            parts.append(String(decoding: bytes.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return parts
    }

    /// A field that the library does not know, by its name with the colon.
    private func field(named name: String, of wsi: OpaquePointer) -> String? {
        unsafe bytes(ofFieldNamed: name, of: wsi).map { String(decoding: $0, as: UTF8.self) }
    }

    private func bytes(ofFieldNamed name: String, of wsi: OpaquePointer) -> [UInt8]? {
        let length = unsafe Int(library.call.lws_hdr_custom_length(wsi, name, Int32(name.utf8.count)))
        guard length > 0 else { return nil }
        var bytes = [CChar](repeating: 0, count: length + 1)
        let size = Int32(bytes.count)
        let count = unsafe library.call.lws_hdr_custom_copy(wsi, &bytes, size, name, Int32(name.utf8.count))
        guard count > 0 else { return nil }
        return bytes.prefix(length).map { UInt8(bitPattern: $0) }
    }
}
