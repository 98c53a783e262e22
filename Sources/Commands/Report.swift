package import Chat
package import ChatNode

/// Something to show: what the node told, or what came of a line of input.
package enum Report: Sendable {
    case event(NodeEvent)
    case error(ChatError)
    case answer(Answer)
    /// A command as it was entered, before its effects. It is shown only where input is typed.
    case entered(String)
}

/// The answer of a command.
package enum Answer: Sendable {
    /// `/who`; for `isWhole` false, a face may leave out peers without a link.
    case peers([PeerView], isWhole: Bool)
    case requests([(who: PeerName, text: String)])
    case history(ConversationView, [MessageView])
    /// `/search`: the messages of a conversation that have the text.
    case found(String, ConversationView, [MessageView])
    /// The conversations of each room, and its open requests for others.
    case unread([RoomOverview])
    /// `/rooms`: the rooms that the user is in.
    case rooms([RoomOverview])
    /// `/part`: the room that was left, and the conversation that is open now, in the room of the report.
    case parted(RoomLabel, ConversationView, recent: [MessageView])
    case statistics([Counter])
    case help([CommandEntry])
    /// `/open`, `/close` and `/join`: the open conversation with its stored messages, the oldest first.
    case active(command: String, ConversationView, recent: [MessageView])
    /// `/whoami`, and `/nick` without a name.
    case whoami(PeerName, room: String)
    /// `/whois`: a peer, and the code to compare with it.
    case person(PeerView, code: String)
    /// `/verify`; whether what is marked outlasts the program is not for the node to know.
    case verification(PeerName, code: String, isVerified: Bool, isKept: Bool)
    /// `/wipe`: what was forgotten, and the files that were removed.
    case wiped(MemoryUsage, files: [String])
    /// `/mute` and its like, `/nick`, `/away`, `/back`: done, for this peer.
    case done(command: String, PeerName)

    /// The name that JSON gives it: the command's own.
    package var command: String {
        switch self {
        case .peers: "who"
        case .requests: "requests"
        case .history: "history"
        case .found: "search"
        case .unread: "unread"
        case .rooms: "rooms"
        case .parted: "part"
        case .person: "whois"
        case .whoami: "whoami"
        case .statistics: "stats"
        case .help: "help"
        case .verification: "verify"
        case .wiped: "wipe"
        case .active(let command, _, recent: _), .done(let command, _): command
        }
    }
}

/// A room that the user is in, with its conversations.
package struct RoomOverview: Sendable {
    package let room: RoomLabel
    /// Whether a conversation of this room is the open one.
    package let isOpen: Bool
    package let me: PeerName
    /// The peers with a link.
    package let online: Int
    /// The room's own conversation first.
    package let conversations: [ConversationSummary]
    package let requests: [(who: PeerName, text: String)]

    /// The unread messages of all its conversations.
    package var unread: Int { conversations.reduce(0) { $0 + $1.unread } }

    package init(
        _ room: RoomLabel, isOpen: Bool, me: PeerName, online: Int, conversations: [ConversationSummary],
        requests: [(who: PeerName, text: String)]
    ) {
        (self.room, self.isOpen, self.me, self.online) = (room, isOpen, me, online)
        (self.conversations, self.requests) = (conversations, requests)
    }
}
