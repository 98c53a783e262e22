import Chat
import ChatNode
import LineEditor
import Phrases
import TestSupport
import Testing
import Wire

@testable import Commands
@testable import Model
@testable import Rendering
@testable import TerminalFace

@Suite struct TerminalPromptTests {
    /// The prompt of a user with two peers, after these events.
    private static func prompt(
        room: String = "kitchen", isPrivate: Bool = false, _ events: NodeEvent...,
        opening view: ConversationView? = nil,
        depth: Theme.Depth = .none, numbers given: [Conversation: Int]? = nil
    ) throws -> Prompt {
        let (label, fox) = (RoomLabel(number: 1, name: room), try Sample.who("small-fox", number: 8_612))
        let me = try Sample.who("quiet-otter", number: 6_220, byte: 1)
        var reports: [Report] = [
            .event(.ready(me: me, port: 1, room: room, isPrivate: isPrivate, discovery: .none)),
            .event(.peer(.here, fox, online: 2)),
        ]
        reports += events.map(Report.event)
        if let view { reports.append(.opened(view, recent: [])) }
        var model = ChatModel()
        let moment = Moment(instant: TerminalUser.start, wallClock: Sample.time)
        var numbers = ConversationNumbers()
        for report in reports {
            var new: [Conversation: Int]?
            if case .event(let event) = report { new = given ?? numbers.add(event, of: label) }
            _ = model.reduce(RoomReport(label, report, numbers: new), at: moment)
        }
        return Prompt(
            language: .english, theme: Theme(depth), model: model, open: model.conversation(of: .shared))
    }

    @Test func `the prompt names the room, the user and how many are here, and a direct conversation its peer`() throws
    {
        #expect(try Self.prompt().text(columns: 80).text == "kitchen · quiet-otter#6220 · 3 here > ")
        let fox = try Sample.who("small-fox", number: 8_612)
        let away = NodeEvent.peer(.away, fox, was: PeerSighting(fox, .here), online: 2)
        let direct = try Self.prompt(away, opening: .direct(with: fox))
        #expect(direct.text(columns: 80).text == "→ small-fox#8612 (away) > ")
    }

    @Test func `the whole prompt of a direct conversation has another colour`() throws {
        let room = try Self.prompt(depth: .full).text(columns: 80).runs.map(\.style)
        let fox = ConversationView.direct(with: try Sample.who("small-fox", number: 8_612))
        let direct = try Self.prompt(opening: fox, depth: .full).text(columns: 80).runs.map(\.style)
        #expect(Set(room).count == 1 && Set(direct).count == 1)
        #expect(room.first?.color != direct.first?.color)
    }

    @Test func `the prompt says less where it would take more than half of a row`() throws {
        let texts = try [(1, 1), (2, 1), (2, 2)].map { number, count in
            let who = try Sample.who("fox", number: 1_000 + number, byte: UInt8(1 + number))
            return NodeEvent.message(
                try Sample.said("x", by: who, in: .direct(with: who), id: UInt8(10 * number + count)))
        }
        let prompt = try Self.prompt(texts[0], texts[1], texts[2])
        #expect(
            [200, 100, 80, 60, 40, 30, 20, 3].map { prompt.text(columns: $0).text } == [
                "kitchen · quiet-otter#6220 · 3 here [2 fox 1!, 3 fox 2!] > ",
                "kitchen · #6220 · 3 here [2 fox 1!, 3 fox 2!] > ", "kitchen · 3 here [2 fox 1!, 3 fox 2!] > ",
                "kitchen · 3 [2:1! 3:2!] > ", "kitchen · 3 [3!] > ", "kitchen [3!] > ", "> ", "> ",
            ])
        let numbers = try Dictionary(
            uniqueKeysWithValues: (1...2).map { (Conversation.direct(try Sample.peer(UInt8(1 + $0))), 4 - $0) })
        #expect(
            try Self.prompt(texts[0], texts[1], numbers: numbers).text(columns: 100).text
                == "kitchen · #6220 · 3 here [2 fox 1!, 3 fox 1!] > ")
        #expect(
            try Self.prompt(room: String(repeating: "long", count: 8)).text(columns: 40).text == "longlonglon… · 3 > ")
    }

    @Test func `a private room has a lock, which no name can have`() throws {
        let kitchen = try Self.prompt(isPrivate: true)
        #expect(
            [120, 80, 40, 30, 20].map { kitchen.text(columns: $0).text } == [
                "🔒 kitchen · quiet-otter#6220 · 3 here > ", "🔒 kitchen · #6220 · 3 here > ", "🔒 kitchen · 3 > ",
                "🔒 kitchen > ", "> ",
            ])
        #expect(
            try Self.prompt(room: "🔒🔐 x").text(columns: 80).text == "\u{fffd}\u{fffd} x · quiet-otter#6220 · 3 here > ")
    }

    @Test func `typing peers are shown until they stop`() throws {
        let others = try (1...3).map { try Sample.who("fox", number: 1_000 + $0, byte: UInt8($0)) }
        var user = try TerminalUser.ready()
        func typing(_ who: PeerName, _ isOn: Bool, in place: ConversationView = .publicRoom) -> String? {
            user.tell(.typing(who, place, isOn: isOn))
            return user.session.view.typing
        }
        _ = typing(others[0], true)
        #expect(typing(others[0], true) == "fox#1001 is typing")
        #expect(typing(others[1], true) == "fox#1001 and fox#1002 are typing")
        #expect(typing(others[2], true) == "3 people are typing")
        _ = typing(others[1], false)
        user.tell(.peer(.left, others[2], online: 2))
        #expect(user.session.view.typing == "fox#1001 is typing")
        user.show([.answer(.active(command: "open", .direct(with: others[1]), recent: []))])
        #expect(user.session.view.typing == nil)
        #expect(typing(others[1], true, in: .direct(with: others[1])) == "fox#1002 is typing")
        #expect(
            typing(try Sample.who("a\u{1b}[2J\u{202e}b", byte: 9), true, in: .direct(with: others[1]))
                == "fox#1002 and a\u{fffd}\u{fffd}2J\u{fffd}b#4821 are typing")
    }

    @Test func `the characters left are shown from 200 on, and not for commands that send nothing`() {
        let full = String(repeating: "각", count: 240)
        func note(_ line: String) -> String? { LengthHint.note(on: line, nickname: "otter", in: .english) }
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
            ("otter?", true), ("hi OTTER!", true), ("otters", false), ("quiet-otter", false), ("#4821: yes", true),
            ("#48210", false), ("4821", false), ("xotter otter", true), ("@otter", true), ("오터", false), ("", false),
        ] as [(String, Bool)])
    func `a mention is one's nickname or number as a word`(text: String, isMention: Bool) throws {
        #expect(Mention(of: try Sample.who("Otter")).isIn(text) == isMention)
    }

    @Test func `a mention and a direct message ring, but not one's own or an old one`() throws {
        let (me, other) = (try Sample.who("me", number: 1_234, byte: 1), try Sample.who())
        let (bell, quiet) = (Bell(isQuiet: false), Bell(isQuiet: true))
        let loud: [NodeEvent] = [
            .message(try Sample.said("hi me", by: other, mention: true)),
            .message(try Sample.said("x", by: other, in: .direct(with: other))), .request(from: other, text: "x"),
        ]
        for event in loud {
            #expect(bell.rings(for: .event(event)) == true)
            #expect(quiet.rings(for: .event(event)) == false)
        }
        let silent = [
            try Sample.said("some", by: other), try Sample.said("me", by: me, own: true),
            try Sample.said("me", by: other, history: true, mention: true),
        ]
        for message in silent { #expect(bell.rings(for: .event(.message(message))) == false) }
    }

    @Test func `where it is wanted, a terminal notifies too, of who it is and not of what was said`() throws {
        let other = try Sample.who("\u{1b}]9;x\u{7}y")
        let bell = Bell(isQuiet: false, notifies: true)
        let reports: [NodeEvent] = [
            .message(try Sample.said("a secret, me", by: other, mention: true)),
            .request(from: other, text: "a secret"),
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
}
