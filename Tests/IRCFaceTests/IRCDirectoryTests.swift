import Chat
import ChatNode
import Commands
import Model
import Testing
import Wire

@testable import IRCFace

@Suite struct IRCDirectoryTests {
    private static let room = RoomLabel(number: 1, name: "lobby")

    private static func who(
        _ nickname: String, _ key: Int, number: Int = 4_821, contact: String? = nil, isAlike: Bool = false
    ) throws -> PeerName {
        let bytes = unsafe withUnsafeBytes(of: key.bigEndian) { unsafe Array($0) }
        let id = try #require(PeerID(bytes + [UInt8](repeating: 0, count: 24)))
        return PeerName(
            number: number, suffix: nil, nickname: nickname, stage: .newcomer, key: id, contact: contact,
            isAlike: isAlike)
    }

    private static func chat(_ peers: [(PresenceState, PeerName)]) -> ChatModel {
        var chat = ChatModel()
        let moment = Moment(instant: Instant(nanoseconds: 0), wallClock: Timestamp(milliseconds: 1))
        for (state, who) in peers {
            _ = chat.reduce(RoomReport(room, .event(.peer(state, who, online: 1))), at: moment)
        }
        return chat
    }

    @Test func `two users of one name have different nicks, in any case of letters`() throws {
        var directory = IRCDirectory()
        let (one, other) = (try Self.who("Ben", 1), try Self.who("ben", 2))
        let chat = Self.chat([(.here, one), (.here, other)])
        #expect(directory.nick(of: one, in: 1, chat) == "Ben")
        #expect(directory.nick(of: other, in: 1, chat) == "ben-4821")
        #expect(directory.nick(of: one, in: 1, chat) == "Ben")
        #expect(directory.users("BEN").first?.peer == one.key)
    }

    @Test(arguments: ["ben-1234", "BEN"])
    func `a name with a number behind it, or like another one, gets its own number`(
        _ nickname: String
    ) throws {
        var directory = IRCDirectory()
        let who = try Self.who(nickname, 1, isAlike: nickname == "BEN")
        #expect(directory.nick(of: who, in: 1, ChatModel()) == "\(nickname)-4821")
    }

    @Test func `a contact gets its name from a stranger`() throws {
        var directory = IRCDirectory()
        let (stranger, contact) = (try Self.who("bob", 1), try Self.who("x", 2, contact: "Bob"))
        let chat = Self.chat([(.here, stranger), (.here, contact)])
        #expect(directory.nick(of: stranger, in: 1, chat) == "bob")
        #expect(directory.nick(of: contact, in: 1, chat) == "Bob")
        let rename = IRCDirectory.Rename(
            user: ConversationID(room: 1, peer: stranger.key), was: "bob", nick: "bob-4821")
        #expect(directory.takeRenames() == [rename])
        #expect(directory.users("bob").first?.peer == contact.key)
    }

    @Test func `the user of the node keeps its nick`() throws {
        var directory = IRCDirectory()
        let peer = try Self.who("ana", 1)
        #expect(directory.nick(of: peer, in: 1, ChatModel()) == "ana")
        directory.setOwn("ana", ChatModel())
        #expect(directory.takeRenames().map(\.nick) == ["ana-4821"])
        #expect(directory.users("ana").isEmpty)
    }

    @Test func `a nick that is given up goes to the next user, but not where a private conversation is open`() throws {
        var directory = IRCDirectory()
        let (first, second, third) = (try Self.who("ben", 1), try Self.who("ben", 2), try Self.who("ben", 3))
        #expect(directory.nick(of: first, in: 1, Self.chat([(.here, first)])) == "ben")
        var chat = Self.chat([(.here, first), (.left, first)])
        #expect(directory.nick(of: second, in: 1, chat) == "ben")
        let moment = Moment(instant: Instant(nanoseconds: 0), wallClock: Timestamp(milliseconds: 2))
        _ = chat.reduce(RoomReport(Self.room, .event(.request(from: second, text: "hi"))), at: moment)
        #expect(directory.nick(of: third, in: 1, chat) == "ben-4821")
    }

    @Test func `a key of one name has one nick in all rooms`() throws {
        var directory = IRCDirectory()
        let who = try Self.who("ben", 1)
        let chat = Self.chat([(.here, who)])
        #expect(directory.nick(of: who, in: 1, chat) == "ben")
        #expect(directory.nick(of: who, in: 2, chat) == "ben")
        #expect(directory.nick(of: try Self.who("ben", 2), in: 2, chat) == "ben-4821")
        #expect(directory.users("ben").map(\.room) == [1, 2])
    }

    @Test(arguments: [
        ("ben", "b*", true), ("ben", "B?N", true), ("ben", "*", true), ("ben", "b?", false), ("ben", "*x*", false),
    ])
    func `masks have stars and question marks`(_ nick: String, _ mask: String, _ isOne: Bool) {
        #expect(IRCDirectory.matches(nick, mask) == isOne)
    }

    @Test func `nicks of 9,000 users of one name all differ`() throws {
        var directory = IRCDirectory()
        var nicks: Set<String> = []
        for key in 1...9_000 {
            let who = try Self.who("ben", key, number: 1_000 + key % 9_000)
            nicks.insert(IRCDirectory.folded(directory.nick(of: who, in: 1, Self.chat([]))))
        }
        // None of them is known to be here, so each takes the name of the one before.
        #expect(nicks == ["ben"])
        let users = try (1...9_000).map { try Self.who("ben", $0, number: 1_000 + $0 % 9_000) }
        let chat = Self.chat(users.map { (.here, $0) })
        var crowded = IRCDirectory()
        #expect(Set(users.map { IRCDirectory.folded(crowded.nick(of: $0, in: 1, chat)) }).count == 9_000)
    }

    @Test(arguments: [
        ("a b", "a_b"), ("4x", "_4x"), ("-x", "_-x"), ("a!b@c", "a_b_c"), ("고요한", "고요한"), ("a\u{7}", "a_"),
        ("[x]", "_x_"),
    ]) func `nicks are legal`(_ name: String, _ nick: String) { #expect(IRCDirectory.legal(name) == nick) }
}
