import Wire

/// A destination of the gateway (Docs/Web.md, section 5).
enum STOMPDestination: Hashable, Sendable {
    /// `/channel/ROOM`: the messages of a room.
    case channel(String)
    /// `/user/queue/direct`: direct messages and requests.
    case direct
    /// `/topic/people/ROOM`
    case people(String)
    /// `/topic/typing/ROOM`
    case typing(String)
    /// `/app/channel/ROOM`: takes messages to a room.
    case toChannel(String)
    /// `/app/direct/KEY`: takes direct messages.
    case toPeer(PeerID)

    /// - Parameter text: with the name of a room as it is, or percent-encoded (RFC 3986).
    init?(_ text: String) {
        let rest = { (prefix: String) -> String? in
            guard text.hasPrefix(prefix), text.count > prefix.count else { return nil }
            return STOMPDestination.decoded(String(text.dropFirst(prefix.count)))
        }
        if text == "/user/queue/direct" {
            self = .direct
        } else if let room = rest("/channel/") {
            self = .channel(room)
        } else if let room = rest("/topic/people/") {
            self = .people(room)
        } else if let room = rest("/topic/typing/") {
            self = .typing(room)
        } else if let room = rest("/app/channel/") {
            self = .toChannel(room)
        } else if let key = rest("/app/direct/").flatMap({ PeerID(hexadecimal: $0) }) {
            self = .toPeer(key)
        } else {
            return nil
        }
    }

    /// Nil for bytes that are no UTF-8. A percent sign without two digits stands for itself.
    private static func decoded(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = Hexadecimal.decode(digits)?.first {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
