import CWebSockets
import Glibc
import Reactor
import Synchronization

/// The functions of libwebsockets, which is loaded when a node serves a page.
struct WebSocketLibrary: Sendable {
    /// Nil if the library, or a function of it, is not there.
    static let loaded = WebSocketLibrary()

    let call: WebSocketFunctions

    private init?() {
        guard let table = unsafe loadedTable(web_socket_functions_load) else { return nil }
        call = table
    }
}

/// The calls of libwebsockets, and its calls back.
extension WebServer {
    /// Makes the library's context with a server that listens nowhere: `WebEntrance` does.
    nonisolated func makeContext() -> Bool {
        library.call.lws_set_log_level(0, nil)
        let setUp = unsafe WebSetUp.make(for: self)
        guard let made = unsafe library.call.lws_create_context(setUp),
            let vhost = unsafe library.call.lws_create_vhost(made, setUp)
        else { return false }
        context.store(UInt(bitPattern: made), ordering: .releasing)
        self.vhost.store(UInt(bitPattern: vhost), ordering: .releasing)
        return true
    }

    /// Gives a connection and the bytes that were read of it to the library, which owns the descriptor from then on.
    func adopt(_ socket: CInt, _ first: [UInt8]) {
        guard context.load(ordering: .acquiring) != 0,
            let vhost = unsafe OpaquePointer(bitPattern: vhost.load(ordering: .acquiring))
        else { return _ = Glibc.close(socket) }
        let bytes = first.map { CChar(bitPattern: $0) }
        _ = unsafe library.call.lws_adopt_socket_vhost_readbuf(vhost, socket, bytes, bytes.count)
    }

    /// Ends a connection soon, whatever it does.
    func kill(_ key: UInt) {
        guard let wsi = unsafe OpaquePointer(bitPattern: key) else { return }
        unsafe library.call.lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC)
    }

    /// Serves until the server ends. On its thread.
    nonisolated func serve() {
        guard let made = unsafe OpaquePointer(bitPattern: context.load(ordering: .acquiring)) else { return }
        while !mustEnd.load(ordering: .relaxed), unsafe library.call.lws_service(made, 0) >= 0 {
            assumeIsolated {
                $0.endGone()
                $0.endEarly()
                $0.adoptArrivals()
            }
        }
        context.store(0, ordering: .releasing)
        unsafe library.call.lws_context_destroy(made)
    }

    /// Lets the library's thread run the jobs that wait. On any thread.
    nonisolated func wake() {
        guard let made = unsafe OpaquePointer(bitPattern: context.load(ordering: .acquiring)) else { return }
        unsafe library.call.lws_cancel_service(made)
    }

    func wantToWrite(_ key: UInt) {
        guard let wsi = unsafe OpaquePointer(bitPattern: key) else { return }
        _ = unsafe library.call.lws_callback_on_writable(wsi)
    }

    /// The bytes of a call, which are removed from the library's buffer: it is read into only when more comes.
    private static func taken(_ input: UnsafeRawBufferPointer) -> [UInt8] {
        let bytes = unsafe Array(input)
        unsafe UnsafeMutableRawBufferPointer(mutating: input).initializeMemory(as: UInt8.self, repeating: 0)
        return bytes
    }

    /// An event of the library. The result closes the connection unless it is 0.
    func happened(_ reason: lws_callback_reasons, on key: UInt, _ input: UnsafeRawBufferPointer) -> Int32 {
        switch reason {
        case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: connected(key)
        case LWS_CALLBACK_WSI_DESTROY: disconnected(key)
        case LWS_CALLBACK_HTTP: return began(key)
        case LWS_CALLBACK_HTTP_BODY: return unsafe received(body: WebServer.taken(input), on: key)
        case LWS_CALLBACK_HTTP_BODY_COMPLETION: return receivedBody(on: key)
        case LWS_CALLBACK_HTTP_WRITEABLE: return writeHTTP(key)
        case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
            return confirmUpgrade(at: key)
        case LWS_CALLBACK_ESTABLISHED: beginSocket(key)
        case LWS_CALLBACK_RECEIVE: return unsafe received(part: WebServer.taken(input), on: key)
        case LWS_CALLBACK_SERVER_WRITEABLE: return writeSocket(key)
        case LWS_CALLBACK_RAW_RX: return unsafe refuseMethod(of: WebServer.taken(input), on: key)
        case _: break
        }
        return 0
    }
}

/// The settings of the library, which keeps pointers into them: they live as long as the program.
enum WebSetUp {
    /// Subprotocols, by their places in the table; the first one is for what is no WebSocket.
    static let protocols = ["http", "earshot.v1", "v12.stomp", "v11.stomp"]
    /// The library reads no longer list of subprotocols, nor of what a connection is to be.
    static let longestList = 127

    /// Whether the library can read the name of a subprotocol.
    static func isReadable(_ name: String) -> Bool {
        name.utf8.count < 64
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                case _: false
                }
            }
    }

    static func make(for server: WebServer) -> UnsafeMutablePointer<lws_context_creation_info> {
        let info = UnsafeMutablePointer<lws_context_creation_info>.allocate(capacity: 1)
        unsafe info.initialize(to: lws_context_creation_info())
        unsafe info.pointee.protocols = UnsafePointer(table())
        let validity = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)
        unsafe validity.initialize(to: lws_retry_bo_t())
        unsafe validity.pointee.secs_since_valid_ping = 20
        unsafe validity.pointee.secs_since_valid_hangup = 60
        unsafe info.pointee.retry_and_idle_policy = UnsafePointer(validity)
        // Requests of methods that the library does not know come as bytes; it has an answer of its own otherwise.
        unsafe info.pointee.options = UInt64(
            LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_FALLBACK_TO_APPLY_LISTEN_ACCEPT_CONFIG)
        unsafe info.pointee.port = CONTEXT_PORT_NO_LISTEN_SERVER
        unsafe info.pointee.vhost_name = UnsafePointer(strdup("earshot"))
        unsafe info.pointee.gid = -1
        unsafe info.pointee.uid = -1
        unsafe info.pointee.user = Unmanaged.passUnretained(server).toOpaque()
        // More than is allowed: the library only ends the connection of a head that does not fit.
        unsafe info.pointee.max_http_header_data2 = 65_536
        unsafe info.pointee.pt_serv_buf_size = UInt32(RequestGate.readSize)
        unsafe info.pointee.max_http_header_pool2 = 128
        unsafe info.pointee.keepalive_timeout = Int32(WebConnection.idleTime.components.seconds)
        unsafe info.pointee.timeout_secs = 10
        unsafe info.pointee.fd_limit_per_thread = 256
        unsafe info.pointee.server_string = UnsafePointer(strdup("earshot"))
        return unsafe info
    }

    private static func table() -> UnsafeMutablePointer<lws_protocols> {
        let table = UnsafeMutablePointer<lws_protocols>.allocate(capacity: protocols.count + 1)
        for (index, name) in protocols.enumerated() {
            unsafe (table + index).initialize(to: lws_protocols())
            unsafe table[index].name = UnsafePointer(strdup(name))
            unsafe table[index].callback = { unsafe webCallback($0, $1, $2, $3, $4) }
            unsafe table[index].rx_buffer_size = 16_384
        }
        unsafe (table + protocols.count).initialize(to: lws_protocols())
        return unsafe table
    }
}

/// The only callback of all connections.
private func webCallback(
    _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ length: Int
) -> CInt {
    guard WebServer.isOfInterest(reason), let wsi = unsafe wsi, let server = unsafe WebServer.of(wsi) else { return 0 }
    if reason == LWS_CALLBACK_EVENT_WAIT_CANCELLED {
        server.thread.runJobs()
        return 0
    }
    let (key, address) = (UInt(bitPattern: wsi), UInt(bitPattern: input))
    if reason == LWS_CALLBACK_HTTP_CONFIRM_UPGRADE {
        // Behind its own refusal of a name that it does not know, the library has let go of the head.
        guard unsafe server.library.call.lws_hdr_total_length(wsi, WSI_TOKEN_UPGRADE) > 0,
            let name = unsafe input?.assumingMemoryBound(to: CChar.self)
        else { return -1 }
        if unsafe strcasecmp(name, "websocket") != 0 {
            // Java's HttpClient and curl ask for HTTP/2 by the way. Without the name the library goes on with HTTP/1.1,
            // as a server may (RFC 9110 section 7.8).
            unsafe name[0] = 0
            return 0
        }
    }
    return server.assumeIsolated { server in
        let bytes = unsafe UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: address), count: address == 0 ? 0 : length)
        return unsafe server.happened(reason, on: key, bytes)
    }
}

extension WebServer {
    /// Whether a call of the library is for a connection of this server, on its thread.
    fileprivate static func isOfInterest(_ reason: lws_callback_reasons) -> Bool {
        switch reason {
        case LWS_CALLBACK_EVENT_WAIT_CANCELLED, LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED, LWS_CALLBACK_WSI_DESTROY,
            LWS_CALLBACK_HTTP, LWS_CALLBACK_HTTP_BODY, LWS_CALLBACK_HTTP_BODY_COMPLETION, LWS_CALLBACK_HTTP_WRITEABLE,
            LWS_CALLBACK_HTTP_CONFIRM_UPGRADE, LWS_CALLBACK_ESTABLISHED, LWS_CALLBACK_RECEIVE,
            LWS_CALLBACK_SERVER_WRITEABLE, LWS_CALLBACK_RAW_RX:
            true
        case _: false
        }
    }

    /// The server whose context a connection belongs to.
    fileprivate static func of(_ wsi: OpaquePointer) -> WebServer? {
        guard let library = WebSocketLibrary.loaded, let context = unsafe library.call.lws_get_context(wsi),
            let user = unsafe library.call.lws_context_user(context)
        else { return nil }
        return unsafe Unmanaged<WebServer>.fromOpaque(user).takeUnretainedValue()
    }
}
