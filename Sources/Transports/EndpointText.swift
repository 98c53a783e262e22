package import ChatNode
internal import CLinux
internal import Glibc

/// Endpoints as people write them: `192.0.2.1:4000`, `[2001:db8::1]:4000`, `[fe80::1%3]:4000`.
extension Endpoint {
    package var text: String {
        let family = isIPv4 ? AF_INET : AF_INET6
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        unsafe inet_ntop(family, address, &buffer, socklen_t(buffer.count))
        let host = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard !isIPv4 else { return "\(host):\(port)" }
        return scope == 0 ? "[\(host)]:\(port)" : "[\(host)%\(scope)]:\(port)"
    }

    /// Reads a numeric address with its port, 1 to 65535; nil for anything else. The scope of a link-local address may
    /// be the number or the name of an interface of this machine.
    package init?(text: String) {
        guard let (host, port) = Endpoint.split(text), port > 0 else { return nil }
        self.init(numericHost: host, port: port)
    }

    /// Reads a numeric address, `192.0.2.1` or `[fe80::1%eth0]`, that comes apart from its port.
    package init?(numericHost host: Substring, port: UInt16) {
        guard host.hasPrefix("["), host.hasSuffix("]") else {
            guard let address = Endpoint.parse(host, AF_INET, length: 4) else { return nil }
            self.init(address: address, port: port)
            return
        }
        let parts = host.dropFirst().dropLast().split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = Endpoint.parse(first, AF_INET6, length: 16) else { return nil }
        guard parts.count == 2 else {
            self.init(address: address, port: port)
            return
        }
        let scope = unsafe UInt32(parts[1]) ?? if_nametoindex(String(parts[1]))
        self.init(address: address, port: port, scope: scope)
        guard scope > 0, isLinkLocalIPv6 else { return nil }
    }

    /// The host and the port on both sides of the last colon.
    package static func split(_ text: String) -> (host: Substring, port: UInt16)? {
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex else { return nil }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else { return nil }
        return (text[..<colon], port)
    }

    private static func parse(_ host: Substring, _ family: CInt, length: Int) -> [UInt8]? {
        var address = [UInt8](repeating: 0, count: length)
        return unsafe inet_pton(family, String(host), &address) == 1 ? address : nil
    }
}
