package import Chat
import ChatNode
import Phrases
import Wire

/// Something to show: an event of a node, or the result of a line of input.
package enum Report: Sendable {
    case event(NodeEvent)
    case error(ChatError)
    case answer(Answer)
    /// A command as it was entered, before its effects. It is shown only where input is typed.
    case entered(String)
    /// A conversation that another face opened in the display's view, with its stored messages, the oldest first.
    case opened(ConversationView, recent: [MessageView])
    /// A view shows another conversation of the room, or none of it. For models of the chat: nothing is shown.
    case viewed(ConversationView?, by: ViewID)
    /// The user has left the room, and its node says goodbye. For models of the chat: nothing is shown.
    case leaving
    /// A room behind a command that changed more of it than the events tell. For models of the chat: nothing is shown.
    indirect case snapshot(RoomSnapshot)
    case listening(Listening)
    /// The number of further rooms that the program was started in, and enters later. Shown to people alone.
    case entering(Int)
}

/// A face that listens for other programs of the user.
package struct Listening: Hashable, Sendable {
    package let face: String
    /// The link of a page; nil for a protocol.
    package let url: String?
    /// An IP address and a port.
    package let address: String
    package let token: String
    /// The file in which programs of the user find the token; nil if there is none.
    package var tokenFile: String?

    package init(face: String, url: String? = nil, address: String, token: String) {
        (self.face, self.url, self.address, self.token) = (face, url, address, token)
    }
}

/// A room that a peer invited the user to.
package struct InvitedRoom: Sendable {
    package let room: Room
    package let from: PeerName

    package init(room: Room, from: PeerName) { (self.room, self.from) = (room, from) }
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
    /// Whether the node waits yet before it announces itself and looks for peers.
    package let isEntering: Bool
    package let me: PeerName
    /// The peers that are here.
    package let online: Int
    /// The room's own conversation first.
    package let conversations: [ConversationSummary]
    package let requests: [(who: PeerName, text: String)]
    /// Those of all its conversations.
    package let numbers: [Conversation: Int]

    /// The unread messages of all its conversations.
    package var unread: Int { conversations.reduce(0) { $0 + $1.unread } }

    package init(
        _ room: RoomLabel, isOpen: Bool, isPrivate: Bool = false, isBridged: Bool = false,
        isEntering: Bool = false, me: PeerName, online: Int, conversations: [ConversationSummary],
        requests: [(who: PeerName, text: String)], numbers: [Conversation: Int] = [:]
    ) {
        (self.room, self.isOpen, self.me, self.online) = (room, isOpen, me, online)
        (self.isPrivate, self.isBridged, self.isEntering) = (isPrivate, isBridged, isEntering)
        (self.conversations, self.requests, self.numbers) = (conversations, requests, numbers)
    }
}
