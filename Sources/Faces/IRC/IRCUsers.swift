import Chat
import ChatNode
import Commands
import Model
import Wire

/// A user as replies show it: a peer of a room, or the user of the node.
struct IRCUser: Hashable, Sendable {
    /// Nil for the user of the node.
    let id: ConversationID?
    let nick: String
    let host: String
    /// The name with its number, as every face shows it.
    let realname: String
    let isAway: Bool
    /// Nil unless it is away; safe for display.
    let reason: String?
    let isHere: Bool
    let isVerified: Bool

    var mask: String { "\(nick)!u@\(host)" }
    /// The flags of WHO.
    var flags: String { (isAway ? "G" : "H") + (isVerified ? "+" : "") }
}

/// Users and their nicks.
extension IRCSession {
    static func host(of key: PeerID) -> String { "\(key.hexadecimal.prefix(8)).earshot" }

    var ownHost: String { ownKey.map(IRCSession.host) ?? ircServer }
    var ownMask: String { "\(directory.own)!u@\(ownHost)" }

    /// The room whose name, presence and profile the client changes: the first one, as the same words in all rooms would tell that
    /// these are one user.
    func ownRoom(_ chat: ChatModel) -> ModelRoom? { chat.rooms.first { $0.me != nil && !$0.isLeaving } }

    func ownPlace(_ chat: ChatModel) -> ConversationID? { ownRoom(chat).map { ConversationID(room: $0.label.number) } }

    func mask(of who: PeerName, nick: String) -> String { "\(nick)!u@\(IRCSession.host(of: who.key))" }

    mutating func mask(of who: PeerName, in room: RoomLabel, _ chat: ChatModel) -> String {
        if let me = chat.room(room.number)?.me, me.key == who.key { return ownMask }
        return mask(of: who, nick: nick(of: who, in: room, chat))
    }

    /// The nick of a peer by its present name: a message has the name of its time.
    mutating func nick(of who: PeerName, in room: RoomLabel, _ chat: ChatModel) -> String {
        let present = chat.room(room.number)?.people[who.key]?.who
        let known = directory.name(of: ConversationID(room: room.number, peer: who.key))
        return directory.nick(of: present ?? known ?? who, in: room.number, chat)
    }

    mutating func user(_ person: ModelPerson, in room: RoomLabel, _ chat: ChatModel) -> IRCUser {
        IRCUser(
            id: ConversationID(room: room.number, peer: person.who.key),
            nick: directory.nick(of: person.who, in: room.number, chat), host: IRCSession.host(of: person.who.key),
            realname: person.who.displayName, isAway: person.state == .away,
            reason: person.state == .away ? DisplayGuard.safe(person.reason ?? "away") : nil, isHere: person.isHere,
            isVerified: person.isVerified)
    }

    func ownUser(in room: ModelRoom?) -> IRCUser {
        let isAway = room?.status.state == .away
        return IRCUser(
            id: nil, nick: directory.own, host: ownHost, realname: room?.me?.displayName ?? directory.own,
            isAway: isAway, reason: isAway ? DisplayGuard.safe(room?.status.reason ?? "away") : nil, isHere: true,
            isVerified: false)
    }

    /// The user with a nick; nil if there is none. Peers get their nicks when they are first shown, so others are looked for by name.
    mutating func user(called nick: String, _ chat: ChatModel) -> IRCUser? {
        let folded = IRCDirectory.folded(nick)
        if folded == IRCDirectory.folded(directory.own) { return ownUser(in: ownRoom(chat)) }
        if directory.users(nick).isEmpty {
            for room in chat.rooms {
                for person in room.people.all where !person.isBlocked {
                    let name = IRCDirectory.folded(IRCDirectory.legal(person.who.contact ?? person.who.nickname))
                    guard name.isEmpty || folded.utf8.starts(with: name.utf8) else { continue }
                    _ = directory.nick(of: person.who, in: room.label.number, chat)
                }
            }
        }
        let users = directory.users(nick)
        // Of a key that is in several rooms, the one that the client talks to.
        let talking = users.first {
            chat.conversation($0)?.standing == .accepted || chat.conversation($0)?.request != nil
        }
        guard let id = talking ?? users.first(where: { isHere($0, chat) }) ?? users.first, let key = id.peer,
            let room = chat.room(id.room)
        else { return nil }
        if let person = room.people[key] { return user(person, in: room.label, chat) }
        guard let who = directory.name(of: id) else { return nil }
        // Of a crowd, not each peer is known.
        return IRCUser(
            id: id, nick: directory[id] ?? nick, host: IRCSession.host(of: key), realname: who.displayName,
            isAway: false,
            reason: nil, isHere: room.isCrowd, isVerified: false)
    }

    private func isHere(_ user: ConversationID, _ chat: ChatModel) -> Bool {
        user.peer.map { chat.room(user.room)?.people[$0]?.isHere ?? false } ?? false
    }

    /// The rooms in which a user is here under its nick.
    func rooms(of user: IRCUser, _ chat: ChatModel) -> [ModelRoom] {
        guard user.id != nil else { return chat.rooms }
        let users = directory.users(user.nick).filter { isHere($0, chat) }
        return chat.rooms.filter { room in users.contains { $0.room == room.label.number } }
    }

    /// Learns the name and key of the user, and tells the client of a new nick.
    mutating func follow(_ chat: ChatModel) {
        guard let me = ownRoom(chat)?.me else { return }
        let (before, mask) = (directory.own, ownMask)
        ownKey = me.key
        directory.setOwn(me.nickname, chat)
        guard phase == .welcomed else { return }
        guard before != directory.own else { return }
        let line = IRCLine(mask, "NICK", [directory.own])
        if performs("NICK") { answer.append(line) } else { tell([line]) }
    }

    /// Tells of peers whose nicks have changed, as far as the client can see them.
    mutating func renameLines(_ chat: ChatModel) -> [IRCLine] {
        directory.takeRenames().flatMap { rename -> [IRCLine] in
            guard let key = rename.user.peer else { return [] }
            let end = "!u@\(IRCSession.host(of: key))"
            let (was, now) = (IRCDirectory.folded(rename.was), IRCDirectory.folded(rename.nick))
            let isWatched = was == now ? (false, false) : (monitored[was] != nil, monitored[now] != nil)
            return (isSeen(rename.user, chat) ? [IRCLine(rename.was + end, "NICK", [rename.nick])] : [])
                + (isWatched.0 ? [IRCLine(ircServer, "731", [directory.own, rename.was])] : [])
                + (isWatched.1 ? [IRCLine(ircServer, "730", [directory.own, rename.nick + end])] : [])
        }
    }

    /// Whether the client sees a peer: in a channel, or in a private conversation.
    func isSeen(_ user: ConversationID, _ chat: ChatModel) -> Bool {
        channels.contains(user.room) || chat.conversation(user) != nil
    }
}

/// Commands about users.
extension IRCSession {
    mutating func ison(_ message: IRCMessage, _ chat: ChatModel) {
        let names = message.parameters.flatMap { $0.split(separator: " ").map(String.init) }.prefix(64)
        let here = names.compactMap { user(called: $0, chat) }.filter(\.isHere).map(\.nick)
        reply("303", here.joined(separator: " "))
    }

    mutating func userhost(_ message: IRCMessage, _ chat: ChatModel) {
        let users = message.parameters.prefix(5).compactMap { user(called: $0, chat) }.filter(\.isHere)
        reply("302", users.map { "\($0.nick)=\($0.isAway ? "-" : "+")u@\($0.host)" }.joined(separator: " "))
    }

    /// WHO, and WHOX with fields (RPL_WHOSPCRPL).
    mutating func who(_ message: IRCMessage, _ chat: ChatModel) {
        let mask = message[0] ?? "*"
        var rows: [(channel: String, user: IRCUser)] = []
        if mask.utf8.first == UInt8(ascii: "#") {
            if let room = room(ofChannel: mask, chat) {
                let name = channel(of: room, chat)
                rows = members(of: room, chat).map { (name, $0) }
            }
        } else if mask == "*" || mask == "0" {
            for room in chat.rooms where channels.contains(room.label.number) {
                let name = channel(of: room, chat)
                rows += members(of: room, chat).map { (name, $0) }
            }
        } else if mask.contains("*") || mask.contains("?") {
            for room in chat.rooms where channels.contains(room.label.number) {
                let name = channel(of: room, chat)
                for user in members(of: room, chat) where IRCDirectory.matches(user.nick, mask) {
                    if !rows.contains(where: { $0.user.nick == user.nick }) { rows.append((name, user)) }
                }
            }
        } else if let user = user(called: mask, chat), user.isHere {
            let room = chat.room(user.id?.room ?? ownPlace(chat)?.room ?? 0)
            let isShared = room.map { channels.contains($0.label.number) } ?? false
            rows = [(isShared ? room.map { channel(of: $0, chat) } ?? "*" : "*", user)]
        }
        let fields = message[1].flatMap { $0.utf8.first == UInt8(ascii: "%") ? String($0.dropFirst()) : nil }
        for row in rows {
            guard let fields else {
                reply(
                    "352", row.channel, "u", row.user.host, ircServer, row.user.nick, row.user.flags,
                    "0 \(row.user.realname)")
                continue
            }
            reply("354", IRCSession.fields(fields, of: row.user, in: row.channel))
        }
        reply("315", mask, "End of WHO")
    }

    /// The fields of WHOX in their fixed order.
    private static func fields(_ wanted: String, of user: IRCUser, in channel: String) -> [String] {
        let parts = wanted.split(separator: ",", maxSplits: 1)
        let letters = parts.first ?? ""
        let values: [(Character, String)] = [
            ("t", parts.count > 1 ? String(parts[1].prefix(3)) : "0"), ("c", channel), ("u", "u"),
            ("i", "255.255.255.255"), ("h", user.host), ("s", ircServer), ("n", user.nick), ("f", user.flags),
            ("d", "0"), ("l", "0"), ("a", "0"), ("o", "n/a"), ("r", user.realname),
        ]
        return values.filter { letters.contains($0.0) }.map(\.1)
    }

    mutating func whois(_ message: IRCMessage, _ chat: ChatModel) {
        guard let name = message[1] ?? message[0], !name.isEmpty else { return reply("431", "no nick is given") }
        guard let user = user(called: name, chat), user.isHere else {
            reply("401", name, "there is no such nick")
            return reply("318", name, "End of WHOIS")
        }
        guard let id = user.id, let key = id.peer else { return replyWhois(user, nil, chat) }
        let values = ["who": Operands.Value.text(key.hexadecimal)]
        ask(named: "whois", values, in: id, for: message, failed: Failed { $0.replyWhois(user, nil, $1) }) {
            $0.replyWhois(user, $1.last?.report.content(PeerCard.self), $2)
        }
    }

    private mutating func replyWhois(_ user: IRCUser, _ card: PeerCard?, _ chat: ChatModel) {
        reply("311", user.nick, "u", user.host, "*", user.realname)
        let rooms = rooms(of: user, chat)
        if !rooms.isEmpty {
            let mark = user.isVerified ? "+" : ""
            reply("319", user.nick, rooms.map { mark + channel(of: $0, chat) }.joined(separator: " "))
        }
        reply("312", user.nick, ircServer, "a node of its own")
        if let reason = user.reason { reply("301", user.nick, reason) }
        if let card {
            reply("320", user.nick, "compares the code \(card.code)\(user.isVerified ? ", which was the same" : "")")
            if let about = card.peer.profile.about { reply("320", user.nick, "says: \(DisplayGuard.safe(about))") }
            reply("671", user.nick, "is reached over encrypted links")
        }
        reply("318", user.nick, "End of WHOIS")
    }

    mutating func whowas(_ message: IRCMessage, _ chat: ChatModel) {
        guard let name = message[0], !name.isEmpty else { return reply("431", "no nick is given") }
        if let user = user(called: name, chat), !user.isHere {
            reply("314", user.nick, "u", user.host, "*", user.realname)
        } else {
            reply("406", name, "there was no such nick")
        }
        reply("369", name, "End of WHOWAS")
    }

    /// MONITOR (IRCv3 "Monitor").
    mutating func monitor(_ message: IRCMessage, _ chat: ChatModel) {
        let names = (message[1] ?? "").split(separator: ",").map(String.init)
        switch message.parameters[0].uppercased() {
        case "+":
            for (place, name) in names.enumerated() {
                guard monitored.count < IRCSession.mostMonitored || monitored[IRCDirectory.folded(name)] != nil else {
                    return reply(
                        "734", "\(IRCSession.mostMonitored)", names[place...].joined(separator: ","), "the list is full"
                    )
                }
                monitored[IRCDirectory.folded(name)] = name
                replyMonitor([name], chat)
            }
        case "-": for name in names { monitored[IRCDirectory.folded(name)] = nil }
        case "C": monitored = [:]
        case "L":
            for line in monitored.values.sorted().joinedInLines(of: 400) where !line.isEmpty {
                reply("732", line.split(separator: " ").joined(separator: ","))
            }
            reply("733", "End of MONITOR list")
        case "S": replyMonitor(monitored.values.sorted(), chat)
        case _: reply("421", "MONITOR", "there is no such MONITOR command")
        }
    }

    private mutating func replyMonitor(_ names: [String], _ chat: ChatModel) {
        for name in names {
            if let user = user(called: name, chat), user.isHere {
                reply("730", user.mask)
            } else {
                reply("731", name)
            }
        }
    }
}
