import Chat
import LineEditor
import Phrases
import TestSupport
import Testing
import Wire

@testable import ChatNode
@testable import Commands
@testable import TerminalFace

/// The delivery state behind an own direct message.
@Suite struct DeliveryMarkTests {
    private static func open() throws -> (TerminalUser, PeerName) {
        var user = try TerminalUser.ready()
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        user.show([.answer(.active(command: "open", .direct(with: fox), recent: []))])
        _ = user.rows()
        return (user, fox)
    }

    private static func own(_ text: String, to fox: PeerName) throws -> NodeEvent {
        let me = try Sample.who("me", number: 1_234, byte: 1)
        return .message(try Sample.said(text, by: me, in: .direct(with: fox), own: true, delivery: .sending))
    }

    @Test func `the state is drawn in the row of the message while that is on the screen`() throws {
        var (user, fox) = try Self.open()
        user.tell(try Self.own("hi", to: fox))
        #expect(user.rows() == ["00:00:00 [you → fox#1001] hi …"])
        user.tell(.notice(.clockSkew, "a notice"))
        _ = user.rows()
        user.tell(.delivered(with: fox, ids: [try Sample.message(0x0c)]))
        user.advance(.milliseconds(40))
        // Two rows up, and back.
        let written = user.session.writing(at: user.now)
        #expect(written.contains("\u{1b}[2A\u{1b}[?7l00:00:00 [you → fox#1001] hi ✓\u{1b}[K\u{1b}[?7h\r\u{1b}[2B"))
        user.tell(.read(with: fox, ids: [try Sample.message(0x0c)]))
        user.advance(.milliseconds(40))
        #expect(user.session.writing(at: user.now).contains("hi ✓✓"))
    }

    @Test func `a state that comes before the message is drawn needs no second drawing`() throws {
        var (user, fox) = try Self.open()
        user.tell(try Self.own("hi", to: fox), .delivered(with: fox, ids: [try Sample.message(0x0c)]))
        #expect(user.rows() == ["00:00:00 [you → fox#1001] hi ✓"])
    }

    @Test func `the state of a message that has left the screen gets a line`() throws {
        var (user, fox) = try Self.open()
        user.tell(try Self.own("hi", to: fox))
        _ = user.rows()
        for _ in 0..<30 { user.tell(.notice(.clockSkew, "a notice")) }
        _ = user.rows()
        user.tell(.delivered(with: fox, ids: [try Sample.message(0x0c)]))
        #expect(user.rows().map { $0.dropFirst(11) } == ["delivered to fox#1001: hi"])
        user.tell(.failed(with: fox, messages: [Undelivered(id: try Sample.message(0x0c), text: "hi")]))
        #expect(user.rows().map { $0.dropFirst(11) } == ["not delivered to fox#1001: \"hi\""])
    }

    @Test func `a screen of another size redraws nothing`() throws {
        var (user, fox) = try Self.open()
        user.tell(try Self.own("hi", to: fox))
        _ = user.rows()
        user.session.resize(columns: 40, rows: 15)
        user.tell(.delivered(with: fox, ids: [try Sample.message(0x0c)]))
        user.advance(.milliseconds(40))
        #expect(user.shown().contains("delivered to fox#1001: hi"))
    }
}
