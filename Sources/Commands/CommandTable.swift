import Chat

/// One command. Parsing, suggestions and `/help` are all read from the table of these.
package struct CommandEntry: Sendable {
    /// Without the slash.
    package let name: String
    /// The operands as `/help` shows them; empty for a command without any.
    package let operands: String
    package let help: String
    let make: @Sendable (Operands) throws(ChatError) -> Command

    /// True if a peer's name can be completed behind it.
    package var takesWho: Bool { operands.split { !$0.isLetter }.contains("WHO") }

    package var usage: String { operands.isEmpty ? "/\(name)" : "/\(name) \(operands)" }

    /// Every command of this version, in the order of `/help`.
    package static let all: [CommandEntry] = peers + direct + conversations + own + marks + program

    private static let peers = [
        plain("who", "peers: online and gone, how long, round trip", .who),
        CommandEntry(name: "msg", operands: "WHO TEXT", help: "a direct message; the first one is a request") {
            operands throws(ChatError) in
            let (who, text) = try operands.whoAndText()
            return .message(who: who, text: text)
        },
    ]

    private static let direct = [
        plain("requests", "open requests for direct conversations", .requests),
        entry("accept", "let WHO write to you", { .accept(who: $0) }),
        entry("decline", "refuse WHO's request without notice", { .decline(who: $0) }),
        entry("leave", "end the direct conversation with WHO", { .leave(who: $0) }),
    ]

    private static let conversations = [
        CommandEntry(name: "open", operands: "WHO|public", help: "look at this conversation; the others count unread") {
            operands throws(ChatError) in
            let who = try operands.who()
            return who == "public" ? .openPublic : .open(who: who)
        },
        plain("close", "back to the public conversation", .close),
        plain("unread", "each conversation's unread count and last message", .unread),
        CommandEntry(name: "history", operands: "[WHO]", help: "the latest messages, at most 100") {
            operands throws(ChatError) in .history(who: operands.optionalWho())
        },
    ]

    private static let own = [
        CommandEntry(name: "edit", operands: "[ID] TEXT", help: "change your last message here, or the one with ID") {
            operands throws(ChatError) in
            let (target, text) = try operands.targetAndText()
            return .edit(target: target, text: text)
        },
        CommandEntry(name: "delete", operands: "[ID]", help: "take back your last message here, or the one with ID") {
            operands throws(ChatError) in .delete(target: try operands.optionalTarget())
        },
        CommandEntry(name: "nick", operands: "NAME", help: "change your nickname") { operands throws(ChatError) in
            .rename(try operands.nickname())
        },
        CommandEntry(name: "me", operands: "TEXT", help: "say what you do") { operands throws(ChatError) in
            .act(try operands.text())
        },
        CommandEntry(name: "typing", operands: "[off]", help: "tell the others that you type; for front ends") {
            operands throws(ChatError) in .typing(try operands.isOn())
        },
        CommandEntry(name: "away", operands: "[TEXT]", help: "tell the others that you are away, and why") {
            operands throws(ChatError) in .away(reason: operands.rest.isEmpty ? nil : String(operands.rest))
        },
        plain("back", "tell the others that you are here again", .back),
    ]

    private static let marks = [
        entry("mute", "show nothing of WHO", { .mark(.mute, who: $0) }),
        entry("unmute", "show WHO again", { .mark(.unmute, who: $0) }),
        entry("block", "have nothing to do with WHO", { .mark(.block, who: $0) }),
        entry("unblock", "take a block back", { .mark(.unblock, who: $0) }),
        CommandEntry(
            name: "verify", operands: "WHO [ok|no]",
            help: "a code to compare by voice; ok: it was the same; no: it was not"
        ) { operands throws(ChatError) in
            let (who, isVerified) = try operands.whoAndVerdict()
            return .verify(who: who, isVerified: isVerified)
        },
    ]

    private static let program = [
        plain("stats", "counters", .statistics),
        plain("help", "this list", .help),
        plain("wipe", "erase all data now, files too, and continue under a new identity", .wipe),
        plain("quit", "leave", .quit),
    ]

    private static func plain(_ name: String, _ help: String, _ command: Command) -> CommandEntry {
        CommandEntry(name: name, operands: "", help: help) { operands throws(ChatError) in
            try operands.requireNone()
            return command
        }
    }

    private static func entry(
        _ name: String, _ help: String, _ make: @escaping @Sendable (String) -> Command
    ) -> CommandEntry {
        CommandEntry(name: name, operands: "WHO", help: help) { operands throws(ChatError) in
            make(try operands.who())
        }
    }
}
