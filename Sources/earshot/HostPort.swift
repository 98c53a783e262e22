/// `HOST:PORT` as somebody writes it: a name, an IPv4 address, or an IPv6 address in brackets.
struct HostPort: Hashable, Sendable {
    let host: String
    let port: UInt16

    /// Nil unless there is a host and a port from 1 to 65535.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let portText = text[text.index(after: colon)...]
        guard let port = UInt16(decimal: portText), port > 0 else { return nil }
        guard let host = HostPort.host(in: text[..<colon]) else { return nil }
        self.host = host
        self.port = port
    }

    private static func host(in text: Substring) -> String? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]") && text.count > 2
        let host = isBracketed ? text.dropFirst().dropLast() : text
        // A bare IPv6 address would swallow the port: brackets say where it ends.
        guard !host.isEmpty, host.utf8.count <= 255, isBracketed || !host.contains(":") else { return nil }
        guard host.utf8.allSatisfy({ $0 > 32 && $0 < 127 }), !host.contains("["), !host.contains("]") else {
            return nil
        }
        return String(host)
    }
}

extension FixedWidthInteger {
    /// A number in decimal digits alone: no sign, no space.
    init?(decimal text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
        self.init(text)
    }
}
