import Commands
import Rendering

/// A packet of Socket.IO (protocol version 5), without binary parts, in the default namespace.
enum SocketIOPacket: Hashable, Sendable {
    case connect(JSONValue?)
    case disconnect
    /// The event's name with its arguments, and the number under which it is acknowledged.
    case event(String, [JSONValue], acknowledgement: Int?)

    /// - Returns: nil for a packet of another kind or namespace, and for one that is malformed.
    init?(_ text: String) {
        guard let kind = text.utf8.first else { return nil }
        // By bytes: a mark behind the kind would make one character of both.
        let rest = Substring(text.utf8.dropFirst())
        switch kind {
        case UInt8(ascii: "0"):
            guard !rest.hasPrefix("/") else { return nil }
            self = .connect(try? JSONValue(parsing: Array(rest.utf8)))
        case UInt8(ascii: "1"): self = .disconnect
        case UInt8(ascii: "2"):
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard digits.count <= 9, let value = try? JSONValue(parsing: Array(rest.dropFirst(digits.count).utf8)),
                let parts = value.array, let name = parts.first?.string
            else { return nil }
            self = .event(name, Array(parts.dropFirst()), acknowledgement: Int(digits))
        case _: return nil
        }
    }

    /// The text of an event.
    static func event(_ name: String, _ arguments: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(.forPrograms)
        writer.array {
            $0.string(name)
            arguments(&$0)
        }
        return "2" + String(decoding: writer.bytes, as: UTF8.self)
    }

    static func object(_ kind: String, _ members: (inout JSONWriter) -> Void) -> String {
        kind + String(decoding: WebJSON.object(members), as: UTF8.self)
    }
}
