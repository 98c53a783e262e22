package import Commands
package import Rendering
import Chat

/// The additions for a user at a terminal without the line editor (`TERM=dumb`).
package struct Terminal: Sendable {
    private var bell: Bell

    package init(bell: Bell) {
        self.bell = bell
    }

    /// Whether a report rings; keeps up with what it tells.
    package mutating func rings(for report: RoomReport) -> Bool { bell.rings(for: report) }

    /// A user's own message is in the terminal already, where it was typed.
    static func hides(_ report: RoomReport) -> Bool {
        guard case .event(.message(let message)) = report.report else { return false }
        return message.isFromCurrentUser && !message.isHistory
    }
}
