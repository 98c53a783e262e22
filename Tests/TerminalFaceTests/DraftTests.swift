import Chat
import LineEditor
import Model
import TestSupport
import Testing
import Wire

@testable import ChatNode
@testable import Commands
@testable import TerminalFace

/// The line that was begun in each conversation.
@Suite struct DraftTests {
    private static func met() throws -> (TerminalUser, PeerName) {
        var user = try TerminalUser.ready()
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        user.tell(.message(try Sample.said("hi", by: fox, in: .direct(with: fox))))
        _ = user.rows()
        return (user, fox)
    }

    private static func opened(_ view: ConversationView, by command: String = "open") -> RoomReport {
        .answer(.active(command: command, view, recent: []))
    }

    @Test func `each conversation has its own, also for what is typed before the other one is open`() throws {
        var (user, fox) = try Self.met()
        user.type("for the room")
        user.type("\u{1b}2")
        user.advance(.seconds(1))
        #expect(user.command() == "/open #1001")
        #expect(user.session.editor.text == "")
        user.type("for fo")
        user.show([Self.opened(.direct(with: fox))])
        #expect(user.session.editor.text == "for fo")
        user.type("x\u{1b}1")
        #expect(user.command() == "/close")
        user.show([Self.opened(.publicRoom, by: "close")])
        #expect(user.session.editor.text == "for the room")
        user.type("\u{1b}2")
        _ = user.command()
        user.show([Self.opened(.direct(with: fox))])
        #expect(user.session.editor.text == "for fox")
    }

    @Test func `it stays when the other conversation can not be opened`() throws {
        var (user, _) = try Self.met()
        user.type("for the room\u{1b}2")
        let next = user.session.nextLine()
        let line = try #require(next)
        user.session.settle(line, .refused)
        #expect(user.session.editor.text == "for the room")
    }

    @Test func `a text for a conversation that did not open is said in no other one without another Enter`() throws {
        var (user, _) = try Self.met()
        user.type("/open nobody\rfor nobody\r/who\r/close\r/msg fox hi\rbegun")
        let next = user.session.nextLine()
        user.session.settle(try #require(next), .refused)
        #expect(user.rows().contains("2 lines not said, because the conversation did not open; Up has them"))
        #expect(user.command() == "/who")
        #expect(user.command() == "/msg fox hi")
        #expect(user.command() == nil)
        #expect(user.session.editor.text == "begun")
        user.type(" more\r")
        #expect(user.command() == nil)
        #expect(user.session.editor.text == "begun more")
        user.type("\r")
        #expect(user.command() == "begun more")
    }

    @Test func `a text that is begun within two seconds of a refusal needs another Enter`() throws {
        for (pause, isHeld) in [(Duration.milliseconds(1_900), true), (.seconds(2), false)] {
            var (user, _) = try Self.met()
            user.type("/open nobody\r")
            let next = user.session.nextLine()
            user.session.settle(try #require(next), .refused)
            user.advance(pause)
            user.type("secret\r")
            #expect(user.command() == (isHeld ? nil : "secret"))
            if isHeld { user.type("\r") }
            #expect(user.command() == (isHeld ? "secret" : nil))
            // Only the first line: the user has seen it by then.
            user.type("hello\r")
            #expect(user.command() == "hello")
        }
    }

    @Test func `a text of a room that another face left stays, and is said elsewhere by another Enter alone`() throws {
        var (user, _) = try Self.met()
        let garage = RoomLabel(number: 7, name: "garage")
        let me = try Sample.who("me", number: 1_234, byte: 1)
        user.tell(.ready(me: me, port: 1, room: "garage", discovery: .none), in: garage)
        user.show([RoomReport(garage, .opened(.publicRoom, recent: []))])
        user.type("the secret ")
        user.show([RoomReport(garage, .leaving), RoomReport(.kitchen, .opened(.publicRoom, recent: []))])
        user.type("is 1234\r")
        #expect(user.command() == nil)
        #expect(user.session.editor.text == "the secret is 1234")
        user.type("\r")
        #expect(user.command() == "the secret is 1234")
    }

    @Test func `a line that is typed over a held or refused one is held as well, until one was said`() throws {
        for command in ["/open nobody", "/join prr sh"] {
            var (user, _) = try Self.met()
            user.type(command + "\r")
            let next = user.session.nextLine()
            user.session.settle(try #require(next), command.hasPrefix("/join") ? .mendable : .refused)
            for text in ["for priv", "and more"] {
                user.type(text + "\r")
                #expect(user.command() == nil)
                user.advance(.milliseconds(100))
            }
            // It is back, and was read.
            user.type("\r")
            #expect(user.command() == "and more")
            user.type("for the room\r")
            #expect(user.command() == "for the room")
        }
    }

    @Test func `a line behind the key of a conversation that is not there waits for another Enter`() throws {
        var (user, _) = try Self.met()
        user.type("\u{1b}9for nine\r")
        #expect(user.command() == nil)
        #expect(user.session.editor.text == "for nine")
        user.type("\r")
        #expect(user.command() == "for nine")
        user.type("\u{1b}9")
        user.advance(.seconds(2))
        user.type("for the room\r")
        #expect(user.command() == "for the room")
    }

    @Test func `behind a refusal what was typed is kept apart from the draft, and a command is done`() throws {
        var (user, _) = try Self.met()
        user.type("for the room\u{1b}2")
        let next = user.session.nextLine()
        user.type("/wh")
        user.session.settle(try #require(next), .refused)
        user.type("o\r")
        #expect(user.command() == "/who")
        user.type("\u{1b}[A\u{1b}[A")
        #expect(user.session.editor.text == "for the room")
    }

    @Test func `a text for the conversation that the next key opens goes there`() throws {
        var (user, fox) = try Self.met()
        user.type("/open nobody\rlost\r\u{1b}2for fox\r")
        let next = user.session.nextLine()
        user.session.settle(try #require(next), .refused)
        #expect(user.command() == "/open #1001")
        user.show([Self.opened(.direct(with: fox))])
        #expect(user.command() == "for fox")
    }

    @Test func `it stays when another face opens a conversation, and goes with its room`() throws {
        var (user, fox) = try Self.met()
        user.type("for the room")
        user.show([RoomReport(.kitchen, .opened(.direct(with: fox), recent: []))])
        #expect(user.session.editor.text == "")
        user.type("for fox")
        user.show([RoomReport(.kitchen, .opened(.publicRoom, recent: []))])
        #expect(user.session.editor.text == "for the room")
        user.tell(.blocked(fox, isOn: true))
        user.show([RoomReport(.kitchen, .opened(.direct(with: fox), recent: []))])
        #expect(user.session.editor.text == "")
    }

    @Test func `two steps at once lose no letter`() throws {
        var (user, fox) = try Self.met()
        user.type("room\u{1b}2\u{1b}1")
        #expect(user.command() == "/open #1001")
        #expect(user.command() == "/close")
        user.type("!")
        user.show([Self.opened(.direct(with: fox))])
        user.show([Self.opened(.publicRoom, by: "close")])
        #expect(user.session.editor.text == "room!")
    }

    @Test func `of more than 64 the first is forgotten`() throws {
        var drafts = Drafts()
        let ids = try (0..<65).map { number in
            ConversationID(RoomLabel(number: number, name: "room"), .direct(with: try Sample.who("fox", byte: 2)))
        }
        for (number, id) in ids.enumerated() { drafts.keep("text \(number)", of: id) }
        #expect(drafts.take(of: ids[0]) == "")
        #expect(drafts.take(of: ids[64]) == "text 64")
        #expect(drafts.take(of: ids[64]) == "")
    }
}
