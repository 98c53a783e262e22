package import Chat
package import Phrases

/// One command. Parsing, suggestions and `/help` are all read from the table of these.
package struct CommandEntry: Sendable {
    /// The part of `/help` that a command is listed in.
    package enum Group: Sendable, CaseIterable {
        case talk, direct, view, people, own, program

        package var title: Phrase {
            switch self {
            case .talk: .groupTalk
            case .direct: .groupDirect
            case .view: .groupView
            case .people: .groupPeople
            case .own: .groupSelf
            case .program: .groupProgram
            }
        }
    }

    /// Without the slash.
    package let name: String
    package let aliases: [String]
    /// The operands as `/help` shows them; empty for a command without any.
    package let operands: String
    package let help: Phrase
    /// Nil for commands of front ends, which `/help` does not list.
    package let group: Group?
    let make: @Sendable (Operands) throws(ChatError) -> Command

    init(
        _ name: String, _ operands: String, _ help: Phrase, _ group: Group?, aliases: [String] = [],
        make: @escaping @Sendable (Operands) throws(ChatError) -> Command
    ) {
        (self.name, self.aliases, self.operands, self.help) = (name, aliases, operands, help)
        (self.group, self.make) = (group, make)
    }

    /// True if a peer's name can be completed behind it.
    package var takesWho: Bool { operands.split { !$0.isLetter }.contains("WHO") }

    package var usage: String { operands.isEmpty ? "/\(name)" : "/\(name) \(operands)" }

    /// Every command of this version, in the order of `/help`.
    package static let all = talk + direct + inRooms + view + people + own + program

    /// The commands that `/help` lists.
    package static let listed = all.filter { $0.group != nil }

    /// The command with a name or an alias, in any case of letters and with or without a slash.
    ///
    /// - Throws: `unknown_command`, with the nearest name if one is near.
    package static func named(_ name: some StringProtocol) throws(ChatError) -> CommandEntry {
        let typed = (name.hasPrefix("/") ? String(name.dropFirst()) : String(name)).lowercased()
        if let entry = all.first(where: { $0.name == typed || $0.aliases.contains(typed) }) { return entry }
        let shown = DisplayGuard.safe(String(name.prefix(32)))
        guard let hint = Suggestion.nearest(to: typed, among: all.flatMap { [$0.name] + $0.aliases }) else {
            throw ChatError(.unknownCommand, .unknownCommand, shown)
        }
        throw ChatError(.unknownCommand, .unknownCommandHint, shown, hint)
    }

    private static let talk = [
        CommandEntry("msg", "WHO TEXT", .helpMsg, .talk) { operands throws(ChatError) in
            let (who, text) = try operands.whoAndText()
            return .message(who: who, text: text)
        },
        CommandEntry("reply", "TEXT", .helpReply, .talk) { operands throws(ChatError) in .reply(try operands.text()) },
        CommandEntry("me", "TEXT", .helpMe, .talk) { operands throws(ChatError) in .act(try operands.text()) },
        CommandEntry("edit", "[ID] TEXT", .helpEdit, .talk) { operands throws(ChatError) in
            let (target, text) = try operands.targetAndText()
            return .edit(target: target, text: text)
        },
        CommandEntry("delete", "[ID]", .helpDelete, .talk) { operands throws(ChatError) in
            .delete(target: try operands.optionalTarget())
        },
    ]

    private static let direct = [
        plain("requests", .helpRequests, .direct, .requests),
        entry("accept", .helpAccept, .direct) { .accept(who: $0) },
        entry("decline", .helpDecline, .direct) { .decline(who: $0) },
        entry("leave", .helpLeave, .direct) { .leave(who: $0) },
    ]

    private static let inRooms = [
        CommandEntry("join", "ROOM [KEY]", .helpJoin, .view) { operands throws(ChatError) in
            .join(try operands.roomRequest())
        },
        CommandEntry("room", "new ROOM", .helpRoom, .view) { operands throws(ChatError) in
            .makeRoom(name: try operands.newRoom())
        },
        CommandEntry("part", "[ROOM]", .helpPart, .view) { operands throws(ChatError) in
            .part(room: try operands.optionalWho("room"))
        },
        CommandEntry("announce", "[ROOM]", .helpAnnounce, .view) { operands throws(ChatError) in
            .announce(try operands.roomNames())
        },
        plain("rooms", .helpRooms, .view, .rooms),
        CommandEntry("invite", "WHO [ROOM]", .helpInvite, .view) { operands throws(ChatError) in
            let (who, room) = try operands.whoAndName("room")
            return .invite(who: who, room: room)
        },
    ]

    private static let view = [
        plain("unread", .helpUnread, .view, .unread),
        CommandEntry("open", "WHO|ROOM", .helpOpen, .view, aliases: ["query"]) { operands throws(ChatError) in
            try operands.opening()
        },
        plain("close", .helpClose, .view, .close),
        CommandEntry("history", "[WHO]", .helpHistory, .view) { operands throws(ChatError) in
            .history(who: try operands.optionalWho("who"))
        },
        CommandEntry("search", "TEXT", .helpSearch, .view) { operands throws(ChatError) in
            .search(try operands.text())
        },
    ]

    private static let people = [
        CommandEntry("who", "[all]", .helpWho, .people, aliases: ["names"]) { operands throws(ChatError) in
            .who(all: try operands.isAll())
        },
        plain("contacts", .helpContacts, .people, .contacts),
        entry("whois", .helpWhois, .people) { .whois(who: $0) },
        entry("mute", .helpMute, .people, aliases: ["ignore"]) { .mark(.mute, who: $0) },
        entry("unmute", .helpUnmute, .people, aliases: ["unignore"]) { .mark(.unmute, who: $0) },
        entry("block", .helpBlock, .people) { .mark(.block, who: $0) },
        entry("unblock", .helpUnblock, .people) { .mark(.unblock, who: $0) },
        plain("blocked", .helpBlocked, .people, .blocked),
        CommandEntry("verify", "WHO [ok|no]", .helpVerify, .people) { operands throws(ChatError) in
            let (who, isVerified) = try operands.whoAndVerdict()
            return .verify(who: who, isVerified: isVerified)
        },
        CommandEntry("contact", "WHO [NAME]", .helpContact, .people) { operands throws(ChatError) in
            let (who, name) = try operands.whoAndName("name")
            return .contact(who: who, name: name)
        },
        entry("uncontact", .helpUncontact, .people) { .uncontact(who: $0) },
    ]

    private static let own = [
        CommandEntry("nick", "[NAME]", .helpNick, .own) { operands throws(ChatError) in
            .rename(try operands.optionalText("name"))
        },
        CommandEntry("about", "[TEXT]", .helpAbout, .own) { operands throws(ChatError) in
            .about(try operands.optionalText("text"))
        },
        plain("whoami", .helpWhoami, .own, .whoami),
        CommandEntry("away", "[TEXT]", .helpAway, .own) { operands throws(ChatError) in
            .away(reason: try operands.optionalText("text"))
        },
        plain("back", .helpBack, .own, .back),
        CommandEntry("typing", "[off]", .helpTyping, nil) { operands throws(ChatError) in
            .typing(try operands.isOn())
        },
    ]

    private static let program = [
        inTerminal("set", "NAME VALUE", .helpSet, .program),
        inTerminal("clear", "", .helpClear, .program),
        plain("quit", .helpQuit, .program, .quit, aliases: ["exit"]),
        plain("stats", .helpStats, .program, .statistics),
        CommandEntry("help", "[COMMAND]", .helpHelp, .program) { operands throws(ChatError) in
            .help(command: try operands.optionalText("command"))
        },
        CommandEntry("wipe", "yes", .helpWipe, .program) { operands throws(ChatError) in
            try operands.requireYes()
            return .wipe
        },
        CommandEntry("bridge", "[on|off]", .helpBridge, .program) { operands throws(ChatError) in
            .bridge(try operands.onOrOff())
        },
    ]

    private static func plain(
        _ name: String, _ help: Phrase, _ group: Group, _ command: Command, aliases: [String] = []
    ) -> CommandEntry {
        CommandEntry(name, "", help, group, aliases: aliases) { operands throws(ChatError) in
            try operands.requireNone()
            return command
        }
    }

    private static func entry(
        _ name: String, _ help: Phrase, _ group: Group, aliases: [String] = [],
        _ make: @escaping @Sendable (String) -> Command
    ) -> CommandEntry {
        CommandEntry(name, "WHO", help, group, aliases: aliases) { operands throws(ChatError) in
            make(try operands.who())
        }
    }

    /// A command that the terminal performs itself.
    private static func inTerminal(
        _ name: String, _ operands: String, _ help: Phrase, _ group: Group
    ) -> CommandEntry {
        CommandEntry(name, operands, help, group) { _ throws(ChatError) in
            throw ChatError(.unknownCommand, .onlyInTerminal, name)
        }
    }
}
