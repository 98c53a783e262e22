import ChatNode
import CLinux
import Glibc
package import Reactor

/// Listening sockets at one port of 127.0.0.1, and of ::1 if the machine has it.
package struct LoopbackListeners: ~Copyable, Sendable {
    /// Connections that may wait to be accepted: the system lets a client that finds no place try again a second later only.
    private static let backlog: CInt = 1_024
    /// Ports that the system chooses for 127.0.0.1 can be in use at ::1.
    private static let tries = 16

    package let port: UInt16
    private let ipv4: Descriptor
    /// Nil for a machine without IPv6.
    private let ipv6: Descriptor?

    /// - Parameters:
    ///   - port: 0 for any that is free at both addresses.
    ///   - option: the one that asks for them, for the error.
    /// - Throws: if another program has the port at one of the addresses: its clients would give it the token.
    package init(port: UInt16, for option: String) throws(StartFailure) {
        var triesLeft = port == 0 ? LoopbackListeners.tries : 1
        while true {
            triesLeft -= 1
            let first = try LoopbackListeners.listen([127, 0, 0, 1], port, option)
            let chosen = LoopbackListeners.port(of: first.number)
            do throws(StartFailure) {
                ipv6 = try LoopbackListeners.listenIfPossible([UInt8](repeating: 0, count: 15) + [1], chosen, option)
            } catch {
                guard triesLeft == 0 else { continue }
                throw error
            }
            ipv4 = first
            self.port = chosen
            return
        }
    }

    /// Valid while this value lives.
    package var numbers: [CInt] {
        switch ipv6 {
        case .some(let socket): [ipv4.number, socket.number]
        case .none: [ipv4.number]
        }
    }

    private static func listen(
        _ address: [UInt8], _ port: UInt16, _ option: String
    ) throws(StartFailure) -> Descriptor {
        do throws(SystemError) { return try listen(Endpoint(address: address, port: port)) } catch {
            throw failure(Endpoint(address: address, port: port), error, option)
        }
    }

    /// Nil for a machine without the address.
    private static func listenIfPossible(
        _ address: [UInt8], _ port: UInt16, _ option: String
    ) throws(StartFailure) -> Descriptor? {
        do throws(SystemError) { return try listen(Endpoint(address: address, port: port)) } catch {
            if [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errno) { return nil }
            throw failure(Endpoint(address: address, port: port), error, option)
        }
    }

    private static func failure(_ endpoint: Endpoint, _ error: SystemError, _ option: String) -> StartFailure {
        let name = endpoint.isIPv4 ? "127.0.0.1" : "::1"
        return StartFailure(
            "\(option) can not listen on port \(endpoint.port) of \(name): \(error.reason); choose another one, or 0 for any"
        )
    }

    private static func listen(_ endpoint: Endpoint) throws(SystemError) -> Descriptor {
        let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let made = try Descriptor("socket", socket(endpoint.isIPv4 ? AF_INET : AF_INET6, CInt(type), 0))
        var on: CInt = 1
        _ = unsafe setsockopt(made.number, SOL_SOCKET, SO_REUSEADDR, &on, 4)
        let address = SocketAddress(endpoint)
        try SystemError.check("bind", unsafe address.lend { unsafe bind(made.number, $0, $1) })
        try SystemError.check("listen", Glibc.listen(made.number, backlog))
        return made
    }

    private static func port(of socket: CInt) -> UInt16 {
        unsafe SocketAddress.written { unsafe getsockname(socket, $0, $1) }.address.endpoint?.port ?? 0
    }
}
