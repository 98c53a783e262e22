package import Commands
package import Chat
package import ChatNode
import Phrases
package import Wire

/// Members that events and answers share.
extension JSONWriter {
    package mutating func member(_ name: String, _ who: PeerName) {
        member(name) {
            $0.object {
                $0.member("number", who.number)
                $0.member("suffix", who.suffix)
                $0.member("nickname", who.nickname)
                $0.member("stage", "\(who.stage)")
                $0.member("displayName", who.displayName)
                $0.member("key", who.key.hexadecimal)
                if let contact = who.contact { $0.member("contact", contact) }
            }
        }
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
        member("sentAt", message.sentAt)
        member("receivedAt", message.receivedAt)
        member("isFromCurrentUser", message.isFromCurrentUser)
        member("history", message.isHistory)
        member("missed", message.isMissed)
        member("unread", message.unread)
        member("mention", message.isMention)
        if let delivery = message.delivery { member("delivery", delivery.rawValue) }
    }

    private mutating func members(of peers: [PeerView], _ here: Int?) {
        list("peers", peers) { $0.members(of: $1) }
        member("here", here ?? peers.count { $0.state != .left })
    }

    package mutating func members(of answer: Answer) {
        switch answer {
        case .peers(let peers, isWhole: _, let here): members(of: peers, here)
        case .requests(let requests):
            list("requests", requests) { $0.members(of: $1) }
        case .found(_, let conversation, let messages), .history(let conversation, let messages):
            members(of: conversation)
            list("messages", messages) { $0.members(of: $1) }
        case .unread(let rooms): members(ofConversationsIn: rooms)
        case .rooms(let list): members(of: list)
        case .invited(let who, let room): members(with: who, to: room)
        case .joined: members(of: .publicRoom)
        case .made(let key): member("key", key)
        case .announced(let rooms): member("rooms") { $0.array { for room in rooms { $0.string(room) } } }
        case .contacts(let contacts): list("contacts", contacts) { $0.members(of: $1) }
        case .blocked(let peers): list("peers", peers) { $0.member("who", $1) }
        case .parted(let left, let conversation, recent: _):
            member("left", left.name)
            members(of: conversation)
        case .statistics(let counters):
            for counter in counters { member(counter.metric.name, counter.value) }
        case .help(let entries): list("commands", entries) { $0.members(of: $1) }
        case .active(_, let conversation, recent: _): members(of: conversation)
        case .whoami(let me, room: _, let profile): members(me, profile)
        case .bridge(let view): members(of: view)
        case .person(let peer, let code):
            members(of: peer)
            members(of: peer.profile)
            member("code", code)
        case .done(_, let who): member("who", who)
        case .verification(let who, let code, let isVerified, let isKept):
            member("with", who)
            member("code", code)
            member("verified", isVerified)
            member("kept", isKept)
        case .wiped(let lost, let files):
            members(of: lost)
            member("files") { $0.array { for file in files { $0.string(file) } } }
        }
    }

    private mutating func members(_ me: PeerName, _ profile: Profile) {
        member("who", me)
        members(of: profile)
    }

    private mutating func members(of bridge: BridgeView) {
        member("allowed", bridge.consents)
        member("bridged", bridge.isBridged)
        member("state", bridge.state?.text(in: .english))
    }

    private mutating func members(with who: PeerName, to room: String) {
        member("with", who)
        member("to", room)
    }

    private mutating func members(of all: RoomList) {
        list("rooms", all.rooms) { $0.members(of: $1) }
        list("announced", all.announced) {
            $0.member("name", $1.name)
            $0.member("people", $1.people)
        }
        list("invitations", all.invitations) {
            $0.member("from", $1.from)
            $0.members(of: $1.room)
        }
    }

    private mutating func members(of entry: CommandEntry) {
        member("usage", entry.usage)
        member("does", entry.help.english)
    }

    private mutating func members(of lost: MemoryUsage) {
        member("conversations", lost.conversations)
        member("messages", lost.messages)
        member("peers", lost.peers)
    }

    private mutating func members(ofConversationsIn rooms: [RoomOverview]) {
        let conversations = rooms.flatMap { room in room.conversations.map { (room.room.name, $0) } }
        let requests = rooms.flatMap { room in room.requests.map { (room.room.name, $0) } }
        list("conversations", conversations) {
            $0.member("room", $1.0)
            $0.members(of: $1.1)
        }
        list("requests", requests) {
            $0.member("room", $1.0)
            $0.members(of: $1.1)
        }
    }

    private mutating func members(of request: (who: PeerName, text: String)) {
        member("from", request.who)
        member("text", request.text)
    }

    private mutating func members(of room: RoomOverview) {
        member("room", room.room.name)
        member("open", room.isOpen)
        member("private", room.isPrivate)
        member("bridged", room.isBridged)
        member("self", room.me)
        member("peers", room.online)
        member("unread", room.unread)
    }

    private mutating func members(of contact: ContactView) {
        member("who", contact.who)
        member("lastHere") { $0.literal(contact.lastHere.map { "\"\(UniversalTime($0).text)\"" } ?? "null") }
        member("here") { $0.array { for room in contact.rooms { $0.string(room.name) } } }
        member("verified", contact.isVerified)
    }

    private mutating func members(of profile: Profile) {
        member("about", profile.about)
        member("announced") { $0.array { for room in profile.rooms { $0.string(room) } } }
    }

    package mutating func members(of peer: PeerView) {
        member("who", peer.who)
        member("state", peer.state.name)
        member("since", peer.since)
        member("roundTripMs") { $0.literal(peer.roundTrip.map { Milliseconds($0).text } ?? "null") }
        member("muted", peer.isMuted)
        member("verified", peer.isVerified)
        member("blocked", peer.isBlocked)
        member("reason", peer.reason)
        member("elsewhere", peer.isElsewhere)
    }

    private mutating func members(of summary: ConversationSummary) {
        members(of: summary.conversation)
        member("unread", summary.unread)
        member("last") { writer in
            guard let last = summary.last else { return writer.literal("null") }
            writer.object { $0.members(of: last) }
        }
    }

    private mutating func list<Element>(
        _ name: String, _ elements: [Element], _ members: (inout JSONWriter, Element) -> Void
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
    var name: String {
        switch self {
        case .here: "online"
        case .away: "away"
        case .left: "offline"
        }
    }
}
