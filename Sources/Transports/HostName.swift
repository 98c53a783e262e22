package import ChatNode
internal import CLinux
internal import Glibc

/// A host that could not be resolved, with the system's reason.
package struct ResolutionError: Error, Hashable, Sendable, CustomStringConvertible {
    package let name: String
    package let reason: String

    package var description: String { "\(name): \(reason)" }
}

/// Names of hosts as people give them with a port.
package enum HostName {
    /// More addresses than any host of a LAN has.
    private static let addressLimit = 16

    /// The endpoints of `HOST:PORT`, in the system's order of preference. Asks the network for names and blocks for
    /// seconds when it does not answer: never on an event loop.
    package static func resolve(_ text: String) throws(ResolutionError) -> [Endpoint] {
        guard let (host, port) = Endpoint.split(text), port > 0 else {
            throw ResolutionError(name: text, reason: "not of the form HOST:PORT")
        }
        if let endpoint = Endpoint(numericHost: host, port: port) { return [endpoint] }
        return try look(up: String(host), port: port)
    }

    private static func look(up host: String, port: UInt16) throws(ResolutionError) -> [Endpoint] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let error = unsafe getaddrinfo(host, nil, &hints, &list)
        guard error == 0 else {
            let reason = unsafe error == EAI_SYSTEM ? "the system failed" : String(cString: gai_strerror(error))
            throw ResolutionError(name: host, reason: reason)
        }
        defer { unsafe freeaddrinfo(list) }
        var endpoints: [Endpoint] = []
        var next = unsafe list
        while let entry = unsafe next, endpoints.count < addressLimit {
            unsafe next = entry.pointee.ai_next
            guard let pointer = unsafe entry.pointee.ai_addr,
                let found = unsafe SocketAddress.copied(from: pointer)
            else { continue }
            let endpoint = Endpoint(address: found.address, port: port, scope: found.scope)
            if !endpoints.contains(endpoint) { endpoints.append(endpoint) }
        }
        guard !endpoints.isEmpty else { throw ResolutionError(name: host, reason: "no address") }
        return endpoints
    }
}
