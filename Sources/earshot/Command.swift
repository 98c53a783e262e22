/// What a line of input asks for.
enum Command: Hashable, Sendable {
    /// A message to the conversation that is open, not yet checked against the text rules.
    case say(String)
    /// `/me`: what the person does, told as a message.
    case act(String)
    case who
    case message(who: String, text: String)
    case requests
    case accept(who: String)
    case decline(who: String)
    case leave(who: String)
    case openPublic
    case open(who: String)
    case close
    case unread
    /// Of the conversation that is open, or of the direct one with a peer.
    case history(who: String?)
    case edit(target: String?, text: String)
    case delete(target: String?)
    case rename(String)
    /// `/typing`: the person writes something elsewhere, as a front end tells; for `false` no longer.
    case typing(Bool)
    case away
    case back
    case mark(Mark, who: String)
    case statistics
    case help
    case quit

    /// What a person sets for a key; silent to the other side.
    enum Mark: String, Hashable, Sendable, CaseIterable { case mute, unmute, block, unblock }

    /// Whether it sends something of the person's own making, so that piped input waits until it may.
    var isPaced: Bool {
        switch self {
        case .say, .act, .message, .edit, .delete: true
        case .who, .requests, .accept, .decline, .leave, .openPublic, .open, .close, .unread, .history, .rename,
            .typing, .away, .back, .mark, .statistics, .help, .quit:
            false
        }
    }
}
