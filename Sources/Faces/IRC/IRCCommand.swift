import Chat
import Commands
import Model
import Wire

/// A command that a client may send. The table is the only list of them.
struct IRCCommand: Sendable {
    typealias Run = @Sendable (inout IRCSession, IRCMessage, ChatModel) -> Void

    /// The parameters that it needs.
    let minimum: Int
    /// Whether it may come before the welcome.
    let isEarly: Bool
    let run: Run

    private init(_ minimum: Int, early isEarly: Bool = false, _ run: @escaping Run) {
        (self.minimum, self.isEarly, self.run) = (minimum, isEarly, run)
    }

    static let table: [String: IRCCommand] = [
        "CAP": IRCCommand(1, early: true) { $0.negotiate($1, $2) },
        "AUTHENTICATE": IRCCommand(1, early: true) { session, message, _ in session.authenticate(message) },
        "PASS": IRCCommand(1, early: true) { session, message, _ in session.takePassword(message) },
        "NICK": IRCCommand(0, early: true) { $0.takeNick($1, $2) },
        "USER": IRCCommand(4, early: true) { $0.takeUser($1, $2) },
        "PING": IRCCommand(0, early: true) { session, message, _ in session.answerPing(message) },
        "PONG": IRCCommand(0, early: true) { _, _, _ in },
        "QUIT": IRCCommand(0, early: true) { session, message, _ in session.close(message[0] ?? "the client left") },
        "JOIN": IRCCommand(1) { $0.join($1, $2) },
        "PART": IRCCommand(1) { $0.part($1, $2) },
        "NAMES": IRCCommand(0) { $0.names($1, $2) },
        "LIST": IRCCommand(0) { $0.list($1, $2) },
        "TOPIC": IRCCommand(1) { $0.topic($1, $2) },
        "MODE": IRCCommand(1) { $0.mode($1, $2) },
        "INVITE": IRCCommand(2) { $0.invite($1, $2) },
        "PRIVMSG": IRCCommand(0) { $0.say($1, $2) },
        "NOTICE": IRCCommand(0) { $0.say($1, $2) },
        "TAGMSG": IRCCommand(1) { $0.sayTags($1, $2) },
        "REDACT": IRCCommand(2) { $0.redact($1, $2) },
        "EDIT": IRCCommand(3) { $0.edit($1, $2) },
        "DECLINE": IRCCommand(1) { $0.mark($1, "decline", $2) },
        "IGNORE": IRCCommand(1) { $0.mark($1, "mute", $2) },
        "WHO": IRCCommand(0) { $0.who($1, $2) },
        "WHOIS": IRCCommand(0) { $0.whois($1, $2) },
        "WHOWAS": IRCCommand(0) { $0.whowas($1, $2) },
        "ISON": IRCCommand(1) { $0.ison($1, $2) },
        "USERHOST": IRCCommand(1) { $0.userhost($1, $2) },
        "MONITOR": IRCCommand(1) { $0.monitor($1, $2) },
        "AWAY": IRCCommand(0) { $0.away($1, $2) },
        "SETNAME": IRCCommand(1) { session, message, _ in session.setName(message) },
        "MOTD": IRCCommand(0) { session, _, chat in session.replyMessageOfTheDay(chat) },
        "LUSERS": IRCCommand(0) { session, _, chat in session.replyUsers(chat) },
        "VERSION": IRCCommand(0) { session, _, _ in session.replyVersion() },
        "TIME": IRCCommand(0) { session, _, _ in
            session.reply("391", ircServer, UniversalTime(session.entrance.now()).text)
        },
        "CHATHISTORY": IRCCommand(1) { $0.history($1, $2) },
        "MARKREAD": IRCCommand(1) { $0.markRead($1, $2) },
        "METADATA": IRCCommand(2) { $0.metadata($1, $2) },
    ]
}

extension IRCSession {
    mutating func perform(_ message: IRCMessage, _ chat: ChatModel) {
        guard let command = IRCCommand.table[message.command] else {
            guard phase == .welcomed else { return reply("451", "register first") }
            return reply("421", message.command, "there is no such command")
        }
        guard command.isEarly || phase == .welcomed else { return reply("451", "register first") }
        guard message.parameters.count >= command.minimum, command.minimum == 0 || message[0]?.isEmpty == false else {
            if message.command == "CHATHISTORY" || message.command == "METADATA" || message.command == "MARKREAD" {
                return fail(message.command, "NEED_MORE_PARAMS", [], "parameters are missing")
            }
            return reply("461", message.command, "parameters are missing")
        }
        command.run(&self, message, chat)
    }

    /// Refuses a command by the error of the node: a numeric reply where IRC has one, otherwise FAIL with the rule.
    mutating func refuse(_ message: IRCMessage, _ error: ChatError) {
        let text = DisplayGuard.safe(error.message)
        let name = message[0] ?? "*"
        switch (error.code, message.command) {
        case (.unknownPeer, _), (.ambiguousPeer, _): reply("401", name, text)
        case (.unknownRoom, _): reply("403", name, text)
        case (.invalidNickname, _): reply("432", name, text)
        case (.tooManyRooms, "JOIN"): reply("405", name, text)
        case (.invalidKey, "JOIN"): reply("475", name, text)
        case (.invalidRoom, "JOIN"): reply("476", name, text)
        case (.roomFailed, "JOIN"): reply("437", name, text)
        case (.notAccepted, "INVITE"): reply("482", message[1] ?? "*", text)
        case (_, "NOTICE"): break
        case (_, "METADATA"): fail("METADATA", "VALUE_INVALID", Array(message.parameters.dropFirst(2).prefix(1)), text)
        case (_, _):
            fail(message.command, error.code.rawValue.uppercased(), message[0].map { [$0] } ?? [], text)
        }
    }

    mutating func answerPing(_ message: IRCMessage) {
        guard let word = message[0], !word.isEmpty else { return reply("409", "a word is missing") }
        answer.append(IRCLine(ircServer, "PONG", [ircServer, word]))
    }

    /// The limits and abilities of the gateway (RPL_ISUPPORT).
    mutating func replySupport() {
        let tokens = [
            "AWAYLEN=80", "BOT=B", "CASEMAPPING=ascii", "CHANLIMIT=#:16", "CHANMODES=,k,,n", "CHANNELLEN=64",
            "CHANTYPES=#",
            "CLIENTTAGDENY=*,-typing,-draft/reply,-reply,-draft/react,-draft/unreact",
            "CHATHISTORY=\(MessageLog.capacity)", "KEYLEN=256", "LINELEN=\(IRCMessage.longestRest)",
            "MODES=0", "MONITOR=\(IRCSession.mostMonitored)", "MSGREFTYPES=msgid,timestamp",
            "NAMELEN=80", "NETWORK=Earshot", "NICKLEN=24", "PREFIX=(v)+", "STATUSMSG=",
            "TARGMAX=JOIN:,PART:,PRIVMSG:\(IRCSession.mostTargets),NOTICE:\(IRCSession.mostTargets)",
            "TOPICLEN=0", "UTF8ONLY", "WHOX",
        ]
        for start in stride(from: 0, to: tokens.count, by: 12) {
            reply("005", tokens[start..<min(start + 12, tokens.count)] + ["are supported here"])
        }
    }

    mutating func replyVersion() {
        reply("351", "earshot-\(Version.current)", ircServer, "A gateway to a chat without servers")
        replySupport()
    }

    mutating func replyUsers(_ chat: ChatModel) {
        let online = chat.rooms.reduce(1) { $0 + $1.online }
        reply("251", "There are \(online) users and 0 invisible on 1 server")
        reply("252", "0", "operators are online")
        reply("254", "\(chat.rooms.count)", "channels are formed")
        reply("255", "I have \(online) clients and 0 servers")
        reply("265", "\(online)", "\(online)", "Current local users \(online), max \(online)")
        reply("266", "\(online)", "\(online)", "Current global users \(online), max \(online)")
    }

    mutating func replyMessageOfTheDay(_ chat: ChatModel) {
        let rooms = chat.rooms.map { channel(of: $0, chat) }.joined(separator: " ")
        reply("375", "- Message of the day")
        for line in [
            "You are \(directory.own) here; no other user knows more of you.", "Your node is in: \(rooms)",
            "JOIN one of them, or another room; the key of a private one is its words.",
        ] {
            reply("372", "- \(line)")
        }
        reply("376", "End of the message of the day")
    }

    mutating func setName(_ message: IRCMessage) {
        guard capabilities.contains(.setname) else { return reply("421", "SETNAME", "ask for the capability first") }
        guard message.parameters[0].count <= 80 else {
            return fail("SETNAME", "INVALID_REALNAME", [], "a name has 80 characters at most")
        }
        // Peers never hear of it.
        answer.append(IRCLine(ownMask, "SETNAME", [message.parameters[0]]))
    }

    mutating func away(_ message: IRCMessage, _ chat: ChatModel) {
        let reason = message[0].flatMap { $0.isEmpty ? nil : IRCSession.withoutFormats($0) }
        let values = reason.map { ["text": Operands.Value.text($0)] } ?? [:]
        ask(named: reason == nil ? "back" : "away", values, in: ownPlace(chat), for: message) { session, _, _ in
            if reason == nil {
                session.reply("305", "You are here again")
            } else {
                session.reply("306", "You are away")
            }
        }
    }

    /// MODE: nothing is to be changed.
    mutating func mode(_ message: IRCMessage, _ chat: ChatModel) {
        let name = message.parameters[0]
        if let room = room(ofChannel: name, chat) {
            let channel = channel(of: room, chat)
            guard let change = message[1] else {
                return reply("324", channel, room.isPrivate ? "+kn" : "+n")
            }
            let letters = change.filter { $0 != "+" && $0 != "-" }
            if letters == "b" || letters == "e" || letters == "I", message[2] == nil {
                return reply("368", channel, "End of the list of bans")
            }
            return reply("482", channel, "a room has no operators")
        }
        if name.utf8.first == UInt8(ascii: "#") { return reply("403", name, "there is no such channel here") }
        guard IRCDirectory.folded(name) == IRCDirectory.folded(directory.own) else {
            return user(called: name, chat) == nil
                ? reply("401", name, "there is no such nick") : reply("502", "modes of others are theirs")
        }
        // Clients set modes of their own when they begin, and there are none.
        reply("221", "+")
    }
}
