import CAvahi
import CAvahiCore
import CLinux
import ChatNode
import Glibc

/// Host names to endpoints, by the system's resolver.
enum Resolver {
    private static let maximumEndpoints = 8

    /// The endpoints of a peer's host; none if they are unknown now. Blocks for name servers: not for an event loop.
    static func endpoints(of peer: PeerAddress) -> [Endpoint] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(peer.host, String(peer.port), &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var endpoints: [Endpoint] = []
        var next = unsafe list
        while let entry = unsafe next, endpoints.count < maximumEndpoints {
            if let endpoint = unsafe endpoint(of: entry.pointee.ai_addr, port: peer.port) {
                endpoints.append(endpoint)
            }
            unsafe next = entry.pointee.ai_next
        }
        return endpoints
    }

    private static func endpoint(of address: UnsafeMutablePointer<sockaddr>?, port: UInt16) -> Endpoint? {
        guard let address = unsafe address else { return nil }
        let raw = UnsafeRawPointer(address)
        switch unsafe CInt(address.pointee.sa_family) {
        case AF_INET:
            let bytes = unsafe withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) {
                unsafe Array($0)
            }
            return Endpoint(address: bytes, port: port)
        case AF_INET6:
            let whole = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
            let bytes = unsafe withUnsafeBytes(of: whole.sin6_addr) { unsafe Array($0) }
            return Endpoint(address: bytes, port: port, scope: whole.sin6_scope_id)
        default:
            return nil
        }
    }
}
