package import Chat
package import ChatNode
package import Wire

/// A peer in a list of people: that of a node, or that of a face's model. Its reason is not made safe for display.
package protocol PersonRow {
    var who: PeerName { get }
    var state: PresenceState { get }
    var since: Timestamp { get }
    var isMuted: Bool { get }
    var isVerified: Bool { get }
    var isBlocked: Bool { get }
    var reason: String? { get }
    var isElsewhere: Bool { get }
}

extension Roster.Row: PersonRow {}

/// Members that events and answers share.
extension JSONWriter {
    package mutating func member(_ name: String, _ who: PeerName) {
        member(name) { $0.object { $0.members(of: who) } }
    }

    package mutating func members(of who: PeerName) {
        member("number", who.number)
        member("suffix", who.suffix)
        member("nickname", who.nickname)
        member("stage", "\(who.stage)")
        member("displayName", who.displayName)
        member("key", who.key.hexadecimal)
        if let contact = who.contact { member("contact", contact) }
    }

    /// The room of an invitation, without its key.
    package mutating func members(of room: Room) {
        member("to", room.name)
        member("private", room.isPrivate)
    }

    package mutating func member(_ name: String, _ time: Timestamp) { member(name, UniversalTime(time).text) }

    package mutating func members(of conversation: ConversationView) {
        switch conversation {
        case .publicRoom: member("conversation", "public")
        case .direct(let who):
            member("conversation", "direct")
            member("with", who)
        }
    }

    package mutating func members(of message: MessageView) {
        members(of: message.conversation)
        member("id", message.id.hexadecimal)
        member("from", message.from)
        member("text", message.text)
        member("action", message.action)
        member("sentAt", message.sentAt)
        member("receivedAt", message.receivedAt)
        member("isFromCurrentUser", message.isFromCurrentUser)
        member("history", message.isHistory)
        member("missed", message.isMissed)
        member("unread", message.unread)
        member("mention", message.isMention)
        member("replyTo", message.replyTo?.hexadecimal)
        list("reactions", message.reactions) { $0.members(of: $1) }
        if let delivery = message.delivery { member("delivery", delivery.rawValue) }
    }

    package mutating func members(of reaction: ReactionCount) {
        member("emoji", reaction.emoji)
        member("count", reaction.count)
        member("own", reaction.isOwn)
    }

    package mutating func members(of card: CardView) {
        member("id", card.id.hexadecimal)
        member("from", card.from)
        member("title", card.content.title)
        member("text", card.content.text)
        member("cardColor", card.content.color.name)
        member("sentAt", card.sentAt)
        member("expiresAt", card.expiresAt)
        member("isFromCurrentUser", card.isFromCurrentUser)
        member("history", card.isHistory)
    }

    package mutating func members(of status: OwnStatus) {
        member("state", status.state.name)
        member("reason", status.reason)
        member("about", status.about)
    }

    package mutating func members(of row: some PersonRow) {
        member("who", row.who)
        member("state", row.state.name)
        member("since", row.since)
        member("muted", row.isMuted)
        member("verified", row.isVerified)
        member("blocked", row.isBlocked)
        member("reason", row.reason)
        member("elsewhere", row.isElsewhere)
    }

    mutating func members(of profile: Profile) {
        member("about", profile.about)
        member("announced", profile.rooms)
    }

    package mutating func members(of peer: PeerView) {
        members(of: peer.row)
        member("roundTripMs") { $0.literal(peer.roundTrip.map { "\($0.milliseconds)" } ?? "null") }
    }

    package mutating func member(_ name: String, _ texts: [String]) {
        member(name) { $0.array { for text in texts { $0.string(text) } } }
    }

    /// An array of objects.
    package mutating func list<Element>(
        _ name: String, _ elements: some Sequence<Element>, _ members: (inout JSONWriter, Element) -> Void
    ) {
        member(name) {
            $0.array {
                for element in elements {
                    $0.object { members(&$0, element) }
                }
            }
        }
    }
}

extension PresenceState {
    /// The state's name in JSON.
    package var name: String {
        switch self {
        case .here: "online"
        case .away: "away"
        case .left: "offline"
        }
    }
}
