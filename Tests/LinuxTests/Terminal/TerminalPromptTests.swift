import Chat
import ChatNode
import LineEditor
import Testing
import Wire

@testable import Commands
@testable import Rendering
@testable import TerminalFace

@Suite struct TerminalPromptTests {
    @Test func `the prompt says where one is, who is there and what is unread elsewhere`() throws {
        let who = try Sample.who()
        var prompt = PromptState()
        #expect(prompt.text(columns: 80) == "public · 0 peers > ")
        prompt.note(.event(.peer(.here, who, online: 1)))
        prompt.note(.event(.message(try Sample.said("hi", by: who, in: .direct(with: who)))))
        #expect(prompt.text(columns: 80) == "public · 1 peer · #4821 (1) > ")
        prompt.note(.answer(.active(command: "open", .direct(with: who))))
        #expect(prompt.text(columns: 80) == "#4821 · 1 peer > ")
    }

    @Test func `the prompt never takes more than half of a row`() throws {
        var prompt = PromptState()
        prompt.note(.event(.peer(.here, try Sample.who(), online: 3)))
        for byte: UInt8 in 1...3 {
            let who = try Sample.who(number: 1_000 + Int(byte), byte: byte)
            prompt.note(.event(.message(try Sample.said("hi", by: who, in: .direct(with: who)))))
        }
        #expect(
            [120, 80, 40, 20, 3].map(prompt.text) == [
                "public · 3 peers · #1001 (1) · #1002 (1) · #1003 (1) > ", "public · 3 · (3) > ", "public · 3 · (3) > ",
                "> ", "> ",
            ])
    }

    @Test func `typing peers are shown in the prompt until they stop`() throws {
        let others = try (1...3).map { try Sample.who("fox", number: 1_000 + $0, byte: UInt8($0)) }
        var prompt = PromptState()
        func note(_ who: PeerName, _ isOn: Bool, in place: ConversationView = .publicRoom) {
            prompt.note(.event(.typing(who, place, isOn: isOn)))
        }
        note(others[0], true)
        note(others[0], true)
        #expect(prompt.typists == "fox#1001 is typing")
        note(others[1], true)
        #expect(prompt.typists == "fox#1001 and fox#1002 are typing")
        note(others[2], true)
        #expect(prompt.typists == "3 people are typing")
        note(others[1], false)
        prompt.note(.event(.peer(.left, others[2], online: 2)))
        #expect(prompt.typists == "fox#1001 is typing")
        prompt.note(.answer(.active(command: "open", .direct(with: others[1]))))
        #expect(prompt.typists == nil)
        note(others[1], true, in: .direct(with: others[1]))
        #expect(prompt.typists == "fox#1002 is typing")
    }

    @Test func `a hostile name is guarded in the prompt`() throws {
        var prompt = PromptState()
        let who = try Sample.who("a\u{1b}[2J\u{202e}b")
        prompt.note(.event(.typing(who, .publicRoom, isOn: true)))
        #expect(prompt.typists == "a\u{fffd}\u{fffd}2J\u{fffd}b#4821 is typing")
    }

    @Test func `the characters left are shown from 200 on, and not for commands that send nothing`() {
        let full = String(repeating: "각", count: 240)
        func note(_ line: String) -> String? { LengthHint.note(on: line, nickname: "otter") }
        #expect(note(String(full.prefix(199))) == nil)
        #expect(note(String(full.prefix(200))) == "40 characters left")
        #expect(note(String(full.prefix(239))) == "1 character left")
        #expect(note(full) == "0 characters left")
        #expect(note(full + "!") == "1 character too long")
        #expect(note("//" + full) == "1 character too long")
        #expect(note("/msg 4821 " + full) == "0 characters left")
        // As it is sent: "* otter ..."
        #expect(note("/me " + full) == "8 characters too long")
        #expect(note("/nick " + full) == nil)
        #expect(note("/nonsense " + full) == nil)
    }

    @Test(
        arguments: [
            ("otter?", true), ("hi OTTER!", true), ("otters", false), ("quiet-otter", true), ("#4821: yes", true),
            ("#48210", false), ("4821", false), ("xotter otter", true), ("오터", false), ("", false),
        ] as [(String, Bool)])
    func `a mention is one's nickname or number as a word`(text: String, isMention: Bool) throws {
        #expect(Mention(of: try Sample.who("Otter")).isIn(text) == isMention)
    }

    @Test func `a mention and a direct message ring, but not one's own or an old one`() throws {
        let (me, other) = (try Sample.who("me", number: 1_234, byte: 1), try Sample.who())
        var bell = Bell(isQuiet: false)
        var quiet = Bell(isQuiet: true)
        let ready = Report.event(.ready(me: me, port: 1, room: "r", discovery: .none))
        _ = bell.rings(for: ready)
        _ = quiet.rings(for: ready)
        let loud: [NodeEvent] = [
            .message(try Sample.said("hi #1234", by: other)), .message(try Sample.said("hi me", by: other)),
            .message(try Sample.said("x", by: other, in: .direct(with: other))), .request(from: other, text: "x"),
        ]
        for event in loud {
            #expect(bell.rings(for: .event(event)) == true)
            #expect(quiet.rings(for: .event(event)) == false)
        }
        let silent = [
            try Sample.said("some", by: other), try Sample.said("me", by: me, own: true),
            try Sample.said("me", by: other, history: true),
        ]
        for message in silent { #expect(bell.rings(for: .event(.message(message))) == false) }
    }

    @Test func `where it is wanted, a terminal notifies too, of who it is and not of what was said`() throws {
        let (me, other) = (try Sample.who("me", number: 1_234, byte: 1), try Sample.who("\u{1b}]9;x\u{7}y"))
        var bell = Bell(isQuiet: false, notifies: true)
        _ = bell.rings(for: .event(.ready(me: me, port: 1, room: "r", discovery: .none)))
        let reports: [NodeEvent] = [
            .message(try Sample.said("a secret, me", by: other)), .request(from: other, text: "a secret"),
            .message(try Sample.said("a secret", by: other, in: .direct(with: other))),
        ]
        for report in reports {
            let heard = bell.call(in: .event(report))
            let call = try #require(heard)
            let written = bell.sequence(for: call)
            #expect(written.hasPrefix("\u{1b}]9;earshot: ") && written.hasSuffix("\u{1b}\\\u{7}"))
            #expect(!written.contains("secret"))
            // One sequence and one bell: the name begins and ends none.
            #expect(written.count { $0 == "\u{1b}" } == 2 && written.count { $0 == "\u{7}" } == 1)
            #expect(Bell(isQuiet: true, notifies: true).sequence(for: call) == String(written.dropLast()))
            #expect(Bell(isQuiet: true).sequence(for: call) == "")
        }
    }

    @Test func `every colour of an author can be read on black and on white`() throws {
        for index in AuthorColor.palette {
            #expect((16...231).contains(index))
            let luminance = Self.luminance(index - 16)
            #expect((luminance + 0.05) / 0.05 >= 3)
            #expect(1.05 / (luminance + 0.05) >= 3)
        }
        #expect(AuthorColor.of(try Sample.peer(7)) == AuthorColor.of(try Sample.peer(7)))
        #expect(Set(try (0..<64).map { AuthorColor.of(try Sample.peer($0)) }).count > 6)
    }

    /// Of xterm's colour cube, by WCAG 2, from the linear values of its six levels.
    private static func luminance(_ cube: Int) -> Double {
        let linear = [0, 0.1144, 0.2423, 0.4287, 0.6795, 1]
        return 0.2126 * linear[cube / 36] + 0.7152 * linear[cube / 6 % 6] + 0.0722 * linear[cube % 6]
    }
}
