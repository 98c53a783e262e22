import Chat
import Testing

@testable import Commands

@Suite struct ProgramCommandTests {
    @Test(
        arguments: [
            ("/who", nil), ("/", nil), (" /join lab SECRET", nil), ("\u{feff}/join lab SECRET", nil),
            ("\u{200b}\u{a0}/x", nil), ("/\u{301}x", nil), ("//x", "/x"), (" //x", "/x"), ("///", "//"), ("x/y", "x/y"),
            (" x", " x"), ("", ""), ("\u{ff0f}x", "\u{ff0f}x"),
        ] as [(String, String?)])
    func `a text that begins with a slash is said for no face`(text: String, said: String?) throws {
        if let said {
            #expect(try SlashRule.said(text) == said)
            #expect(try Command(line: text) == .say(said))
            return
        }
        let error = #expect(throws: ChatError.self) { try SlashRule.said(text) }
        #expect(error?.code == .isCommand)
        if case .say = try? Command(line: text) { Issue.record("said by a line") }
    }

    @Test(
        arguments: [
            ("hello", .say("hello")), ("", .say("")), ("  spaces  ", .say("  spaces  ")), (" /who", .who(all: false)),
            ("//who", .say("/who")), ("///", .say("//")), ("//", .say("/")), ("안녕 👋", .say("안녕 👋")),
            ("/me waves", .act("waves")), ("/who", .who(all: false)), ("/WHO", .who(all: false)),
            ("/who  all", .who(all: true)),
            ("/names", .who(all: false)), ("/whois 4821", .whois(who: "4821")), ("/whoami", .whoami),
            ("/query 4821", .open(who: "4821")), ("/part", .part(room: nil)), ("/part kitchen", .part(room: "kitchen")),
            ("/rooms", .rooms), ("/exit", .quit), ("/reply yes", .reply("yes")),
            ("/search hat", .search("hat")), ("/nick", .rename(nil)),
            ("/msg 4821 hi there", .message(who: "4821", text: "hi there")),
            ("/msg #4821-3377  hi", .message(who: "#4821-3377", text: "hi")),
            ("/msg \"quiet otter\" hi", .message(who: "quiet otter", text: "hi")),
            (#"/msg "say \"hi\" \\ \n" x"#, .message(who: #"say "hi" \ \n"#, text: "x")),
            ("/msg \"quiet hi", .message(who: "\"quiet", text: "hi")),
            ("/msg ben: hi", .message(who: "ben", text: "hi")), ("/msg @ben, hi", .message(who: "ben", text: "hi")),
            ("/msg \"ben:\" hi", .message(who: "ben:", text: "hi")), ("/msg : hi", .message(who: ":", text: "hi")),
            ("/msg a /who", .message(who: "a", text: "/who")), ("/requests", .requests),
            ("/accept 4821", .accept(who: "4821")), ("/accept quiet otter", .accept(who: "quiet otter")),
            ("/accept \"quiet otter\"", .accept(who: "quiet otter")), ("/decline #4821", .decline(who: "#4821")),
            ("/leave x", .leave(who: "x")), ("/open public", .openPublic), ("/open 4821", .open(who: "4821")),
            ("/close", .close), ("/unread", .unread), ("/history", .history(who: nil)),
            ("/history 4821", .history(who: "4821")), ("/typing", .typing(true)), ("/typing off", .typing(false)),
            ("/edit new text", .edit(target: nil, text: "new text")),
            ("/edit 0a1B2c new", .edit(target: "0a1b2c", text: "new")),
            ("/edit 0a1b2c", .edit(target: nil, text: "0a1b2c")),
            ("/edit 0a1b2 new", .edit(target: nil, text: "0a1b2 new")), ("/delete", .delete(target: nil)),
            ("/delete 0a1b2c", .delete(target: "0a1b2c")), ("/nick new name", .rename("new name")),
            ("/away", .away(reason: nil)),
            ("/away  at lunch ", .away(reason: "at lunch")),
            ("/back", .back), ("/mute 1", .mark(.mute, who: "1")), ("/unmute 1", .mark(.unmute, who: "1")),
            ("/verify 4821", .verify(who: "4821", isVerified: nil)),
            ("/verify 4821 ok", .verify(who: "4821", isVerified: true)),
            ("/verify quiet otter  no", .verify(who: "quiet otter", isVerified: false)),
            ("/verify ok", .verify(who: "ok", isVerified: nil)),
            ("/verify quiet otter", .verify(who: "quiet otter", isVerified: nil)),
            ("/verify \"is ok\"", .verify(who: "is ok", isVerified: nil)),
            ("/verify \"is ok\" ok", .verify(who: "is ok", isVerified: true)), ("/wipe yes", .wipe),
            ("/block 1", .mark(.block, who: "1")), ("/unblock 1", .mark(.unblock, who: "1")), ("/stats", .statistics),
            ("/help", .help(command: nil)), ("/help msg", .help(command: "msg")), ("/quit", .quit),
            ("/msg\tx\ty", .message(who: "x", text: "y")),
        ] as [(String, Command)])
    func `a line is what it says`(line: String, command: Command) throws {
        #expect(try Command(line: line) == command)
    }

    @Test(
        arguments: [
            ("/hwo", .unknownCommand), ("/", .unknownCommand), ("/ who", .unknownCommand),
            ("/verify", .unknownPeer), ("/verify \"a\" yes", .unknownCommand),
            ("/wipe now", .unknownCommand), ("/wipe", .unknownCommand), ("/join", .unknownRoom),
            ("/clear", .unknownCommand), ("/set joins off", .unknownCommand), ("/reply", .empty), ("/search", .empty),
            ("/\u{301}", .unknownCommand), ("/who now", .unknownCommand),
            ("/quit 1", .unknownCommand), ("/typing on", .unknownCommand), ("/msg", .unknownPeer),
            ("/msg 4821", .empty), ("/msg 4821  ", .empty),
            ("/accept", .unknownPeer), ("/open", .unknownPeer), ("/mute", .unknownPeer), ("/edit", .empty),
            ("/delete nothex", .unknownMessage), ("/delete 0a1b2", .unknownMessage),
            ("/delete 0123456789abcdef0123456789abcdef0", .unknownMessage),
            ("/me", .empty),
            ("/me  ", .empty),
        ] as [(String, ChatError.Code)])
    func `a wrong line has an error with a code`(line: String, code: ChatError.Code) throws {
        let error = #expect(throws: ChatError.self) { try Command(line: line) }
        #expect(error?.code == code)
        #expect(error?.message.isEmpty == false)
    }

    @Test func `a slip of the hand gets a suggestion, anything else the way to the list`() throws {
        let slip = #expect(throws: ChatError.self) { try Command(line: "/hlep") }
        #expect(slip?.message == "no command /hlep; did you mean /help?")
        let nothing = #expect(throws: ChatError.self) { try Command(line: "/banana") }
        #expect(nothing?.message == "no command /banana; /help lists them, // begins a message with a slash")
    }

    @Test(
        arguments: [
            (
                "join", ["room": .text("my \"best\" room"), "key": .text("a \"key\" --open")],
                .join(RoomRequest(name: "my \"best\" room", key: "a \"key\" --open"))
            ),
            ("/JOIN", ["room": .text(" x "), "open": .flag(true)], .join(RoomRequest(name: "x", isOpen: true))),
            ("say", ["text": .text("/who")], .sayToRoom("/who")),
            ("open", ["room": .text("public")], .openRoom("public")),
            ("open", ["who": .text("public")], .openDirect(who: "public")), ("wipe", ["yes": .flag(true)], .wipe),
            ("announce", ["rooms": .list(["a b", "\""])], .announce(["a b", "\""])), ("announce", [:], .announce([])),
            ("announce", ["off": .flag(true)], .announce(nil)), ("nick", ["name": .text("\"")], .rename("\"")),
            ("verify", ["who": .text("a ok"), "verified": .flag(false)], .verify(who: "a ok", isVerified: false)),
            ("edit", ["text": .text("0a1b2c new")], .edit(target: nil, text: "0a1b2c new")),
            ("msg", ["who": .text("\"a b"), "text": .text("c")], .message(who: "\"a b", text: "c")),
        ] as [(String, [String: GivenOperands.Value], Command)])
    func `operands with names are taken as they are`(
        name: String, operands: [String: GivenOperands.Value], command: Command
    ) throws {
        #expect(try Command(named: name, operands) == command)
    }

    @Test func `each command refuses an operand that it does not take`() {
        for entry in CommandEntry.all {
            #expect(throws: ChatError.self, "\(entry.name)") { try Command(named: entry.name, ["nosuch": .text("x")]) }
        }
        for (name, operands) in [
            ("join", ["key": .text("x")]), ("join", ["room": .text("x"), "key": .flag(true)]),
            ("msg", ["who": .text("x")]),
            ("open", ["who": .text("x"), "room": .text("y")]), ("wipe", [:]), ("say", [:]), ("", [:]),
        ] as [(String, [String: GivenOperands.Value])] {
            #expect(throws: ChatError.self, "\(name)") { try Command(named: name, operands) }
        }
    }

    @Test func `only what says something waits for its turn`() throws {
        for line in ["hello", "//x", "/me x", "/msg a b", "/edit x", "/delete"] {
            #expect(try Command(line: line).isPaced)
        }
        for line in ["/who", "/accept a", "/quit", "/history", "/stats", "/nick x", "/typing"] {
            #expect(try !Command(line: line).isPaced)
        }
    }

    @Test func `every command of the table is read under its own name, and no name twice`() {
        let names = CommandEntry.all.flatMap { [$0.name] + $0.aliases }
        #expect(Set(names).count == names.count)
        let elsewhere = ["set", "clear", "join"]
        for entry in CommandEntry.all where !elsewhere.contains(entry.name) {
            let examples = [
                "[ID]": "0a1b2c", "[off]": "off", "[on|off]": "on", "": "", "[all]": "all", "yes": "yes",
                "new ROOM": "new a",
            ]
            let operands = examples[entry.operands] ?? "abc def"
            #expect(throws: Never.self) { try Command(line: "/\(entry.name) \(operands)") }
        }
    }
}
