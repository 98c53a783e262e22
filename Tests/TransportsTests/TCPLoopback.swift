import ChatNode
import CLinux
import Glibc
import Reactor
@testable import Transports

extension Endpoint {
    static func ipv4Loopback(_ port: UInt16) -> Endpoint { Endpoint(address: [127, 0, 0, 1], port: port) }

    static func ipv6Loopback(_ port: UInt16) -> Endpoint {
        Endpoint(address: [UInt8](repeating: 0, count: 15) + [1], port: port)
    }

    /// One for each family that this machine has.
    static func loopbacks(_ port: UInt16) -> [Endpoint] {
        let probe = socket(AF_INET6, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(probe) }
        let hasIPv6 = unsafe SocketAddress(.ipv6Loopback(0)).lend { unsafe bind(probe, $0, $1) } == 0
        return hasIPv6 ? [.ipv4Loopback(port), .ipv6Loopback(port)] : [.ipv4Loopback(port)]
    }
}
