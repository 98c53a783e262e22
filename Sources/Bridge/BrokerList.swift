import Wire

/// The brokers of `--bridge`: `amqps://[user@]host[:port][,host[:port]...][/vhost]`, or `amqp://` on this machine.
package struct BrokerList: Hashable, Sendable {
    package struct Broker: Hashable, Sendable {
        package let host: String
        package let port: UInt16

        /// As it is shown.
        package var name: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    package let usesTLS: Bool
    package let user: String
    package let brokers: [Broker]
    package let vhost: String

    /// The most brokers.
    private static let most = 16

    /// Nil for other text: another scheme, a password, a host that is none, or plain AMQP to another machine.
    package init?(_ text: String) {
        usesTLS = text.hasPrefix("amqps://")
        guard usesTLS || text.hasPrefix("amqp://") else { return nil }
        var rest = text.dropFirst(usesTLS ? 8 : 7)
        let path = rest.firstIndex(of: "/")
        guard let vhost = path.map({ BrokerList.decoded(rest[rest.index(after: $0)...]) }) ?? "/" else { return nil }
        self.vhost = vhost
        rest = rest[..<(path ?? rest.endIndex)]
        let at = rest.lastIndex(of: "@")
        guard let user = at.map({ BrokerList.decoded(rest[..<$0]) }) ?? "guest" else { return nil }
        self.user = user
        if let at { rest = rest[rest.index(after: at)...] }
        let standard: UInt16 = usesTLS ? 5671 : 5672
        let names = rest.split(separator: ",", omittingEmptySubsequences: false)
        brokers = names.compactMap { BrokerList.broker($0, standard) }
        guard brokers.count == names.count, names.count <= BrokerList.most, !user.isEmpty, !vhost.isEmpty,
            !user.contains(":"), (user + vhost).utf8.count <= 255, !(user + vhost).utf8.contains(0),
            usesTLS || brokers.allSatisfy({ BrokerList.isThisMachine($0.host) })
        else { return nil }
    }

    private static func broker(_ text: Substring, _ standard: UInt16) -> Broker? {
        var host = text
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let behind = text[text.index(after: end)...]
            guard behind.isEmpty || behind.hasPrefix(":") else { return nil }
            port = behind.isEmpty ? nil : behind.dropFirst()
        } else if let colon = text.lastIndex(of: ":") {
            (host, port) = (text[..<colon], text[text.index(after: colon)...])
        }
        let isName = host.utf8.allSatisfy { BrokerList.isName($0) }
        guard !host.isEmpty, host.utf8.count <= 253, isName else { return nil }
        guard let port else { return Broker(host: String(host), port: standard) }
        guard let number = UInt16(port), number > 0 else { return nil }
        return Broker(host: String(host), port: number)
    }

    /// Only addresses of the loopback interface, and the name that has no other.
    private static func isThisMachine(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return parts.count == 4 && parts[0] == 127 && !parts.contains(nil)
    }

    /// Without the percent encoding, as `%2F` for the vhost that is called `/`; nil where a `%` is not followed by two
    /// hexadecimal digits, or the bytes are no UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        var bytes = Array(parts[0])
        for part in parts.dropFirst() {
            guard part.count >= 2, let byte = Hexadecimal.decode(String(decoding: part.prefix(2), as: UTF8.self))
            else { return nil }
            bytes += byte + part.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// A letter, a digit, or a mark that names and addresses of hosts have.
    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"),
            UInt8(ascii: "_"):
            true
        case _: false
        }
    }
}
