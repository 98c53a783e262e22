import CRabbitMQ
import ChatNode
import Glibc
import Reactor
import Synchronization
import Wire

/// One connection to a broker. Only the bridge's thread uses it; every call may block for the time limits given here.
@safe final class RabbitConnection {
    /// A delivery of the broker.
    struct BrokerDelivery {
        /// The last word of its routing key.
        let network: String
        let tag: UInt64
        let isFromStream: Bool
        /// Its place in the stream; -1 if it came from none.
        fileprivate(set) var offset: Int64 = -1
        fileprivate(set) var body: [UInt8] = []
        /// The bytes of the body that are still to come; nil before its length is known.
        fileprivate var missing: UInt64?
    }

    /// A frame that the broker sends by itself.
    enum BrokerFrame {
        case delivery(BrokerDelivery)
        /// Publications, all up to the tag if `isMultiple`.
        case outcome(tag: UInt64, isMultiple: Bool, isTaken: Bool)
        /// The broker takes no publication until `.unblocked`; the reason in its words.
        case blocked(String)
        case unblocked
        /// A frame that ends nothing: a part of a delivery, or one that the bridge has no use for.
        case frame
    }

    static let channel: amqp_channel_t = 1
    /// Streams have a channel of their own, because a consumer of one needs a limit of its own.
    static let streamChannel: amqp_channel_t = 2

    private let library: RabbitLibrary
    private let state: amqp_connection_state_t
    let broker: BrokerList.Broker
    /// Deliveries that are not whole yet, by their channels.
    private var arriving: [amqp_channel_t: BrokerDelivery] = [:]

    /// The longest time for name, TCP and TLS together, and for an answer of the broker, in milliseconds.
    private static let limit: CInt = 8_000
    /// The code of AMQP for a fault of the broker itself.
    private static let internalError: UInt16 = 541
    /// The code of a stream that has no leader yet.
    private static let preconditionFailed: UInt16 = 406
    /// The longest message that is read, in bytes.
    private static let longest: UInt64 = 8_192
    /// In seconds.
    static let heartbeat: CInt = 10

    /// Connects, verifies the broker's certificate and name, and logs in.
    init(_ library: RabbitLibrary, _ access: BrokerAccess, to broker: BrokerList.Broker) throws(BridgeFault) {
        guard let state = unsafe library.call.amqp_new_connection() else {
            throw BridgeFault(.tcp, broker.name, "no memory")
        }
        unsafe (self.library, self.state, self.broker) = (library, state, broker)
        var limit = rabbit_time(RabbitConnection.limit)
        _ = unsafe library.call.amqp_set_handshake_timeout(state, &limit)
        _ = unsafe library.call.amqp_set_rpc_timeout(state, &limit)
        let socket = unsafe try access.list.usesTLS ? secureSocket(access) : plainSocket()
        TLSRefusal.clear()
        let status = unsafe library.call.amqp_socket_open_noblock(socket, broker.host, CInt(broker.port), &limit)
        guard status == AMQP_STATUS_OK.rawValue else { throw fault(ofOpening: status) }
        try login(access)
    }

    deinit { _ = unsafe library.call.amqp_destroy_connection(state) }

    private func plainSocket() throws(BridgeFault) -> OpaquePointer {
        guard let socket = unsafe library.call.amqp_tcp_socket_new(state) else {
            throw BridgeFault(.tcp, broker.name, "no memory")
        }
        return unsafe socket
    }

    /// TLS 1.2 or later, with the certificate verified, and its name against the broker's, which is also sent as SNI.
    private func secureSocket(_ access: BrokerAccess) throws(BridgeFault) -> OpaquePointer {
        guard let socket = unsafe library.call.amqp_ssl_socket_new(state),
            let context = unsafe library.call.amqp_ssl_socket_get_context(socket)
        else { throw BridgeFault(.tls, broker.name, "OpenSSL does not start") }
        unsafe library.call.amqp_ssl_socket_set_verify_peer(socket, 1)
        unsafe library.call.amqp_ssl_socket_set_verify_hostname(socket, 1)
        _ = unsafe library.call.amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST)
        if let authorities = access.authorities {
            guard unsafe library.call.amqp_ssl_socket_set_cacert(socket, authorities) == AMQP_STATUS_OK.rawValue else {
                throw BridgeFault(.tls, broker.name, "the file of --bridge-ca can not be used")
            }
        } else {
            _ = unsafe library.tls.set_default_paths(context)
        }
        unsafe library.tls.set_verify(context, rabbit_verify_peer) { isFine, store in
            if isFine == 0 { unsafe TLSRefusal.record(store) }
            return isFine
        }
        return unsafe socket
    }

    private func fault(ofOpening status: CInt) -> BridgeFault {
        switch status {
        case AMQP_STATUS_HOSTNAME_RESOLUTION_FAILED.rawValue: BridgeFault(.name, broker.name, words(status))
        case AMQP_STATUS_SSL_HOSTNAME_VERIFY_FAILED.rawValue:
            BridgeFault(.tls, broker.name, "it is of another name")
        case AMQP_STATUS_SSL_PEER_VERIFY_FAILED.rawValue, AMQP_STATUS_SSL_CONNECTION_FAILED.rawValue,
            AMQP_STATUS_SSL_ERROR.rawValue:
            BridgeFault(.tls, broker.name, TLSRefusal.reason(library) ?? words(status))
        default: BridgeFault(.tcp, broker.name, words(status))
        }
    }

    private func login(_ access: BrokerAccess) throws(BridgeFault) {
        var functions = library.call
        var password = access.copyPassword()
        defer { for index in password.indices { password[index] = 0 } }
        let reply = unsafe rabbit_login(
            &functions, state, access.list.vhost, access.list.user, password, RabbitConnection.heartbeat)
        guard unsafe reply.reply_type != AMQP_RESPONSE_NORMAL else { return }
        let (code, text) = unsafe refusal(in: reply)
        // A vhost is refused by 530, also where the user may not enter it.
        throw BridgeFault(code == 530 ? .vhost : code == 403 ? .login : .ended, broker.name, text)
    }

    /// Opens the channels, and declares what the bridge needs of exchange and queues.
    func prepare(_ topology: BridgeTopology) throws(BridgeFault) {
        let (call, channel) = (library.call, RabbitConnection.channel)
        for number in [channel, RabbitConnection.streamChannel] {
            _ = unsafe call.amqp_channel_open(state, number)
            try check()
        }
        _ = unsafe call.amqp_confirm_select(state, channel)
        try check()
        let (exchange, kind) = unsafe (bytes(topology.exchange), bytes("topic"))
        defer {
            unsafe release(exchange)
            unsafe release(kind)
        }
        _ = unsafe call.amqp_exchange_declare(state, channel, exchange, kind, 0, 1, 0, 0, amqp_table_t())
        try check()
        try declare(topology.queue, isStream: false, boundTo: topology.topics, in: topology)
        try declare(topology.stream, isStream: true, boundTo: [topology.historyTopic], in: topology)
        _ = unsafe call.amqp_basic_qos(state, channel, 0, UInt16(Limits.bridgePrefetch), 0)
        try check()
        _ = unsafe call.amqp_basic_qos(state, RabbitConnection.streamChannel, 0, 100, 0)
        try check()
    }

    private func declare(
        _ name: String, isStream: Bool, boundTo topics: [String], in topology: BridgeTopology
    ) throws(BridgeFault) {
        var functions = library.call
        let (queue, exchange) = unsafe (bytes(name), bytes(topology.exchange))
        defer {
            unsafe release(queue)
            unsafe release(exchange)
        }
        _ = unsafe rabbit_declare_queue(
            &functions, state, RabbitConnection.channel, queue, isStream ? 1 : 0,
            isStream ? BridgeTopology.streamBytes : BridgeTopology.queueLength, BridgeTopology.expiry)
        try check()
        for topic in topics {
            let key = unsafe bytes(topology.key(topic, "*"))
            defer { unsafe release(key) }
            _ = unsafe library.call.amqp_queue_bind(
                state, RabbitConnection.channel, queue, exchange, key, amqp_table_t())
            try check()
        }
    }

    func consume(_ topology: BridgeTopology) throws(BridgeFault) {
        let queue = unsafe bytes(topology.queue)
        defer { unsafe release(queue) }
        _ = unsafe library.call.amqp_basic_consume(
            state, RabbitConnection.channel, queue, amqp_bytes_t(), 0, 0, 0, amqp_table_t())
        try check()
    }

    /// Consumes from the stream, under a tag.
    ///
    /// - Parameter offset: from there on; below 0 from its last piece on.
    func consumeStream(_ topology: BridgeTopology, as tag: String, from offset: Int64) throws(BridgeFault) {
        var functions = library.call
        let (queue, tag) = unsafe (bytes(topology.stream), bytes(tag))
        defer {
            unsafe release(queue)
            unsafe release(tag)
        }
        _ = unsafe rabbit_consume_stream(&functions, state, RabbitConnection.streamChannel, queue, tag, offset)
        try check(passing: RabbitConnection.preconditionFailed)
    }

    func cancelStream(_ tag: String) throws(BridgeFault) {
        let tag = unsafe bytes(tag)
        defer { unsafe release(tag) }
        _ = unsafe library.call.amqp_basic_cancel(state, RabbitConnection.streamChannel, tag)
        try check()
    }

    func publish(_ body: [UInt8], _ topology: BridgeTopology, as key: String) throws(BridgeFault) {
        var functions = library.call
        let (exchange, key) = unsafe (bytes(topology.exchange), bytes(key))
        defer {
            unsafe release(exchange)
            unsafe release(key)
        }
        let status = unsafe body.withUnsafeBytes { body in
            unsafe rabbit_publish(
                &functions, state, RabbitConnection.channel, exchange, key, rabbit_bytes(body.baseAddress, body.count))
        }
        try check(status)
    }

    /// Acknowledges deliveries, all up to the tag.
    func acknowledge(upTo tag: UInt64, isFromStream: Bool = false) throws(BridgeFault) {
        let channel = isFromStream ? RabbitConnection.streamChannel : RabbitConnection.channel
        try check(unsafe library.call.amqp_basic_ack(state, channel, tag, 1))
    }

    var descriptor: CInt { unsafe library.call.amqp_get_sockfd(state) }

    /// The next arrival; nil if there is none now. Sends the heartbeats that are due.
    ///
    /// It reads frame by frame, because the library's own way to a whole message waits for its end, and takes any length.
    func next() throws(BridgeFault) -> BrokerFrame? {
        unsafe library.call.amqp_maybe_release_buffers(state)
        var (now, frame) = unsafe (rabbit_time(0), amqp_frame_t())
        let status = unsafe library.call.amqp_simple_wait_frame_noblock(state, &frame, &now)
        if status == AMQP_STATUS_TIMEOUT.rawValue { return nil }
        try check(status)
        if let delivery = try unsafe delivery(endedBy: frame) { return .delivery(delivery) }
        var (tag, isMultiple, isTaken): (UInt64, CInt, CInt) = (0, 0, 0)
        if unsafe rabbit_acknowledged(&frame, &tag, &isMultiple, &isTaken) != 0 {
            return .outcome(tag: tag, isMultiple: isMultiple != 0, isTaken: isTaken != 0)
        }
        var (isBlocked, reason) = unsafe (CInt(0), amqp_bytes_t())
        if unsafe rabbit_blocked(&frame, &isBlocked, &reason) != 0 {
            return isBlocked != 0 ? .blocked(unsafe string(reason)) : .unblocked
        }
        var (code, text) = unsafe (UInt16(0), amqp_bytes_t())
        guard unsafe rabbit_ended(&frame, &code, &text) != 0 else { return .frame }
        throw unsafe BridgeFault(
            code == 403 ? .permission : .ended, broker.name, code == 0 ? "the queue is gone" : string(text))
    }

    /// Publishes what no queue is bound to, and waits until the broker takes it.
    ///
    /// - Throws: `blocked` if the broker takes no publication now.
    func awaitTaking(_ topology: BridgeTopology) throws(BridgeFault) {
        try publish([], topology, as: "\(topology.exchange).\(BridgeTopology.trial)")
        let end = Instant.monotonic + .milliseconds(Int(RabbitConnection.limit))
        while Instant.monotonic < end {
            switch try next() {
            case .outcome(_, _, isTaken: true): return
            case .outcome: throw ended("a publication is refused")
            case .blocked(let reason): throw BridgeFault(.blocked, broker.name, reason)
            case .delivery, .frame, .unblocked: continue
            case nil:
                var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = unsafe poll(&input, 1, RabbitConnection.limit / 8)
            }
        }
        throw ended("a publication is not confirmed")
    }

    /// Takes a frame that is a part of a delivery; returns the delivery if it is whole now.
    private func delivery(endedBy frame: amqp_frame_t) throws(BridgeFault) -> BrokerDelivery? {
        var frame = unsafe frame
        let channel = unsafe frame.channel
        var (tag, size, offset, bytes) = unsafe (UInt64(0), UInt64(0), Int64(0), amqp_bytes_t())
        if unsafe rabbit_delivered(&frame, &tag, &bytes) != 0 {
            let isFromStream = channel == RabbitConnection.streamChannel
            let isKnown = isFromStream || channel == RabbitConnection.channel
            guard isKnown else { throw ended("a message on channel \(channel)") }
            let network = unsafe string(bytes).split(separator: ".").last.map(String.init) ?? ""
            arriving[channel] = BrokerDelivery(network: network, tag: tag, isFromStream: isFromStream)
        } else if unsafe rabbit_headed(&frame, &size, &offset) != 0 {
            guard size <= RabbitConnection.longest else { throw ended("a message of \(size) bytes") }
            arriving[channel]?.offset = offset
            arriving[channel]?.missing = size
        } else if unsafe rabbit_body(&frame, &bytes) != 0, let missing = arriving[channel]?.missing {
            let count = unsafe UInt64(bytes.len)
            guard count <= missing else { throw ended("a message is longer than announced") }
            unsafe arriving[channel]?.body += UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len)
            arriving[channel]?.missing = missing - count
        }
        guard arriving[channel]?.missing == 0 else { return nil }
        return arriving.removeValue(forKey: channel)
    }

    /// Checks the answer to the last method.
    ///
    /// - Parameter passing: a code by which the broker says of this method that it may succeed soon.
    private func check(passing: UInt16? = nil) throws(BridgeFault) {
        let reply = unsafe library.call.amqp_get_rpc_reply(state)
        guard unsafe reply.reply_type != AMQP_RESPONSE_NORMAL else { return }
        let (code, text) = unsafe refusal(in: reply)
        throw BridgeFault(
            code == 403 ? .permission : .ended, broker.name, text,
            isPassing: code == RabbitConnection.internalError || code == passing)
    }

    private func check(_ status: CInt) throws(BridgeFault) {
        guard status == AMQP_STATUS_OK.rawValue else { throw ended(words(status)) }
    }

    private func ended(_ reason: String) -> BridgeFault { BridgeFault(.ended, broker.name, reason) }
    private func refusal(in reply: amqp_rpc_reply_t) -> (code: UInt16, text: String) {
        var (code, text) = unsafe (UInt16(0), amqp_bytes_t())
        if unsafe rabbit_refused(reply, &code, &text) != 0 { return (code, unsafe string(text)) }
        return (0, words(unsafe reply.library_error))
    }

    private func words(_ status: CInt) -> String {
        unsafe library.call.amqp_error_string2(status).map { unsafe String(cString: $0) } ?? "error \(status)"
    }

    private func string(_ bytes: amqp_bytes_t) -> String {
        unsafe String(decoding: UnsafeRawBufferPointer(start: bytes.bytes, count: min(bytes.len, 512)), as: UTF8.self)
    }

    /// A copy of a text, to be released.
    private func bytes(_ text: String) -> amqp_bytes_t {
        let utf8 = Array(text.utf8)
        let copy = UnsafeMutableRawPointer.allocate(byteCount: max(utf8.count, 1), alignment: 1)
        unsafe copy.copyMemory(from: utf8, byteCount: utf8.count)
        return unsafe amqp_bytes_t(len: utf8.count, bytes: copy)
    }

    private func release(_ bytes: amqp_bytes_t) { unsafe bytes.bytes?.deallocate() }
}
