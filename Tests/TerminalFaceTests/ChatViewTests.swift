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

/// The lines of conversations, peers and requests.
@Suite struct ChatViewTests {
    private static func said(
        _ text: String, by who: PeerName, in place: ConversationView = .publicRoom, id: UInt8, at seconds: Int64 = 0,
        own: Bool = false, history: Bool = false, missed: Bool = false, unread: Int = 1, delivery: DeliveryState? = nil,
        isRequest: Bool = false, mention: Bool = false
    ) throws -> MessageView {
        let time = Timestamp(milliseconds: UInt64(Int64(Sample.time.milliseconds) + 1_000 * (seconds + 1)))
        return MessageView(
            conversation: place, id: try Sample.message(id), from: who, text: text, sentAt: time, receivedAt: time,
            placeTime: time, authorClock: AuthorClock(epoch: 1, sequence: 1), isFromCurrentUser: own,
            isHistory: history || missed, isMissed: missed, isEdited: false, unread: unread,
            delivery: delivery, isRequest: isRequest, mention: mention ? Mention(of: try Sample.who("me")) : nil)
    }

    @Test func `the first line of a private room says so, and rooms that are entered later are announced`() throws {
        var user = TerminalUser(columns: 200)
        let me = try Sample.who("me", number: 1_234, byte: 1)
        user.tell(.ready(me: me, port: 40_123, room: "kitchen", isPrivate: true, discovery: .none))
        #expect(
            user.rows() == [
                "00:00:00 * you are me#1234 in kitchen, a private room. Type and press Enter; /help lists commands."
            ])
        for (count, text) in [
            (1, "1 other room follows within 10 s, or when you open it"),
            (15, "15 other rooms follow within 10 s, or when you open them"),
        ] {
            user.show([RoomReport(.kitchen, .entering(count))])
            #expect(user.rows() == ["00:00:00 * \(text)"])
        }
    }

    @Test func `the first line names the user and the next step, and later that no peer is here`() throws {
        var user = TerminalUser()
        let me = try Sample.who("me", number: 1_234, byte: 1)
        user.tell(.ready(me: me, port: 40_123, room: "kitchen", discovery: .none))
        #expect(
            user.rows() == [
                "00:00:00 * you are me#1234 in kitchen, an open room. Type and press Enter; /help",
                "           lists commands.",
            ])
        user.advance(.seconds(1))
        #expect(user.shown() == "")
        user.advance(.seconds(1))
        let lonely = user.shown()
        #expect(lonely.contains("nobody else is here yet; earshot doctor says whether they could be\n"))
        #expect(lonely.contains("\n           heard\n"))
        user.show([.answer(.statistics([]))])
        #expect(user.rows() == ["00:00:02 * room kitchen, port 40123, not looking for peers"])
    }

    @Test func `with a peer nothing is said about being alone`() throws {
        var user = try TerminalUser.ready()
        user.tell(.peer(.here, try Sample.who(), online: 1))
        user.advance(.seconds(5))
        #expect(!user.shown().contains("earshot doctor"))
    }

    @Test func `another conversation shows a dim line for direct messages and mentions, and counts all`() throws {
        var user = try TerminalUser.ready()
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        let place = ConversationView.direct(with: fox)
        user.tell(.message(try Self.said("on my way", by: fox, in: place, id: 1)))
        #expect(user.rows() == ["· fox → you: on my way"])
        #expect(user.prompt == "kitchen · me#1234 · 1 here [2 fox 1!] > ")
        user.type("\u{1b}2")
        #expect(user.command() == "/open #1001")
        let recent = try (1...30).map { try Self.said("text \($0)", by: fox, in: place, id: UInt8($0)) }
        user.show([.entered("/open #1001"), .answer(.active(command: "open", place, recent: recent))])
        let rows = user.rows()
        #expect(rows.count == 21)
        #expect(rows.first == "— fox#1001 —")
        #expect(rows[1].hasSuffix("[fox#1001 → you] text 11"))
        #expect(user.prompt == "→ fox#1001 (offline) > ")
        user.tell(.message(try Self.said("public talk", by: fox, id: 40)))
        user.tell(.message(try Self.said("more", by: fox, id: 41, unread: 2)))
        #expect(user.rows().isEmpty)
        #expect(user.prompt == "→ fox#1001 (offline) [1 kitchen 2] > ")
        user.tell(.message(try Self.said("hey me!", by: fox, id: 42, unread: 3, mention: true)))
        #expect(user.rows() == ["· fox: hey me!"])
        #expect(user.prompt == "→ fox#1001 (offline) [1 kitchen 3@] > ")
        user.type("\u{1b}a")
        #expect(user.command() == "/close")
    }

    @Test func `a name that two peers have is shown with its number`() throws {
        var user = try TerminalUser.ready()
        let (fox, other) = (
            try Sample.who("fox", number: 1_001, byte: 2), try Sample.who("Fox", number: 1_002, byte: 3)
        )
        user.tell(.peer(.here, fox, reason: nil, online: 1), .peer(.here, other, reason: nil, online: 2))
        user.advance(.seconds(2))
        _ = user.rows()
        user.tell(.message(try Self.said("psst", by: fox, in: .direct(with: fox), id: 1)))
        #expect(user.rows() == ["· fox#1001 → you: psst"])
    }

    @Test func `one stream shows every conversation`() throws {
        var user = try TerminalUser.ready(all: true)
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        user.tell(.message(try Self.said("on my way", by: fox, in: .direct(with: fox), id: 1)))
        #expect(user.rows() == ["00:00:00 [fox#1001 → you] on my way"])
    }

    @Test func `history is held until it is complete, shown in order and closed by a rule`() throws {
        var user = try TerminalUser.ready()
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        user.tell(.peer(.here, fox, online: 1))
        _ = user.rows()
        user.tell(
            .message(try Self.said("waited", by: fox, in: .direct(with: fox), id: 9)),
            .message(try Self.said("live", by: fox, id: 8)),
            .message(try Self.said("second", by: fox, id: 2, at: -20, history: true)),
            .message(try Self.said("first", by: fox, id: 1, at: -90_000, history: true)),
            .edited(try Self.said("waited, edited", by: fox, in: .direct(with: fox), id: 9)))
        #expect(user.rows().isEmpty)
        user.advance(.seconds(1))
        #expect(
            user.rows() == [
                "— kitchen —", "— 2024-12-30 —", "23:00:00 <fox#1001> first", "— 2024-12-31 —",
                "23:59:40 <fox#1001> second",
                "— before you came —", "· fox → you: waited, edited", "00:00:00 <fox#1001> live",
            ])
    }

    @Test func `of messages that wait for history a deleted one is not shown, and many end the wait`() throws {
        var user = try TerminalUser.ready()
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        user.tell(.peer(.here, fox, online: 1))
        _ = user.rows()
        user.tell(
            .message(try Self.said("old", by: fox, id: 101, at: -20, history: true)),
            .message(try Self.said("gone", by: fox, id: 102)), .deleted(try Self.said("gone", by: fox, id: 102)))
        for number in 1...49 { user.tell(.message(try Self.said("live \(number)", by: fox, id: UInt8(number)))) }
        #expect(user.rows().isEmpty)
        user.tell(.message(try Self.said("live 50", by: fox, id: 50)))
        let texts = user.rows().filter { $0.contains("<fox") }.map { $0.split(separator: "> ")[1] }
        #expect(texts == ["old"] + (1...50).map { "live \($0)" })
    }

    @Test func `a conversation keeps its number when an earlier one ends`() throws {
        var user = try TerminalUser.ready(columns: 100)
        let (fox, owl) = (try Sample.who("fox", number: 1_001, byte: 2), try Sample.who("owl", number: 1_002, byte: 3))
        user.tell(.request(from: fox, text: "hi"))
        user.tell(.message(try Self.said("psst", by: owl, in: .direct(with: owl), id: 1)))
        #expect(user.prompt == "kitchen · me#1234 · 1 here [2 fox ?, 3 owl 1!] > ")
        user.tell(.direct(.declined, with: fox))
        #expect(user.prompt == "kitchen · me#1234 · 1 here [3 owl 1!] > ")
        user.type("\u{1b}2")
        #expect(user.command() == nil)
        user.type("\u{1b}3")
        #expect(user.command() == "/open #1002")
    }

    @Test func `where no conversation is shown the prompt has the room into which a text goes`() throws {
        var user = try TerminalUser.ready()
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        user.show([.answer(.active(command: "open", .direct(with: fox), recent: []))])
        #expect(user.prompt == "→ fox#1001 (offline) > ")
        user.show([RoomReport(.kitchen, .viewed(nil, by: .shared))])
        #expect(user.prompt == "kitchen · me#1234 · 1 here > ")
    }

    @Test func `messages that were missed alone are labelled, bright, by time, and read back in their places`() throws {
        var user = try TerminalUser.ready(depth: .full)
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        let me = try Sample.who("me", number: 1_234, byte: 1)
        user.tell(.peer(.here, fox, online: 1))
        user.advance(.seconds(5))
        user.tell(.message(try Self.said("live", by: fox, id: 1, at: 5)))
        user.tell(.peer(.left, fox, online: 0))
        user.advance(.seconds(100))
        user.tell(.message(try Self.said("mine alone", by: me, id: 2, at: 105, own: true)))
        _ = user.rows()
        user.advance(.seconds(60))
        user.tell(.peer(.here, fox, online: 1))
        user.tell(
            .message(try Self.said("missed second", by: fox, id: 4, at: 110, missed: true, unread: 2)),
            .message(try Self.said("missed first", by: fox, id: 3, at: 100, missed: true, unread: 1)))
        user.advance(.seconds(1))
        let written = user.session.writing(at: user.now)
        let text = written.replacing(/\u{1b}\[[?0-9;]*[A-Za-z]/, with: "")
        #expect(text.contains("— 2 messages while you were offline —"))
        #expect(!text.contains("before you came"))
        #expect(!written.contains("\u{1b}[2mmissed"))
        let order = user.session.view.log.map(\.text)
        #expect(order == ["live", "missed first", "mine alone", "missed second"])
    }

    @Test func `a message that is seconds late has no label, and one that others bring later has one`() throws {
        var user = try TerminalUser.ready()
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        user.tell(.peer(.here, fox, online: 1))
        user.tell(.message(try Self.said("quick answer", by: fox, id: 1, at: 0, missed: true)))
        #expect(user.rows().count == 1)
        user.advance(.seconds(1))
        #expect(user.rows() == ["00:00:00 <fox#1001> quick answer"])
        user.advance(.seconds(100))
        user.tell(.peer(.here, try Sample.who("owl", number: 1_002, byte: 3), online: 2))
        user.tell(.message(try Self.said("from the other side", by: fox, id: 2, at: 30, missed: true)))
        user.advance(.seconds(1))
        #expect(user.rows().contains("— 1 message that you missed —"))
    }

    @Test func `missed messages of a room that is not open are unread`() throws {
        var user = try TerminalUser.ready()
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        user.tell(.peer(.here, fox, online: 1))
        user.advance(.seconds(5))
        user.show([.answer(.active(command: "open", .direct(with: fox), recent: []))])
        user.tell(.message(try Self.said("missed", by: fox, id: 1, at: 1, missed: true, unread: 1)))
        user.advance(.seconds(1))
        #expect(user.prompt.contains("[1 kitchen 1]"))
    }

    @Test func `an own message ends the wait for history`() throws {
        var user = try TerminalUser.ready()
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        user.tell(.peer(.here, fox, online: 1))
        user.tell(.message(try Self.said("old", by: fox, id: 1, history: true)))
        user.tell(.message(try Self.said("mine", by: try Sample.who("me", number: 1_234, byte: 1), id: 2, own: true)))
        let rows = user.rows()
        #expect(Array(rows.suffix(3)) == ["00:00:00 <fox#1001> old", "— before you came —", "00:00:00 <you> mine"])
    }

    @Test func `more than three who come or leave in ten seconds are one line`() throws {
        var user = try TerminalUser.ready()
        for number in 1...6 {
            user.tell(
                .peer(
                    .here, try Sample.who("fox\(number)", number: 1_000 + number, byte: UInt8(number)), online: number))
        }
        for number in 1...2 {
            user.tell(
                .peer(.left, try Sample.who("fox\(number)", number: 1_000 + number, byte: UInt8(number)), online: 4))
        }
        #expect(
            user.rows().map { $0.dropFirst(11) } == ["fox1#1001 is here", "fox2#1002 is here", "fox3#1003 is here"])
        user.advance(.seconds(10))
        #expect(user.rows().map { $0.dropFirst(11) } == ["3 came, 2 left"])
        user.tell(.peer(.left, try Sample.who("fox3", number: 1_003, byte: 3), online: 3))
        #expect(user.rows().map { $0.dropFirst(11) } == ["fox3#1003 is gone"])
        user.type("/set joins off\r")
        user.tell(.peer(.left, try Sample.who("fox4", number: 1_004, byte: 4), online: 2))
        #expect(user.rows() == ["joins is off"])
    }

    @Test func `a rename has a line, further ones in ten seconds have another, and none is an arrival`() throws {
        var user = try TerminalUser.ready()
        func name(_ text: String) throws -> PeerName { try Sample.who(text, number: 1_001, byte: 2) }
        user.tell(.peer(.here, try name("seal"), online: 1))
        user.advance(.seconds(11))
        _ = user.rows()
        for (before, after) in [("seal", "a"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", "otter")] {
            user.tell(.peer(.here, try name(after), was: PeerSighting(try name(before), .here), online: 1))
        }
        #expect(user.rows().map { $0.dropFirst(11) } == ["seal#1001 is now a#1001"])
        user.advance(.seconds(10))
        #expect(user.rows().map { $0.dropFirst(11) } == ["a#1001 is now otter#1001"])
        user.advance(.seconds(10))
        #expect(user.rows().isEmpty)
    }

    @Test func `with joins off a rename has a line, and a return from away has none`() throws {
        var user = try TerminalUser.ready()
        let (seal, otter) = (
            try Sample.who("seal", number: 1_001, byte: 2), try Sample.who("otter", number: 1_001, byte: 2)
        )
        user.tell(.peer(.here, seal, online: 1))
        user.advance(.seconds(11))
        user.type("/set joins off\r")
        _ = user.rows()
        user.tell(.peer(.away, seal, was: PeerSighting(seal, .here), online: 1))
        user.tell(.peer(.here, seal, was: PeerSighting(seal, .away), online: 1))
        #expect(user.rows().isEmpty)
        user.tell(.peer(.here, otter, was: PeerSighting(seal, .here), online: 1))
        #expect(user.rows().map { $0.dropFirst(11) } == ["seal#1001 is now otter#1001"])
    }

    @Test func `a return from away takes no place of an arrival`() throws {
        var user = try TerminalUser.ready()
        let seal = try Sample.who("seal", number: 1_001, byte: 2)
        user.tell(.peer(.here, seal, online: 1))
        for _ in 0..<4 {
            user.tell(.peer(.away, seal, was: PeerSighting(seal, .here), online: 1))
            user.tell(.peer(.here, seal, was: PeerSighting(seal, .away), online: 1))
        }
        _ = user.rows()
        user.advance(.seconds(11))
        #expect(!user.shown().contains("came"))
    }

    @Test func `prompt, conversations and typing follow a rename, the own one by another face too`() throws {
        var user = try TerminalUser.ready(columns: 100)
        let (seal, otter) = (
            try Sample.who("seal", number: 1_001, byte: 2), try Sample.who("otter", number: 1_001, byte: 2)
        )
        user.tell(.peer(.here, seal, online: 1))
        user.tell(.message(try Self.said("psst", by: seal, in: .direct(with: seal), id: 1)))
        user.tell(.typing(seal, .publicRoom, isOn: true))
        #expect(user.prompt == "kitchen · me#1234 · 2 here [2 seal 1!] > ")
        user.tell(.peer(.here, otter, was: PeerSighting(seal, .here), online: 1))
        #expect(user.prompt == "kitchen · me#1234 · 2 here [2 otter 1!] > ")
        #expect(user.session.view.typing == "otter#1001 is typing")
        let me = try Sample.who("me", number: 1_234, byte: 1)
        user.tell(.renamed(try Sample.who("ada", number: 1_234, byte: 1), was: me))
        #expect(user.prompt == "kitchen · ada#1234 · 2 here [2 otter 1!] > ")
        user.tell(.message(try Self.said("hello ada", by: otter, id: 3)))
        // The message waits for history.
        user.advance(.seconds(1))
        #expect(user.session.view.rendering.mention?.isIn("hello ada") == true)
    }

    @Test func `the user's own changes by another face have a line, and by this one no second line`() throws {
        var user = try TerminalUser.ready()
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        let (me, ada) = (try Sample.who("me", number: 1_234, byte: 1), try Sample.who("ada", number: 1_234, byte: 1))
        user.tell(.peer(.here, fox, online: 1))
        user.advance(.seconds(3))
        user.show([.answer(.active(command: "open", .direct(with: fox), recent: []))])
        user.tell(.renamed(ada, was: me), .status(OwnStatus(.away, reason: "lunch"), was: OwnStatus()))
        let page = user.rows().joined(separator: "\n")
        #expect(page.contains("you are now ada#1234") && page.contains("you are away: lunch"))
        user.show([.answer(Answer.done(command: "nick", ada).told)])
        #expect(!user.rows().joined(separator: "\n").contains("you are now"))
    }

    @Test func `a blocked peer's messages can not be read back, nor do they ask for attention`() throws {
        var user = try TerminalUser.ready()
        let (fox, owl) = (try Sample.who("fox", number: 1_001, byte: 2), try Sample.who("owl", number: 1_002, byte: 3))
        user.tell(.peer(.here, fox, online: 1), .peer(.here, owl, online: 2))
        user.advance(.seconds(3))
        user.tell(
            .message(try Self.said("from the fox", by: fox, id: 1)),
            .message(try Self.said("from the owl", by: owl, id: 2)),
            .message(try Self.said("psst", by: fox, in: .direct(with: fox), id: 3)), .request(from: fox, text: "please")
        )
        _ = user.rows()
        user.tell(.blocked(fox, isOn: true))
        #expect(user.prompt == "kitchen · me#1234 · 3 here > ")
        user.type("\u{1b}[5~")
        let page = user.shown()
        #expect(page.contains("from the owl"))
        #expect(!page.contains("from the fox"))
        user.tell(.deleted(try Self.said("from the fox", by: fox, id: 1)))
        user.type("\u{1b}")
        #expect(!user.rows().joined().contains("fox"))
    }

    @Test func `a crowd is a line with counts, and the number in the prompt`() throws {
        var user = try TerminalUser.ready()
        user.tell(.crowd(came: 990, left: 3, online: 1_003))
        user.advance(.milliseconds(40))
        let text = user.shown()
        #expect(text.contains("990 came, 3 left: 1004 here"))
        #expect(text.contains("· 1004 here"))
        user.type("/set joins off\r")
        user.tell(.crowd(came: 1, left: 0, online: 1_004))
        user.advance(.milliseconds(40))
        let later = user.shown()
        #expect(!later.contains("came"))
        #expect(later.contains("· 1005 here"))
    }

    @Test func `an open request has a badge, and is repeated once when the user next types`() throws {
        var user = try TerminalUser.ready()
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        user.tell(.request(from: fox, text: "hello?"))
        #expect(user.rows().first?.contains("fox#1001 wants to talk to you, /accept #1001 or /decline #1001") == true)
        #expect(user.prompt == "kitchen · me#1234 · 1 here [2 fox ?] > ")
        user.type("a")
        #expect(user.rows().isEmpty)
        user.advance(.seconds(2))
        user.type("b")
        #expect(user.rows().joined().contains("the request of fox#1001 waits"))
        user.type("c")
        #expect(user.rows().isEmpty)
        user.tell(.direct(.accepted, with: fox))
        #expect(user.prompt == "kitchen · me#1234 · 1 here > ")
    }

    @Test func `the sender of a request sees that it is only a request`() throws {
        var user = try TerminalUser.ready()
        let (me, fox) = (try Sample.who("me", number: 1_234, byte: 1), try Sample.who("fox", number: 1_001, byte: 2))
        user.tell(
            .message(
                try Self.said(
                    "hi", by: me, in: .direct(with: fox), id: 1, own: true, delivery: .sending, isRequest: true)))
        #expect(
            user.rows() == ["· you → fox: hi …", "00:00:00 * request sent; text is delivered once they accept"])
    }

    @Test func `own messages, mentions, errors and direct messages differ in style`() throws {
        var user = try TerminalUser.ready(depth: .full)
        let (me, fox) = (try Sample.who("me", number: 1_234, byte: 1), try Sample.who("fox", number: 1_001, byte: 2))
        user.tell(
            .message(try Self.said("mine", by: me, id: 1, own: true)),
            .message(try Self.said("hey Me, #1234", by: fox, id: 2)), .request(from: fox, text: "x"))
        user.show([.error(ChatError(.empty, .messageEmpty))])
        user.advance(.seconds(1))
        let written = user.session.writing(at: user.now)
        for part in [
            "\u{1b}[2m00:00:00 \u{1b}[m\u{1b}[1m<you>\u{1b}[m mine",
            "hey \u{1b}[1;7mMe\u{1b}[m, \u{1b}[1;7m#1234\u{1b}[m",
            "\u{1b}[35m* fox#1001 wants to talk", "\u{1b}[1;31m! message is empty",
        ] {
            #expect(written.contains(part), "\(part)")
        }
    }

    @Test func `authors are coloured, what they say is not, and a name can not end its colour`() throws {
        var user = try TerminalUser.ready(depth: .full)
        let who = try Sample.who("a>b]c")
        user.tell(.message(try Self.said("<x> \u{1b}[31m]", by: who, id: 1)))
        user.advance(.seconds(1))
        let written = user.session.writing(at: user.now)
        #expect(written.contains(/\u{1b}\[38;5;\d+m<a\u{fffd}b\u{fffd}c#4821>\u{1b}\[m <x> \u{fffd}\[31m\]/))
    }

    @Test func `without colours nothing that is shown has a style, and no text steers the terminal`() throws {
        for text in Sample.hostile {
            var user = try TerminalUser.ready()
            let who = try Sample.who(text)
            user.show([
                .event(.message(try Sample.said(text, by: who))), .entered(text),
                .event(.request(from: who, text: text)),
                .event(.message(try Sample.said(text, by: who, in: .direct(with: who)))),
                .event(.peer(.here, who, online: 1)),
                .event(.invitation(from: who, to: Room(openNamed: text))),
                .answer(.whoami(who, room: text, profile: Profile(about: text, rooms: [text]))),
                .answer(.rooms(RoomList([], announced: [text: 1], invitations: []))),
                .answer(.invited(who, to: text)), .answer(.announced([text])),
                .answer(
                    .contacts([
                        ContactView(try Sample.who(text, contact: text), lastHere: nil, rooms: [], isVerified: false)
                    ])),
            ])
            let lines = user.session.lines.map(\.text.drawn).joined() + user.session.view.prompt.text(columns: 80).drawn
            #expect(!lines.unicodeScalars.contains { $0.properties.generalCategory == .control })
        }
    }

    @Test func `the list of peers has those that are present, and on request all others`() throws {
        var user = try TerminalUser.ready()
        let peers = try [PresenceState.here, .left].enumerated().map { index, state in
            PeerView(
                who: try Sample.who("fox\(index)", number: 1_001 + index, byte: UInt8(2 + index)), state: state,
                since: Sample.time, roundTrip: nil, isMuted: false, isVerified: false, isBlocked: false)
        }
        user.show([.answer(.peers(peers, isWhole: false))])
        #expect(user.rows() == ["  name       state   for", "  fox0#1001  online  1 s"])
        user.show([.answer(.peers(peers, isWhole: true))])
        #expect(user.rows().count == 3)
    }

    @Test func `the list of peers is a table with the user in it, and says who was here before`() throws {
        var user = try TerminalUser.ready()
        let came = Timestamp(milliseconds: user.wallClock.milliseconds - 600_000)
        func peer(_ name: String, _ byte: UInt8, seconds: UInt64, reason: String? = nil) throws -> PeerView {
            PeerView(
                who: try Sample.who(name, number: 1_000 + Int(byte), byte: byte), state: reason == nil ? .here : .away,
                since: Timestamp(milliseconds: came.milliseconds + 1_000 * seconds),
                roundTrip: RoundTrip(.milliseconds(12)), isMuted: byte == 3, isVerified: false, isBlocked: false,
                reason: reason)
        }
        let peers = [
            try peer("fox", 2, seconds: 1), try peer("small-otter", 3, seconds: 480, reason: "lunch, verified"),
        ]
        let me = OwnRow(who: try Sample.who("me", number: 1_234, byte: 1), status: OwnStatus(), since: came)
        user.show([.answer(.peers(peers, isWhole: false, me: me))])
        #expect(
            user.rows() == [
                "  name              state   for           round trip  notes",
                "  me#1234 (you)     online  10 min",
                "  fox#1002          online  since I came  12 ms",
                "  small-otter#1003  away    2 min         12 ms       muted: lunch, verified",
            ])
        user.show([.answer(.peers([], isWhole: false, me: me))])
        #expect(
            user.rows() == [
                "00:00:00 * nobody else is here", "  name           state   for", "  me#1234 (you)  online  10 min",
            ])
    }

    @Test func `an act is a line of its own kind, in each conversation`() throws {
        var user = try TerminalUser.ready()
        let (me, fox) = (try Sample.who("me", number: 1_234, byte: 1), try Sample.who("fox", number: 1_001, byte: 2))
        user.tell(
            .message(try Self.said("* fox waves", by: fox, id: 1)),
            .message(try Self.said("* me nods", by: me, id: 2, own: true)),
            .message(try Self.said("* fox bows", by: fox, in: .direct(with: fox), id: 3)),
            .message(try Self.said("* other waves", by: fox, id: 4)))
        #expect(
            user.rows() == [
                "00:00:00 • fox#1001 waves", "00:00:00 • me#1234 nods", "· • fox → you bows",
                "00:00:00 <fox#1001> * other waves",
            ])
    }

    @Test func `an accepted request says how to write there, unless that is open`() throws {
        var user = try TerminalUser.ready(columns: 120)
        let (me, fox) = (try Sample.who("me", number: 1_234, byte: 1), try Sample.who("fox", number: 1_001, byte: 2))
        user.tell(
            .message(
                try Self.said(
                    "hi", by: me, in: .direct(with: fox), id: 1, own: true, delivery: .sending, isRequest: true)))
        _ = user.rows()
        user.tell(.direct(.accepted, with: fox))
        #expect(
            user.rows().joined().contains("direct conversation with fox#1001: accepted; Alt-2 or /open #1001 opens it"))
        user.show([.answer(.active(command: "open", .direct(with: fox), recent: []))])
        _ = user.rows()
        user.tell(.direct(.accepted, with: fox))
        #expect(user.rows() == ["00:00:00 * direct conversation with fox#1001: accepted"])
    }

    @Test(arguments: [(80, 23), (40, 26)])
    func `help fits 24 rows of 80 columns, and lists no command of front ends`(columns: Int, most: Int) throws {
        var user = try TerminalUser.ready(columns: columns)
        user.show([.answer(.help(CommandEntry.listed))])
        let rows = user.rows()
        #expect(rows.count <= most)
        #expect(!rows.joined().contains("/typing"))
        #expect(rows.allSatisfy { DisplayWidth.of($0) <= columns })
    }

    @Test func `a long address is whole on the second screen, where the terminal wraps it`() throws {
        var user = try TerminalUser.ready(columns: 40)
        let address = "https://example.org/" + String(repeating: "abcdefghij", count: 9)
        try user.hear(address)
        _ = user.rows()
        user.type("\u{1b}[5~")
        let page = user.session.writing(at: user.now)
        let plain = page.replacing(/\u{1b}\[[?0-9;]*[A-Za-z]/, with: "")
        #expect(plain.contains(address))
    }

    @Test func `the open conversation is read back on the second screen`() throws {
        var user = try TerminalUser.ready()
        let fox = try Sample.who("fox", number: 1_001, byte: 2)
        for number in 0..<100 { user.tell(.message(try Self.said("text \(number).", by: fox, id: UInt8(number)))) }
        _ = user.rows()
        user.type("\u{1b}[5~")
        let page = user.session.writing(at: user.now)
        #expect(page.contains("\u{1b}[?1049h"))
        #expect(page.contains("text 77.") && !page.contains("text 78.") && page.contains("57–79 of 101 rows"))
        user.tell(.message(try Self.said("meanwhile", by: fox, id: 200)))
        user.advance(.seconds(1))
        #expect(user.session.writing(at: user.now) == "")
        user.type("\u{1b}[6~")
        #expect(user.shown().contains("text 99."))
        user.type("\u{1b}[6~")
        let end = user.session.writing(at: user.now)
        #expect(end.hasPrefix("\u{1b}[?1049l") && end.contains("meanwhile"))
    }
}
