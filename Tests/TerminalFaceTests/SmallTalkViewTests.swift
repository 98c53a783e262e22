import LineEditor
import Phrases
import TestSupport
import Testing
import Wire

@testable import Chat
@testable import ChatNode
@testable import Commands
@testable import Rendering
@testable import TerminalFace

/// Replies, reactions and cards at the terminal.
@Suite struct SmallTalkViewTests {
    private static func said(
        _ text: String, id: UInt8, own: Bool = false, to target: UInt8? = nil, reactions: [ReactionCount] = []
    ) throws -> MessageView {
        let who = own ? try Sample.who("me", number: 1_234, byte: 1) : try Sample.who("fox", number: 1_001, byte: 2)
        var message = try Sample.said(text, by: who, own: own, id: id)
        message.replyTo = try target.map { try Sample.message($0) }
        message.reactions = reactions
        return message
    }

    /// - Parameter cause: a payload; nil for a change that came of none, as a block.
    private static func reacted(_ message: MessageView, own: Bool = false, cause: UInt8? = 0x7e) throws -> NodeEvent {
        let by = own ? try Sample.who("me", number: 1_234, byte: 1) : try Sample.who("owl", number: 1_002, byte: 3)
        return .reacted(
            ReactionEvent(
                message: message, by: by, emojis: message.reactions.map(\.emoji),
                id: try cause.map { try Sample.message($0) }, isFromCurrentUser: own, isHistory: false))
    }

    private static func thumbs(_ count: Int = 1, own: Bool = false) -> ReactionCount {
        ReactionCount(emoji: "👍", count: count, isOwn: own)
    }

    private static func card(
        _ title: String, id: UInt8, color: CardColor = .teal, history: Bool = false, again: Bool = false
    ) throws -> CardView {
        let content = CardContent(title: title, text: "a text", color: color)
        return CardView(
            id: try Sample.message(id), from: try Sample.who("fox", number: 1_001, byte: 2), content: content,
            sentAt: Sample.time, expiresAt: Sample.time, isFromCurrentUser: false,
            isHistory: history, isShownAgain: again,
            order: SignedOrder(
                time: Sample.time, author: try Sample.who("fox", byte: 2).key,
                authorClock: AuthorClock(epoch: 1, sequence: UInt64(id)), id: try Sample.message(id)))
    }

    private static func written(_ user: inout TerminalUser) -> String {
        user.advance(.milliseconds(40))
        return user.session.writing(at: user.now)
    }

    @Test
    func `a reply has the beginning of what it answers above it, in the open conversation and in what is read back`()
        throws
    {
        var user = try TerminalUser.ready()
        user.tell(.message(try Self.said("who has a cable?", id: 1)))
        user.tell(.message(try Self.said("I have", id: 2, own: true, to: 1)))
        let rows = [
            "00:00:00 <fox#1001> who has a cable?", "               ↳ fox#1001: who has a cable?",
            "00:00:00 <you> I have",
        ]
        #expect(user.rows() == rows)
        user.type("\u{1b}[5~")
        #expect(user.shown().contains(rows[1]))
    }

    @Test func `a reply to a message that is not kept says so`() throws {
        var user = try TerminalUser.ready()
        user.tell(.message(try Self.said("I have", id: 2, to: 9)))
        #expect(user.rows().first == "                    ↳ a message that is not here")
        var narrow = try TerminalUser.ready(columns: 40)
        narrow.tell(.message(try Self.said("I have", id: 2, to: 9)))
        #expect(narrow.rows().first == "                    ↳ a message that is…")
    }

    @Test func `the row above a reply follows the edit and the deletion of what it answers`() throws {
        var user = try TerminalUser.ready()
        user.tell(.message(try Self.said("secret", id: 1)), .message(try Self.said("yes", id: 2, to: 1)))
        _ = user.rows()
        var edited = try Self.said("public", id: 1)
        edited.isEdited = true
        user.tell(.edited(edited))
        let edit = Self.written(&user)
        #expect(edit.contains("↳ fox#1001: public") && edit.contains("<fox#1001> public (edited)"))
        user.tell(.deleted(try Self.said("", id: 1)))
        let deletion = Self.written(&user)
        #expect(deletion.contains("↳ a deleted message"))
        #expect(!deletion.contains("public"))
        user.tell(.message(try Self.said("so do I", id: 3, to: 1)))
        #expect(user.rows().contains("                    ↳ a deleted message"))
    }

    @Test
    func `reactions are drawn behind the text, with the number of those that have no room, and go again`() throws {
        var user = try TerminalUser.ready(columns: 40)
        user.tell(.message(try Self.said("lunch?", id: 1)))
        _ = user.rows()
        user.tell(try Self.reacted(try Self.said("lunch?", id: 1, reactions: [Self.thumbs()])))
        let one = Self.written(&user)
        #expect(one.contains("<fox#1001> lunch? 👍\u{1b}[K"))
        let many = ["😀", "😁", "😂", "😃", "😄", "😅"].map { ReactionCount(emoji: $0, count: 12, isOwn: false) }
        user.tell(try Self.reacted(try Self.said("lunch?", id: 1, reactions: many)))
        let cut = Self.written(&user)
        #expect(cut.contains("lunch? 😀12 😁12 +4\u{1b}[K"))
        user.tell(try Self.reacted(try Self.said("lunch?", id: 1)))
        let none = Self.written(&user)
        #expect(none.contains("lunch?\u{1b}[K"))
    }

    @Test func `reactions to a text that fills its row are below it, and a row that is drawn stays one row`() throws {
        var user = try TerminalUser.ready(columns: 40)
        let text = String(repeating: "a", count: 20)
        let message = try Self.said(text, id: 1, reactions: [Self.thumbs(9)])
        user.tell(.message(message))
        #expect(user.rows() == ["00:00:00 <fox#1001> \(text)", String(repeating: " ", count: 21) + "👍9"])
        let own = try Self.said("\(text)bcdef", id: 2, own: true, reactions: [])
        user.tell(.message(own))
        #expect(user.rows().count == 1)
        var liked = own
        liked.reactions = [Self.thumbs()]
        user.tell(try Self.reacted(liked))
        let words = user.rows().joined(separator: " ").split(separator: " ").joined(separator: " ")
        #expect(words == "00:00:00 * owl#1002 reacts with 👍 to aaaaaaaaaaaaaaaaaaaabcdef")
    }

    @Test func `an own reaction is bold`() throws {
        var user = try TerminalUser.ready(depth: .basic)
        user.tell(.message(try Self.said("lunch?", id: 1)))
        _ = user.rows()
        user.tell(try Self.reacted(try Self.said("lunch?", id: 1, reactions: [Self.thumbs(2, own: true)]), own: true))
        let written = Self.written(&user)
        #expect(written.contains("\u{1b}[1m👍2"))
    }

    @Test
    func `a reaction to an own message that has left the screen is said, three times in ten seconds, then as a number`()
        throws
    {
        var user = try TerminalUser.ready()
        let own = try Self.said("lunch?", id: 1, own: true)
        user.tell(.message(own))
        _ = user.rows()
        for _ in 0..<30 { user.tell(.notice(.clockSkew, "a notice")) }
        _ = user.rows()
        for count in 1...6 {
            user.tell(try Self.reacted(try Self.said("lunch?", id: 1, own: true, reactions: [Self.thumbs(count)])))
        }
        #expect(
            user.rows()
                == Array(repeating: "00:00:00 * owl#1002 reacts with 👍 to lunch?", count: 3))
        user.advance(.seconds(10))
        #expect(user.rows().first == "00:00:10 * 3 more reactions to your messages")
        user.tell(try Self.reacted(try Self.said("not mine", id: 9, reactions: [Self.thumbs()])))
        #expect(user.rows() == [])
    }

    @Test func `a reaction of the user says you, and those of others alone are counted`() throws {
        var user = try TerminalUser.ready()
        // Behind the advice to a user that is alone.
        user.advance(.seconds(3))
        user.tell(.message(try Self.said("lunch?", id: 1, own: true)), .message(try Self.said("tea?", id: 2)))
        for _ in 0..<30 { user.tell(.notice(.clockSkew, "a notice")) }
        _ = user.rows()
        for count in 1...5 {
            let message = try Self.said("tea?", id: 2, reactions: [Self.thumbs(count, own: true)])
            user.tell(try Self.reacted(message, own: true))
        }
        let own = user.rows().map { $0.dropFirst(9) }
        #expect(own == Array(repeating: "* you react with 👍 to tea?", count: 5))
        user.advance(.seconds(10))
        #expect(user.rows() == [])
        for count in 1...4 {
            user.tell(try Self.reacted(try Self.said("lunch?", id: 1, own: true, reactions: [Self.thumbs(count)])))
        }
        user.tell(try Self.reacted(try Self.said("lunch?", id: 1, own: true)))
        #expect(user.rows().count == 3)
        user.advance(.seconds(10))
        #expect(user.rows().map { $0.dropFirst(9) } == ["* 1 more reaction to your messages"])
    }

    @Test func `a block and its end have no line for the reactions and the cards that they hide and show`() throws {
        var user = try TerminalUser.ready()
        user.advance(.seconds(3))
        user.tell(.message(try Self.said("lunch?", id: 1, own: true)))
        for _ in 0..<30 { user.tell(.notice(.clockSkew, "a notice")) }
        user.tell(.card(try Self.card("Umbrella", id: 5)))
        _ = user.rows()
        user.tell(try Self.reacted(try Self.said("lunch?", id: 1, own: true), cause: nil))
        user.tell(.cardRemoved(try Self.card("Umbrella", id: 5), .hidden))
        #expect(user.rows() == [])
        let liked = try Self.said("lunch?", id: 1, own: true, reactions: [Self.thumbs()])
        user.tell(try Self.reacted(liked, cause: nil))
        user.tell(.card(try Self.card("Umbrella", id: 5, history: true, again: true)))
        user.advance(.seconds(11))
        #expect(user.rows() == [])
    }

    @Test func `a card is a box of its colour, and those of before are counted together`() throws {
        var user = try TerminalUser.ready()
        user.tell(.card(try Self.card("Umbrella\u{202e}", id: 5)))
        let rows = user.rows()
        #expect(
            rows == [
                "00:00:00 * fox#1001 puts a card on the board", "┏ Umbrella\u{fffd}", "┃ a text",
                "┗ fox#1001 · until 2024-12-31 23:59:59 · 05050505",
            ])
        for id in 6...8 { user.tell(.card(try Self.card("old", id: UInt8(id), history: true))) }
        #expect(user.rows() == [])
        user.advance(.seconds(2))
        #expect(user.rows().contains { $0.hasSuffix("* the notice board has 4 cards: /board") })
        user.tell(.cardRemoved(try Self.card("Umbrella", id: 5), .removed))
        #expect(user.rows().map { $0.dropFirst(9) } == ["* card of fox#1001 is off the board: Umbrella\u{fffd}"])
    }

    @Test func `Tab offers the ids of the last messages, the newest first, and the status names the one that is typed`()
        throws
    {
        var user = try TerminalUser.ready()
        user.tell(.message(try Self.said("older", id: 0x1a)), .message(try Self.said("newer", id: 0x2b, own: true)))
        _ = user.rows()
        let names = KnownNames(user.session.view.model, open: user.session.view.open, announced: [])
        #expect(names.completion(of: "/re ")?.candidates == ["2b2b2b2b", "1a1a1a1a"])
        #expect(names.completion(of: "/react 1")?.candidates == ["1a1a1a1a"])
        #expect(names.completion(of: "/delete ")?.candidates == ["2b2b2b2b"])
        #expect(names.completion(of: "/react 1a1a1a1a ")?.candidates.first == "👍")
        #expect(names.completion(of: "/card --color t")?.candidates == ["teal"])
        user.type("/re 1a1a1a1a so")
        #expect(user.shown().contains("↳ fox#1001: older"))
    }

    @Test func `Tab fills in the newest id at once, then the next ones, and lists none`() throws {
        var user = try TerminalUser.ready()
        user.tell(.message(try Self.said("older", id: 0x1a)), .message(try Self.said("newer", id: 0x2b, own: true)))
        _ = user.rows()
        user.type("/react \t")
        #expect(user.session.editor.text == "/react 2b2b2b2b ")
        #expect(user.shown().contains("↳ me#1234: newer"))
        user.type("\t")
        #expect(user.session.editor.text == "/react 1a1a1a1a ")
        #expect(user.shown().contains("↳ fox#1001: older"))
        user.type("\t")
        #expect(user.session.editor.text == "/react 2b2b2b2b ")
        #expect(user.session.lines.isEmpty)
    }

    @Test func `a card that is refused in a direct conversation is back in the editor`() throws {
        var user = try TerminalUser.ready()
        user.type("/card lost | a hat\r")
        let next = user.session.nextLine()
        let line = try #require(next)
        let command = try Command(line: "/card lost | a hat")
        user.session.settle(line, LineOutcome(of: "/card lost | a hat", command, .refused(.directOpen)))
        #expect(user.session.editor.text == "/card lost | a hat")
    }
}
