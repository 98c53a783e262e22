import CAvahi
import CAvahiCore
import CLinux
import ChatNode
import Glibc
import Reactor
@testable import Transports

/// A blocking socket that acts only on calls: it reads nothing of itself.
final class TCPBareSocket: Sendable {
    private let socket: Descriptor

    /// Waits 20 s for bytes at most, so that a test that is wrong ends.
    init(connectedTo endpoint: Endpoint? = nil, family: CInt = AF_INET) throws {
        socket = try Descriptor("socket", Glibc.socket(family, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(socket.number, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        unsafe setsockopt(socket.number, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        if let endpoint { try connect(to: endpoint) }
    }

    func connect(to endpoint: Endpoint) throws {
        let result = unsafe SocketAddress(endpoint).lend { unsafe Glibc.connect(socket.number, $0, $1) }
        try SystemError.check("connect", result)
    }

    /// Listens on a port of the system's choice and never accepts; returns where.
    func listen(backlog: CInt) throws -> Endpoint {
        let result = unsafe SocketAddress(.ipv4Loopback(0)).lend { unsafe bind(socket.number, $0, $1) }
        try SystemError.check("bind", result)
        try SystemError.check("listen", Glibc.listen(socket.number, backlog))
        let (_, address) = unsafe SocketAddress.written { unsafe getsockname(socket.number, $0, $1) }
        return address.endpoint ?? .ipv4Loopback(0)
    }

    /// Sends until all is sent, or with `waits` false until the kernel takes no more. Returns how much was sent.
    @discardableResult
    func send(_ bytes: [UInt8], waits: Bool = true) -> Int {
        var sent = 0
        while sent < bytes.count {
            let flags = CInt(MSG_NOSIGNAL) | (waits ? 0 : CInt(MSG_DONTWAIT))
            let count = unsafe bytes[sent...].withUnsafeBufferPointer {
                unsafe Glibc.send(socket.number, $0.baseAddress, $0.count, flags)
            }
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    /// Up to `count` bytes; fewer when the other side ends first.
    func receive(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let received = unsafe bytes.withUnsafeMutableBytes {
            unsafe recv(socket.number, $0.baseAddress, $0.count, CInt(MSG_WAITALL))
        }
        return Array(bytes.prefix(max(0, received)))
    }

    /// Whether the other side ended; bytes that come before are thrown away. False when nothing comes for 20 s.
    func isEnded() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe recv(socket.number, $0.baseAddress, $0.count, 0) }
            if count == 0 || (count < 0 && errno == ECONNRESET) { return true }
            if count < 0 { return false }
        }
    }

    func shutWriting() {
        shutdown(socket.number, CInt(SHUT_WR))
    }

    /// Copies of what listens on a port, as a child of this process has that was just started. The caller closes them.
    static func copiesOfListeners(on port: UInt16) -> [CInt] {
        let listeners = (0..<getdtablesize()).filter { number in
            var isListening: CInt = 0
            var size = socklen_t(MemoryLayout<CInt>.size)
            let result = unsafe getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size)
            guard result == 0, isListening != 0 else { return false }
            let (_, address) = unsafe SocketAddress.written { unsafe getsockname(number, $0, $1) }
            return address.endpoint?.port == port
        }
        // A copy with a number ahead of the search would be found and copied in turn, until no descriptor is left.
        return listeners.map { dup($0) }
    }

    /// The close that follows is a reset.
    func resetOnClose() {
        var now = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(socket.number, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }
}
