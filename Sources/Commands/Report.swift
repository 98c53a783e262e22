package import Chat
package import ChatNode
package import Phrases
package import Wire

/// Something to show: an event of a node, or the result of a line of input.
package enum Report: Sendable {
    case event(NodeEvent)
    case error(ChatError)
    case answer(Answer)
    /// A command as it was entered, before its effects. It is shown only where input is typed.
    case entered(String)
    /// A conversation that another face opened, with its stored messages, the oldest first: one is open for all faces.
    case opened(ConversationView, recent: [MessageView])
    /// A view shows another conversation of the room, or none of it. For models of the chat: nothing is shown.
    case viewed(ConversationView?, by: ViewID)
    /// The user has left the room, and its node says goodbye. For models of the chat: nothing is shown.
    case leaving
    /// A room behind a command that changed more of it than the events tell. For models of the chat: nothing is shown.
    indirect case snapshot(RoomSnapshot)
    case listening(Listening)
}

/// A face that listens for other programs of the user.
package struct Listening: Hashable, Sendable {
    package let face: String
    /// The link of a page; nil for a protocol.
    package let url: String?
    /// An IP address and a port.
    package let address: String
    package let token: String

    package init(face: String, url: String? = nil, address: String, token: String) {
        (self.face, self.url, self.address, self.token) = (face, url, address, token)
    }
}

/// The answer of a command.
package enum Answer: Sendable {
    /// `/who`; for `isWhole` false, a face may leave out peers that are not here. `here` is the number of peers that are, if the
    /// rows are only those of a crowd that were heard last; nil otherwise.
    case peers([PeerView], isWhole: Bool, here: Int? = nil)
    case requests([(who: PeerName, text: String)])
    case history(ConversationView, [MessageView])
    /// `/search`: the messages of a conversation that have the text.
    case found(String, ConversationView, [MessageView])
    /// The conversations of each room, and its open requests for others.
    case unread([RoomOverview])
    case rooms(RoomList)
    /// `/invite`: the invited peer and the name of the room.
    case invited(PeerName, to: String)
    /// `/announce`: the rooms that the presence names now.
    case announced([String])
    case contacts([ContactView])
    /// `/blocked`, in the order in which they were blocked.
    case blocked([PeerName])
    /// `/part`: the room that was left, and the conversation that is open now, in the room of the report.
    case parted(RoomLabel, ConversationView, recent: [MessageView])
    case statistics([Counter])
    case help([CommandEntry])
    /// `/open`, `/close` and `/join`: the open conversation with its stored messages, the oldest first.
    case active(command: String, ConversationView, recent: [MessageView])
    /// `/join` with a key: the room of the report is private, and its conversation is open now with its stored messages.
    case joined(recent: [MessageView])
    /// `/room new`: the key of the room of the report, whose conversation is open now. Shown this once.
    case made(key: String)
    case bridge(BridgeView)
    /// `/whoami`, and `/nick` without a name.
    case whoami(PeerName, room: String, profile: Profile)
    /// `/whois`: a peer, and the code to compare with it.
    case person(PeerView, code: String)
    /// `/verify`. The executor sets `isKept`, because a node does not know whether its marks outlast the program.
    case verification(PeerName, code: String, isVerified: Bool, isKept: Bool)
    /// `/wipe`: the numbers of discarded entries, and the files that were removed.
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
        case .invited: "invite"
        case .joined: "join"
        case .made: "room"
        case .announced: "announce"
        case .contacts: "contacts"
        case .blocked: "blocked"
        case .parted: "part"
        case .person: "whois"
        case .whoami: "whoami"
        case .bridge: "bridge"
        case .statistics: "stats"
        case .help: "help"
        case .verification: "verify"
        case .wiped: "wipe"
        case .active(let command, _, recent: _), .done(let command, _): command
        }
    }
}

extension Answer {
    /// The room that the command begins to leave.
    var left: RoomLabel? { if case .parted(let left, _, recent: _) = self { left } else { nil } }

    /// The conversation that the command opened, with its stored messages; nil if it opened none.
    var opened: (ConversationView, recent: [MessageView])? {
        switch self {
        case .active(_, let view, let recent), .parted(_, let view, let recent): (view, recent)
        case .joined(let recent): (.publicRoom, recent)
        case .made: (.publicRoom, [])
        case .peers, .requests, .history, .found, .unread, .rooms, .invited, .announced, .contacts, .blocked,
            .statistics, .help, .whoami, .bridge, .person, .verification, .wiped, .done:
            nil
        }
    }
}

/// `/bridge`: a room and other networks.
package struct BridgeView: Sendable {
    /// Whether bridges may carry the user's messages.
    package let consents: Bool
    /// Whether a bridge is here.
    package let isBridged: Bool
    /// The state of this node's bridge; nil if it has none.
    package let state: Sentence?
}

/// `/rooms`: the rooms that the user is in, and those that the user could join.
package struct RoomList: Sendable {
    package let rooms: [RoomOverview]
    /// Open rooms that peers say to be in, with the number of those peers: the most visited first, at most 64.
    package let announced: [(name: String, people: Int)]
    /// The newest at the end.
    package let invitations: [InvitedRoom]

    package init(_ rooms: [RoomOverview], announced: [String: Int], invitations: [InvitedRoom]) {
        self.rooms = rooms
        self.invitations = invitations
        let sorted = announced.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        self.announced = sorted.prefix(RoomList.most).map { (name: $0.key, people: $0.value) }
    }

    private static let most = 64
}

/// A room that a peer invited the user to.
package struct InvitedRoom: Sendable {
    package let room: Room
    package let from: PeerName

    package init(room: Room, from: PeerName) { (self.room, self.from) = (room, from) }
}

/// A row of `/contacts`.
package struct ContactView: Sendable {
    package let who: PeerName
    /// Nil if it has not been here since it got its name.
    package let lastHere: Timestamp?
    /// The rooms in which it is now.
    package let rooms: [RoomLabel]
    package let isVerified: Bool

    package init(_ who: PeerName, lastHere: Timestamp?, rooms: [RoomLabel], isVerified: Bool) {
        (self.who, self.lastHere, self.rooms, self.isVerified) = (who, lastHere, rooms, isVerified)
    }
}

/// A room that the user is in, with its conversations.
package struct RoomOverview: Sendable {
    package let room: RoomLabel
    /// Whether a conversation of this room is the open one.
    package let isOpen: Bool
    /// Whether the room has a key.
    package let isPrivate: Bool
    /// Whether a bridge carries the room to other networks.
    package let isBridged: Bool
    package let me: PeerName
    /// The peers that are here.
    package let online: Int
    /// The room's own conversation first.
    package let conversations: [ConversationSummary]
    package let requests: [(who: PeerName, text: String)]

    /// The unread messages of all its conversations.
    package var unread: Int { conversations.reduce(0) { $0 + $1.unread } }

    package init(
        _ room: RoomLabel, isOpen: Bool, isPrivate: Bool = false, isBridged: Bool = false, me: PeerName,
        online: Int, conversations: [ConversationSummary],
        requests: [(who: PeerName, text: String)]
    ) {
        (self.room, self.isOpen, self.me, self.online) = (room, isOpen, me, online)
        (self.isPrivate, self.isBridged) = (isPrivate, isBridged)
        (self.conversations, self.requests) = (conversations, requests)
    }
}
