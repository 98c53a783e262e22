package import Chat
package import ChatNode

/// Something to show: what the node told, or what came of a line of input.
package enum Report: Sendable {
    case event(NodeEvent)
    case error(ChatError)
    case answer(Answer)
    /// A command as it was entered, before anything comes of it. Where input is not typed, nobody wants to see it.
    case entered(String)
}

/// What a command that asks for something gets.
package enum Answer: Sendable {
    case peers([PeerView])
    case requests([(who: Who, text: String)])
    case history(ConversationView, [MessageView])
    case unread([ConversationSummary])
    case statistics([Counter])
    case help([CommandEntry])
    /// `/open` and `/close`: where one is now.
    case active(command: String, ConversationView)
    /// `/verify`; whether what is marked outlasts the program is not for the node to know.
    case verification(Who, code: String, isVerified: Bool, isKept: Bool)
    /// `/wipe`: what was forgotten, and the files that were removed.
    case wiped(MemoryUsage, files: [String])
    /// `/mute` and its like, `/nick`, `/away`, `/back`: done, and about whom.
    case done(command: String, Who)

    /// The name that JSON gives it: the command's own.
    package var command: String {
        switch self {
        case .peers: "who"
        case .requests: "requests"
        case .history: "history"
        case .unread: "unread"
        case .statistics: "stats"
        case .help: "help"
        case .verification: "verify"
        case .wiped: "wipe"
        case .active(let command, _), .done(let command, _): command
        }
    }
}
