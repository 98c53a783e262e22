import CWebSockets
import Glibc
import Rendering
import Synchronization

/// Requests: from the library's fields to an answer.
extension WebServer {
    /// The head of a request has come.
    func began(_ key: UInt) -> Int32 {
        guard let connection = connections[key] else { return -1 }
        connection.head = head(on: key)
        (connection.body, connection.answer, connection.hasBegun) = ([], nil, false)
        // A client of Socket.IO gives the token in its first packet.
        let isEngine = connection.head.path == EngineSession.path
        let isOpen = isEngine || PageFile.named(connection.head.path) != nil
        if let refusal = gate.refusal(
            of: connection.head, connections: connections.count, isOpen: isOpen, isText: isEngine)
        {
            refusals.add(1, ordering: .relaxed)
            connection.answer = refusal
            wantToWrite(key)
        } else if (connection.head.length ?? 0) == 0 {
            perform(key)
        }
        return 0
    }

    func received(body: [UInt8], on key: UInt) -> Int32 {
        guard let connection = connections[key], connection.answer == nil else { return 0 }
        guard connection.body.count + body.count <= RequestGate.longestBody else { return -1 }
        connection.body += body
        return 0
    }

    /// The whole request has come.
    func perform(_ key: UInt) {
        guard let connection = connections[key], connection.answer == nil else { return }
        let head = connection.head
        if let file = PageFile.named(head.path) { return answer(file.answer(to: head), connection.number, at: key) }
        holdTimeout(key)
        if head.path == EngineSession.path { return performEngine(connection, at: key) }
        if head.path == "/api/v1/events", head.method == "GET" { return beginEvents(connection, at: key) }
        Task { [body = connection.body, number = connection.number] in
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

    /// A client asks for a WebSocket.
    func upgrade(_ key: UInt) -> Int32 {
        guard let connection = connections[key] else { return -1 }
        connection.head = head(on: key)
        // A client of STOMP may give the token in its first frame.
        let isGateway = connection.head.path == "/stomp" || connection.head.path == EngineSession.path
        let isSocket = connection.head.path == "/api/v1/socket" && connection.head.protocols.contains("earshot.v1")
        let refusal = gate.refusal(of: connection.head, connections: connections.count, isOpen: isGateway)
        guard isSocket || isGateway, refusal == nil else {
            refusals.add(1, ordering: .relaxed)
            connection.answer = refusal ?? .problem(404, "not_found", "there is no such WebSocket")
            _ = writeHTTP(key)
            return -1
        }
        return 0
    }
}

/// Fields of a head.
extension WebServer {
    private func head(on key: UInt) -> RequestHead {
        var head = RequestHead()
        guard let wsi = unsafe OpaquePointer(bitPattern: key) else { return head }
        let methods = [
            (WSI_TOKEN_GET_URI, "GET"), (WSI_TOKEN_POST_URI, "POST"), (WSI_TOKEN_PUT_URI, "PUT"),
            (WSI_TOKEN_PATCH_URI, "PATCH"), (WSI_TOKEN_DELETE_URI, "DELETE"), (WSI_TOKEN_OPTIONS_URI, "OPTIONS"),
            (WSI_TOKEN_HEAD_URI, "HEAD"),
        ]
        for (token, method) in methods {
            if let path = unsafe field(token, of: wsi) { (head.method, head.path) = (method, path) }
        }
        head.query = unsafe fragments(WSI_TOKEN_HTTP_URI_ARGS, of: wsi)
        head.host = unsafe field(WSI_TOKEN_HOST, of: wsi)
        head.origin = unsafe field(WSI_TOKEN_ORIGIN, of: wsi)
        head.authorization = unsafe field(WSI_TOKEN_HTTP_AUTHORIZATION, of: wsi)
        head.contentType = unsafe field(WSI_TOKEN_HTTP_CONTENT_TYPE, of: wsi)
        head.contentLengths = unsafe fragments(WSI_TOKEN_HTTP_CONTENT_LENGTH, of: wsi)
        head.hasTransferEncoding = unsafe field(WSI_TOKEN_HTTP_TRANSFER_ENCODING, of: wsi) != nil
        let offered = unsafe field(WSI_TOKEN_PROTOCOL, of: wsi) ?? ""
        head.protocols = offered.split(separator: ",").map { $0.split(separator: " ").joined() }
        head.idempotencyKey = unsafe field(named: "idempotency-key:", of: wsi)
        head.lastEventID = unsafe field(named: "last-event-id:", of: wsi)
        head.entityTag = unsafe field(WSI_TOKEN_HTTP_IF_NONE_MATCH, of: wsi)
        head.closes = unsafe field(WSI_TOKEN_CONNECTION, of: wsi)?.lowercased() == "close"
        head.size = (0..<UInt32(WSI_TOKEN_COUNT.rawValue)).reduce(0) { sum, token in
            unsafe sum + Int(library.call.lws_hdr_total_length(wsi, lws_token_indexes(token)))
        }
        return head
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
            guard length > 0 else { break }
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
        let length = unsafe Int(library.call.lws_hdr_custom_length(wsi, name, Int32(name.utf8.count)))
        guard length > 0 else { return nil }
        var bytes = [CChar](repeating: 0, count: length + 1)
        let size = Int32(bytes.count)
        let count = unsafe library.call.lws_hdr_custom_copy(wsi, &bytes, size, name, Int32(name.utf8.count))
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
