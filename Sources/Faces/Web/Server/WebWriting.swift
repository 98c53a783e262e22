import CWebSockets
import Glibc
import Reactor

/// Answers and streams: from values to the library.
extension WebServer {
    /// Writes the answer of a request, or a part of a stream.
    ///
    /// - Returns: not 0 to close the connection.
    func writeHTTP(_ key: UInt) -> Int32 {
        guard let connection = connections[key], let wsi = unsafe OpaquePointer(bitPattern: key) else { return -1 }
        if connection.use == .events { return unsafe writeEvents(connection, to: wsi) }
        if connection.phase == .answered { return unsafe finish(connection, to: wsi) }
        guard var answer = connection.answer else { return connection.closing == nil ? 0 : -1 }
        connection.answer = nil
        answer.closes = answer.closes || connection.head.closes
        let isHead = connection.head.method == "HEAD" || answer.status == 204 || answer.status == 304
        guard unsafe writeHead(answer, length: answer.isEndless ? nil : answer.body.count, to: wsi),
            unsafe isHead || answer.body.isEmpty || write(answer.body, LWS_WRITE_HTTP_FINAL, to: wsi)
        else { return -1 }
        connection.poll = nil
        if answer.closes || answer.isEndless || connection.closing != nil { return -1 }
        connection.phase = .answered
        guard unsafe library.call.lws_partial_buffered(wsi) == 0 else {
            // The library calls again when it has written all of it.
            wantToWrite(key)
            return 0
        }
        return unsafe finish(connection, to: wsi)
    }

    /// Lets the next request of a connection come.
    private func finish(_ connection: WebConnection, to wsi: OpaquePointer) -> Int32 {
        connection.readBefore = unsafe bytesRead(of: wsi)
        connection.phase = .waiting
        return unsafe library.call.lws_http_transaction_completed(wsi)
    }

    /// - Parameter length: nil for a stream, which ends with its connection.
    private func writeHead(_ answer: WebAnswer, length: Int?, to wsi: OpaquePointer) -> Bool {
        var fields = answer.fields(isWhole: length != nil)
        if let length, answer.status != 304, answer.status != 204 { fields["content-length"] = "\(length)" }
        let room = Int(web_socket_headroom)
        var buffer = [UInt8](repeating: 0, count: room + 4_096)
        let size = buffer.count
        return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return false }
            let (start, end) = unsafe (base + room, base + size - 1)
            var place: UnsafeMutablePointer<UInt8>? = unsafe start
            guard unsafe library.call.lws_add_http_header_status(wsi, UInt32(answer.status), &place, end) == 0 else {
                return false
            }
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
                let bytes = Array(value.utf8)
                let added = unsafe library.call.lws_add_http_header_by_name(
                    wsi, Array((name + ":\0").utf8), bytes, Int32(bytes.count), &place, end)
                guard added == 0 else { return false }
            }
            guard unsafe library.call.lws_finalize_http_header(wsi, &place, end) == 0, let place = unsafe place else {
                return false
            }
            let count = unsafe place - start
            return unsafe library.call.lws_write(wsi, start, count, LWS_WRITE_HTTP_HEADERS) >= count
        }
    }

    /// Lets a client send the body that it announced (RFC 9110 section 10.1.1).
    func sendContinue(_ key: UInt) -> Int32 {
        guard let wsi = unsafe OpaquePointer(bitPattern: key) else { return -1 }
        return unsafe write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), LWS_WRITE_HTTP_HEADERS, to: wsi) ? 0 : -1
    }

    /// The library keeps what the system does not take at once.
    private func write(_ bytes: [UInt8], _ kind: lws_write_protocol, to wsi: OpaquePointer) -> Bool {
        let room = Int(web_socket_headroom)
        var buffer = [UInt8](repeating: 0, count: room) + bytes
        return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return false }
            return unsafe library.call.lws_write(wsi, base + room, bytes.count, kind) >= bytes.count
        }
    }

    private func writeEvents(_ connection: WebConnection, to wsi: OpaquePointer) -> Int32 {
        if !connection.hasBegun {
            connection.hasBegun = true
            guard unsafe writeHead(WebAnswer(status: 200, type: "text/event-stream"), length: nil, to: wsi) else {
                return -1
            }
        } else if let next = connection.next(of: log) {
            guard unsafe write(next, LWS_WRITE_HTTP, to: wsi) else { return -1 }
        } else {
            return connection.closing == nil ? 0 : -1
        }
        _ = unsafe library.call.lws_callback_on_writable(wsi)
        return 0
    }

    /// Writes a message to a WebSocket.
    func writeSocket(_ key: UInt) -> Int32 {
        guard let connection = connections[key], let wsi = unsafe OpaquePointer(bitPattern: key) else { return -1 }
        if let next = connection.next(of: log) {
            guard unsafe write(next, LWS_WRITE_TEXT, to: wsi) else { return -1 }
            _ = unsafe library.call.lws_callback_on_writable(wsi)
            return 0
        }
        guard let (code, reason) = connection.closing else { return 0 }
        var bytes = Array(reason.utf8.prefix(120))
        unsafe library.call.lws_close_reason(wsi, lws_close_status(UInt32(code)), &bytes, bytes.count)
        return -1
    }

    /// A part of a WebSocket message has come.
    func received(part: [UInt8], on key: UInt) -> Int32 {
        guard let connection = connections[key], let wsi = unsafe OpaquePointer(bitPattern: key) else { return -1 }
        if connection.use == .socket, unsafe library.call.lws_frame_is_binary(wsi) != 0 {
            return refuse(connection, at: key, 1003, "text only")
        }
        guard connection.message.count + part.count <= WebConnection.longestMessage else {
            return refuse(connection, at: key, 1009, "a message has \(WebConnection.longestMessage) bytes at most")
        }
        connection.message += part
        let isWhole =
            unsafe library.call.lws_is_final_fragment(wsi) != 0
            && library.call.lws_remaining_packet_payload(wsi) == 0
        guard isWhole else { return 0 }
        let message = connection.message
        connection.message = []
        if case .engine(let session) = connection.use {
            receive(String(decoding: message, as: UTF8.self), of: session, overSocketAt: key)
        } else if connection.use == .gateway {
            drive(connection, at: key) { $0.receive(message, at: .monotonic) }
        } else {
            receive(message, from: connection, at: key)
        }
        return 0
    }

    private func refuse(_ connection: WebConnection, at key: UInt, _ code: UInt16, _ reason: String) -> Int32 {
        close(connection, at: key, code, reason)
        return 0
    }
}
