import CAvahi
import CAvahiCore
import CLinux
import ChatNode
import Glibc
import Reactor

/// Why a name has no endpoints now: the resolver's words, as the middle of a sentence.
struct LookupFailure: Error, Hashable {
    let reason: String

    /// An address of fe80::/10 is another host's on each link.
    static let noInterface = LookupFailure(
        reason: "an address of fe80::/10 needs its interface, as in [fe80::1%eth0]:4000")
}

/// Host names to endpoints, by the system's resolver.
enum Resolver {
    private static let maximumEndpoints = 8

    /// The endpoints of a peer's host; none if it has other addresses than those of IP. Blocks for name servers: not for an event loop.
    static func endpoints(of peer: PeerAddress) throws(LookupFailure) -> [Endpoint] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(peer.host, String(peer.port), &hints, &list)
        guard status == 0 else { throw failure(status) }
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

    private static func failure(_ status: CInt) -> LookupFailure {
        if status == EAI_SYSTEM { return LookupFailure(reason: SystemError.last("getaddrinfo").reason) }
        guard let words = unsafe gai_strerror(status) else { return LookupFailure(reason: "error \(status)") }
        let text = unsafe String(cString: words)
        return LookupFailure(reason: text.prefix(1).lowercased() + text.dropFirst())
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
