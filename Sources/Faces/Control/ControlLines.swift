import Commands
import Rendering
import Settings
import Wire
import ChatNode

/// The lines of JSON that the control socket writes.
enum ControlLines {
    /// Grows when a client of this version could not understand a line any more; additions do not count.
    package static let version = 1

    /// The first line that a client reads.
    static var greeting: [UInt8] {
        object {
            $0.member("event", "control")
            $0.member("protocol", version)
            $0.member("version", Version.current)
        }
    }

    /// A line that was read; nil for what is no JSON.
    static func object(_ line: String) -> JSONValue? { try? JSONValue(parsing: Array(line.utf8)) }

    /// Behind everything that a request is answered.
    package static var end: [UInt8] { object { $0.member("event", "end") } }

    package static func error(_ fault: ControlFault) -> [UInt8] { error(fault.code.rawValue, fault.message) }

    /// Every counter in one line.
    package static func prometheus(_ counters: [Counter]) -> [UInt8] {
        object {
            $0.member("event", "result")
            $0.member("command", "prometheus")
            $0.member("text", PrometheusText.of(counters))
        }
    }

    /// The user has left a room.
    static func parted(from room: RoomLabel) -> [UInt8] {
        object {
            $0.member("event", "parted")
            $0.member("room", room.name)
        }
    }

    /// The request of a peer for a direct conversation is not open any more.
    static func requestEnded(of peer: PeerID, in room: RoomLabel) -> [UInt8] {
        object {
            $0.member("event", "requestEnded")
            $0.member("room", room.name)
            $0.member("key", peer.hexadecimal)
        }
    }

    /// A message that was there before.
    static func stored(_ message: RoomReport) -> [UInt8] {
        JSONOutput().line(of: message).dropLast() + Array(#","snapshot":true}"#.utf8) + [0x0a]
    }

    /// Lines for people, each as a line of JSON.
    package static func plain(_ bytes: [UInt8]) -> [UInt8] {
        bytes.split(separator: 0x0a).flatMap { line in
            object {
                $0.member("event", "line")
                $0.member("text", String(decoding: line, as: UTF8.self))
            }
        }
    }

    package static func error(_ code: String, _ message: String) -> [UInt8] {
        object {
            $0.member("event", "error")
            $0.member("code", code)
            $0.member("message", message)
        }
    }

    private static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object(members)
        writer.endLine()
        return writer.bytes
    }
}
