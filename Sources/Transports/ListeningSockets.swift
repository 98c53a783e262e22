import ChatNode
internal import CLinux
internal import Glibc
import Reactor

/// The sockets that a node listens on: IPv6 and IPv4 on the same port, or the one family that this machine has.
struct ListeningSockets: ~Copyable {
    /// Ports that are tried until one is free in both families.
    private static let attempts = 64

    let port: UInt16
    var ipv6: Descriptor?
    var ipv4: Descriptor?

    /// - Parameter port: 0 for one of the system's choice.
    static func open(port: UInt16) throws(SystemError) -> ListeningSockets {
        guard port == 0 else { return try ListeningSockets(port: port) }
        for _ in 1..<attempts {
            do throws(SystemError) {
                return try ListeningSockets(port: 0)
            } catch {
                // The system chose for one family a port that is taken in the other: it may choose better next time.
                guard error.errno == EADDRINUSE else { throw error }
            }
        }
        return try ListeningSockets(port: 0)
    }

    private init(port: UInt16) throws(SystemError) {
        ipv6 = try ListeningSockets.listen(AF_INET6, port: port)
        let common = ListeningSockets.port(of: ipv6) ?? port
        ipv4 = try ListeningSockets.listen(AF_INET, port: common)
        guard let port = ListeningSockets.port(of: ipv4) ?? ListeningSockets.port(of: ipv6) else {
            throw SystemError(call: "socket", errno: EAFNOSUPPORT)
        }
        self.port = port
    }

    /// Nil where the machine does not have the family.
    private static func listen(_ family: CInt, port: UInt16) throws(SystemError) -> Descriptor? {
        do throws(SystemError) {
            return try TCPSocket.listening(family, port: port)
        } catch {
            guard error.errno == EAFNOSUPPORT || error.errno == EADDRNOTAVAIL else { throw error }
            return nil
        }
    }

    private static func port(of socket: borrowing Descriptor?) -> UInt16? {
        switch socket {
        case .some(let socket): TCPSocket.localEndpoint(of: socket.number)?.port
        case .none: nil
        }
    }
}
