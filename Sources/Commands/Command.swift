/// The request of a line of input.
package enum Command: Hashable, Sendable {
    /// A message to the conversation that is open, read from a line by `SlashRule`; not yet checked against the text rules.
    case say(String)
    /// A message to the room, even while a direct conversation is open. No line of input asks for it; faces with structured
    /// texts do. `SlashRule` holds for this text, and for those of `message`, `reply` and `edit`, when the command is performed.
    case sayToRoom(String)
    /// `/me`: an action of the user, sent as a message.
    case act(String)
    /// All peers, or those with a link; only a terminal tells them apart.
    case who(all: Bool)
    case whois(who: String)
    case whoami
    case message(who: String, text: String)
    /// `/reply`: to the author of the latest direct message.
    case reply(String)
    case requests
    case accept(who: String)
    case decline(who: String)
    case leave(who: String)
    case openPublic
    /// A room that the user is in, or a direct conversation.
    case open(who: String)
    /// A room that the user is in, by its name.
    case openRoom(String)
    /// A direct conversation in the room of the command.
    case openDirect(who: String)
    case join(RoomRequest)
    /// `/room new`: a private room with a new key.
    case makeRoom(name: String)
    /// Nil for the room that the command is performed in; its open direct conversation is closed instead, if there is one.
    case part(room: String?)
    case rooms
    /// To the room of the name; nil for the one that the command is performed in.
    case invite(who: String, room: String?)
    /// Says which other open rooms the user is in: those of the names, or all of them if there is none; nil for no room.
    case announce([String]?)
    /// The name is that of the peer itself if none is given.
    case contact(who: String, name: String?)
    case uncontact(who: String)
    case contacts
    /// `/blocked`: the blocked peers.
    case blocked
    /// A line about the user; nil for none.
    case about(String?)
    /// Whether bridges may carry the user's messages to the room; nil asks for it.
    case bridge(Bool?)
    case close
    case unread
    /// Of the conversation that is open, or of the direct one with a peer.
    case history(who: String?)
    /// Messages of the open conversation that have the text.
    case search(String)
    case edit(target: String?, text: String)
    case delete(target: String?)
    /// Nil asks for the own name.
    case rename(String?)
    /// `/typing`: the person writes something elsewhere, as a front end tells; for `false` no longer.
    case typing(Bool)
    /// The reason is not yet checked; nil for none.
    case away(reason: String?)
    case back
    case mark(Mark, who: String)
    /// `/verify`: the code to compare, or the result of the comparison.
    case verify(who: String, isVerified: Bool?)
    case wipe
    case statistics
    /// Of all commands, or of the one with the name.
    case help(command: String?)
    case quit

    /// A mark that the user sets for a key; silent to the other side.
    package enum Mark: String, Hashable, Sendable, CaseIterable { case mute, unmute, block, unblock }

    /// Whether it sends something of the person's own making, so that piped input waits until it may.
    package var isPaced: Bool {
        switch self {
        case .say, .sayToRoom, .act, .message, .reply, .edit, .delete, .invite: true
        case .who, .whois, .whoami, .requests, .accept, .decline, .leave, .openPublic, .open, .openRoom, .openDirect,
            .join, .makeRoom, .part,
            .rooms,
            .announce, .contact, .uncontact, .contacts, .blocked, .about, .bridge, .close, .unread, .history, .search,
            .rename,
            .typing,
            .away, .back, .mark, .verify, .wipe, .statistics, .help, .quit:
            false
        }
    }

    /// The line of the command as it may be shown and kept: without a room's key.
    package func shown(as line: String) -> String {
        guard case .join(let request) = self, request.key != nil else { return line }
        return "/join \(request.name) …"
    }

    /// The peer whose request the command answers, as the user named it; nil for another command.
    var requester: String? {
        if case .accept(let who) = self { return who }
        if case .decline(let who) = self { return who }
        return nil
    }
}
