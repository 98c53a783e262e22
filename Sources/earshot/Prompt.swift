import Chat
import ChatNode
import Wire

/// The line that a person types behind in a terminal: where one is and what is unread there and elsewhere.
struct Prompt: Sendable {
    /// Whether the terminal can erase a line (not under `TERM=dumb`).
    let canErase: Bool
    private var conversation = ConversationView.publicRoom
    private var peers = 0
    private var unread: [Place: Unread] = [:]

    private enum Place: Hashable {
        case publicRoom
        case direct(PeerID)
    }

    private struct Unread {
        let label: String
        let count: Int
    }

    init(canErase: Bool) {
        self.canErase = canErase
    }

    /// `public · 3 peers · #4821 (2) > `
    var text: String {
        guard canErase else { return "" }
        let elsewhere = unread.values.filter { $0.count > 0 }.map { "\($0.label) (\($0.count))" }.sorted()
        let parts = [Prompt.label(conversation), "\(peers) \(peers == 1 ? "peer" : "peers")"] + elsewhere
        return parts.joined(separator: " · ") + " > "
    }

    /// Clears the line that the cursor is in.
    var erasing: String { canErase ? "\r\u{1b}[K" : "" }

    mutating func note(_ report: Report) {
        switch report {
        case .event(.ready): (conversation, peers, unread) = (.publicRoom, 0, [:])
        case .event(.peer(_, _, let online)): peers = online
        case .event(.message(let message)): set(message.unread, in: message.conversation)
        case .event(.edited(let conversation, _, text: _, let unread)): set(unread, in: conversation)
        case .event(.deleted(let conversation, _, let unread)): set(unread, in: conversation)
        case .event(.direct(.left, let who)): unread[.direct(who.key)] = nil
        case .answer(.active(_, let conversation)):
            self.conversation = conversation
            set(0, in: conversation)
        case .event, .error, .answer: break
        }
    }

    private mutating func set(_ count: Int, in conversation: ConversationView) {
        let place: Place
        switch conversation {
        case .publicRoom: place = .publicRoom
        case .direct(let who): place = .direct(who.key)
        }
        unread[place] = count == 0 ? nil : Unread(label: Prompt.label(conversation), count: count)
    }

    private static func label(_ conversation: ConversationView) -> String {
        switch conversation {
        case .publicRoom: "public"
        case .direct(let who): who.numberText
        }
    }
}
