package import ChatNode
internal import CLinux
internal import Glibc
package import Reactor

extension TransportError {
    /// What a failed call on a socket means to who waits for the connection.
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
