import Chat
import Hub
import Wire

/// A message to the client with the text in it, which may have to be forgotten before the client takes it.
struct IRCLine: Hashable, Sendable {
    var message: IRCMessage
    /// Nil for a line without a text of a room.
    var topic: EventTopic?

    init(
        _ source: String?, _ command: String, _ parameters: [String], tags: [(String, String?)] = [],
        of topic: EventTopic? = nil
    ) {
        message = IRCMessage(source, command, parameters, tags: tags)
        self.topic = topic
    }

    mutating func tag(_ name: String, _ value: String) {
        message.tags.insert(IRCMessage.Tag(name: name, value: value), at: 0)
    }
}

/// The name of the gateway in its own messages: no nick has a dot.
let ircServer = "gateway.earshot"
