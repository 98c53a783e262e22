import Chat
import LineEditor
import Phrases
import TestSupport
import Testing
import Wire

@testable import ChatNode
@testable import Commands
@testable import TerminalFace

/// Edits and deletions in the rows of their messages.
@Suite struct ChangedRowTests {
    private static func said(_ text: String, id: UInt8 = 0x0c, own: Bool = false, edited: Bool = false) throws
        -> MessageView
    {
        let who = own ? try Sample.who("me", number: 1_234, byte: 1) : try Sample.who("fox", number: 1_001, byte: 2)
        var message = try Sample.said(text, by: who, own: own, id: id)
        message.isEdited = edited
        return message
    }

    private static func written(_ user: inout TerminalUser) -> String {
        user.advance(.milliseconds(40))
        return user.session.writing(at: user.now)
    }

    @Test func `an edit is drawn in the row of its message, and so is a deletion`() throws {
        var user = try TerminalUser.ready()
        user.tell(.message(try Self.said("hellow")), .message(try Self.said("next", id: 1)))
        #expect(user.rows().count == 2)
        user.tell(.edited(try Self.said("hello", edited: true)))
        let edited = Self.written(&user)
        #expect(
            edited.contains("\u{1b}[2A\u{1b}[?7l00:00:00 <fox#1001> hello (edited)\u{1b}[K\u{1b}[?7h\r\u{1b}[2B"))
        user.tell(.deleted(try Self.said("")))
        let deleted = Self.written(&user)
        #expect(deleted.contains("\u{1b}[2A\u{1b}[?7l00:00:00 <fox#1001> (deleted)\u{1b}[K"))
        #expect(!deleted.contains("hello"))
    }

    @Test func `an edit before the message is drawn needs no second drawing`() throws {
        var user = try TerminalUser.ready()
        user.tell(.message(try Self.said("hellow")), .edited(try Self.said("hello", edited: true)))
        #expect(user.rows() == ["00:00:00 <fox#1001> hello (edited)"])
    }

    @Test func `a shorter text leaves blank rows, and a longer one is said with what was there`() throws {
        var user = try TerminalUser.ready(columns: 40)
        let long = "a text of several words that takes two rows"
        user.tell(.message(try Self.said(long)))
        #expect(user.rows().count == 3)
        user.tell(.edited(try Self.said("short", edited: true)))
        let written = Self.written(&user)
        #expect(written.contains("\u{1b}[3A\u{1b}[?7l00:00:00 <fox#1001> short (edited)\u{1b}[K"))
        #expect(written.contains("\u{1b}[2A\u{1b}[?7l\u{1b}[K") && written.contains("\u{1b}[1A\u{1b}[?7l\u{1b}[K"))
        user.tell(.edited(try Self.said(long + " and " + long, edited: true)))
        let words = user.rows().joined(separator: " ").split(separator: " ").joined(separator: " ")
        #expect(words.hasSuffix("two rows (was: short)"))
    }

    @Test func `a change of a message that has left the screen says what was there`() throws {
        var user = try TerminalUser.ready()
        user.tell(.message(try Self.said("hellow")))
        _ = user.rows()
        for _ in 0..<30 { user.tell(.notice(.clockSkew, "a notice")) }
        _ = user.rows()
        user.tell(.edited(try Self.said("hello", edited: true)))
        #expect(user.rows() == ["00:00:00 * edited: 00:00:00 <fox#1001> hello (was: hellow)"])
        user.tell(.deleted(try Self.said("")))
        #expect(user.rows().map { $0.dropFirst(9) } == ["* deleted: 00:00:00 <fox#1001> (was: hello)"])
    }

    @Test func `an own message that is not among the last three is said too`() throws {
        var user = try TerminalUser.ready()
        user.tell(.message(try Self.said("mine", own: true)))
        for id in 1...2 { user.tell(.message(try Self.said("other", id: UInt8(id)))) }
        _ = user.rows()
        user.tell(.edited(try Self.said("mine too", own: true, edited: true)))
        let silent = Self.written(&user)
        #expect(!silent.contains("was:"))
        user.tell(.message(try Self.said("third", id: 3)))
        _ = user.rows()
        user.tell(.edited(try Self.said("changed", own: true, edited: true)))
        let written = Self.written(&user)
        #expect(written.contains("<you> changed (edited)"))
        #expect(written.contains("edited: 00:00:00 <me#1234> changed (was: mine too)"))
    }

    @Test func `a row that the terminal has wrapped is not drawn again`() throws {
        var user = try TerminalUser.ready(columns: 40)
        user.tell(.message(try Self.said("https://example.org/" + String(repeating: "abcdefghij", count: 5))))
        _ = user.rows()
        user.tell(.edited(try Self.said("gone", edited: true)))
        let words = user.rows().joined(separator: " ").split(separator: " ").joined(separator: " ")
        #expect(words.hasPrefix("00:00:00 * edited: 00:00:00 <fox#1001> gone (was: https://example.org/"))
    }
}
