import Chat
import ChatNode
import LineEditor
import TestSupport
import Testing

@testable import Commands
@testable import TerminalFace

/// The lines of contacts and invitations.
@Suite struct ContactViewTests {
    @Test func `a contact has the user's name with a mark, which no nickname can have`() throws {
        var user = try TerminalUser.ready()
        let bob = try Sample.who("small-fox", contact: "Bob")
        let liar = try Sample.who("★Bob", number: 1_001, byte: 2)
        for who in [bob, liar] { user.tell(.peer(.here, who, online: 2)) }
        user.advance(.seconds(2))
        #expect(user.rows() == ["00:00:00 * ★Bob#4821 is here", "00:00:00 * \u{fffd}Bob#1001 is here"])
        user.tell(.message(try Sample.said("hello", by: bob)))
        #expect(user.rows() == ["00:00:00 <★Bob#4821> hello"])
    }

    @Test func `a contact comes and goes with a line of its own, folded joins or not, in any room`() throws {
        var user = try TerminalUser.ready()
        user.tell(.peer(.here, try Sample.who("first", number: 1_000, byte: 1), online: 1))
        user.advance(.seconds(2))
        for number in 0..<9 {
            let who = try Sample.who("n\(number)", number: 2_000 + number, byte: UInt8(20 + number))
            user.tell(.peer(.here, who, online: 2))
        }
        _ = user.rows()
        let bob = try Sample.who("small-fox", contact: "Bob")
        user.tell(.peer(.here, bob, online: 3))
        #expect(user.rows() == ["00:00:02 * ★Bob#4821 is here"])
        user.tell(.peer(.left, bob, online: 2), in: RoomLabel(number: 9, name: "attic"))
        user.tell(.peer(.here, bob, online: 2), in: RoomLabel(number: 9, name: "attic"))
        #expect(
            user.rows() == ["00:00:02 * ★Bob#4821 is gone in attic", "00:00:02 * ★Bob#4821 is here in attic"])
    }

    @Test func `rooms that peers announce or invite to are completed behind join`() throws {
        var user = try TerminalUser.ready()
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        user.show([.answer(.rooms(RoomList([], announced: ["garden": 2, "garage": 1], invitations: [])))])
        user.tell(
            .invitation(from: fox, to: Room(openNamed: "our attic")),
            .invitation(from: fox, to: Room(openNamed: "a\u{202e}b")))
        let (model, open, announced) = (
            user.session.view.model, user.session.view.open, user.session.view.announced
        )
        let names = KnownNames(model, open: open, announced: announced)
        #expect(names.completion(of: "/join ga")?.candidates == ["garage", "garden"])
        #expect(names.completion(of: "/join \"o")?.candidates == ["\"our attic\""])
        #expect(names.completion(of: "/join a")?.candidates == [])
    }

    @Test func `an invitation is a line with the command that accepts it`() throws {
        var user = try TerminalUser.ready()
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        user.tell(.invitation(from: fox, to: Room(openNamed: "our attic")))
        user.tell(.invitation(from: fox, to: Room(openNamed: "kitchen"), isThere: true))
        let rows = user.rows().joined(separator: " ")
        #expect(rows.contains("fox#1001 invites you to our attic: /join \"our attic\""))
        #expect(rows.contains("fox#1001 invites you to kitchen, where you are: /open kitchen"))
    }
}
