/// The capabilities that a client may ask for (IRCv3 "Capability Negotiation").
enum IRCCapability: String, CaseIterable, Sendable {
    case serverTime = "server-time"
    case messageTags = "message-tags"
    case echoMessage = "echo-message"
    case batch
    case labeledResponse = "labeled-response"
    case awayNotify = "away-notify"
    case extendedMonitor = "extended-monitor"
    case inviteNotify = "invite-notify"
    case multiPrefix = "multi-prefix"
    case setname
    case userhostInNames = "userhost-in-names"
    case accountTag = "account-tag"
    case accountNotify = "account-notify"
    case extendedJoin = "extended-join"
    case chghost
    case standardReplies = "standard-replies"
    case sasl
    case capNotify = "cap-notify"
    case chathistory = "draft/chathistory"
    case eventPlayback = "draft/event-playback"
    case messageRedaction = "draft/message-redaction"
    case messageEditing = "draft/message-editing"
    case readMarker = "draft/read-marker"
    case metadata = "draft/metadata-2"

    /// Its value in CAP LS 302; nil for none.
    private var value: String? {
        switch self {
        case .sasl: "PLAIN"
        case .metadata: "max-subs=8,max-keys=1"
        case .serverTime, .messageTags, .echoMessage, .batch, .labeledResponse, .awayNotify, .extendedMonitor,
            .inviteNotify, .multiPrefix, .setname, .userhostInNames, .accountTag, .accountNotify, .extendedJoin,
            .chghost, .standardReplies, .capNotify, .chathistory, .eventPlayback, .messageRedaction, .messageEditing,
            .readMarker:
            nil
        }
    }

    /// The list of CAP LS, in pieces that fit lines of 512 bytes.
    static func list(withValues: Bool) -> [String] {
        allCases.map { name in name.rawValue + (withValues ? name.value.map { "=\($0)" } ?? "" : "") }
            .joinedInLines(of: 400)
    }
}

extension [String] {
    /// The words, with spaces between them, in lines of at most so many bytes; one line at least.
    func joinedInLines(of most: Int) -> [String] {
        reduce(into: [""]) { lines, word in
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = word
            } else if last.utf8.count + 1 + word.utf8.count <= most {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(word)
            }
        }
    }
}
