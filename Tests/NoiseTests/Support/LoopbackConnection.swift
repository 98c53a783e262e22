import Glibc

/// A blocking TCP connection on 127.0.0.1 that gives up after 20 s, for one test.
final class LoopbackConnection {
    private let descriptor: CInt

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Listens on a free port, lets `dial` start the peer, and waits for its connection.
    static func accept(dial: (_ port: UInt16) throws -> Void) throws -> LoopbackConnection {
        let listener = try LoopbackConnection(check(socket(AF_INET, streamType, 0), "socket"))
        try listener.limitTime()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        try listener.bindAndListen(&address)
        try dial(UInt16(bigEndian: address.sin_port))
        let call = try LoopbackConnection(check(Glibc.accept(listener.descriptor, nil, nil), "accept"))
        try call.limitTime()
        return call
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let rest = Array(bytes[sent...])
            sent += try check(unsafe Glibc.send(descriptor, rest, rest.count, CInt(MSG_NOSIGNAL)), "send")
        }
    }

    func receive(_ count: Int) throws -> [UInt8] {
        var received: [UInt8] = []
        while received.count < count {
            var chunk = [UInt8](repeating: 0, count: count - received.count)
            let size = try check(unsafe recv(descriptor, &chunk, chunk.count, 0), "recv")
            guard size > 0 else { throw SystemFailure(call: "recv: the other side closed") }
            received += chunk[..<size]
        }
        return received
    }

    private static var streamType: CInt { CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue) }

    private func bindAndListen(_ address: inout sockaddr_in) throws {
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try unsafe withUnsafeMutablePointer(to: &address) { address in
            try unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = try check(unsafe bind(descriptor, address, size), "bind")
                _ = try check(listen(descriptor, 1), "listen")
                _ = try check(unsafe getsockname(descriptor, address, &size), "getsockname")
            }
        }
    }

    private func limitTime() throws {
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            _ = try check(unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, size), "setsockopt")
        }
        var on: CInt = 1
        let onSize = socklen_t(MemoryLayout<CInt>.size)
        _ = try check(
            unsafe setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, onSize), "setsockopt TCP_NODELAY")
    }
}

/// The result of a call of the system, unless it is an error.
func check<Result: SignedInteger>(_ result: Result, _ call: String) throws -> Result {
    guard result >= 0 else { throw SystemFailure(call: call) }
    return result
}
