package import Chat
import ChatNode

/// A room of this process, by the name that the user addresses it with.
package struct RoomLabel: Hashable, Sendable {
    /// Counts from 1; no two rooms of a process have the same, not even one after the other.
    package let number: Int
    /// Different for each room of a process at a time: a second room of one name, with another key, gets `/2` behind it.
    package let name: String

    package init(number: Int, name: String) {
        (self.number, self.name) = (number, name)
    }
}

/// A report with the room that it is of; that of the open room where it is of the whole program.
package struct RoomReport: Sendable {
    package let room: RoomLabel
    package let report: Report
    /// Those of all conversations of the room, if one begins by it; nil otherwise.
    package let numbers: [Conversation: Int]?

    package init(_ room: RoomLabel, _ report: Report, numbers: [Conversation: Int]? = nil) {
        (self.room, self.report, self.numbers) = (room, report, numbers)
    }

    /// An error that is of no room.
    ///
    /// - Parameter open: the open room; nil if there is none.
    package init(_ error: ChatError, in open: RoomLabel?) {
        self.init(open ?? RoomLabel(number: 0, name: ""), .error(error))
    }

    /// True for the last report of a node.
    package var isEnd: Bool {
        guard case .event(.stopped) = report else { return false }
        return true
    }
}

/// A request to join a room.
package struct RoomRequest: Hashable, Sendable {
    package let name: String
    /// The text of the key; nil for an open room. Never to be shown or kept.
    package let key: String?
    /// Whether the kept identity is used there, instead of a fresh one.
    package let isAsKept: Bool
    /// Whether the open room is meant, although there is an invitation to a room of that name.
    package let isOpen: Bool
    /// Whether the key was made for this request, so that no other node can have it yet.
    package let isNew: Bool

    package init(name: String, key: String? = nil, isAsKept: Bool = false, isOpen: Bool = false, isNew: Bool = false) {
        (self.name, self.key, self.isAsKept, self.isOpen, self.isNew) = (name, key, isAsKept, isOpen, isNew)
    }
}
