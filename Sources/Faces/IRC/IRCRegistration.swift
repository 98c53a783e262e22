import Chat
import Commands
import Hub
import Model
import Noise
import Wire

/// The state of a client that is not welcomed yet (RFC 2812 section 3.1, IRCv3 "Capability Negotiation" and "SASL 3.1").
struct IRCRegistration: Hashable, Sendable {
    /// Whether the token was shown.
    var hasToken: Bool
    var nick: String?
    var hasUser = false
    var negotiates = false
    /// The response of SASL PLAIN in base64 as far as it came; nil outside of an exchange.
    var response: String?

    init(hasToken: Bool) { self.hasToken = hasToken }

    var isWhole: Bool { nick != nil && hasUser && !negotiates }
}

extension IRCSession {
    /// Welcomes the client once it has said all that is needed.
    mutating func registerIfWhole(_ chat: ChatModel) {
        guard phase == .registering, registration.isWhole, let asked = registration.nick else { return }
        guard registration.hasToken else { return refuseToken("464", "the token is missing or wrong") }
        let host = "u@\(ownHost)"
        welcome()
        if asked != directory.own { tell([IRCLine("\(asked)!\(host)", "NICK", [directory.own])]) }
        reply("001", "Welcome to Earshot, \(directory.own)!\(host)")
        reply("002", "Your host is \(ircServer), running version \(Version.current)")
        reply("003", "This gateway lives as long as its node")
        reply("004", ircServer, "earshot-\(Version.current)", "iB", "knv", "kv")
        replySupport()
        replyUsers(chat)
        replyMessageOfTheDay(chat)
        answer += arrivals(chat) + openQuestions(chat)
    }

    private mutating func refuseToken(_ number: String, _ text: String) {
        countRefusal()
        reply(number, text)
        close(text)
    }

    /// CAP.
    mutating func negotiate(_ message: IRCMessage, _ chat: ChatModel) {
        let step = message.parameters[0].uppercased()
        if phase == .registering, step == "LS" || step == "REQ" { registration.negotiates = true }
        switch step {
        case "LS":
            let isNew = message[1].flatMap { Int($0) }.map { $0 >= 302 } ?? false
            let list = IRCCapability.list(withValues: isNew)
            if isNew { capabilities.insert(.capNotify) }
            guard isNew else { return reply("CAP", "LS", list.joined(separator: " ")) }
            for (index, line) in list.enumerated() {
                reply("CAP", ["LS"] + (index < list.count - 1 ? ["*"] : []) + [line])
            }
        case "LIST":
            let list = IRCCapability.allCases.filter(capabilities.contains).map(\.rawValue).joinedInLines(of: 400)
            for (index, line) in list.enumerated() {
                reply("CAP", ["LIST"] + (index < list.count - 1 ? ["*"] : []) + [line])
            }
        case "REQ": request(message[1] ?? "")
        case "END":
            registration.negotiates = false
            registerIfWhole(chat)
        case _: reply("410", message.parameters[0], "there is no such CAP command")
        }
    }

    /// Takes all of a request or nothing.
    private mutating func request(_ text: String) {
        var wanted = capabilities
        for word in text.split(separator: " ") {
            let isOff = word.first == "-"
            guard let capability = IRCCapability(rawValue: String(isOff ? word.dropFirst() : word)) else {
                return reply("CAP", "NAK", text)
            }
            // It can not be turned off by a client of version 302, and costs nothing.
            if isOff { wanted.remove(capability) } else { wanted.insert(capability) }
        }
        capabilities = wanted
        reply("CAP", "ACK", text)
    }

    /// PASS.
    mutating func takePassword(_ message: IRCMessage) {
        guard phase == .registering else { return reply("462", "the registration is over") }
        guard entrance.token.isEqual(to: message.parameters[0]) else {
            return refuseToken("464", "the token is wrong")
        }
        registration.hasToken = true
    }

    /// AUTHENTICATE (RFC 4616: PLAIN, with the token as the password).
    mutating func authenticate(_ message: IRCMessage) {
        let piece = message.parameters[0]
        guard phase == .registering, !registration.hasToken || registration.response != nil else {
            return reply("907", "the token was shown already")
        }
        guard let before = registration.response else {
            guard piece.uppercased() == "PLAIN" else {
                reply("908", "PLAIN", "are the mechanisms")
                return reply("904", "there is no such mechanism")
            }
            registration.response = ""
            return answer.append(IRCLine(nil, "AUTHENTICATE", ["+"]))
        }
        guard piece != "*" else {
            registration.response = nil
            return reply("906", "the exchange is aborted")
        }
        guard piece.utf8.count <= 400, before.utf8.count <= 800 else {
            registration.response = nil
            return reply("905", "the response is too long")
        }
        let response = before + (piece == "+" ? "" : piece)
        registration.response = response
        if piece.utf8.count == 400 { return }
        registration.response = nil
        let fields = Base64.decode(response).map { $0.split(separator: 0, omittingEmptySubsequences: false) } ?? []
        guard fields.count == 3, entrance.token.isEqual(to: String(decoding: fields[2], as: UTF8.self)) else {
            return refuseToken("904", "the token is wrong")
        }
        registration.hasToken = true
        reply("900", "*!*@*", ircServer, "You are let in")
        reply("903", "The token is right")
    }

    /// NICK: before the welcome a client names itself as it likes, and is called as the node is; later it renames the node.
    mutating func takeNick(_ message: IRCMessage, _ chat: ChatModel) {
        guard let nick = message[0], !nick.isEmpty else { return reply("431", "no nick is given") }
        guard IRCDirectory.legal(nick) == nick, nick.count <= 24 else {
            return reply("432", DisplayGuard.safe(nick), "a nick has 24 letters, digits and marks at most")
        }
        guard phase == .welcomed else {
            registration.nick = nick
            return registerIfWhole(chat)
        }
        if !directory.users(nick).isEmpty { return reply("433", nick, "another user has this nick") }
        if nick != directory.own { ask(named: "nick", ["name": .text(nick)], in: ownPlace(chat), for: message) }
    }

    /// USER: nothing of it is kept.
    mutating func takeUser(_ message: IRCMessage, _ chat: ChatModel) {
        guard phase == .registering else { return reply("462", "the registration is over") }
        guard message[3]?.isEmpty == false else { return reply("461", "USER", "a name is missing") }
        registration.hasUser = true
        registerIfWhole(chat)
    }
}
