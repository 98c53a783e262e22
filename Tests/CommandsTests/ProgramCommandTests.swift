import Chat
import Phrases
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
        #expect((try? Command(line: text))?.entry != .say)
    }

    @Test func `a line with a card is no card of a program, which names the room`() throws {
        let typed = try Command(line: "/card hat|who lost it?")
        #expect(typed.entry != .cardToRoom)
        #expect(Command.card(title: "hat", text: "who lost it?").entry == .cardToRoom)
        #expect(
            try Command(named: "card", ["title": .text("hat"), "text": .text("who lost it?")]).entry == typed.entry)
    }

    @Test(
        arguments: [
            ("hello", "", ["text": .text("hello")]), ("", "", ["text": .text("")]),
            ("  spaces  ", "", ["text": .text("  spaces  ")]), (" /who", "who", [:]),
            ("//who", "", ["text": .text("/who")]), ("///", "", ["text": .text("//")]),
            ("//", "", ["text": .text("/")]), ("안녕 👋", "", ["text": .text("안녕 👋")]),
            ("/me waves", "me", ["text": .text("waves")]), ("/who", "who", [:]), ("/WHO", "who", [:]),
            ("/who  all", "who", ["all": .flag(true)]),
            ("/names", "who", [:]), ("/whois 4821", "whois", ["who": .text("4821")]), ("/whoami", "whoami", [:]),
            ("/query 4821", "open", ["place": .text("4821")]), ("/part", "part", [:]),
            ("/part kitchen", "part", ["room": .text("kitchen")]),
            ("/rooms", "rooms", [:]), ("/exit", "quit", [:]), ("/reply yes", "reply", ["text": .text("yes")]),
            ("/search hat", "search", ["text": .text("hat")]), ("/nick", "nick", [:]),
            ("/msg 4821 hi there", "msg", ["who": .text("4821"), "text": .text("hi there")]),
            ("/msg #4821-3377  hi", "msg", ["who": .text("#4821-3377"), "text": .text("hi")]),
            ("/msg \"quiet otter\" hi", "msg", ["who": .text("quiet otter"), "text": .text("hi")]),
            (#"/msg "say \"hi\" \\ \n" x"#, "msg", ["who": .text(#"say "hi" \ \n"#), "text": .text("x")]),
            ("/msg \"quiet hi", "msg", ["who": .text("\"quiet"), "text": .text("hi")]),
            ("/msg ben: hi", "msg", ["who": .text("ben"), "text": .text("hi")]),
            ("/msg @ben, hi", "msg", ["who": .text("ben"), "text": .text("hi")]),
            ("/msg \"ben:\" hi", "msg", ["who": .text("ben:"), "text": .text("hi")]),
            ("/msg : hi", "msg", ["who": .text(":"), "text": .text("hi")]),
            ("/msg a /who", "msg", ["who": .text("a"), "text": .text("/who")]), ("/requests", "requests", [:]),
            ("/accept", "accept", [:]), ("/decline", "decline", [:]),
            ("/accept 4821", "accept", ["who": .text("4821")]),
            ("/accept quiet otter", "accept", ["who": .text("quiet otter")]),
            ("/accept \"quiet otter\"", "accept", ["who": .text("quiet otter")]),
            ("/decline #4821", "decline", ["who": .text("#4821")]),
            ("/leave x", "leave", ["who": .text("x")]), ("/open public", "open", ["place": .text("public")]),
            ("/open 4821", "open", ["place": .text("4821")]),
            ("/close", "close", [:]), ("/unread", "unread", [:]), ("/history", "history", [:]),
            ("/history 4821", "history", ["who": .text("4821")]), ("/typing", "typing", [:]),
            ("/typing off", "typing", ["on": .flag(false)]),
            ("/edit new text", "edit", ["text": .text("new text")]),
            ("/edit 0a1B2c new", "edit", ["id": .text("0a1b2c"), "text": .text("new")]),
            ("/edit 0a1b2c", "edit", ["text": .text("0a1b2c")]),
            ("/edit 0a1b2 new", "edit", ["text": .text("0a1b2 new")]), ("/delete", "delete", [:]),
            ("/delete 0a1b2c", "delete", ["id": .text("0a1b2c")]),
            ("/nick new name", "nick", ["name": .text("new name")]),
            ("/away", "away", [:]),
            ("/away  at lunch ", "away", ["text": .text("at lunch")]),
            ("/back", "back", [:]), ("/mute 1", "mute", ["who": .text("1")]),
            ("/unmute 1", "unmute", ["who": .text("1")]),
            ("/verify 4821", "verify", ["who": .text("4821")]),
            ("/verify 4821 ok", "verify", ["who": .text("4821"), "verified": .flag(true)]),
            ("/verify quiet otter  no", "verify", ["who": .text("quiet otter"), "verified": .flag(false)]),
            ("/verify ok", "verify", ["who": .text("ok")]),
            ("/verify quiet otter", "verify", ["who": .text("quiet otter")]),
            ("/verify \"is ok\"", "verify", ["who": .text("is ok")]),
            ("/verify \"is ok\" ok", "verify", ["who": .text("is ok"), "verified": .flag(true)]),
            ("/wipe yes", "wipe", ["yes": .flag(true)]),
            ("/block 1", "block", ["who": .text("1")]), ("/unblock 1", "unblock", ["who": .text("1")]),
            ("/stats", "stats", [:]), ("/set", "set", [:]), ("/set cover on", "set", ["setting": .text("cover on")]),
            ("/help", "help", [:]), ("/help msg", "help", ["command": .text("msg")]), ("/quit", "quit", [:]),
            ("/msg\tx\ty", "msg", ["who": .text("x"), "text": .text("y")]),
            // A mark behind a space is one character with it.
            ("/re 0a1b2c \u{301}hi", "re", ["id": .text("0a1b2c"), "text": .text("\u{301}hi")]),
            ("/react 0a1b2c \u{1F3FB}", "react", ["id": .text("0a1b2c"), "emoji": .text("\u{1F3FB}")]),
            ("/react 0a1b2c \u{200d}", "react", ["id": .text("0a1b2c"), "emoji": .text("\u{200d}")]),
            ("/card a |\u{301}b", "card", ["title": .text("a"), "text": .text("\u{301}b")]),
            ("/me \u{301}hi", "me", ["text": .text("\u{301}hi")]),
            ("/msg x \u{301}y", "msg", ["who": .text("x"), "text": .text("\u{301}y")]),
        ] as [(String, String, [String: Operands.Value])])
    func `a line is what it says`(line: String, name: String, operands: [String: Operands.Value]) throws {
        let command = try Command(line: line)
        #expect(command.entry.name == name)
        #expect(command.operands == Operands(operands))
    }

    @Test(
        arguments: [
            ("/hwo", .unknownCommand), ("/", .unknownCommand), ("/ who", .unknownCommand),
            ("/verify", .unknownPeer), ("/verify \"a\" yes", .unknownCommand),
            ("/wipe later", .unknownCommand), ("/wipe", .unknownCommand), ("/join", .unknownRoom),
            ("/clear", .unknownCommand), ("/reply", .empty), ("/search", .empty),
            ("/\u{301}", .unknownCommand), ("/who now", .unknownCommand),
            ("/quit 1", .unknownCommand), ("/typing on", .unknownCommand), ("/msg", .unknownPeer),
            ("/msg 4821", .empty), ("/msg 4821  ", .empty),
            ("/whois", .unknownPeer), ("/open", .unknownPeer), ("/mute", .unknownPeer), ("/edit", .empty),
            ("/delete nothex", .unknownMessage), ("/delete 0a1b2", .unknownMessage),
            ("/delete 0123456789abcdef0123456789abcdef0", .unknownMessage),
            ("/me", .empty),
            ("/me  ", .empty), ("/react f323 👍", .unknownMessage),
            ("/re 0123456789abcdef0123456789abcdef0 hi", .unknownMessage),
        ] as [(String, ChatError.Code)])
    func `a wrong line has an error with a code`(line: String, code: ChatError.Code) throws {
        let error = #expect(throws: ChatError.self) { try Command(line: line) }
        #expect(error?.code == code)
        #expect(error?.message.isEmpty == false)
    }

    @Test func `an id that is too short or too long, and one of no message, are named as what they are`() throws {
        func message(_ line: String) -> String? {
            let error = #expect(throws: ChatError.self) { try Command(line: line) }
            return error?.message
        }
        #expect(message("/react f323 👍") == "a message is named by at least 6 digits of its id")
        let long = "a message id is 6 to 32 hexadecimal digits; see /history"
        #expect(message("/re 0123456789abcdef0123456789abcdef0 hi") == long)
        #expect(message("/re hello")?.hasPrefix("no message given; write /re ID TEXT") == true)
        for (phrase, what) in [(Phrase.manyCards, "card of yours"), (Phrase.unknownReference, "message here")] {
            #expect(ChatError(.unknownCard, phrase, "0").message == "no \(what) has an id that begins so")
        }
        #expect(ChatError(.unknownCard, .manyCards, "2").message == "several cards of yours have an id that begins so")
    }

    @Test func `a slip of the hand gets a suggestion, anything else the way to the list`() throws {
        let slip = #expect(throws: ChatError.self) { try Command(line: "/hlep") }
        #expect(slip?.message == "no command /hlep; did you mean /help?")
        let nothing = #expect(throws: ChatError.self) { try Command(line: "/banana") }
        #expect(nothing?.message == "no command /banana; /help lists them, // begins a message with a slash")
    }

    @Test(
        arguments: [
            ("join", ["room": .text("my \"best\" room"), "key": .text("a \"key\" --open")]),
            ("say", ["text": .text("/who")]), ("open", ["room": .text("public")]), ("open", ["who": .text("public")]),
            ("wipe", ["yes": .flag(true)]), ("announce", ["rooms": .list(["a b", "\""])]), ("announce", [:]),
            ("announce", ["off": .flag(true)]), ("nick", ["name": .text("\"")]),
            ("verify", ["who": .text("a ok"), "verified": .flag(false)]), ("edit", ["text": .text("0a1b2c new")]),
            ("msg", ["who": .text("\"a b"), "text": .text("c")]),
        ] as [(String, [String: Operands.Value])])
    func `operands with names are taken as they are`(name: String, operands: [String: Operands.Value]) throws {
        let command = try Command(named: name, operands)
        #expect(command.entry.name == name)
        #expect(command.operands == Operands(operands))
    }

    @Test func `the name of a room is composed, and that of a command may have a slash and capital letters`() throws {
        let command = try Command(named: "/JOIN", ["room": .text(" x "), "open": .flag(true)])
        #expect(command.entry.name == "join")
        #expect(command.operands == Operands(["room": .text("x"), "open": .flag(true)]))
    }

    @Test func `each command refuses an operand that it does not take`() {
        for entry in CommandEntry.all {
            #expect(throws: ChatError.self, "\(entry.name)") { try Command(named: entry.name, ["nosuch": .text("x")]) }
        }
        for (name, operands) in [
            ("join", ["key": .text("x")]), ("join", ["room": .text("x"), "key": .flag(true)]),
            ("join", ["room": .text("x"), "key": .text("y"), "open": .flag(true)]), ("set", ["setting": .flag(true)]),
            ("clear", [:]),
            ("msg", ["who": .text("x")]),
            ("open", ["who": .text("x"), "room": .text("y")]), ("wipe", [:]), ("say", [:]), ("", [:]),
        ] as [(String, [String: Operands.Value])] {
            #expect(throws: ChatError.self, "\(name)") { try Command(named: name, operands) }
        }
    }

    @Test func `only what says something waits for its turn`() throws {
        for line in ["hello", "//x", "/me x", "/msg a b", "/edit x", "/delete"] {
            #expect(try Command(line: line).entry.isPaced)
        }
        for line in ["/who", "/accept a", "/quit", "/history", "/stats", "/nick x", "/typing"] {
            #expect(try !Command(line: line).entry.isPaced)
        }
    }

    @Test func `of refused lines those return to the editor that are to be mended, or that say a text`() throws {
        let rows: [(String, ChatError.Code, LineOutcome)] = [
            ("hello", .tooLong, .mendable), ("hello", .rateLimited, .mendable), ("hello", .isAway, .refused),
            ("/msg bob hello", .ambiguousPeer, .mendable), ("/msg bob hello", .unknownPeer, .mendable),
            ("/nick \(String(repeating: "x", count: 40))", .invalidNickname, .mendable),
            ("/whois bob", .ambiguousPeer, .refused), ("/accept bob", .unknownPeer, .refused),
            ("/edit hello", .unknownMessage, .refused), ("/delete", .rateLimited, .refused),
            ("/part", .onlyRoom, .refused), ("/join kitchen", .invalidKey, .refused),
            ("/join kitchen bank-badly-typed", .invalidKey, .mendable), ("/card a | b", .directOpen, .mendable),
        ]
        for (line, code, outcome) in rows {
            #expect(try LineOutcome(of: line, Command(line: line), .refused(code)) == outcome, "\(line) \(code)")
        }
        #expect(LineOutcome(refused: "/whosi", nil, .unknownCommand) == .refused)
        #expect(LineOutcome(refused: "a line", nil, .tooManyBytes) == .mendable)
        #expect(try LineOutcome(of: "hello", Command(line: "hello"), .done) == .done)
    }

    @Test func `every command of the table is read under its own name, and no name twice`() {
        let names = CommandEntry.all.flatMap { [$0.name] + $0.aliases }
        #expect(Set(names).count == names.count)
        let elsewhere = ["set", "clear", "join"]
        for entry in CommandEntry.all where !elsewhere.contains(entry.name) {
            let examples = [
                "[ID]": "0a1b2c", "[off]": "off", "[on|off]": "on", "": "", "[all]": "all", "yes": "yes",
                "new ROOM": "new a", "ID TEXT": "0a1b2c abc", "ID [EMOJI]": "0a1b2c 👍",
                "TITLE | TEXT": "abc | def",
            ]
            let operands = examples[entry.operandsText] ?? "abc def"
            #expect(throws: Never.self) { try Command(line: "/\(entry.name) \(operands)") }
        }
    }
}
