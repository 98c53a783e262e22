package import Commands
package import Chat
import ChatNode

/// Decides what is worth a sound in a terminal: a direct message, a request, an invitation, or a mention of one's name or number.
package struct Bell: Sendable {
    /// The peer that calls for the user's attention, and the reason.
    package enum Call: Hashable, Sendable {
        case request(PeerName)
        case direct(PeerName)
        case mention(PeerName)
        case invitation(PeerName)
    }

    package let isQuiet: Bool
    /// Whether a terminal is asked to show a notification too.
    package let notifies: Bool

    package init(isQuiet: Bool, notifies: Bool = false) {
        self.isQuiet = isQuiet
        self.notifies = notifies
    }

    /// Whether a report rings.
    package func rings(for report: RoomReport) -> Bool { call(in: report) != nil && !isQuiet }

    /// The call for attention in a report; nil for none.
    package func call(in report: RoomReport) -> Call? {
        switch report.report {
        case .event(let event): Bell.call(in: event)
        case .answer, .error, .entered, .opened, .viewed, .leaving, .snapshot, .listening, .entering: nil
        }
    }

    private static func call(in event: NodeEvent) -> Call? {
        switch event {
        case .request(from: let who, text: _): .request(who)
        case .invitation(from: let who, to: _, isThere: false): .invitation(who)
        case .message(let message): call(in: message)
        case .ready, .peer, .renamed, .status, .person, .blocked, .crowd, .elsewhere, .direct, .invitation, .edited,
            .deleted, .reacted, .card, .cardRemoved, .delivered, .read, .failed, .typing, .notice, .stopped:
            nil
        }
    }

    /// The terminal sequence for a call; empty for none.
    ///
    /// A notification is OSC 9, which terminals that do not know it ignore. It names the caller and not the text: desktops
    /// keep notifications, some of them on a disk.
    package func sequence(for call: Call) -> String {
        let notification = notifies ? "\u{1b}]9;earshot: \(Bell.words(for: call))\u{1b}\\" : ""
        return notification + (isQuiet ? "" : "\u{7}")
    }

    private static func call(in message: MessageView) -> Call? {
        guard !message.isFromCurrentUser, !message.isHistory || message.isMissed else { return nil }
        switch message.conversation {
        case .direct: return .direct(message.from)
        case .publicRoom: return message.isMention ? .mention(message.from) : nil
        }
    }

    private static func words(for call: Call) -> String {
        switch call {
        case .request(let who): "\(who.displayName) asks for a direct conversation"
        case .direct(let who): "\(who.displayName) wrote to you"
        case .invitation(let who): "\(who.displayName) invites you to a room"
        case .mention(let who): "\(who.displayName) named you"
        }
    }
}
