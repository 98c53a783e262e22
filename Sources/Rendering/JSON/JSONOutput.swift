package import Commands
import Chat
import ChatNode
import Phrases
package import Wire

/// Every report as one line of JSON on standard output. Members are only ever added.
package struct JSONOutput: Presentation {
    private let escaping: JSONEscaping

    package init(_ escaping: JSONEscaping = .forTerminals) { self.escaping = escaping }

    package func rendering(of report: RoomReport, at _: Timestamp) -> Rendering {
        var line = line(of: report)
        if !line.isEmpty { line.append(0x0a) }
        return Rendering(output: line)
    }

    /// The object of a report, without a line feed; empty for a report that has none.
    package func line(of report: RoomReport) -> [UInt8] {
        var writer = JSONWriter(escaping)
        let room = report.room.name
        switch report.report {
        case .event(.stopped), .entered, .viewed, .leaving, .snapshot, .entering: return []
        case .event(let event): writer.object { $0.members(of: event, in: room) }
        case .error(let error):
            writer.object {
                $0.member("event", "error")
                $0.member("room", room)
                $0.member("code", error.code.rawValue)
                $0.member("message", error.message)
            }
        case .opened(let conversation, recent: _):
            writer.object {
                $0.member("event", "opened")
                $0.member("room", room)
                $0.members(of: conversation)
            }
        case .listening(let place): writer.object { $0.members(of: place) }
        case .answer(let answer):
            writer.object {
                $0.member("event", "result")
                $0.member("command", answer.command)
                $0.member("room", room)
                answer.content.write(to: &$0)
            }
        }
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func members(of place: Listening) {
        member("event", "listening")
        member("face", place.face)
        if let url = place.url { member("url", url) }
        member("address", place.address)
        member("token", place.token)
    }

    fileprivate mutating func members(of event: NodeEvent, in room: String) {
        member("event", event.name)
        member("room", room)
        switch event {
        case .ready(let me, let port, room: _, isPrivate: _, let discovery): members(ofReady: me, port, discovery)
        case .peer(let state, let who, let reason, let was, let online):
            members(state, who, peers: online, reason, was, isElsewhere: false)
        case .elsewhere(let state, let who, let reason, let was):
            members(state, who, peers: nil, reason, was, isElsewhere: true)
        case .renamed(let me, let was): members(ofRenamed: me, was)
        case .status(let status, was: _): members(of: status)
        case .person(let row): members(of: row)
        case .blocked(let who, let isOn): members(ofBlocked: who, isOn)
        case .crowd(let came, let left, let online): members(ofCrowd: came, left, online)
        case .message(let message): members(of: message)
        case .request(let from, let text): members(ofRequest: from, text)
        case .direct(let change, let with):
            member("state", change.rawValue)
            member("with", with)
        case .invitation(let from, let room, let isThere): members(ofInvitation: from, room, isThere)
        case .edited(let message):
            members(of: message.conversation, message.id)
            member("text", message.text)
            member("action", message.action)
        case .deleted(let message): members(of: message.conversation, message.id)
        case .reacted(let reaction): members(of: reaction)
        case .card(let card): members(of: card)
        case .cardRemoved(let card, let end): members(ofRemoved: card, end)
        case .delivered(let with, let ids), .read(let with, let ids): members(with, ids)
        case .failed(let with, let messages): members(with, messages.map(\.id))
        case .typing(let who, let conversation, let isOn):
            member("who", who)
            members(of: conversation)
            member("on", isOn)
        case .notice(let code, let sentence):
            member("code", code.rawValue)
            member("message", sentence.text(in: .english))
        case .stopped: break
        }
    }
}

extension JSONWriter {
    private mutating func members(ofRemoved card: CardView, _ end: CardEnd) {
        member("id", card.id.hexadecimal)
        member("reason", end.rawValue)
    }

    private mutating func members(ofInvitation from: PeerName, _ room: Room, _ isThere: Bool) {
        member("from", from)
        members(of: room)
        member("there", isThere)
    }

    private mutating func members(of conversation: ConversationView, _ id: MessageID) {
        members(of: conversation)
        member("id", id.hexadecimal)
    }

    private mutating func members(of reaction: ReactionEvent) {
        members(of: reaction.message.conversation, reaction.message.id)
        member("from", reaction.by)
        member("emojis", reaction.emojis)
        list("reactions", reaction.message.reactions) { $0.members(of: $1) }
        member("isFromCurrentUser", reaction.isFromCurrentUser)
        member("history", reaction.isHistory)
    }

    private mutating func members(
        _ state: PresenceState, _ who: PeerName, peers: Int?, _ reason: String?, _ was: PeerSighting?,
        isElsewhere: Bool
    ) {
        member("state", state.name)
        member("who", who)
        if let peers { member("peers", peers) }
        member("reason", reason)
        member("elsewhere", isElsewhere)
        member("was") { writer in
            guard let was else { return writer.literal("null") }
            writer.object {
                $0.member("state", was.state.name)
                $0.member("who", was.who)
                $0.member("reason", was.reason)
            }
        }
    }

    private mutating func members(ofReady me: PeerName, _ port: UInt16, _ discovery: DiscoveryMode) {
        member("version", Version.current)
        member("self", me)
        member("port", Int(port))
        member("discovery", discovery.rawValue)
    }

    private mutating func members(ofRenamed me: PeerName, _ was: PeerName) {
        member("self", me)
        member("was", was)
    }

    private mutating func members(ofBlocked who: PeerName, _ isOn: Bool) {
        member("who", who)
        member("on", isOn)
    }

    private mutating func members(ofRequest from: PeerName, _ text: String) {
        member("from", from)
        member("text", text)
    }

    private mutating func members(ofCrowd came: Int, _ left: Int, _ online: Int) {
        member("came", came)
        member("left", left)
        member("peers", online)
    }

    /// Members of events about our messages to one peer.
    private mutating func members(_ with: PeerName, _ ids: [MessageID]) {
        member("with", with)
        member("ids") { $0.array { for id in ids { $0.string(id.hexadecimal) } } }
    }
}

extension NodeEvent {
    /// The value of the member `event`.
    fileprivate var name: String {
        switch self {
        case .ready: "ready"
        case .peer, .elsewhere: "peer"
        case .renamed: "renamed"
        case .status: "status"
        case .person: "person"
        case .blocked: "blocked"
        case .crowd: "crowd"
        case .message: "message"
        case .request: "request"
        case .direct: "direct"
        case .invitation: "invitation"
        case .edited: "edited"
        case .deleted: "deleted"
        case .reacted: "reacted"
        case .card: "card"
        case .cardRemoved: "cardRemoved"
        case .delivered: "delivered"
        case .read: "read"
        case .failed: "failed"
        case .typing: "typing"
        case .notice: "notice"
        case .stopped: "stopped"
        }
    }
}
