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
    /// `/topic/board/ROOM`: the notice board of a room.
    case board(String)
    /// `/app/channel/ROOM`: takes messages and cards to a room.
    case toChannel(String)
    /// `/app/direct/ROOM/KEY`: takes direct messages. One key can be in several rooms.
    case toPeer(PeerID, in: String)

    /// Whether a client may send to it.
    var takesMessages: Bool {
        switch self {
        case .toChannel, .toPeer: true
        case .channel, .direct, .people, .typing, .board: false
        }
    }

    /// - Parameter text: with the name of a room as it is, or percent-encoded (RFC 3986).
    init?(_ text: String) {
        // By bytes: a combining mark behind a slash is a part of the room's name.
        let rest = { (prefix: StaticString) -> Substring? in
            let prefix = "\(prefix)"
            guard text.utf8.starts(with: prefix.utf8), text.utf8.count > prefix.utf8.count else { return nil }
            return Substring(text.utf8.dropFirst(prefix.utf8.count))
        }
        if text.utf8.elementsEqual("/user/queue/direct".utf8) {
            self = .direct
        } else if let room = rest("/channel/").flatMap(STOMPDestination.decoded) {
            self = .channel(room)
        } else if let room = rest("/topic/people/").flatMap(STOMPDestination.decoded) {
            self = .people(room)
        } else if let room = rest("/topic/typing/").flatMap(STOMPDestination.decoded) {
            self = .typing(room)
        } else if let room = rest("/topic/board/").flatMap(STOMPDestination.decoded) {
            self = .board(room)
        } else if let room = rest("/app/channel/").flatMap(STOMPDestination.decoded) {
            self = .toChannel(room)
        } else if let parts = rest("/app/direct/"), let slash = parts.utf8.lastIndex(of: UInt8(ascii: "/")),
            let key = PeerID(hexadecimal: parts[parts.utf8.index(after: slash)...]),
            let room = STOMPDestination.decoded(parts[..<slash]), !room.isEmpty
        {
            self = .toPeer(key, in: room)
        } else {
            return nil
        }
    }

    /// This destination in a room of another name.
    func called(_ room: String) -> STOMPDestination {
        switch self {
        case .channel: .channel(room)
        case .people: .people(room)
        case .typing: .typing(room)
        case .board: .board(room)
        case .toChannel: .toChannel(room)
        case .toPeer(let key, in: _): .toPeer(key, in: room)
        case .direct: .direct
        }
    }

    /// Nil for bytes that are no UTF-8. A percent sign without two digits stands for itself.
    private static func decoded(_ text: Substring) -> String? {
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
