package import Chat
import Phrases

/// A line of a program, which may begin with `@` and the room that it is for: `@kitchen /who`.
package struct AddressedLine: Hashable, Sendable {
    /// Nil for the open room.
    package let room: RoomLabel?
    package let text: String

    init(text: String, room: RoomLabel? = nil) { (self.room, self.text) = (room, text) }

    /// Reads a line. A text that begins with `@` and no room of these is a message that mentions a peer.
    ///
    /// - Throws: `unknown_room` for a command to another room.
    package init(_ line: String, in rooms: Rooms) throws(ChatError) {
        guard line.hasPrefix("@") else {
            self.init(text: line)
            return
        }
        // A name may contain spaces: the longest one that fits is meant.
        let labels = rooms.all.map(\.label).sorted { $0.name.count > $1.name.count }
        if let label = labels.first(where: { line.hasPrefix("@\($0.name) ") }) {
            self.init(text: String(line.dropFirst(label.name.count + 2)), room: label)
            return
        }
        let parts = line.split(separator: " ", maxSplits: 1)
        if parts.count == 2, parts[1].hasPrefix("/") {
            throw ChatError(.unknownRoom, .unknownRoom, String(parts[0].dropFirst()))
        }
        self.init(text: line)
    }
}
