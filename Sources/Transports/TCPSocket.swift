internal import CLinux
package import ChatNode
internal import Glibc
package import Reactor
import Wire

/// The calls on TCP sockets that are more than one line.
enum TCPSocket {
    /// Connections that wait to be accepted; the kernel's own limit may be lower.
    private static let backlog: CInt = 1_024

    /// A non-blocking socket that no child process inherits.
    static func make(_ family: CInt) throws(SystemError) -> Descriptor {
        let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        return try Descriptor("socket", socket(family, CInt(type), CInt(IPPROTO_TCP)))
    }

    /// A socket that listens on every address of one family.
    static func listening(_ family: CInt, port: UInt16) throws(SystemError) -> Descriptor {
        let socket = try make(family)
        // A restarted node gets its port back while connections of the old one are still in TIME-WAIT.
        try set(socket.number, SOL_SOCKET, SO_REUSEADDR)
        // IPv4 has a socket of its own, so that it works where either family is absent.
        if family == AF_INET6 { try set(socket.number, CInt(IPPROTO_IPV6), IPV6_V6ONLY) }
        let any = Endpoint(address: [UInt8](repeating: 0, count: family == AF_INET6 ? 16 : 4), port: port)
        let result = unsafe SocketAddress(any).lend { unsafe bind(socket.number, $0, $1) }
        try SystemError.check("bind", result)
        try SystemError.check("listen", listen(socket.number, backlog))
        return socket
    }

    /// Each record is written whole and must not wait for the answer to the one before it. A peer that reads nothing fills the
    /// kernel's buffer up to its bound, which would grow to 4 MB by itself.
    static func setUp(_ socket: CInt) throws(SystemError) {
        try set(socket, CInt(IPPROTO_TCP), TCP_NODELAY)
        // Linux doubles the value, for its own records.
        try set(socket, SOL_SOCKET, SO_SNDBUF, to: CInt(Limits.kernelSendBuffer / 2))
    }

    /// The bytes that were written to a socket and that the other side has not acknowledged; 0 where the kernel does not tell.
    static func unacknowledged(by socket: CInt) -> Int {
        var count: CInt = 0
        return unsafe ioctl(socket, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Begins to connect; true errors only.
    static func connect(_ socket: CInt, to endpoint: Endpoint) throws(SystemError) {
        let result = unsafe SocketAddress(endpoint).lend { unsafe Glibc.connect(socket, $0, $1) }
        guard result < 0, errno != EINPROGRESS, errno != EINTR else { return }
        throw .last("connect")
    }

    static func localEndpoint(of socket: CInt) -> Endpoint? {
        let (result, address) = unsafe SocketAddress.written { unsafe getsockname(socket, $0, $1) }
        return result == 0 ? address.endpoint : nil
    }

    /// Whether a connected socket's two ends have the same address.
    static func isOnThisMachine(_ socket: CInt) -> Bool {
        let (result, address) = unsafe SocketAddress.written { unsafe getpeername(socket, $0, $1) }
        guard result == 0, let remote = address.endpoint, let local = localEndpoint(of: socket) else { return false }
        return remote.address == local.address
    }

    /// Takes the error that waits on a socket, as a dialled one does when it could not connect.
    static func takeError(of socket: CInt) -> SystemError? {
        var error: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        let result = unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length)
        guard result == 0 else { return .last("getsockopt") }
        return error == 0 ? nil : SystemError(call: "connect", errno: error)
    }

    private static func set(
        _ socket: CInt, _ level: CInt, _ option: CInt, to value: CInt = 1
    ) throws(SystemError) {
        var value = value
        let result = unsafe setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
        try SystemError.check("setsockopt", result)
    }
}

extension TransportError {
    /// The meaning of a failed socket call for the connection.
    package init(_ error: SystemError) {
        switch error.errno {
        case ECONNREFUSED: self = .refused
        case ECONNRESET, EPIPE: self = .reset
        case ETIMEDOUT: self = .timedOut
        case EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN: self = .unreachable
        default: self = .system(call: error.call, errno: error.errno)
        }
    }
}

extension Limits {
    /// Bytes that the kernel keeps for a peer that does not read, with what the kernel adds for itself. More let dead
    /// peers hold memory, and messages wait unseen; with fewer, fast links are slowed by each round trip.
    static let kernelSendBuffer = 262_144
}
