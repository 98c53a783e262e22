import Chat
import ChatNode
import Commands
import Model
import Wire

/// Texts and tags of the client.
extension IRCSession {
    /// A place to say something: a channel, or a peer.
    struct Target: Hashable, Sendable {
        let place: ConversationID
        /// Nil for a channel.
        let user: IRCUser?
    }

    /// - Returns: nil behind an answer, if the client can say nothing there.
    private mutating func target(_ name: String, of message: IRCMessage, _ chat: ChatModel) -> Target? {
        if name.utf8.first == UInt8(ascii: "#") {
            guard let room = room(ofChannel: name, chat) else {
                let text = "there is no such channel here"
                switch message.command {
                case "NOTICE": break
                case "REDACT", "EDIT": fail(message.command, "INVALID_TARGET", [DisplayGuard.safe(name)], text)
                case _: reply("403", DisplayGuard.safe(name), text)
                }
                return nil
            }
            guard channels.contains(room.label.number) else {
                if message.command != "NOTICE" { reply("404", DisplayGuard.safe(name), "you are not in the channel") }
                return nil
            }
            return Target(place: ConversationID(room: room.label.number), user: nil)
        }
        guard let user = user(called: name, chat), let id = user.id else {
            let isOwn = IRCDirectory.folded(name) == IRCDirectory.folded(directory.own)
            if message.command != "NOTICE" {
                reply("401", DisplayGuard.safe(name), isOwn ? "this is you" : "there is no such nick")
            }
            return nil
        }
        return Target(place: id, user: user)
    }

    /// Recipients of one text.
    static let mostTargets = 4

    /// PRIVMSG and NOTICE.
    mutating func say(_ message: IRCMessage, _ chat: ChatModel) {
        guard let names = message[0], !names.isEmpty else { return reply("411", "no recipient is given") }
        guard let given = message[1], !given.utf8.allSatisfy({ $0 == 1 }) else {
            return reply("412", "no text is given")
        }
        let list = names.split(separator: ",").map(String.init).reduce(into: [String]()) { list, name in
            if !list.contains(where: { IRCDirectory.folded($0) == IRCDirectory.folded(name) }) { list.append(name) }
        }
        if list.count > IRCSession.mostTargets {
            return reply("407", names, "\(IRCSession.mostTargets) recipients are the most")
        }
        guard list.count == 1 else {
            return split(
                list.map { name in
                    var part = message
                    part.parameters[0] = name
                    return part
                })
        }
        if given.utf8.first == 1 { return control(given, message, chat) }
        guard let target = target(list[0], of: message, chat) else { return }
        let text = IRCSession.spoken(given)
        let reference = message[tag: "+draft/reply"] ?? message[tag: "+reply"]
        let replyTo = reference.flatMap { MessageID(hexadecimal: $0) }
        if let key = target.place.peer {
            ask(.message(who: key.hexadecimal, text: text, replyTo: replyTo), in: target.place, for: message)
            tellAbsence(of: target.user)
        } else {
            ask(.sayToRoom(text, replyTo: replyTo), in: target.place, for: message)
        }
    }

    private mutating func tellAbsence(of user: IRCUser?) {
        if let user, let reason = user.reason { reply("301", user.nick, reason) }
    }

    /// A text with a command of clients (CTCP) in it. All but actions are about the client, of which peers hear nothing.
    private mutating func control(_ given: String, _ message: IRCMessage, _ chat: ChatModel) {
        let inner = String(decoding: given.utf8.dropFirst().prefix { $0 != 1 }, as: UTF8.self)
        let words = inner.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let name = words.first.map { $0.uppercased() } ?? ""
        let rest = words.count > 1 ? String(words[1]) : ""
        // An answer to a question of a peer, of which there is none.
        guard message.command != "NOTICE" else { return }
        switch name {
        case "ACTION":
            guard let target = target(message.parameters[0], of: message, chat) else { return }
            let values = ["text": Operands.Value.text(IRCSession.withoutFormats(rest))]
            ask(named: "me", values, in: target.place, for: message)
        case "VERSION": answerControl("VERSION Earshot \(Version.current), a gateway of this node")
        case "PING": answerControl("PING \(DisplayGuard.safe(String(rest.prefix(64))))")
        case _:
            fail(message.command, "CTCP_REFUSED", [message.parameters[0]], "no \(name.prefix(16)) reaches a peer")
        }
    }

    private mutating func answerControl(_ text: String) {
        answer.append(IRCLine(ircServer, "NOTICE", [directory.own, "\u{1}\(text)\u{1}"]))
    }

    /// A text without formats, that is none of the node's commands if it begins like one.
    private static func spoken(_ text: String) -> String {
        let plain = withoutFormats(text)
        return plain.utf8.first == UInt8(ascii: "/") ? "/" + plain : plain
    }

    /// The text without the colours and styles of clients, and other control characters.
    static func withoutFormats(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        func skip(most: Int, where isPart: (Unicode.Scalar) -> Bool) {
            for _ in 0..<most { if let next = rest.first, isPart(next) { rest.removeFirst() } }
        }
        let isDigit = { (scalar: Unicode.Scalar) in ("0"..."9").contains(scalar) }
        while let scalar = rest.popFirst() {
            switch scalar.value {
            case 0x03, 0x04:
                let isPart = scalar.value == 3 ? isDigit : { $0.properties.isASCIIHexDigit }
                let most = scalar.value == 3 ? 2 : 6
                let before = rest.startIndex
                skip(most: most, where: isPart)
                if rest.startIndex != before, rest.first == ",", let next = rest.dropFirst().first, isPart(next) {
                    rest.removeFirst()
                    skip(most: most, where: isPart)
                }
            case 0x00..<0x20, 0x7f: break
            case _: result.append(scalar)
            }
        }
        return String(result)
    }

    /// TAGMSG: typing (IRCv3 "typing client tag") and reactions ("react client tag"); other tags say nothing to peers.
    mutating func sayTags(_ message: IRCMessage, _ chat: ChatModel) {
        guard let target = target(message.parameters[0], of: message, chat) else { return }
        if let emoji = message[tag: "+draft/react"] { return react(emoji, "react", message, target) }
        if let emoji = message[tag: "+draft/unreact"] { return react(emoji, "unreact", message, target) }
        guard let typing = message[tag: "+typing"] ?? message[tag: "+draft/typing"],
            ["active", "paused", "done"].contains(typing)
        else { return }
        ask(.typing(typing == "active"), in: target.place, for: message, failed: .silently) { session, _, _ in
            guard session.capabilities.contains(.echoMessage) else { return }
            let tags = [("+typing", typing)] as [(String, String?)]
            session.answer.append(IRCLine(session.ownMask, "TAGMSG", [message.parameters[0]], tags: tags))
        }
    }

    private mutating func react(_ emoji: String, _ command: String, _ message: IRCMessage, _ target: Target) {
        guard let id = message[tag: "+draft/reply"] ?? message[tag: "+reply"] else {
            return fail("TAGMSG", "NO_MESSAGE", [message.parameters[0]], "a reaction has +draft/reply with a msgid")
        }
        ask(named: command, ["id": .text(id), "emoji": .text(emoji)], in: target.place, for: message)
    }

    /// REDACT (IRCv3 "Message Redaction").
    mutating func redact(_ message: IRCMessage, _ chat: ChatModel) {
        guard let place = placeOfOwn(message, chat) else { return }
        ask(named: "delete", ["id": .text(message.parameters[1])], in: place, for: message)
    }

    /// The conversation that a command about a message names.
    ///
    /// - Returns: nil behind an answer, if there is no such message of the user in it: the text of one conversation is never said in another.
    private mutating func placeOfOwn(_ message: IRCMessage, _ chat: ChatModel) -> ConversationID? {
        guard let target = target(message.parameters[0], of: message, chat) else { return nil }
        let (command, context) = (message.command, Array(message.parameters.prefix(2)))
        let found = MessageID(hexadecimal: context[1]).flatMap { chat.conversation(target.place)?.log[$0] }
        guard let found else {
            fail(command, "UNKNOWN_MSGID", context, "there is no such message")
            return nil
        }
        guard found.isFromCurrentUser else {
            fail(command, "\(command)_FORBIDDEN", context, "the message is of another user")
            return nil
        }
        return target.place
    }

    /// EDIT (draft/message-editing).
    mutating func edit(_ message: IRCMessage, _ chat: ChatModel) {
        guard let place = placeOfOwn(message, chat) else { return }
        // The edit of an action is one in any case.
        let given = message.parameters[2]
        let action = given.utf8.starts(with: "\u{1}ACTION ".utf8) ? given.dropFirst(8) : given[...]
        let values = [
            "id": Operands.Value.text(message.parameters[1]), "text": .text(IRCSession.spoken(String(action))),
        ]
        ask(named: "edit", values, in: place, for: message)
    }

    /// DECLINE and IGNORE: commands about a peer.
    mutating func mark(_ message: IRCMessage, _ command: String, _ chat: ChatModel) {
        guard let user = user(called: message.parameters[0], chat), let id = user.id, let key = id.peer else {
            return reply("401", DisplayGuard.safe(message.parameters[0]), "there is no such nick")
        }
        ask(named: command, ["who": .text(key.hexadecimal)], in: id, for: message) { session, _, _ in
            let text =
                command == "mute" ? "what \(user.nick) says is hidden" : "the request of \(user.nick) is declined"
            session.answer.append(IRCLine(ircServer, "NOTICE", [session.directory.own, text]))
        }
    }
}
