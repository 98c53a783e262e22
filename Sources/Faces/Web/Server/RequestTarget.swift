/// The first bytes of a connection, as far as libwebsockets can not read them: a target in absolute form (RFC 9112
/// section 3.2.2), which it refuses.
struct RequestTarget: Sendable {
    enum Reading: Hashable, Sendable {
        /// More bytes are needed to say.
        case unknown
        /// The bytes are for the library as they are.
        case plain
        /// The target is absolute and of this server: so many bytes stand for these, which end where the path begins.
        case absolute(Int, [UInt8])
    }

    /// No method that the library knows is longer.
    private static let longestMethod = 16
    private static let scheme = Array("http://".utf8)

    /// The own names with the port, in lower case.
    let hosts: [String]

    /// The path of a request by its first line, without the query and not decoded; nil for what is no request of HTTP/1.
    static func path(of bytes: [UInt8]) -> String? {
        let line = bytes.prefix { $0 != 0x0d && $0 != 0x0a }
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[1].first == 0x2f, words[2].starts(with: "HTTP/1.".utf8),
            words[0].allSatisfy({ (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) || $0 == 0x2d })
        else { return nil }
        return String(validating: words[1].prefix { $0 != 0x3f }, as: UTF8.self)
    }

    func reading(of bytes: [UInt8]) -> Reading {
        guard let space = bytes.prefix(RequestTarget.longestMethod).firstIndex(where: { $0 == 0x20 || $0 == 0x0a })
        else {
            return bytes.count < RequestTarget.longestMethod ? .unknown : .plain
        }
        let target = bytes[(space + 1)...]
        guard bytes[space] == 0x20 else { return .plain }
        let start = target.prefix(RequestTarget.scheme.count).map { $0 | 0x20 }
        // "/" and ":" have the bit already.
        guard RequestTarget.scheme.starts(with: start) else { return .plain }
        guard start.count == RequestTarget.scheme.count else { return .unknown }
        let rest = target.dropFirst(start.count)
        let longest = hosts.map(\.utf8.count).max() ?? 0
        guard let end = rest.prefix(longest + 1).firstIndex(where: { [0x0a, 0x20, 0x2f, 0x3f].contains($0) }) else {
            return rest.count <= longest ? .unknown : .plain
        }
        guard hosts.contains(String(decoding: rest[..<end], as: UTF8.self).lowercased()) else { return .plain }
        let slash: [UInt8] = bytes[end] == 0x2f ? [] : [0x2f]
        return .absolute(end, bytes[...space] + slash)
    }
}
