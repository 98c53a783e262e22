import Chat
import ChatNode
import Commands
import Hub
import Model
import Wire

/// Rooms as channels.
extension IRCSession {
    /// Names in NAMES and WHO: of a crowd, those that came last.
    static let mostMembers = 500

    /// The name of a room as a channel: no two rooms have one name.
    func channel(of room: ModelRoom, _ chat: ChatModel) -> String {
        let name = IRCSession.channel(named: room.label.name)
        let isTaken = chat.rooms.contains {
            $0.label.number < room.label.number
                && IRCDirectory.folded(IRCSession.channel(named: $0.label.name)) == IRCDirectory.folded(name)
        }
        return isTaken ? "\(name)-\(room.label.number)" : name
    }

    static func channel(named name: String) -> String {
        let scalars = DisplayGuard.safe(name).unicodeScalars.map { scalar -> Unicode.Scalar in
            scalar == " " || scalar == "," || scalar == ":" || scalar == "\u{fffd}" ? "_" : scalar
        }
        return "#" + String(String.UnicodeScalarView(scalars))
    }

    func room(ofChannel name: String, _ chat: ChatModel) -> ModelRoom? {
        let folded = IRCDirectory.folded(name)
        return chat.rooms.first { !$0.isLeaving && IRCDirectory.folded(channel(of: $0, chat)) == folded }
    }

    /// The peers of a room that are here, and the user itself in front.
    mutating func members(of room: ModelRoom, _ chat: ChatModel) -> [IRCUser] {
        let here = room.people.all.filter { $0.isHere && !$0.isBlocked }
        let latest = here.sorted { ($1.since, $0.who.key) < ($0.since, $1.who.key) }.prefix(IRCSession.mostMembers)
        return [ownUser(in: room)] + latest.map { user($0, in: room.label, chat) }
    }

    /// JOIN.
    mutating func join(_ message: IRCMessage, _ chat: ChatModel) {
        let names = message.parameters[0].split(separator: ",").map(String.init)
        if message.parameters[0] == "0" {
            return split(channelNames(chat).map { IRCMessage(nil, "PART", [$0]) })
        }
        let keys = (message[1] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.count == 1, let name = names.first else {
            return split(
                names.enumerated().map { place, name in
                    let key = keys.indices.contains(place) && !keys[place].isEmpty ? [keys[place]] : []
                    return IRCMessage(nil, "JOIN", [name] + key)
                })
        }
        guard name.utf8.first == UInt8(ascii: "#"), name.utf8.count > 1 else {
            return reply("403", DisplayGuard.safe(name), "a channel is # and the name of a room")
        }
        // A key may be words with spaces between them, or with commas, which clients cut.
        let key = message[1].flatMap { $0.isEmpty ? nil : $0 }
        if key == nil, let room = room(ofChannel: name, chat) { return answer += entry(to: room, chat) }
        let named = String(name.dropFirst())
        if let invited = IRCSession.room(named, among: chat.invitations.map(\.room.name)) {
            return join(invited, key, message)
        }
        guard named.utf8.contains(UInt8(ascii: "_")) else { return join(named, key, message) }
        ask(named: "rooms", [:], in: nil, for: message) { session, reports, _ in
            let announced = reports.last?.report.content(RoomList.self)?.announced.map(\.name) ?? []
            session.join(IRCSession.room(named, among: announced) ?? named, key, message)
        }
    }

    /// The name of a room that a channel stands for: a room may have marks in its name that a channel can not have.
    private static func room(_ named: String, among rooms: [String]) -> String? {
        let folded = IRCDirectory.folded("#" + named)
        return rooms.contains(named) ? named : rooms.last { IRCDirectory.folded(channel(named: $0)) == folded }
    }

    private mutating func join(_ room: String, _ key: String?, _ message: IRCMessage) {
        var values: [String: Operands.Value] = ["room": .text(room)]
        if let key { values["key"] = .text(key) }
        ask(named: "join", values, in: nil, for: message) { session, reports, chat in
            guard let label = reports.last?.room, let room = chat.room(label.number) else { return }
            session.answer += session.entry(to: room, chat)
            // The command has shown the room in a view of the client, where it would count as read.
            session.ask(.show(nil, in: label), in: nil, for: message)
        }
    }

    private func channelNames(_ chat: ChatModel) -> [String] {
        chat.rooms.filter { channels.contains($0.label.number) }.map { channel(of: $0, chat) }
    }

    /// The client comes to the channels of rooms that the node is in, as all clients of a node are one user.
    mutating func arrivals(_ chat: ChatModel) -> [IRCLine] {
        chat.rooms.flatMap { room -> [IRCLine] in
            let number = room.label.number
            guard room.me != nil, !room.isLeaving, !channels.contains(number), !detached.contains(number) else {
                return []
            }
            return entry(to: room, chat)
        }
    }

    /// The client comes to a channel; nothing if it is there.
    private mutating func entry(to room: ModelRoom, _ chat: ChatModel) -> [IRCLine] {
        detached.remove(room.label.number)
        guard channels.insert(room.label.number).inserted else { return [] }
        let name = channel(of: room, chat)
        var lines = [IRCLine(ownMask, "JOIN", [name] + extendedJoin(ownUser(in: room)))]
        if capabilities.contains(.readMarker) {
            let line = marker(of: room.own, name)
            toldMarkers[room.own.id] = line
            lines.append(line)
        }
        lines += nameLines(of: room, chat)
        if !capabilities.contains(.chathistory) {
            lines += room.own.log.messages.suffix(50).flatMap { past($0, in: room.label, chat) }
        }
        if !room.board.isEmpty {
            let titles = room.board.map { DisplayGuard.safe($0.content.title) }.joined(separator: ", ")
            let text = "\(room.board.count) on the notice board of this room: \(titles)"
            let topic = EventTopic(room.label, about: room.board.map(\.from.key))
            lines.append(IRCLine(ircServer, "NOTICE", [name, text], of: topic))
        }
        return lines
    }

    /// The further parameters of JOIN for a client that asked for them: no account, and the name.
    func extendedJoin(_ user: IRCUser) -> [String] {
        capabilities.contains(.extendedJoin) ? ["*", user.realname] : []
    }

    /// PART: the client leaves the channel, and the node leaves the room unless it is the only one.
    mutating func part(_ message: IRCMessage, _ chat: ChatModel) {
        let names = message.parameters[0].split(separator: ",").map(String.init)
        guard names.count == 1, let name = names.first else {
            return split(names.map { IRCMessage(nil, "PART", [$0]) })
        }
        guard let room = room(ofChannel: name, chat) else {
            let isName = name.utf8.first == UInt8(ascii: "#")
            return reply(isName ? "442" : "403", DisplayGuard.safe(name), "you are not in such a channel")
        }
        let channel = channel(of: room, chat)
        guard channels.remove(room.label.number) != nil else {
            return reply("442", channel, "you are not in the channel")
        }
        detached.insert(room.label.number)
        answer.append(IRCLine(ownMask, "PART", [channel]))
        guard chat.rooms.count(where: { !$0.isLeaving }) > 1 else { return }
        let values = ["room": Operands.Value.text(room.label.name)]
        ask(named: "part", values, in: ConversationID(room: room.label.number), for: message, failed: .silently)
    }

    /// NAMES.
    mutating func names(_ message: IRCMessage, _ chat: ChatModel) {
        guard let list = message[0] else { return reply("366", "*", "End of NAMES") }
        for name in list.split(separator: ",").prefix(Limits.rooms) {
            if let room = room(ofChannel: String(name), chat) {
                answer += nameLines(of: room, chat)
            } else {
                reply("366", DisplayGuard.safe(String(name)), "End of NAMES")
            }
        }
    }

    private mutating func nameLines(of room: ModelRoom, _ chat: ChatModel) -> [IRCLine] {
        let (name, users) = (channel(of: room, chat), members(of: room, chat))
        let withHost = capabilities.contains(.userhostInNames)
        let words = users.map { ($0.isVerified ? "+" : "") + (withHost ? $0.mask : $0.nick) }
        let kind = room.isPrivate ? "@" : "="
        let names = words.joinedInLines(of: 360).map { IRCLine(ircServer, "353", [directory.own, kind, name, $0]) }
        let end = IRCLine(ircServer, "366", [directory.own, name, "End of NAMES"])
        guard room.online + 1 > users.count else { return names + [end] }
        let text = "\(room.online + 1) are here; the list has those that were heard last"
        return names + [end, IRCLine(ircServer, "NOTICE", [name, text])]
    }

    /// LIST: the rooms of the node, and those that peers say to be in.
    mutating func list(_ message: IRCMessage, _ chat: ChatModel) {
        let wanted = message[0].map { Set($0.split(separator: ",").map { IRCDirectory.folded(String($0)) }) }
        let isPattern = message[0].map { $0.contains("*") || $0.contains(">") || $0.contains("<") } ?? true
        ask(named: "rooms", [:], in: nil, for: message) { session, reports, chat in
            var rows = chat.rooms.map { room in
                (session.channel(of: room, chat), room.online + 1, room.isPrivate ? "a private room" : "")
            }
            for room in reports.last?.report.content(RoomList.self)?.announced ?? [] {
                let name = IRCSession.channel(named: room.name)
                if !rows.contains(where: { $0.0 == name }) { rows.append((name, room.people, "")) }
            }
            session.reply("321", "Channel", "Users  Name")
            for row in rows where isPattern || wanted?.contains(IRCDirectory.folded(row.0)) ?? true {
                session.reply("322", row.0, "\(row.1)", row.2)
            }
            session.reply("323", "End of LIST")
        }
    }

    mutating func topic(_ message: IRCMessage, _ chat: ChatModel) {
        guard let room = room(ofChannel: message.parameters[0], chat) else {
            return reply("403", DisplayGuard.safe(message.parameters[0]), "there is no such channel here")
        }
        let name = channel(of: room, chat)
        if message[1] == nil {
            reply("331", name, "a room has no topic")
        } else {
            reply("482", name, "a room has no topic to set")
        }
    }

    mutating func invite(_ message: IRCMessage, _ chat: ChatModel) {
        guard let user = user(called: message.parameters[0], chat), let id = user.id, let key = id.peer else {
            return reply("401", DisplayGuard.safe(message.parameters[0]), "there is no such nick")
        }
        guard let room = room(ofChannel: message.parameters[1], chat) else {
            return reply("442", DisplayGuard.safe(message.parameters[1]), "you are not in such a channel")
        }
        let name = channel(of: room, chat)
        guard id.room != room.label.number else { return reply("443", user.nick, name, "is in the channel") }
        let values: [String: Operands.Value] = ["who": .text(key.hexadecimal), "room": .text(room.label.name)]
        ask(named: "invite", values, in: id, for: message) { session, _, _ in
            session.reply("341", user.nick, name)
        }
    }
}
