package import Chat
import Phrases
import Wire

/// A line of a program, which may begin with `@` and the room that it is for: `@kitchen /who`.
package struct AddressedLine: Hashable, Sendable {
    /// Nil for the open room.
    package let room: RoomLabel?
    package let text: String

    /// The conversation in which a line acts that names its room: that of the room, whatever is open. Nil for the open one.
    package var conversation: Conversation? { room == nil ? nil : .publicRoom }

    init(text: String, room: RoomLabel? = nil) { (self.room, self.text) = (room, text) }

    /// Reads a line of input. A text that begins with `@` and no room of these is a message that mentions a peer.
    ///
    /// - Throws: `unknown_room` for a command to another room.
    package init(_ line: String, in rooms: isolated Program) throws(ChatError) {
        self.init(textIn: line, rooms)
        let seen = Visibility.withoutBlankStart(line)
        guard room == nil, seen.utf8.first == UInt8(ascii: "@") else { return }
        let parts = Substring(seen).utf8.split(maxSplits: 1, whereSeparator: AddressedLine.isSpace).map {
            Substring($0)
        }
        if parts.count == 2, parts[1].utf8.first == UInt8(ascii: "/") {
            throw ChatError(.unknownRoom, .unknownRoom, String(parts[0].dropFirst()))
        }
    }

    /// Reads a line that has no command, so that `@ann /shrug` is a text where no room is called `ann`.
    package init(textIn line: String, _ rooms: isolated Program) {
        let seen = Visibility.withoutBlankStart(line)
        guard seen.utf8.first == UInt8(ascii: "@") else {
            self.init(text: line)
            return
        }
        var found: (room: RoomLabel, end: String.Index)?
        // Bytes, because a mark behind the space is one character with it. A name may contain spaces: the longest one that
        // fits is meant.
        for end in seen.utf8.prefix(AddressedLine.longestName).indices where AddressedLine.isSpace(seen.utf8[end]) {
            var name = seen.utf8[..<end].dropFirst()
            // As the operands of commands may be written.
            if name.count > 2, name.first == UInt8(ascii: "\""), name.last == UInt8(ascii: "\"") {
                name = name.dropFirst().dropLast()
            }
            if let room = rooms.named(Substring(name)) { found = (room.label, end) }
        }
        guard let found else {
            self.init(text: line)
            return
        }
        self.init(text: String(Substring(seen.utf8[found.end...].dropFirst())), room: found.room)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// In bytes, in any form of Unicode.
    private static let longestName = 4 * Limits.roomNameBytes
}
