/// The address of a peer as the user gives it: a host name or an address, with a port; `HOST:PORT` or `[ADDRESS]:PORT`.
package struct PeerAddress: Hashable, Sendable {
    /// A name, or an address without brackets; with `%INTERFACE` for a link-local one.
    package let host: String
    package let port: UInt16

    /// The longest name of DNS, in bytes (RFC 1035, 2.3.4).
    private static let maximumHost = 253

    /// Nil unless `text` has both parts, and the port is none of 1 to 65535.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        let isPlain = host.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x5b && $0 != 0x5d }
        guard port != 0, isPlain, (1...Self.maximumHost).contains(host.utf8.count) else { return nil }
        self.host = String(host)
        self.port = port
    }

    package var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
