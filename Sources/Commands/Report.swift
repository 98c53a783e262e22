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
    case peers([PeerView])
    case requests([(who: PeerName, text: String)])
    case history(ConversationView, [MessageView])
    case unread([ConversationSummary])
    case statistics([Counter])
    case help([CommandEntry])
    /// `/open` and `/close`: where one is now.
    case active(command: String, ConversationView)
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
        case .unread: "unread"
        case .statistics: "stats"
        case .help: "help"
        case .verification: "verify"
        case .wiped: "wipe"
        case .active(let command, _), .done(let command, _): command
        }
    }
}
