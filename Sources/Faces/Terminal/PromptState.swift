import Commands
import Rendering
import Chat
import ChatNode
import LineEditor
import Wire

/// The content of the prompt: the open conversation, the people present, unread counts, and typing peers.
struct PromptState: Sendable {
    private var conversation = ConversationView.publicRoom
    private var peers = 0
    private var unread: [Place: Unread] = [:]
    private var typing: [Typist] = []

    private enum Place: Hashable {
        case publicRoom
        case direct(PeerID)

        init(_ conversation: ConversationView) {
            switch conversation {
            case .publicRoom: self = .publicRoom
            case .direct(let who): self = .direct(who.key)
            }
        }
    }

    private struct Unread {
        let label: String
        let count: Int
    }

    private struct Typist {
        let key: PeerID
        let place: Place
        let name: String
    }

    /// `public · 3 peers · #4821 (2) > `, or less of it where that would take more than half of a row.
    package func text(columns: Int) -> String {
        let here = PromptState.label(conversation)
        let others = unread.filter { $0.key != Place(conversation) }.values
        let elsewhere = others.map { "\($0.label) (\($0.count))" }.sorted()
        let total = others.reduce(0) { $0 + $1.count }
        let sum = total == 0 ? [] : ["(\(total))"]
        let forms = [
            [here, "\(peers) \(peers == 1 ? "peer" : "peers")"] + elsewhere, [here, "\(peers)"] + elsewhere,
            [here, "\(peers)"] + sum, [here] + sum,
        ].map { $0.joined(separator: " · ") + " > " }
        return forms.first { 2 * DisplayWidth.of($0) <= columns } ?? "> "
    }

    /// `quiet-otter#4821 is typing`, for the open conversation; nil if no peer is typing.
    var typists: String? {
        let names = typing.filter { $0.place == Place(conversation) }.map(\.name)
        switch names.count {
        case 0: return nil
        case 1: return "\(names[0]) is typing"
        case 2: return "\(names[0]) and \(names[1]) are typing"
        default: return "\(names.count) people are typing"
        }
    }

    package mutating func note(_ report: Report) {
        switch report {
        case .event(.peer(let state, let who, reason: _, let online)):
            peers = online
            if state == .left { typing.removeAll { $0.key == who.key } }
        case .event(.message(let message)): set(message.unread, in: message.conversation)
        case .event(.edited(let conversation, _, text: _, let unread)): set(unread, in: conversation)
        case .event(.deleted(let conversation, _, let unread)): set(unread, in: conversation)
        case .event(.direct(.left, let who)): unread[.direct(who.key)] = nil
        case .event(.typing(let who, let conversation, let isOn)): note(who, in: Place(conversation), isOn: isOn)
        case .answer(.active(_, let conversation)):
            self.conversation = conversation
            set(0, in: conversation)
        case .event, .error, .answer, .entered: break
        }
    }

    private mutating func note(_ who: PeerName, in place: Place, isOn: Bool) {
        typing.removeAll { $0.key == who.key && $0.place == place }
        guard isOn, typing.count < Limits.links else { return }
        typing.append(Typist(key: who.key, place: place, name: PlainName.of(who)))
    }

    private mutating func set(_ count: Int, in conversation: ConversationView) {
        unread[Place(conversation)] =
            count == 0 ? nil : Unread(label: PromptState.label(conversation), count: count)
    }

    private static func label(_ conversation: ConversationView) -> String {
        switch conversation {
        case .publicRoom: "public"
        case .direct(let who): who.numberText
        }
    }
}
